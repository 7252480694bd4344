"""The metrics of MobilityBench, strict and as the public toolkit has them, and where the two part."""

from planspec.families.mobilitybench.metrics.record import METRICS, Judged, Strict
from planspec.families.mobilitybench.metrics.report import Report
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "Judged", "Report", "Strict", "score_trace"]
