"""The metrics of WorldTravel (Section 3.4 of the paper)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pydantic import Field

from planspec.verifiers.protocols.generic import Metrics, Share, given, hard_share, mean, satisfied
from planspec.verifiers.protocols.scored import Scored, verdicts_of


class WorldTravelMetrics(Metrics):
    """Feasibility Rate, Constraint Violation and Optimality Feasible; shares, not per cent."""

    feasibility_rate: Share | None = Field(
        description="share of the tasks whose itinerary satisfies every hard constraint; null of no tasks"
    )
    constraint_violation: Share | None = Field(
        description="mean over tasks of the share of violated hard constraints, all of them where nothing was delivered"
    )
    optimality_feasible: Share | None = Field(
        description="mean over the feasible tasks of the share of satisfied soft constraints; null if none is feasible"
    )


def worldtravel(run: Iterable[Scored]) -> WorldTravelMetrics:
    """The three metrics.

    A plan that fails by its shape alone is not feasible: what cannot be read satisfies nothing. A feasible task
    without soft constraints has no part in Optimality Feasible.

    Args:
        run: a verdict for each task, those without an answer among them.
    """
    verdicts = verdicts_of(run)
    feasible = [verdict for verdict in verdicts if verdict.status == "pass"]
    return WorldTravelMetrics(
        n=len(verdicts),
        delivered=sum(given(verdict) for verdict in verdicts),
        feasibility_rate=mean([Fraction(verdict.status == "pass") for verdict in verdicts]),
        constraint_violation=mean([1 - hard_share(verdict) for verdict in verdicts]),
        optimality_feasible=mean([satisfied(verdict.soft) for verdict in feasible if verdict.soft.total]),
    )
