"""Conditions that the solver's plan is better than a given plan, or no worse."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.lowering.problem import Lowered
from planspec.verifiers.meaning.plan_rows import Plan


def better_than(lowered: Lowered, lost: int, values: Sequence[Fraction | None]) -> Bool:
    """Return the condition that the solver's plan is better than a given plan.

    A better plan satisfies soft constraints of more total weight or, on a tie, has a better value in the first
    objective that differs.

    Args:
        lowered: the task, translated into a problem for solvers.
        lost: total weight of the soft constraints that the given plan violates.
        values: value of each objective for the given plan, in order. None stands for no value, which is worse than
            every value.
    """
    model, problem = lowered.problem.model, lowered.problem

    def at_most(linear: Linear, upper_bound: int) -> Bool:
        return model.at_most_zero(model.minus(linear, model.constant(upper_bound)))

    loses = model.sum(
        model.scale(model.indicator(model.negate(root.condition)), weight) for root, weight in problem.soft
    )
    better = [at_most(loses, lost - 1)]
    as_good = [at_most(loses, lost)]
    for objective, value in zip(problem.objectives, values, strict=True):
        if value is None:
            better.append(model.conj((*as_good, objective.defined)))
            continue
        least = (-value if objective.maximize else value) * objective.scale
        better.append(model.conj((*as_good, objective.defined, at_most(objective.linear, ceil(least) - 1))))
        as_good += [objective.defined, at_most(objective.linear, floor(least))]
    return model.disj(better)


def no_worse_than(lowered: Lowered, plan: Plan) -> Bool:
    """Return the condition that the solver's plan is no worse than a given plan in soft weight and each objective.

    The soft weight is the total weight of the soft constraints that a plan satisfies.

    Args:
        lowered: the task, translated into a problem for solvers.
        plan: the given plan.
    """
    model, problem, ground = lowered.problem.model, lowered.problem, lowered.ground
    interpreter = ground.interpreter.on(plan)
    soft = (i for i in ground.instances if i.applicable and not i.constraint.hard)
    lost = sum(i.weight for i in soft if not interpreter.holds(i.constraint.body, i.env))
    loses = model.sum(
        model.scale(model.indicator(model.negate(root.condition)), weight) for root, weight in problem.soft
    )
    conditions = [model.at_most_zero(model.minus(loses, model.constant(lost)))]
    for objective, declared in zip(problem.objectives, ground.task.objectives, strict=True):
        value = interpreter.value(declared.expression, {})
        if value is not None:
            most = floor((-value if objective.maximize else value) * objective.scale)
            within = model.at_most_zero(model.minus(objective.linear, model.constant(most)))
            conditions += [objective.defined, within]
    return model.conj(conditions)


def less_than(model: NodeBuilder, linears: Sequence[Linear], values: Sequence[int]) -> Bool:
    """Return the condition that linear expressions are lexicographically less than given values.

    Args:
        model: builder of the expressions.
        linears: linear expressions, from the most to the least significant.
        values: a value for each expression.
    """
    better: list[Bool] = []
    as_good: list[Bool] = []
    for linear, value in zip(linears, values, strict=True):
        above = model.minus(linear, model.constant(value))
        better.append(model.conj((*as_good, model.at_most_zero(model.plus(above, model.constant(1))))))
        as_good.append(model.at_most_zero(above))
    return model.disj(better)
