"""HiMAP-Travel: a coordinator and day executors that plan a trip in parallel, after Bui, Li and Liu (2026)."""

from planspec.families.travelplanner.himap.agent import HiMAP

__all__ = ["HiMAP"]
