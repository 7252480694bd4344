"""Is it true that a task has no plan, and are these rules the reason?"""

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
    """Whether rules cannot hold together within the scope, and which of them are needed for that.

    Args:
        ground: the task.
        rules: ids of constraints or of their instances; all hard ones if None.
        backend: who is asked.
        limits: its seconds hold for all questions together.

    Returns:
        INFEASIBLE and a minimal conflict among them (as far as time allowed); FEASIBLE and nothing; UNKNOWN, also where a second
        back end contradicts the first.

    Raises:
        DiagnosticError: the task has no encoding.
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
    made = relaxable(ground, bounds=False)
    chosen = [
        condition
        for member, condition in zip(made.members, made.conditions, strict=True)
        if rules is None or member.id in rules or member.id.partition("[")[0] in rules
    ]
    oracle = SubsetOracle(
        lambda: named_backend(backend).open(made.lowered.problem, clock.limits), chosen, clock
    )
    satisfiable, core, _ = oracle.check(range(len(chosen)))
    if satisfiable:
        return Status.FEASIBLE, ()
    with suppress(LimitReachedError):  # what is left is a conflict, if not a minimal one
        oracle.shrink(core)
    conflict = [chosen[i] for i in sorted(oracle.least)]
    look = second_look(
        made.lowered.problem, [rooted.condition for rooted in conflict], by=backend, clock=clock
    )
    if look.other is not None:
        return Status.UNKNOWN, ()
    return Status.INFEASIBLE, tuple(rooted.origin for rooted in conflict)
