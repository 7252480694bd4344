"""Metrics of errands: the rate of success."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Self

from pydantic import Field

from planspec.verifiers.metrics.generic import Metrics, is_delivered, mean
from planspec.verifiers.metrics.metric import PassRate
from planspec.verifiers.metrics.scored import Scored


class ErrandMetrics(Metrics):
    """Share of the errands that succeed."""

    home_rate: PassRate = Field(description="share of the tasks whose verdict is pass")

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics of a run."""
        verdicts = [scored.verdict for scored in run]
        return cls(
            n=len(verdicts),
            delivered=sum(map(is_delivered, verdicts)),
            home_rate=mean([Fraction(verdict.status == "pass") for verdict in verdicts]),
        )
