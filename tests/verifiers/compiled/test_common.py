"""Compiled code that tasks share agrees with the interpreter for every task that uses it."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from planspec.api.judging import Judge
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.compiled.common import CommonCode
from planspec.verifiers.compiled.common_store import COMMON, MAX_STORED, common_verifier
from planspec.verifiers.compiled.compile import Compiled
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from tests.paths import ROOT
from tests.verifiers.random_plans import random_plan
from tests.verifiers.rich_task import rich_task

SHIPPED = {
    "travelplanner": "travelplanner-small/tasks/*.yaml",
    "mobilitybench": "mobilitybench/tasks/mb-00000[1-9].yaml",
    "veritrip": "veritrip/tasks/veritrip-00[1-4].yaml",
    "worldtravel": "worldtravel-berlin/berlin-00[1-4].task.yaml",
}
LIBRARY = """\
planspec: library/1
id: shop
types: {Size: small | large}
tables:
  Thing: {price: money, size: Size}
  Wish: {thing: Thing}
given:
  purse: money
  wish: Thing?
  sizes: set of Size = {small}
plan: {bought: {thing: Thing, count: int}}
define:
  affordable: (t for t in Thing if t.price <= purse)
  total: sum(b.thing.price * b.count for b in bought)
  fits(t Thing): t.size in sizes and t.price <= purse
constraints:
  paid: {hard: total <= purse}
  wished: {when: wish is not none, hard: any(b.thing == wish for b in bought)}
  fitting: {for: s in sizes, hard: any(b.thing.size == s and fits(b.thing) for b in bought)}
  each: {for: t in Thing if t.size == small, soft: count(b for b in bought if b.thing == t) <= 1}
  listed: {for: w in Wish, hard: any(b.thing == w.thing for b in bought)}
  known: {hard: all(b.thing in affordable for b in bought)}
measures: [total]
"""
WORLD = """\
planspec: world/1
id: town
currency: EUR
tables:
  Thing: [{id: cup, price: 3 EUR, size: small}, {id: urn, price: 30 EUR, size: large}]
"""
GIVEN = (
    "given: {purse: 10 EUR}",
    "given: {purse: 100 EUR, wish: urn, sizes: [small, large]}",
    "given: {purse: 40 EUR, sizes: [large]}\ntables: {Wish: [{thing: urn}, {thing: cup}]}",
    "given: {purse: 5 EUR, wish: cup}\nwithout: [paid]",
    "given: {purse: 50 EUR}\nconstraints: {several: {hard: count(b for b in bought) > 1}}",
)


def load_shop_task(folder: Path, givens_text: str, workspace: Workspace) -> Task:
    """Write a task that uses the library and the world, and load it."""
    (folder / "shop.library.yaml").write_text(LIBRARY)
    (folder / "town.world.yaml").write_text(WORLD)
    path = folder / f"t{len(list(folder.iterdir()))}.task.yaml"
    head = f"planspec: task/1\nid: {path.stem[:-5]}\nuses: [shop.library.yaml]\nworld: town.world.yaml\nquery: buy\n"
    path.write_text(f"{head}{givens_text}\n")
    return task_from_path(path, workspace)


def assert_agreement(task_ground: Ground, code: Compiled, plans: Sequence[Plan]) -> int:
    """Assert that code and interpreter agree on verdicts and measures, and return the number of failing verdicts."""
    false = 0
    for plan in plans:
        interpreter = task_ground.interpreter.on(plan)
        verdicts = tuple(
            interpreter.holds(each.constraint.body, each.env) if each.applicable else None
            for each in task_ground.instances
        )
        measured = {name: interpreter.defined(task_ground.task.definitions[name]) for name in task_ground.task.measures}
        assert code.judge_and_measure(plan) == (verdicts, measured)
        false += verdicts.count(False)
    return false


def draw_plans(task: Task, count: int) -> list[Plan]:
    """Return random plans of a task, the same ones each time."""
    random = Random(task.id)
    return [random_plan(task, random, holes=random.choice((0.0, 0.15)), max_rows=5) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("holes", [0.0, 0.15, 0.5])
def test_shared_code_agrees_with_the_interpreter_on_every_construct(holes: float) -> None:
    task = rich_task()
    task_ground, random = ground(task), Random(f"common {holes}")
    code = CommonCode(task.constraints).link(task_ground)
    assert assert_agreement(task_ground, code, [random_plan(task, random, holes=holes) for _ in range(40)]) > 100


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("suite", SHIPPED)
def test_code_is_linked_to_each_task_of_a_suite(suite: str) -> None:
    workspace = Workspace()
    codes: dict[tuple[int, ...], CommonCode] = {}
    false = tasks = 0
    for path in sorted((ROOT / "planspec/tasks").glob(SHIPPED[suite])):
        task = task_from_path(path, workspace)
        shared = [each for each in task.constraints if each.span.source is not task.span.source]
        code = codes.setdefault(tuple(map(id, shared)), CommonCode(shared))
        task_ground = ground(task)
        false += assert_agreement(task_ground, code.link(task_ground), draw_plans(task, 8))
        tasks += 1
    assert len(codes) < tasks
    assert false > 10


def test_shared_code_judges_tasks_with_different_givens_rows_and_constraints(tmp_path: Path) -> None:
    workspace = Workspace()
    for given in GIVEN:
        task_ground = ground(load_shop_task(tmp_path, given, workspace))
        code = CommonCode([each for each in task_ground.task.constraints if each.id != "several"]).link(task_ground)
        assert assert_agreement(task_ground, code, draw_plans(task_ground.task, 30)) > 0


def test_two_tasks_are_judged_by_the_same_code(tmp_path: Path) -> None:
    workspace = Workspace()
    grounds = [ground(load_shop_task(tmp_path, given, workspace)) for given in GIVEN[:3]]
    common = CommonCode(grounds[0].task.constraints)
    linked = [common.link(each) for each in grounds]
    for _ in range(2):
        for each, code in zip(grounds, linked, strict=True):
            assert assert_agreement(each, code, draw_plans(each.task, 20)) > 0


def test_common_code_is_compiled_only_when_a_second_task_uses_it(tmp_path: Path) -> None:
    workspace = Workspace()
    tasks = [load_shop_task(tmp_path, given, workspace) for given in (*GIVEN, *GIVEN)]
    has_code = [common_verifier(ground(task)) is not None for task in tasks]
    # rows change for the first time in the third task, and constraints in the fourth
    assert has_code == [False, True, False, False, True, True, True, True, True, True]


def test_a_task_with_only_its_own_constraints_has_no_shared_code() -> None:
    task = rich_task()
    assert common_verifier(ground(task)) is None
    assert common_verifier(ground(task)) is None


@pytest.mark.thorough
def test_stored_code_is_limited_and_references_no_task(tmp_path: Path) -> None:
    workspace = Workspace()
    names = ["paid", "wished", "fitting", "each", "listed"]

    def judge_without(number: int) -> tuple[str, int]:
        """Judge a copy of the task without some constraints. Return its id and the number of compiled codes in the
        cache.
        """
        out = ", ".join(name for bit, name in enumerate(names) if number >> bit & 1)
        task = load_shop_task(tmp_path, f"given: {{purse: 10 EUR}}\nwithout: [{out}]", workspace)
        task_ground = ground(task)
        if (code := common_verifier(task_ground)) is not None:
            code.judge(draw_plans(task, 1)[0])
        return task.id, len(task.shared.of(COMMON))

    results = [judge_without(number // 2) for number in range(2 * MAX_STORED + 4)]
    assert max(stored for _, stored in results) == MAX_STORED
    gc.collect()
    ids = {name for name, _ in results}
    assert [each for each in gc.get_objects() if isinstance(each, Task) and each.id in ids] == []


def test_verdicts_do_not_depend_on_the_task_judged_before(tmp_path: Path) -> None:
    tasks = [load_shop_task(tmp_path, given, Workspace()) for given in GIVEN]
    alone = [[Judge(task).plan(plan) for plan in draw_plans(task, 10)] for task in tasks]
    workspace = Workspace()
    for path in sorted(tmp_path.glob("*.task.yaml")):
        task_from_path(path, workspace)
    together = [task_from_path(path, workspace) for path in sorted(tmp_path.glob("*.task.yaml"))]
    for task, expected in zip(together, alone, strict=True):
        assert [Judge(task).plan(plan) for plan in draw_plans(task, 10)] == expected
