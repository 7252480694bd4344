"""The operations `solve` and `validate`, which search for plans of a task and prove claims about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, describe_argument, name_of, task_of
from planspec.dsl.model.task import Task
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.meaning.ground import ground

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.prove import Level, Solution
    from planspec.solvers.questions.validation import Validation


def solve(
    task: TaskLike,
    *,
    backend: str = "cpsat",
    limits: Limits | float | None = None,
    second: bool = False,
    on_progress: Callable[[Level], None] | None = None,
    on_improve: Callable[[], None] | None = None,
) -> Solution:
    """Find a plan that satisfies every hard constraint, has maximum soft weight, and then has the best objectives.

    The family can improve the plan of a task without objectives, by metrics that no solver optimises.

    Args:
        task: the task, or its path or id.
        backend: name of a solver back end, a key of `planspec.solvers.backends.register.BACKENDS`.
        limits: limits on the search; a number is seconds of wall-clock time.
        second: whether a second back end may use the remaining time to confirm the result.
        on_progress: called when the best value or the bound of an objective improves, from any thread.
        on_improve: called before the family improves the plan.

    Raises:
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors, or cannot be encoded for solvers.
        InternalError: the back end's plan does not pass the verifier.
    """
    from planspec.api.oracles import best_plan

    return best_plan(
        Judge(task),
        name=None if isinstance(task, Task) else name_of(task),
        backend=backend,
        limits=limits_of(limits),
        second=second,
        on_progress=on_progress,
        on_improve=on_improve,
    )


def validate(task: TaskLike, *, backends: Sequence[str] = PROVERS, limits: Limits | float | None = None) -> Validation:
    """Prove, with each back end separately, whether a task has a plan and whether it has only one.

    Returns:
        The claims about all plans. If the task has `unique_best`, the attribute `best` has claims about the
        plans that also satisfy every soft constraint.

    Raises:
        DiagnosticError: the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    from planspec.solvers.questions import claims

    return claims.validate_claims(ground(task_of(task)), backends=backends, limits=limits_of(limits))


def limits_of(limits: Limits | float | None) -> Limits:
    """Return limits as a `Limits` object. A number is seconds, and None stands for the defaults.

    Raises:
        TypeError: `limits` is none of these.
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
    raise TypeError(f"limits are planspec.Limits(seconds=...), or a number of seconds, not {describe_argument(limits)}")
