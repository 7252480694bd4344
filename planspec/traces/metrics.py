"""Metrics that look at whole traces of agents, not at verdicts alone, and what they come to over many traces.

A family whose metrics look at tool calls, steps or tokens names them as `trace_metrics` in its descriptor. They get the
suite's folder, as what belongs to an episode beside its task is the family's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from planspec.errors import UnsuitableAnswersError
from planspec.families.registry import find
from planspec.parallel import Jobs
from planspec.verifiers.metrics.metric import Metric


class UnsuitableRunError(UnsuitableAnswersError):
    """The suite or the traces are not what they should be."""


class TraceScores(BaseModel):
    """The scores of a run's traces."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    suite: str
    profile: str
    passed: bool = Field(description="every episode passes")
    metrics: dict[str, JsonValue]
    traces: list[dict[str, JsonValue]] = Field(
        description="the metrics of each episode, in the suite's order; empty if details were not asked for"
    )
    unread: list[str] = Field(description="records that are no traces, and why")
    other_questions: list[str] = Field(
        default_factory=list,
        description="traces whose user asks another question than their task: they are scored, and likely for the wrong task",
    )
    differences: dict[str, JsonValue] | None = Field(
        default=None, description="where the profiles part, and why; null if it was not asked"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """The order to score, with its options.

    Attributes:
        suite: the suite's id.
        folder: in which the suite lies.
        traces: a file of traces.
        profile: `strict` or `official`.
        differences: tell where the profiles part.
        details: tell of each episode, too; without them a run of any length needs little memory.
        jobs: processes to score with, or a Ray cluster.
        seed: of what is drawn by chance.
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
    """The metrics of one family that look at traces."""

    @property
    def declared(self) -> Mapping[str, Metric]:
        """The strict metrics by name."""

    def profiles(self, folder: Path) -> Sequence[str]:
        """The profiles of a suite."""

    def over(self, request: TraceRequest) -> TraceScores:
        """The metrics of a file of traces.

        Raises:
            UnsuitableRunError: the suite's files or the traces are not what they should be.
            OSError: a file cannot be read.
        """

    def metric_lines(self, metrics: Mapping[str, Any], profile: str) -> Sequence[str]:
        """The metrics of a suite, or of a part of it, for people."""

    def lines(self, scores: TraceScores) -> Sequence[str]:
        """The metrics for people, and whatever else the traces show."""


def trace_metrics(family: str | None) -> TraceMetrics | None:
    """The metrics of a family that look at traces; None if its metrics look at verdicts, or there is no such family."""
    found = find(family)
    return None if found is None or found.trace_metrics is None else found.trace_metrics.load()
