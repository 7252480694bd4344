"""Validation of a task's claims: that it has a plan, that it has only one, and that its best plan is unique."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ScalarType, Stage
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import PROVERS
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.questions.beyond_scope import Beyond, beyond
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.prove import Solution, solve
from planspec.solvers.questions.second_look import Opinion
from planspec.solvers.questions.validation import Claim, Validation, validate
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.plan_rows import Plan

AT_LEAST_AS_GOOD = "at least as good"
"""Name of the constraint, added by `variant_for_best`, that plans are at least as good as a given one.

No constraint of a task can have a name with spaces.
"""


def variant_for_best(ground: Ground, plan: Plan | None = None) -> Ground | None:
    """Return a stricter variant of the task, which checks the claim `unique_best`: that only one best plan exists.

    If `plan` is given or the task has no objectives, the variant has only one plan if and only if the claim is true.

    All constraints of the variant are hard, and its plans are compared in the fields of `unique` and `unique_best`. If
    the task has objectives, one more hard constraint requires plans to be at least as good as `plan`.

    Args:
        ground: the task.
        plan: a best plan among those that satisfy every constraint. If it is None, that last constraint is left out. It
            is ignored if the task has no objective.

    Returns:
        The variant, or None if the task has no `unique_best`.
    """
    task = ground.task
    if task.unique_best is None:
        return None
    hard = {id(rule): replace(rule, hard=True, weight=None) for rule in task.constraints}
    instances = [replace(instance, constraint=hard[id(instance.constraint)], weight=0) for instance in ground.instances]
    constraints = list(hard.values())
    as_good = None if plan is None else _at_least_as_good(ground, plan)
    if as_good is not None:
        constraints.append(as_good)
        instances.append(Instance(as_good.id, as_good, {}, applicable=True, weight=0))
    strict_task = replace(
        task,
        constraints=tuple(constraints),
        unique=task.unique_best | (task.unique or frozenset()),
        unique_best=None,
    )
    return replace(ground, task=strict_task, instances=tuple(instances))


def _at_least_as_good(ground: Ground, plan: Plan) -> t.Constraint | None:
    """Return the constraint that plans are at least as good as `plan`; objectives are compared in order.

    Return None if all plans are at least as good.
    """
    interpreter = ground.interpreter.on(plan)
    condition: t.Expr | None = None
    for objective in reversed(ground.task.objectives):
        comparison = _Comparison(objective.expression, interpreter.value(objective.expression, {}))
        if comparison.value is None:  # a plan with a value is better than one without
            if condition is not None:
                condition = comparison.joined("or", comparison.has_value, condition)
        elif condition is None:
            condition = comparison.compared(">=" if objective.maximize else "<=")
        else:
            tied = comparison.joined("and", comparison.compared("=="), condition)
            condition = comparison.joined("or", comparison.compared(">" if objective.maximize else "<"), tied)
    if condition is None:
        return None
    return t.Constraint(
        AT_LEAST_AS_GOOD, (), None, True, None, condition, None, None, None, ground.task.objectives[0].expression.span
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Builder of constraints that compare an objective's expression (`term`) with its value for a given plan."""

    term: t.Expr
    value: Any

    def compared(self, op: Literal["==", "<", "<=", ">", ">="]) -> t.Expr:
        literal = t.Literal(self.term.type, self.term.span, Stage.STATIC, False, self.value)
        return t.Compare(ScalarType.BOOL, self.term.span, self.term.stage, False, (self.term, literal), (op,))

    @property
    def has_value(self) -> t.Expr:
        return t.IsNone(ScalarType.BOOL, self.term.span, self.term.stage, False, self.term, negated=True)

    def joined(self, op: Literal["and", "or"], *operands: t.Expr) -> t.Expr:
        return t.Logic(ScalarType.BOOL, self.term.span, self.term.stage, False, op, operands)


def validate_claims(
    ground: Ground,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
    lowering: Callable[[Ground], Lowered] | None = None,
) -> Validation:
    """Validate each claim of a task. `Validation.best` is the result for the claim `unique_best`.

    Args:
        ground: the task.
        backends: names of the back ends that prove, one after the other.
        limits: limits on all claims together. The first of two claims may use half of the seconds.
        lowering: function that translates the task into a problem for solvers; None translates it anew. Pass the same
            `SharedLowering`, which caches its results, to all functions that need the problem of this task.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        InternalError: a back end's plan does not pass the verifier.
    """
    best = variant_for_best(ground)
    if best is None:
        return validate(ground, backends=backends, limits=limits, lowering=lowering)
    clock = TimeBudget(limits)
    validation = validate(ground, backends=backends, limits=clock.share(2).limits, lowering=lowering)
    if best.task.objectives:
        return replace(validation, best=_validate_best(ground, best, backends, clock))
    return replace(validation, best=validate(best, backends=backends, limits=clock.rest))


def _validate_best(ground: Ground, strict: Ground, backends: Sequence[str], clock: TimeBudget) -> Validation:
    """Validate the claim that only one plan is best among the plans that satisfy every constraint.

    The first back end searches for a best plan. Each back end then searches for another plan that is at least as good.
    If none exists, the claim is proved, even if the first plan was not proved to be the best. If one exists, it refutes
    the claim only if the first plan was proved to be the best.

    Args:
        ground: the task, which has objectives.
        strict: variant of the task in which every constraint is hard.
        backends: names of the back ends.
        clock: budget of all searches together.
    """
    solution = solve(strict, backend=backends[0], limits=clock.share(2).limits)
    variant = variant_for_best(ground, solution.plan)
    assert variant is not None
    validation = validate(variant, backends=backends, limits=clock.rest)
    if solution.disagreement:
        return replace(_undecided(validation), disagreement=solution.disagreement)
    if validation.unique.status != "multiple":
        return validation
    if solution.status is not Status.OPTIMAL:
        return _undecided(validation, solution)
    for plan in (validation.witness, validation.second):
        if plan is not None and _objective_values(strict, plan) != _objective_values(strict, solution.plan):
            others = ", ".join(name for name, claim in validation.unique.backends.items() if claim.status == "multiple")
            opinions = Opinion(solution.backend, "optimal", solution.plan), Opinion(others, "better", plan)
            return replace(_undecided(validation), disagreement=opinions)
    return validation


def _objective_values(ground: Ground, plan: Plan | None) -> list[Any]:
    interpreter = ground.interpreter.on(plan)
    return [interpreter.value(objective.expression, {}) for objective in ground.task.objectives]


def _undecided(validation: Validation, solution: Solution | None = None) -> Validation:
    """Return the validation with unknown uniqueness. The reason is the limit that stopped `solution`, if given."""
    backends = {
        name: replace(claim, status="unknown", reason=claim.reason or (None if solution is None else solution.reason))
        for name, claim in validation.unique.backends.items()
    }
    return replace(validation, unique=Claim("unknown", backends), second=None)


def beyond_claims(
    ground: Ground,
    validation: Validation,
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits = Limits(),  # noqa: B008
) -> tuple[Beyond | None, Beyond | None]:
    """Decide whether the task's claims also hold if plans outside its scope count.

    The claims are that there is only one plan (or none), and that there is only one best plan (`unique_best`). The
    scope lists the rows and values that plans may have.

    Args:
        ground: the task.
        validation: proofs of the claims for plans in scope.
        backends: names of the back ends that prove; the first of them also searches for the bounds of the
            scope without which a claim fails.
        limits: limits on the search for each claim; they also apply separately to each proof.

    Returns:
        Two results of `beyond`: for the claim that there is only one plan (or none), and for the claim `unique_best`. A
        result is None if `validation` does not prove the claim; the second is also None if the task does not claim
        `unique_best`.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    best = variant_for_best(ground, None if validation.best is None else validation.best.witness)
    all_plans = beyond(ground, validation, backends=backends, limits=limits)
    if best is None or validation.best is None:
        return all_plans, None
    return all_plans, beyond(best, validation.best, backends=backends, limits=limits)
