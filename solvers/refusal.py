"""Is it true that a task has no plan, and are these rules the reason?"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from planspec.solvers.backend import backend as named_backend
from planspec.solvers.clock import Clock
from planspec.solvers.cores import Oracle, OutOfTime
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.why import relaxable
from planspec.verifiers.ground import Ground


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
        INFEASIBLE and a minimal conflict among them (as far as time allowed); FEASIBLE and nothing; UNKNOWN.

    Raises:
        DiagnosticError: the task has no encoding.
    """
    made = relaxable(ground, bounds=False)
    chosen = [
        condition
        for member, condition in zip(made.members, made.conditions, strict=True)
        if rules is None or member.id in rules or member.id.partition("[")[0] in rules
    ]
    clock = Clock(limits)
    oracle = Oracle(named_backend(backend).open(made.lowered.problem, limits), chosen, clock)
    try:
        satisfiable, core, _ = oracle.check(range(len(chosen)))
    except OutOfTime:
        return Status.UNKNOWN, ()
    if satisfiable:
        return Status.FEASIBLE, ()
    with suppress(OutOfTime):  # what is left is a conflict, if not a minimal one
        core = oracle.shrink(core)
    return Status.INFEASIBLE, tuple(chosen[i].origin for i in sorted(core))
