"""Search for a task's plans, and proofs about them, by the back ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planspec.api.loading import TaskLike, describe_argument, task_of
from planspec.family.registry import family_of
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.meaning.ground import ground

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.prove import Solution
    from planspec.solvers.questions.validation import Validation


def solve(task: TaskLike, *, backend: str = "cpsat", limits: Limits | float | None = None) -> Solution:
    """Find a plan that satisfies every hard constraint, has the most soft weight, then the best objectives.

    Args:
        task: the task, or its path or id.
        backend: `cpsat`, `smt` or `brute`.
        limits: limits on the search; a number is seconds of wall-clock time.

    Raises:
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors, or no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    from planspec.solvers.questions import prove

    checked = task_of(task)
    solution = prove.solve(ground(checked), backend=backend, limits=limits_of(limits))
    return replace(solution, format=family_of(checked.family).format.load())


def validate(
    task: TaskLike, *, backends: Sequence[str] = PROVERS, limits: Limits | float | None = None
) -> Validation:
    """Prove, with each back end on its own, whether a task has a plan and only one.

    Returns:
        The claims about all plans. If the task has `unique_best`, `best` holds those about the plans that
        also satisfy every soft constraint.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import claims

    return claims.validate_claims(ground(task_of(task)), backends=backends, limits=limits_of(limits))


def limits_of(limits: Limits | float | None) -> Limits:
    """Return limits that are given as such or in seconds.

    Raises:
        TypeError: `limits` is neither.
        ValueError: the seconds are not positive.
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
        f"limits are planspec.Limits(seconds=...), or a number of seconds, not {describe_argument(limits)}"
    )
