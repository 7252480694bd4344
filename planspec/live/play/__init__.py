"""Live page on this machine that shows tasks and follows their files."""

from planspec.live.play.serving import PlayServer

__all__ = ["PlayServer"]
