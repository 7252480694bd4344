"""MobilityBench's metrics: strict ones, after the paper; the public toolkit's; and their differences."""

from planspec.families.mobilitybench.metrics.record import METRICS, JudgedMetric, StrictMetrics
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "JudgedMetric", "StrictMetrics", "StrictReport", "score_trace"]
