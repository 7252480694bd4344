"""Metrics over the verdicts of many tasks, as the benchmarks define them."""

from planspec.verifiers.metrics.registry import Protocol, UnknownProtocol, protocol
from planspec.verifiers.metrics.scored import Scored, asked_of, labels_of

__all__ = ["Protocol", "Scored", "UnknownProtocol", "asked_of", "labels_of", "protocol"]
