"""Web page on this machine for browsing runs, including those in progress."""

from planspec.live.view.serving import ViewServer

__all__ = ["ViewServer"]
