"""Metrics over the verdicts on many tasks, such as pass rates, and declarations of metrics."""

from planspec.verifiers.metrics.generic import Metrics
from planspec.verifiers.metrics.scored import Scored, hard_counts_of

__all__ = ["Metrics", "Scored", "hard_counts_of"]
