"""Runs that one walks through: a page on this machine over run folders that grow."""

from planspec.live.view.serving import ViewServer

__all__ = ["ViewServer"]
