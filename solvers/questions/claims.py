"""The claims of a task: what is alike in all plans, and what is in those that keep every soft constraint, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.questions.beyond_scope import Beyond, beyond
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.validation import Validation, validate
from planspec.verifiers.meaning.ground import Ground


def among_best(ground: Ground) -> Ground | None:
    """The task of which every soft constraint is hard, and whose plans `unique_best` tells apart, too.

    Every question about it is the question about plans that keep every constraint.

    Returns:
        None where the task makes no claim about them.
    """
    task = ground.task
    if task.unique_best is None:
        return None
    hard = {id(rule): replace(rule, hard=True, weight=None) for rule in task.constraints}
    made = replace(
        task,
        constraints=tuple(hard.values()),
        unique=None if task.unique is None else task.unique | task.unique_best,
        unique_best=None,
    )
    instances = tuple(
        replace(instance, constraint=hard[id(instance.constraint)], weight=0) for instance in ground.instances
    )
    return replace(ground, task=made, instances=instances)


def validate_claims(
    ground: Ground,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> Validation:
    """Validate each claim of a task; `best` has what was proved of the plans that keep every constraint.

    Args:
        ground: the task.
        backends: who is asked, one after the other.
        limits: hold for all claims together; where there are two, the first has half of the seconds.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a back end's plan does not pass the verifier.
    """
    best = among_best(ground)
    if best is None:
        return validate(ground, backends=backends, limits=limits)
    clock = TimeBudget(limits)
    found = validate(ground, backends=backends, limits=clock.share(2).limits)
    return replace(found, best=validate(best, backends=backends, limits=clock.rest))


def beyond_claims(
    ground: Ground,
    found: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> tuple[Beyond | None, Beyond | None]:
    """Whether each claim of a task holds beyond its scope: of all plans, and of those that keep every constraint.

    Args:
        ground: the task.
        found: what was proved of its claims within the scope.
        backends: who proves; the first of them searches for the bounds.
        limits: hold for each claim's search, and again for each proof.

    Returns:
        For each claim what `beyond` says; None of the second where the task does not make it.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    best = among_best(ground)
    there = beyond(ground, found, backends=backends, limits=limits)
    if best is None or found.best is None:
        return there, None
    return there, beyond(best, found.best, backends=backends, limits=limits)
