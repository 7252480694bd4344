"""Confirmation of a claim by a second back end.

Solvers have bugs, so a claim should not rest on a single solver. Each claim of planspec ("optimal", "infeasible",
"unique", an exact count) means that no assignment satisfies certain conditions. If it takes little time, a second back
end searches for such an assignment. If it finds one and the verifier accepts the plan, the two back ends disagree, and
nothing is claimed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

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
"""Maximum time of the second back end, as a share of the time that the first one took."""
LEAST_S = 0.02
"""Minimum time limit of the second back end in seconds, even if `SHARE` allows less."""
NODES = 1_000
"""Maximum number of partial assignments if the second back end enumerates assignments."""
NODES_READ = 30_000
"""Maximum number of expression nodes that an enumeration evaluates, so that it takes less than `LEAST_S`."""
VARIABLES = 64
"""Maximum number of variables in a problem whose assignments are enumerated."""
IMPORTS: Mapping[str, tuple[str, float]] = {
    "smt": ("z3", 0.3),
    "cpsat": ("ortools.sat.python.cp_model", 1.0),
}
"""Module of each second back end's solver, and the approximate time in seconds to import it."""
BUILDING_S = 8e-6
"""Approximate time in seconds to build Z3's model, for each node of the problem."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The answer of one of two back ends that disagree.

    Attributes:
        by: name of the back end.
        status: the answer, such as `optimal` or `infeasible`.
        plan: plan that the back end found and the verifier accepted; None if it found none.
        bound: proved bound on the first objective, in the unit of `Solution.bound`; None if there is none.
    """

    by: str
    status: str
    plan: Plan | None = None
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class SecondLook:
    """The result of asking a second back end to confirm a claim.

    Attributes:
        by: back ends that prove the claim: the first, and the second if it agrees.
        other: name of the second back end if it refuted the claim by an assignment; else None.
        values: the assignment that `other` found; None if `other` is None.
    """

    by: tuple[str, ...]
    other: str | None = None
    values: Mapping[int, int] | None = None


def second_look(
    problem: Problem, conditions: Sequence[Bool], *, by: str, clock: TimeBudget, thorough: bool = False
) -> SecondLook:
    """Ask a second back end to confirm that a problem has no assignment under given conditions.

    Args:
        problem: the whole problem, without reductions.
        conditions: conditions built by the problem's model. According to the first back end, no assignment satisfies
            all of them.
        by: name of the first back end.
        clock: budget from which the first back end took its time.
        thorough: whether the second back end may use all the remaining time.
    """
    # a condition is FALSE if the bounds of an expression already prove the claim
    if clock.over is not None or (FALSE in conditions and not thorough):
        return SecondLook((by,))
    if by != "brute" and len(problem.model.vars) <= VARIABLES:
        outcome = _ask(Brute(NODES, NODES_READ), problem, conditions, Limits(seconds=None))
        if outcome.status is not Status.UNKNOWN:
            return _result(by, "brute", outcome)
    if thorough:
        return _thorough_look(problem, conditions, by, clock)
    other = "smt" if by == "cpsat" else "cpsat"
    limits = _limits(clock)
    module, import_s = IMPORTS[other]
    if module not in sys.modules and (limits.seconds or 0.0) < import_s:
        return SecondLook((by,))
    if other == "smt" and limits.seconds is not None and problem.model.size * BUILDING_S > limits.seconds / 2:
        return SecondLook((by,))  # too little time would be left for the search
    return _result(by, other, _ask(backend(other), problem, conditions, limits))


def _thorough_look(problem: Problem, conditions: Sequence[Bool], by: str, clock: TimeBudget) -> SecondLook:
    """Call the back ends other than `by` in turn, each with an equal share of the remaining time, until one decides."""
    others = ["smt" if by == "cpsat" else "cpsat", *(["sat"] if by != "sat" and find_spec("pysat") else [])]
    for index, other in enumerate(others):
        share = clock.share(len(others) - index)
        result = _result(by, other, _ask(backend(other), problem, conditions, share.limits))
        if result.other is not None or result.by != (by,):
            return result
    return SecondLook((by,))


def _limits(clock: TimeBudget) -> Limits:
    """Return the limits of the second back end, given the budget `clock` from which the first one took its time.

    The second back end gets the share `SHARE` of the seconds that the first one used, but at least `LEAST_S` and at
    most the seconds left. If `clock` limits only effort, the second back end gets the same share of the effort that the
    first one used, but at least `LEAST_S` units.
    """
    if clock.limits.effort is not None and clock.limits.seconds is None:
        return replace(clock.limits, effort=max(LEAST_S, SHARE * clock.effort))
    seconds = max(LEAST_S, SHARE * clock.seconds)
    return replace(clock.rest, seconds=seconds if clock.left is None else min(seconds, clock.left))


def _ask(solver: Backend, problem: Problem, conditions: Sequence[Bool], limits: Limits) -> Outcome:
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
    """Return the result of a second look: which back ends agree, given the outcome of the second one, `other`."""
    if outcome.found:
        return SecondLook((by,), other, outcome.values)
    return SecondLook((by, other) if outcome.status is Status.INFEASIBLE else (by,))
