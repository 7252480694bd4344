"""Verification of the claim that a task has no plan because given rules cannot hold together."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.conflicts import relaxable
from planspec.solvers.questions.cores import SubsetOracle
from planspec.solvers.questions.second_look import second_look
from planspec.verifiers.meaning.ground import Ground


def conflict_among(
    ground: Ground,
    rules: Collection[str] | None = None,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
) -> tuple[Status, tuple[str, ...]]:
    """Decide whether given rules can hold together, or find a conflict: a subset of them that cannot.

    Only plans in scope, with the rows and values that the task lists for plans, are considered.

    Args:
        ground: the task.
        rules: ids of constraints or of their instances; None for all hard constraints.
        backend: name of the back end.
        limits: limits on all questions together.

    Returns:
        The status, and the ids of the rules in a conflict if the status is INFEASIBLE (else empty). The conflict is
        minimal unless a limit was reached. The status is UNKNOWN if a second back end contradicts the first.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """
    clock = TimeBudget(limits)
    with clock:
        try:
            return _conflict_among(ground, rules, backend, clock)
        except LimitReachedError:
            return Status.UNKNOWN, ()


def _conflict_among(
    ground: Ground, rules: Collection[str] | None, backend: str, clock: TimeBudget
) -> tuple[Status, tuple[str, ...]]:
    relaxed = relaxable(ground, bounds=False)
    chosen = [
        condition
        for member, condition in zip(relaxed.members, relaxed.conditions, strict=True)
        if rules is None or member.id in rules or member.id.partition("[")[0] in rules
    ]
    oracle = SubsetOracle(lambda: named_backend(backend).open(relaxed.lowered.problem, clock.limits), chosen, clock)
    satisfiable, core, _ = oracle.check(range(len(chosen)))
    if satisfiable:
        return Status.FEASIBLE, ()
    with suppress(LimitReachedError):  # the remaining rules are a conflict, which may not be minimal
        oracle.shrink(core)
    conflict = [chosen[i] for i in sorted(oracle.smallest_core)]
    look = second_look(relaxed.lowered.problem, [rooted.condition for rooted in conflict], by=backend, clock=clock)
    if look.other is not None:
        return Status.UNKNOWN, ()
    return Status.INFEASIBLE, tuple(rooted.origin for rooted in conflict)
