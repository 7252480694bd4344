"""A second back end's answer to a question that one back end has decided.

Solvers have bugs, so one solver's word is one solver's word. Every claim that is made here ("optimal", "infeasible", "unique", an exact
count) says that a problem has no assignment under some conditions. A second back end is asked the same where that takes little
time. What it finds is a plan that the verifier accepts, and then the two disagree: nothing is claimed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planspec.errors import LimitReachedError
from planspec.solvers.backends.brute import Brute
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Backend
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool
from planspec.solvers.ir.problem import Problem
from planspec.solvers.questions.budget import TimeBudget
from planspec.verifiers.meaning.plan_rows import Plan

SHARE = 0.1
"""A second look takes at most this part of the time that the first answer took,"""
LEAST_S = 0.02
"""or so many seconds if that is more."""
NODES = 1_000
"""Partial assignments that an enumeration may visit: a problem of so few is decided within `LEAST_S`."""
VARIABLES = 64
"""A problem with more variables is not enumerated."""
IMPORTS: Mapping[str, tuple[str, float]] = {
    "smt": ("z3", 0.3),
    "cpsat": ("ortools.sat.python.cp_model", 1.0),
}
"""For each back end that can look again: the module that it needs, and about how many seconds importing that takes."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The answer of one back end, where two disagree.

    Attributes:
        by: the back end.
        status: its answer, such as `optimal` or `infeasible`.
        plan: the plan that it found, accepted by the verifier; None without one.
        bound: the bound of the first objective that it proved, in the unit of `Solution.bound`; None without one.
    """

    by: str
    status: str
    plan: Plan | None = None
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class SecondLook:
    """The result of a second look.

    Attributes:
        by: the back ends that prove the claim: the first, and the second if it agrees.
        other: the back end that found an assignment although the first one proved that there is none; None otherwise.
        values: that assignment.
    """

    by: tuple[str, ...]
    other: str | None = None
    values: Mapping[int, int] | None = None


def second_look(
    problem: Problem, conditions: Sequence[Bool], *, by: str, clock: TimeBudget, thorough: bool = False
) -> SecondLook:
    """Ask a second back end whether a problem has no assignment under some conditions.

    Args:
        problem: whole, without reductions.
        conditions: made by the problem's model; together with the problem they have no assignment, as `by` says.
        by: the back end that has proved it.
        clock: of the question so far.
        thorough: take all the time that is left.
    """
    if clock.over is not None or (
        FALSE in conditions and not thorough
    ):  # the bounds of the expressions decide it
        return SecondLook((by,))
    if by != "brute" and len(problem.model.vars) <= VARIABLES:
        outcome = _asked(Brute(NODES), problem, conditions, Limits(seconds=None))
        if outcome.status is not Status.UNKNOWN:
            return _result(by, "brute", outcome)
    other = "smt" if by == "cpsat" else "cpsat"
    limits = _limits(clock, thorough=thorough)
    module, import_s = IMPORTS[other]
    if not thorough and module not in sys.modules and (limits.seconds or 0.0) < import_s:
        return SecondLook((by,))
    return _result(by, other, _asked(backend(other), problem, conditions, limits))


def _limits(clock: TimeBudget, *, thorough: bool) -> Limits:
    if thorough:
        return clock.rest
    if clock.limits.effort is not None and clock.limits.seconds is None:
        return replace(clock.limits, effort=max(LEAST_S, SHARE * clock.effort))
    seconds = max(LEAST_S, SHARE * clock.seconds)
    return replace(clock.rest, seconds=seconds if clock.left is None else min(seconds, clock.left))


def _asked(solver: Backend, problem: Problem, conditions: Sequence[Bool], limits: Limits) -> Outcome:
    budget = TimeBudget(limits)
    try:
        with budget:
            session = solver.open(problem, limits)
            for condition in conditions:
                if condition is not TRUE:
                    session.add(condition, "second look")
            return budget.ask(session)
    except LimitReachedError as limit:
        return Outcome(Status.UNKNOWN, reason=limit.reason)


def _result(by: str, other: str, outcome: Outcome) -> SecondLook:
    if outcome.found:
        return SecondLook((by,), other, outcome.values)
    return SecondLook((by, other) if outcome.status is Status.INFEASIBLE else (by,))
