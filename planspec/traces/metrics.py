"""Metrics computed from whole traces, not only from verdicts.

A family whose metrics depend on tool calls, steps or tokens provides them as its part `trace_metrics`. The metrics also
get the suite's folder, in which the family may store further data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from planspec.errors import UnsuitableAnswersError
from planspec.family.descriptor import Part
from planspec.family.registry import find
from planspec.parallel import Jobs
from planspec.verifiers.metrics.metric import Metric


class UnsuitableRunError(UnsuitableAnswersError):
    """The suite or the traces are not suitable for the metrics."""


class TraceScores(BaseModel):
    """The scores of a run's traces."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    profile: str
    passed: bool = Field(description="whether every episode passes")
    metrics: dict[str, JsonValue]
    traces: list[dict[str, JsonValue]] = Field(
        description="metrics of each episode, in the suite's order; empty if details were not requested"
    )
    unread: list[str] = Field(description="records that are not traces, and why")
    other_questions: list[str] = Field(
        default_factory=list,
        description="traces whose user asks another question than their task; they are scored, but probably for the wrong task",
    )
    differences: dict[str, JsonValue] | None = Field(
        default=None, description="where the profiles disagree, and why; null if not requested"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """A request to score traces.

    Attributes:
        suite: id of the suite.
        folder: folder of the suite.
        traces: file of traces.
        profile: `strict` or `official`.
        differences: whether to report where the profiles disagree.
        details: whether to report each episode. Without details, runs of any length need little memory.
        jobs: number of processes, or a Ray cluster.
        seed: seed of random choices; None for the default.
    """

    suite: str
    folder: Path
    traces: Path
    profile: str
    differences: bool = False
    details: bool = True
    jobs: Jobs = 1
    seed: int | None = None


class TraceMetrics(Protocol):
    """A family's metrics that are computed from traces."""

    @property
    def declared(self) -> Mapping[str, Metric]:
        """Metrics of the profile `strict`, by name."""

    def profiles(self, folder: Path) -> Sequence[str]:
        """Return the names of the profiles (ways to score) that a suite supports."""

    def over(self, request: TraceRequest) -> TraceScores:
        """Compute the metrics of a file of traces.

        Raises:
            UnsuitableRunError: the suite's files or the traces are not suitable.
            OSError: a file cannot be read.
        """

    def metric_lines(self, metrics: Mapping[str, Any], profile: str) -> Sequence[str]:
        """Return the metrics of a suite, or of a part of it, as text."""

    def lines(self, scores: TraceScores) -> Sequence[str]:
        """Return the metrics and other results as text."""


TRACE_METRICS: Part[TraceMetrics | None] = Part("trace_metrics", None)
"""The family's metrics that are computed from traces; None if verdicts suffice."""


def trace_metrics(family: str | None) -> TraceMetrics | None:
    """Return a family's metrics on traces; None if it has none or there is no such family."""
    descriptor = find(family)
    return None if descriptor is None else TRACE_METRICS.of(descriptor)
