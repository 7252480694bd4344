"""Local web page that shows tasks and updates itself when their files change."""

from planspec.live.play.serving import PlayServer

__all__ = ["PlayServer"]
