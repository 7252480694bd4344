"""The families that score whole runs of agents, not answers alone, and the form of such scores.

A family whose metrics look at tool calls, steps or tokens has a scorer of traces here. It is asked where the suite lies,
as what belongs to an episode beside its task is the family's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from planspec.errors import UnfitAnswers
from planspec.verifiers.metrics.metric import Metric


class UnfitRun(UnfitAnswers):
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
class Asked:
    """The order to score, with its options.

    Attributes:
        suite: the suite's id.
        folder: in which the suite lies.
        traces: a file of traces.
        profile: `strict` or `official`.
        differences: tell where the profiles part.
        details: tell of each episode, too; without them a run of any length needs little memory.
        jobs: processes to score with.
        seed: of what is drawn by chance.
    """

    suite: str
    folder: Path
    traces: Path
    profile: str
    differences: bool = False
    details: bool = True
    jobs: int = 1
    seed: int | None = None


class TraceScorer(Protocol):
    """Scores the traces of one family."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The strict metrics by name."""

    def profiles(self, folder: Path) -> Sequence[str]:
        """The profiles of a suite."""

    def score(self, asked: Asked) -> TraceScores:
        """The scores of a file of traces.

        Raises:
            UnfitRun: the suite's files or the traces are not what they should be.
            OSError: a file cannot be read.
        """

    def lines(self, scores: TraceScores) -> Sequence[str]:
        """The scores for people."""


_OWN = {"mobilitybench": "planspec.families.mobilitybench.metrics.running:MobilityBenchScorer"}
Kind = Literal["answers", "traces"]


def kind_of(family: str | None) -> Kind:
    """The input of a family's metrics."""
    return "traces" if family in _OWN else "answers"


def trace_scorer(family: str) -> TraceScorer:
    """The scorer of a family whose metrics look at traces.

    Raises:
        KeyError: they look at answers.
    """
    module, _, attribute = _OWN[family].partition(":")
    made: TraceScorer = getattr(import_module(module), attribute)()
    return made
