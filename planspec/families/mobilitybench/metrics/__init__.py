"""MobilityBench's metrics: strict ones, after the paper; those of the public toolkit; and the differences."""

from planspec.families.mobilitybench.metrics.record import METRICS, JudgedMetric, StrictMetrics
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "JudgedMetric", "StrictMetrics", "StrictReport", "score_trace"]
