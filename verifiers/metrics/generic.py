"""Metrics for tasks of any family (benchmark), and the base class of all sets of metrics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from planspec.verifiers.meaning.objectives import is_optimal
from planspec.verifiers.meaning.shares import hard_share, is_delivered, satisfied_share, soft_share
from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields, PassRate, Rate, Share
from planspec.verifiers.metrics.refusals import RefusalRates
from planspec.verifiers.metrics.scored import Scored, verdicts_of

__all__ = [
    "GenericMetrics",
    "Metrics",
    "hard_share",
    "is_delivered",
    "mean",
    "optimality",
    "passing_gap",
    "satisfied_share",
    "soft_share",
]


class Metrics(MetricFields):
    """A set of metrics. Each field is a metric, and `over` computes them for a run."""

    n: int = Field(description="number of tasks, with and without an answer")
    delivered: int = Field(description="number of tasks with an answer that could be judged")

    @classmethod
    @abstractmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics of a run.

        Args:
            run: scored verdicts, one for each task, including tasks without an answer.
        """


class GenericRates(MetricFields):
    """Rates for tasks of any family. A rate is null if there is no task from which it could be computed."""

    pass_rate: PassRate = Field(description="share of tasks with the verdict pass; null without tasks")
    mean_hard: Share = Field(description="mean over tasks of the share of satisfied hard constraints")
    mean_soft: Share = Field(
        description="mean share of satisfied soft constraints over tasks with soft constraints; null without any"
    )

    optimal_rate: Rate = Field(
        description="share of answers that pass and are at least as good as the best known plan, among tasks with a "
        "best known plan; null without any"
    )
    mean_gap: Annotated[Exact | None, Metric("quantity", "lower")] = Field(
        description="mean over passing answers of the first objective's gap to the proved best value, divided by the "
        "size of that value; null without any"
    )


class GenericMetrics(RefusalRates, GenericRates, Metrics):
    """Metrics of tasks without a family. A missing answer satisfies no constraint."""

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics of tasks of any family.

        A task without soft constraints does not count in the mean over soft constraints. The share of satisfied hard
        constraints of a missing answer is 0, even if the task has none.

        Args:
            run: a verdict for each task.
        """
        scored = tuple(run)
        verdicts = verdicts_of(scored)
        return cls(
            n=len(verdicts),
            delivered=sum(is_delivered(verdict) for verdict in verdicts),
            pass_rate=mean([Fraction(verdict.status == "pass") for verdict in verdicts]),
            mean_hard=mean([hard_share(verdict) for verdict in verdicts]),
            mean_soft=mean([share for share in map(soft_share, verdicts) if share is not None]),
            optimal_rate=mean([share for share in map(optimality, verdicts) if share is not None]),
            mean_gap=mean([gap for gap in map(passing_gap, verdicts) if gap is not None]),
            **dict(RefusalRates.of(scored)),
        )


def optimality(verdict: Verdict) -> Fraction | None:
    """Return 1 if an answer passes and no known plan is better, otherwise 0; None if no best plan is known."""
    if all(value.best is None for value in verdict.objectives):
        return None
    return Fraction(verdict.status == "pass" and is_optimal(verdict.objectives))


def passing_gap(verdict: Verdict) -> Fraction | None:
    """Return the first objective's gap to the proved best value, divided by the size of that value.

    Return None if the answer fails, if no best value is proved, or if it is 0 and the gap is not.
    """
    if verdict.status != "pass" or not verdict.objectives or not verdict.objectives[0].by:
        return None
    return verdict.objectives[0].relative_gap


def mean(shares: Sequence[Fraction]) -> Fraction | None:
    """Return the exact mean; None if there are no shares."""
    return sum(shares, Fraction(0)) / len(shares) if shares else None
