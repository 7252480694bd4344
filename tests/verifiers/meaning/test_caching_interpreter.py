"""The caching interpreter agrees with the reference interpreter."""

from __future__ import annotations

from random import Random

import pytest

from planspec.dsl.model.traversal import free_variables, walk
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from tests.verifiers.random_plans import random_plan
from tests.verifiers.rich_task import rich_task
from tests.verifiers.small_tasks import plan_of, small_task, visit


@pytest.fixture(scope="module")
def rich() -> Ground:
    """Return a ground task that uses every construct of the language."""
    return ground(rich_task())


@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, 0.15, 0.5])
def test_every_part_of_a_rule_has_the_value_of_the_interpreter(rich: Ground, holes: float) -> None:
    random = Random(str(holes))
    for _ in range(6):
        plan = random_plan(rich.task, random, holes=holes)
        plain = Interpreter(rich.task, plan)
        quick = CachingInterpreter(rich.interpreter.on(plan), plan)
        for instance in rich.instances:
            for part in walk(instance.constraint.body):
                if instance.applicable and set(free_variables(part)) <= set(instance.env):
                    assert quick.value(part, instance.env) == plain.value(part, instance.env)


@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_given_statuses_of_a_faster_verifier_do_not_change_the_verdict(rich: Ground, holes: float) -> None:
    random, compiled = Random(str(holes)), compile_task(rich)
    for _ in range(3):
        plan = random_plan(rich.task, random, holes=holes)
        statuses, measures = compiled.judge_and_measure(plan)
        slow = judge(rich, Plan(plan.tables))
        assert judge(rich, plan, (), statuses, measures=measures) == slow


def test_aggregates_are_cached_for_one_plan_only() -> None:
    task = small_task("constraints:\n  c:\n    hard: count(v for v in visits) == 1\n")
    task_ground = ground(task)
    for count in (1, 2, 1):
        plan = plan_of(task, visits=[visit("museum", "09:30", "11:00"), visit("park", "12:00", "13:00")][:count])
        quick = CachingInterpreter(task_ground.interpreter.on(plan), plan)
        assert [quick.holds(task_ground.instances[0].constraint.body, {}) for _ in range(2)] == [count == 1] * 2
