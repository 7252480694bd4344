"""Metrics of refusals: answers that say that a task has no plan."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from planspec.verifiers.meaning.verdict import is_right_refusal, is_wrong_refusal
from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields, Rate
from planspec.verifiers.metrics.scored import Scored


class RefusalRates(MetricFields):
    """The rates of correct and of wrong refusals. A rate is null if there are no tasks for it."""

    refusal_recall: Rate = Field(
        description="share of correct refusals among the tasks that are expected to have no plan; null without any"
    )
    false_refusals: Annotated[Exact | None, Metric("rate", "lower")] = Field(
        description="share of wrong refusals among the other tasks; null without any"
    )

    @classmethod
    def of(cls, run: Iterable[Scored]) -> Self:
        """Return the rate of correct refusals and the rate of wrong refusals.

        Args:
            run: verdicts on all tasks, including tasks without an answer.
        """
        right: list[bool] = []
        wrong: list[bool] = []
        for one in run:
            if one.infeasible:
                right.append(is_right_refusal(one.verdict))
            else:
                wrong.append(is_wrong_refusal(one.verdict))
        return cls(
            refusal_recall=Fraction(sum(right), len(right)) if right else None,
            false_refusals=Fraction(sum(wrong), len(wrong)) if wrong else None,
        )
