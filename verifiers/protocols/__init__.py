"""Metrics over the verdicts of many tasks, as the benchmarks define them."""

from planspec.verifiers.protocols.registry import Protocol, UnknownProtocol, protocol

__all__ = ["Protocol", "UnknownProtocol", "protocol"]
