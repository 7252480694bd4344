"""The metrics of MobilityBench, strict and as the public toolkit has them, and where the two part."""

from planspec.families.mobilitybench.metrics.record import METRICS, Judged, Strict
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "Judged", "Strict", "StrictReport", "score_trace"]
