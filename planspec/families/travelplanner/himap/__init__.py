"""HiMAP-Travel, after Bui, Li and Liu (2026): a coordinator splits a trip into days, and executors plan the days."""

from planspec.families.travelplanner.himap.agent import HiMAP

__all__ = ["HiMAP"]
