"""Metrics of MobilityBench: strict metrics, those of the public toolkit, and the differences between the two."""

from planspec.families.mobilitybench.metrics.record import METRICS, JudgedMetric, StrictMetrics
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "JudgedMetric", "StrictMetrics", "StrictReport", "score_trace"]
