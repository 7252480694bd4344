"""Measures besides the verdict: the share of a plan kept by the next turn, and the length of its route."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from planspec.family.descriptor import Part
from planspec.verifiers.meaning.retention import kept_share
from planspec.verifiers.metrics.scored import Detour

if TYPE_CHECKING:
    from planspec.api.judging import Judge

ROUTE_TABLES: Part[tuple[str, ...]] = Part("route_tables", ())
"""Plan tables whose places form a plan's route, if the metrics compare it with the shortest one.

The first is the table of visits; the second, if any, is the table of rooms, for the route that includes them.
"""


def mean_kept_share(judge: Judge, answers: Sequence[Any]) -> Fraction | None:
    """Return the mean share of each plan that the next one keeps, ignoring refusals; None without two plans.

    Args:
        judge: judge of the last turn.
        answers: answers of the turns in order.
    """
    plans = [plan for plan in map(judge.read, answers) if plan is not None]
    shares = [kept_share(judge.task, a, b) for a, b in pairwise(plans)]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def plan_detour(judge: Judge, answer: Any) -> Detour | None:
    """Return the detour of an answer; None if the family has no such measure, or no place has coordinates.

    Args:
        judge: judge of the task.
        answer: answer as given by the agent.
    """
    from planspec.scores.detour import detour_of

    tables = ROUTE_TABLES.of(judge.family)
    if not tables:
        return None
    plan = judge.read(answer)
    if plan is None:
        return None
    return detour_of(plan, judge.task.currency, table=tables[0], beds=tables[1] if len(tables) > 1 else None)
