"""Local web page that shows tasks and is updated when their files change."""

from planspec.live.play.serving import PlayServer

__all__ = ["PlayServer"]
