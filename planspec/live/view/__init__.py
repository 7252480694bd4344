"""Local web page for browsing runs, including runs in progress."""

from planspec.live.view.serving import ViewServer

__all__ = ["ViewServer"]
