"""Metrics of WorldTravel (Section 3.4 of the paper)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Self

from pydantic import Field

from planspec.verifiers.meaning.verdict import Verdict
from planspec.verifiers.metrics.generic import Metrics, hard_share, is_delivered, mean, satisfied_share
from planspec.verifiers.metrics.metric import Exact, Metric, PassRate, Rate, Share
from planspec.verifiers.metrics.scored import Scored, verdicts_of

APART_FROM_TIME = ("cost", "lodging")
"""Kinds of constraints that the metric `temporal_rate` ignores."""


class WorldTravelMetrics(Metrics):
    """Feasibility Rate, Constraint Violation and Optimality Feasible, as shares from 0 to 1."""

    feasibility_rate: PassRate = Field(
        description="share of the tasks whose itinerary satisfies every hard constraint; null if there are no tasks"
    )
    constraint_violation: Annotated[Exact | None, Metric("share", "lower")] = Field(
        description="mean over tasks of the share of violated hard constraints; an undelivered answer violates all"
    )
    optimality_feasible: Share = Field(
        description="mean over the feasible tasks of the share of satisfied soft constraints; null if none is feasible"
    )
    temporal_rate: Rate = Field(
        description="share of the tasks whose itinerary violates no hard constraint except on costs and the hotel, as the "
        "setting `feasibility` requires; null if there are no tasks"
    )

    @classmethod
    def over(cls, run: Iterable[Scored]) -> Self:
        """Compute the metrics.

        A plan that fails only because of its shape is not feasible, since an unreadable part satisfies no constraint. A
        feasible task without soft constraints does not count in Optimality Feasible.

        Args:
            run: verdicts on all tasks, including tasks without an answer.
        """
        verdicts = verdicts_of(run)
        feasible = [verdict for verdict in verdicts if verdict.status == "pass"]
        return cls(
            n=len(verdicts),
            delivered=sum(is_delivered(verdict) for verdict in verdicts),
            feasibility_rate=mean([Fraction(verdict.status == "pass") for verdict in verdicts]),
            constraint_violation=mean([1 - hard_share(verdict) for verdict in verdicts]),
            optimality_feasible=mean([satisfied_share(verdict.soft) for verdict in feasible if verdict.soft.total]),
            temporal_rate=mean([Fraction(keeps_all_times(verdict)) for verdict in verdicts]),
        )


def keeps_all_times(verdict: Verdict) -> bool:
    """Return whether a plan violates no hard constraint, apart from those on costs and on the choice of the hotel.

    Args:
        verdict: verdict on the plan, with all violated findings.
    """
    if verdict.status == "undelivered":
        return False
    violated = (f for f in verdict.findings if f.status == "violated" and f.level != "soft")
    return all(f.kind in APART_FROM_TIME or (f.level == "shape" and f.constraint.endswith(".cost")) for f in violated)
