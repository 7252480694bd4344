"""Metrics of MobilityBench, strict and as in the public toolkit, and their differences."""

from planspec.families.mobilitybench.metrics.record import METRICS, Judged, Strict
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "Judged", "Strict", "StrictReport", "score_trace"]
