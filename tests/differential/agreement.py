"""The comparisons themselves: each raises AssertionError where two meanings part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from planspec.api.judging import Judge
from planspec.dsl.model.task import Task
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings
from tests.differential.plans import all_plans, fingerprint, row_choices
from tests.differential.reference import Reference
from tests.verifiers.random_plans import random_plan


@lru_cache(maxsize=2)
def reference(task: Task) -> Reference:
    """The second evaluator, with what is static worked out."""
    return Reference(task)


def verdicts(ground: Ground, plan: Plan) -> tuple[bool | None, ...]:
    """Each instance by the reference."""
    return reference(ground.task).on(plan).statuses()


def accepted(ground: Ground, plan: Plan) -> bool:
    """The reference accepts the plan's shape and hard constraints."""
    return reference(ground.task).on(plan).accepts()


@lru_cache(maxsize=2)
def accepted_prints(ground: Ground) -> frozenset[Any]:
    """What the plans in scope are that the reference accepts."""
    return frozenset(fingerprint(ground, plan) for plan in all_plans(ground) if accepted(ground, plan))


def ground_agrees(ground: Ground) -> None:
    """The instances of the constraints and the rows of the scope are those that the page tells of."""
    told = reference(ground.task)
    expected = [(constraint, _values(env), applicable) for constraint, env, applicable in told.instances]
    assert [(i.constraint, _values(i.env), i.applicable) for i in ground.instances] == expected
    for name, rows in told.scope().items():
        made = [[_cells(content) for content in row_choices(row)] for row in ground.rows[name]]
        wanted = [[_cells(content) for content in row] for row in rows]
        assert [sorted(row, key=repr) for row in made] == [sorted(row, key=repr) for row in wanted]


def _values(env: Mapping[Any, Any]) -> dict[Any, Any]:
    return {binding: _set(value) for binding, value in env.items()}


def _cells(content: Mapping[str, Any] | None) -> list[Any] | None:
    return None if content is None else [_set(value) for value in content.values()]


def _set(value: Any) -> Any:
    """A value by which equality is Python's."""
    return sorted(value, key=repr) if isinstance(value, tuple | frozenset) else value


def statuses_agree(ground: Ground, plans: Iterable[Plan]) -> int:
    """Reference, interpreter and compiled verifier on each plan.

    Returns:
        How many verdicts were compared.
    """
    compiled = compile_task(ground)
    compared = 0
    for plan in plans:
        told = reference(ground.task).on(plan)
        expected = told.statuses()
        interpreter = ground.interpreter.on(plan)
        interpreted = tuple(
            interpreter.holds(i.constraint.body, i.env) if i.applicable else None for i in ground.instances
        )
        assert interpreted == expected
        assert compiled.judge(plan) == expected
        assert any(shape_findings(ground, plan)) != told.shapely()
        if ground.task.objective is not None:
            assert interpreter.value(ground.task.objective.expression, {}) == told.objective()
        compared += len(expected)
    return compared


def compiled_agrees(ground: Ground) -> None:
    """Reference, interpreter and compiled verifier, on every plan in scope."""
    statuses_agree(ground, all_plans(ground))


def plans_beyond(ground: Ground, random: Random, count: int) -> list[Plan]:
    """Plans in and outside of the scope: with holes, rows that stand twice, and unknown names."""
    return [
        random_plan(ground.task, random, holes=random.choice((0.0, 0.15, 0.5)), most=4) for _ in range(count)
    ]


def judge_agrees(task: Task, plans: Sequence[Plan]) -> None:
    """One judge says the same of a plan whenever it is asked, and a fresh one says it too.

    The first plan that a judge sees is interpreted, all others are judged by what was compiled.
    """
    judge = Judge(task)
    first = [judge.plan(plan) for plan in plans]
    assert [judge.plan(plan) for plan in plans] == first
    for plan, verdict in zip(plans, first, strict=True):
        assert Judge(task).plan(plan) == verdict


def assignments(lowered: Lowered) -> Iterable[Mapping[int, int]]:
    """Every assignment of the problem's variables."""
    variables = lowered.problem.model.vars
    for codes in product(*(var.domain for var in variables)):
        yield {var.id: code for var, code in zip(variables, codes, strict=True)}


def lowering_agrees(ground: Ground, *, presolve: bool) -> None:
    """Root conditions hold for just the plans that the reference accepts, soft ones where it is satisfied.

    Raises:
        AssertionError: they part.
        DiagnosticError: something has no encoding.
    """
    lowered = lower(ground, presolve=presolve)
    found: dict[Any, Plan] = {}
    instances = [i.id for i in ground.instances]
    for values in assignments(lowered):
        if all(evaluate(root.condition, values) for root in lowered.problem.hard):
            plan = lowered.decode(values)
            told = reference(ground.task).on(plan)
            assert told.accepts()
            found[fingerprint(ground, plan)] = plan
            judged = dict(zip(instances, told.statuses(), strict=True))
            for root, _ in lowered.problem.soft:
                assert evaluate(root.condition, values) == judged[root.origin]
    assert set(found) == accepted_prints(ground)


def all_agree(ground: Ground) -> None:
    """Reference, interpreter, compiled verifier and lowering, with and without presolve, on every plan in scope."""
    compiled_agrees(ground)
    for presolve in (False, True):
        lowering_agrees(ground, presolve=presolve)
