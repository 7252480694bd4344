"""Local web page to browse runs, including runs in progress."""

from planspec.live.view.serving import ViewServer

__all__ = ["ViewServer"]
