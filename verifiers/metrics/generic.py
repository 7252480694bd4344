"""Metrics that make sense of any tasks, and what every set of metrics has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Self

from pydantic import Field

from planspec.verifiers.meaning.verdict import Tally, Verdict
from planspec.verifiers.metrics.metric import MetricFields, PassRate, Share
from planspec.verifiers.metrics.scored import Scored, verdicts_of


class Metrics(MetricFields):
    """A set of metrics: the fields declare them, and `over` computes them of a run."""

    n: int = Field(description="tasks, with and without an answer")
    delivered: int = Field(description="tasks with an answer that could be judged")

    @classmethod
    @abstractmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """The metrics of a run.

        Args:
            run: a verdict for each task, those without an answer among them.
        """


class GenericMetrics(Metrics):
    """The metrics of tasks without a family; an answer that was not delivered satisfies nothing."""

    pass_rate: PassRate = Field(description="share of the tasks whose verdict is pass; null of no tasks")
    mean_hard: Share = Field(description="mean over tasks of the share of satisfied hard constraints")
    mean_soft: Share = Field(
        description="mean over the tasks that have any of the share of satisfied soft constraints; null if none has"
    )

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """The metrics of any tasks.

        A verdict without soft constraints has no part in their mean; one that was not delivered satisfies none of
        what its tallies count, and no hard constraint in any case.

        Args:
            run: a verdict for each task.
        """
        verdicts = verdicts_of(run)
        return cls(
            n=len(verdicts),
            delivered=sum(given(verdict) for verdict in verdicts),
            pass_rate=mean([Fraction(verdict.status == "pass") for verdict in verdicts]),
            mean_hard=mean([hard_share(verdict) for verdict in verdicts]),
            mean_soft=mean(
                [given(verdict) * satisfied(verdict.soft) for verdict in verdicts if verdict.soft.total]
            ),
        )


def given(verdict: Verdict) -> bool:
    """There was an answer to judge."""
    return verdict.status != "undelivered"


def satisfied(tally: Tally) -> Fraction:
    """The share of what is satisfied; all of nothing."""
    return Fraction(tally.satisfied, tally.total) if tally.total else Fraction(1)


def hard_share(verdict: Verdict) -> Fraction:
    """The share of a task's hard constraints that are satisfied; none where nothing was delivered."""
    return satisfied(verdict.hard) if given(verdict) else Fraction(0)


def mean(shares: Sequence[Fraction]) -> Fraction | None:
    """The exact mean; None of nothing."""
    return sum(shares, Fraction(0)) / len(shares) if shares else None
