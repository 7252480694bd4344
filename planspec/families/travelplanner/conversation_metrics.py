"""Metrics of FlexTravelBench: TravelPlanner's metrics at the last turn, and the retention of plans between turns.

A conversation is judged by the answer to its last turn, when all wishes have been revealed (HiMAP-Travel, Appendix
B.3). If an answer has a plan for each turn,

    kept = mean over conversations of the mean over turns k > 1 of kept_share(plan of turn k - 1, plan of turn k)

`kept_share`, the share of a plan's rows that the next plan keeps, is defined in `planspec.verifiers.meaning.retention`.
Retention does not measure the correctness of the plans.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from pydantic import Field

from planspec.families.travelplanner.verdict_metrics import (
    TravelPlannerGroup,
    TravelPlannerMetrics,
    rates_by_label,
)
from planspec.verifiers.metrics.generic import mean
from planspec.verifiers.metrics.metric import Share
from planspec.verifiers.metrics.scored import Scored


class FlexTravelMetrics(TravelPlannerMetrics):
    """TravelPlanner's metrics at the last turn, the same rates by scenario, and the mean retention of plans."""

    scenarios: dict[str, TravelPlannerGroup] = Field(
        description="by the task's label `scenario`: local-add, global-add, local-global, global-local"
    )
    kept: Share = Field(
        description="mean share of a turn's plan that the next one keeps, over the conversations with a plan for each of "
        "two turns or more; null if there is none"
    )
    conversations: int = Field(description="how many conversations that mean is over")

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics by the formula in the module's docstring.

        Args:
            run: scored verdict on the last turn of each conversation, including those without an answer.
        """
        run = tuple(run)
        shares = [scored.kept for scored in run if scored.kept is not None]
        shared = TravelPlannerMetrics.over(run)
        return cls(
            **{name: getattr(shared, name) for name in TravelPlannerMetrics.model_fields},
            scenarios=rates_by_label(run, "scenario"),
            kept=mean(shares),
            conversations=len(shares),
        )
