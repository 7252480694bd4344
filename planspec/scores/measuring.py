"""Measures beyond the verdict: how much of a plan the next turn keeps, and how long its way is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from planspec.verifiers.meaning.retention import kept_share
from planspec.verifiers.metrics.scored import Detour

if TYPE_CHECKING:
    from planspec.api.judging import Judge


def kept_over(judge: Judge, answers: Sequence[Any]) -> Fraction | None:
    """The mean share of each plan that the next one keeps, refusals passed over; None without two plans.

    Args:
        judge: judge of the last turn.
        answers: answers of each turn in order.
    """
    plans = [plan for plan in map(judge.read, answers) if plan is not None]
    shares = [kept_share(judge.task, a, b) for a, b in pairwise(plans)]
    return sum(shares, Fraction(0)) / len(shares) if shares else None


def detour_over(judge: Judge, answer: Any) -> Detour | None:
    """The detour of an answer's way; None if the family asks for none, or no place is known.

    Args:
        judge: judge of the task.
        answer: as the agent gave it.
    """
    from planspec.measures.detour import detour_of

    if judge.family.visits is None:
        return None
    plan = judge.read(answer)
    if plan is None:
        return None
    return detour_of(plan, judge.task.currency, table=judge.family.visits, beds=judge.family.beds)
