"""Metrics over the verdicts of many tasks, as the benchmarks define them."""

from planspec.verifiers.metrics.registry import UnknownMetricSet, metric_set
from planspec.verifiers.metrics.scored import Scored, asked_of, labels_of

__all__ = ["Scored", "UnknownMetricSet", "asked_of", "labels_of", "metric_set"]
