"""The public table of MobilityBench and the files of its toolkit, read as they are."""

from planspec.mobilitybench.public.table import import_episodes

__all__ = ["import_episodes"]
