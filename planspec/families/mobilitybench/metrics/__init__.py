"""MobilityBench's metrics in two profiles: `strict`, after the paper, and `official`, as in the public toolkit."""

from planspec.families.mobilitybench.metrics.record import METRICS, JudgedMetric, StrictMetrics
from planspec.families.mobilitybench.metrics.report import StrictReport
from planspec.families.mobilitybench.metrics.scoring import score_trace

__all__ = ["METRICS", "JudgedMetric", "StrictMetrics", "StrictReport", "score_trace"]
