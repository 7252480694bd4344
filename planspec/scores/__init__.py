"""What runs earn: metrics with intervals, paired comparisons, what is failed at, how far agents plan, and what it costs."""

from planspec.scores.comparing import compare
from planspec.scores.record import Comparison, Estimate, RunScores
from planspec.scores.scoring import run_metrics, run_scores

__all__ = ["Comparison", "Estimate", "RunScores", "compare", "run_metrics", "run_scores"]
