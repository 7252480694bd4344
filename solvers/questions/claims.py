"""The claims that a task makes: about all plans, and about plans that also satisfy every soft constraint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.questions.beyond_scope import Beyond, beyond
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.validation import Validation, validate
from planspec.verifiers.meaning.ground import Ground


def variant_for_best(ground: Ground) -> Ground | None:
    """Return a variant of the task whose plans are the task's plans that satisfy every constraint.

    Its soft constraints are hard, and its plans are also compared in the fields of `unique_best`.

    Returns:
        The variant, or None if the task makes no claim about such plans.
    """
    task = ground.task
    if task.unique_best is None:
        return None
    hard = {id(rule): replace(rule, hard=True, weight=None) for rule in task.constraints}
    strict_task = replace(
        task,
        constraints=tuple(hard.values()),
        unique=None if task.unique is None else task.unique | task.unique_best,
        unique_best=None,
    )
    instances = tuple(
        replace(instance, constraint=hard[id(instance.constraint)], weight=0) for instance in ground.instances
    )
    return replace(ground, task=strict_task, instances=instances)


def validate_claims(
    ground: Ground,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
    lowering: Callable[[Ground], Lowered] | None = None,
) -> Validation:
    """Validate each claim of a task; `best` is the validation for plans that satisfy every constraint.

    Args:
        ground: the task.
        backends: names of the back ends that are asked, one after the other.
        limits: limits on all claims together. If there are two claims, the first may use half of the seconds.
        lowering: lowers the task, if another question shares its problem.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a back end's plan does not pass the verifier.
    """
    best = variant_for_best(ground)
    if best is None:
        return validate(ground, backends=backends, limits=limits, lowering=lowering)
    clock = TimeBudget(limits)
    validation = validate(ground, backends=backends, limits=clock.share(2).limits, lowering=lowering)
    return replace(validation, best=validate(best, backends=backends, limits=clock.rest))


def beyond_claims(
    ground: Ground,
    validation: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> tuple[Beyond | None, Beyond | None]:
    """Decide whether each claim of a task holds beyond its scope.

    Args:
        ground: the task.
        validation: proof of the claims within the scope.
        backends: names of the back ends that prove; the first of them searches for the bounds.
        limits: limits on each claim's search, and again on each proof.

    Returns:
        The result of `beyond` for all plans, and for those that satisfy every constraint; the latter is None
        if the task makes no claim about them.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    best = variant_for_best(ground)
    all_plans = beyond(ground, validation, backends=backends, limits=limits)
    if best is None or validation.best is None:
        return all_plans, None
    return all_plans, beyond(best, validation.best, backends=backends, limits=limits)
