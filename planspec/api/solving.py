"""A task's plans, found and counted by back ends that prove what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planspec.api.loading import TaskLike, described, task_of
from planspec.families.registry import family_of
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.meaning.ground import ground

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.validation import Validation


def solve(task: TaskLike, *, backend: str = "cpsat", limits: Limits | float | None = None) -> Solution:
    """A plan that satisfies every hard constraint, with the most soft weight, then the best objective.

    Args:
        task: the task, or its path or id.
        backend: `cpsat`, `smt` or `brute`.
        limits: time, workers, seed; or seconds.

    Raises:
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors, or no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    from planspec.solvers.questions import prove

    made = task_of(task)
    found = prove.solve(ground(made), backend=backend, limits=limits_of(limits))
    return replace(found, format=family_of(made.family).format.load())


def validate(
    task: TaskLike, *, backends: Sequence[str] = PROVERS, limits: Limits | float | None = None
) -> Validation:
    """Prove whether a task has a plan and only one, by each back end on its own.

    Returns:
        What was proved of all plans; where the task has `unique_best`, `best` has the same of those that keep every soft
        constraint, too.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import claims

    return claims.validate_claims(ground(task_of(task)), backends=backends, limits=limits_of(limits))


def limits_of(limits: Limits | float | None) -> Limits:
    """Limits that are given themselves, or as seconds.

    Raises:
        TypeError: they are neither.
    """
    from planspec.solvers.backends.outcome import Limits

    match limits:
        case None:
            return Limits()
        case Limits():
            return limits
        case bool():
            pass
        case int() | float():
            if not limits > 0:
                raise ValueError(f"a limit of {limits} seconds leaves no time: give more than 0")
            return Limits(seconds=limits)
    raise TypeError(
        f"limits are planspec.Limits(seconds=...), or a number of seconds, not {described(limits)}"
    )
