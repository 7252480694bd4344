"""Metrics of whether agents saw the facts that they needed. They separate perception from planning."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields
from planspec.verifiers.metrics.scored import Scored


class PerceptionMetrics(MetricFields):
    """Mean share of the needed facts that agents saw, and mean share of the seen facts that they ignored.

    A seen fact counts as ignored if a violated hard constraint depends on this fact.
    """

    facts_seen: Annotated[Exact | None, Metric("share", "higher")] = Field(
        description="share of the needed facts that the query, a show or a call revealed; mean over attempts for which "
        "it is known"
    )
    facts_ignored: Annotated[Exact | None, Metric("share", "lower")] = Field(
        description="share of the seen facts on which a violated hard constraint depends; mean over attempts that saw "
        "some"
    )

    @classmethod
    def over(cls, run: Sequence[Scored]) -> PerceptionMetrics:
        """Compute the metrics of scored attempts."""
        return cls(
            facts_seen=_mean([scored.facts_seen for scored in run]),
            facts_ignored=_mean([scored.facts_ignored for scored in run]),
        )


class ReadingMetrics(MetricFields):
    """Metrics of the facts that agents declare they have read, over the attempts with such declarations."""

    facts_misread: Annotated[Exact | None, Metric("share", "lower")] = Field(
        description="share of the declared facts that differ from the shown pages; mean over attempts with declarations"
    )
    right_as_read: Annotated[Exact | None, Metric("rate", "higher")] = Field(
        description="share of attempts whose answer would pass if the declared facts were true, among attempts that "
        "declared some"
    )

    @classmethod
    def over(cls, run: Sequence[Scored]) -> ReadingMetrics:
        """Compute the metrics of scored attempts."""
        return cls(
            facts_misread=_mean([scored.facts_misread for scored in run]),
            right_as_read=_mean(
                [None if scored.right_as_read is None else Fraction(scored.right_as_read) for scored in run]
            ),
        )


def _mean(shares: Sequence[Fraction | None]) -> Fraction | None:
    values = [share for share in shares if share is not None]
    return sum(values, Fraction(0)) / len(values) if values else None
