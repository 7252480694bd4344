"""Tasks that are shown while they are written: a page on this machine that follows files as they change."""

from planspec.live.play.serving import PlayServer

__all__ = ["PlayServer"]
