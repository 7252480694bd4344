"""Scores of runs: metrics with intervals, comparisons, failures by kind, planning horizon, and cost."""

from planspec.scores.comparing import compare
from planspec.scores.record import Comparison, Estimate, RunScores
from planspec.scores.scoring import run_metrics, run_scores

__all__ = ["Comparison", "Estimate", "RunScores", "compare", "run_metrics", "run_scores"]
