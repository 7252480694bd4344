"""Metrics of whether agents saw the facts that they needed, which separate perception from planning."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from planspec.verifiers.metrics.metric import Exact, Metric, MetricFields
from planspec.verifiers.metrics.scored import Scored


class PerceptionMetrics(MetricFields):
    """Mean shares of seen facts and of ignored facts, over the attempts for which they are known."""

    facts_seen: Annotated[Exact | None, Metric("share", "higher")] = Field(
        description="needed facts that the query, a show or a call told; mean over attempts of which it is known"
    )
    facts_ignored: Annotated[Exact | None, Metric("share", "lower")] = Field(
        description="seen facts on which a hard rule turns that the answer violates; mean over attempts that saw some"
    )

    @classmethod
    def over(cls, run: Sequence[Scored]) -> PerceptionMetrics:
        """Compute the metrics of scored attempts."""
        return cls(
            facts_seen=_mean([scored.facts_seen for scored in run]),
            facts_ignored=_mean([scored.facts_ignored for scored in run]),
        )


class ReadingMetrics(MetricFields):
    """Means over the attempts that declared which facts they read."""

    facts_misread: Annotated[Exact | None, Metric("share", "lower")] = Field(
        description="declared facts that stand otherwise on the pages shown; mean over attempts that declared some"
    )
    right_as_read: Annotated[Exact | None, Metric("rate", "higher")] = Field(
        description="attempts whose answer passes in the world as the agent read it, of those that declared something"
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
