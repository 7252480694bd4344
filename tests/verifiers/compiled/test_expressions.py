"""Compiled functions compute exactly the details of verdicts that the interpreter computes."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

from planspec.api.judging import Judge
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.traversal import free_variables, walk
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.compiled.expressions import Expressions
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.judge import judge
from planspec.verifiers.meaning.plan_rows import Plan
from tests.differential.agreement import random_plans
from tests.differential.programs import tasks
from tests.differential.test_meanings import SMALL, ground_or_reject
from tests.paths import ROOT
from tests.random_examples import examples
from tests.verifiers.compiled.test_common import GIVEN, SHIPPED, draw_plans, load_shop_task
from tests.verifiers.random_plans import random_plan
from tests.verifiers.rich_task import rich_task
from tests.verifiers.small_tasks import plan_of, small_task, visit

STEPS = "planspec.verifiers.compiled.expressions.STEPS_A_NODE"


@pytest.fixture(params=[0, 1, 1_000_000], ids=["always", "soon", "never"], autouse=True)
def _compilation_threshold(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile functions at once, after one step of evaluation, or never."""
    monkeypatch.setattr(STEPS, request.param)


def assert_agreement(task_ground: Ground, expressions: Expressions, plan: Plan) -> int:
    """Assert that the verdict with all details equals the interpreter's. Return the number of violations."""
    quick = judge(
        task_ground,
        plan,
        statuses=compile_task(task_ground).judge(plan),
        interpreter_factory=lambda: expressions.on(plan),
    )
    slow = judge(task_ground, Plan(plan.tables))
    for one, other in zip(quick.findings, slow.findings, strict=True):
        assert one == other
    assert quick == slow
    return sum(finding.status == "violated" for finding in slow.findings)


@pytest.fixture(scope="module")
def rich() -> Ground:
    """Return a ground task that uses every construct of the language."""
    return ground(rich_task())


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, 0.15, 0.5])
def test_explanations_of_every_construct_equal_those_of_the_interpreter(rich: Ground, holes: float) -> None:
    random, expressions = Random(f"expressions {holes}"), Expressions(rich)
    assert sum(assert_agreement(rich, expressions, random_plan(rich.task, random, holes=holes)) for _ in range(8)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_every_part_of_a_rule_has_the_value_of_the_interpreter(rich: Ground, holes: float) -> None:
    random, expressions = Random(str(holes)), Expressions(rich)
    for _ in range(4):
        plan = random_plan(rich.task, random, holes=holes)
        plain, quick = Interpreter(rich.task, plan), expressions.on(plan)
        for instance in rich.instances:
            for part in walk(instance.constraint.body):
                if instance.applicable and set(free_variables(part)) <= set(instance.env):
                    assert quick.value(part, instance.env) == plain.value(part, instance.env)


@settings(SMALL, max_examples=examples(12) if settings().max_examples <= 50 else 200)
@given(tasks())
def test_explanations_of_random_tasks_equal_those_of_the_interpreter(text: str) -> None:
    task_ground = ground_or_reject(text)
    expressions = Expressions(task_ground)
    for plan in random_plans(task_ground, Random(text), 4):
        assert_agreement(task_ground, expressions, plan)


@pytest.mark.sampled(8)
@pytest.mark.slow
@pytest.mark.parametrize("suite", SHIPPED)
def test_the_tasks_of_a_suite_share_functions(suite: str) -> None:
    workspace = Workspace()
    for path in sorted((ROOT / "planspec/tasks").glob(SHIPPED[suite]))[:4]:
        task_ground = ground(task_from_path(path, workspace), scope=False)
        expressions, random = Expressions(task_ground), Random(str(path.name))
        for _ in range(3):
            assert_agreement(task_ground, expressions, random_plan(task_ground.task, random, holes=0.05))


@pytest.mark.slow
def test_explanations_of_a_library_use_the_data_of_each_task(tmp_path: Path) -> None:
    workspace = Workspace()
    for given_text in GIVEN:
        task_ground = ground(load_shop_task(tmp_path, given_text, workspace))
        expressions = Expressions(task_ground)
        for plan in draw_plans(task_ground.task, 6):
            assert_agreement(task_ground, expressions, plan)


def test_a_rule_that_python_cannot_compile_is_still_explained() -> None:
    loops = " ".join(f"for x{n} in visits" for n in range(16))
    task = small_task(f"constraints:\n  c:\n    hard: all(x0.start == x15.end {loops})\n")
    task_ground = ground(task)
    expressions = Expressions(task_ground)
    for _ in range(2):
        assert assert_agreement(task_ground, expressions, plan_of(task, visits=[visit("museum", "09:30", "11:00")]))


def test_bindings_beyond_the_cache_limit_are_all_read() -> None:
    task_ground = ground(
        small_task("constraints:\n  c:\n    hard: all(v.start <= v.end + x * 0min for v in visits for x in 1..3000)\n")
    )
    plan = plan_of(task_ground.task, visits=[visit("museum", "09:30", "11:00"), visit("park", "12:00", "11:00")])
    expressions = Expressions(task_ground)
    for _ in range(2):
        assert assert_agreement(task_ground, expressions, Plan(plan.tables))


def test_an_explanation_does_not_change_later_verdicts() -> None:
    task = small_task("constraints:\n  c:\n    hard: count(v for v in visits if v.start < 12:00) == 1\n")
    judge_of_many = Judge(task)
    answers = [
        {"visits": [visit("museum", "09:30", "11:00"), visit("park", start, "13:00")]}
        for start in ("11:30", "12:00", "11:45")
    ]
    for _ in range(20):
        for answer in answers:
            assert judge_of_many.answer(answer) == Judge(task).answer(answer)


def test_functions_are_compiled_if_interpreting_takes_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(STEPS, 25)
    task_ground = ground(small_task("constraints:\n  c:\n    hard: count(v for v in visits if v.start < 12:00) == 1\n"))
    expressions, body = Expressions(task_ground), task_ground.instances[0].constraint.body
    plan = plan_of(task_ground.task, visits=[visit("museum", "09:30", "11:00")])
    ready = []
    for _ in range(100):
        on = expressions.on(Plan(plan.tables))
        assert on.holds(body, {})
        ready.append(body in on._functions_on_plan)
    assert (ready[0], ready[-1]) == (False, True)
