"""The Berlin suite keeps its promises: feasible, unique, with the author's answer accepted, and hard for the greedy."""

from __future__ import annotations

from functools import cache

import pytest

from planspec import Judge, check, load
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.questions.prove import validate
from tests.families.worldtravel.greedy import STRATEGIES, TRAVEL, greedy_plan, passes

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("berlin-suite")]


WORKSPACE = Workspace()
TASKS = [f"berlin-{n:03d}" for n in range(1, 13)]


@cache
def judge(task: str) -> Judge:
    """The judge of a task, made once."""
    return Judge(load(task, workspace=WORKSPACE))


def test_the_suite_has_its_twelve_tasks_and_no_diagnostics() -> None:
    """Every document that ships is clean."""
    suite = Catalog().suite("worldtravel-berlin")
    assert [path.name.split(".")[0] for path in suite.tasks] == TASKS
    assert check([Catalog().workspace.shipped]) == ()


@pytest.mark.parametrize("task", TASKS)
def test_a_task_is_feasible_and_unique_by_both_back_ends(task: str) -> None:
    """Neither back end leans on the other."""
    found = validate(judge(task).ground)
    assert {b.status for b in found.feasible.backends.values()} == {"feasible"}
    assert {b.status for b in found.unique.backends.values()} == {"unique"}
    assert set(found.unique.backends) == {"cpsat", "smt"}
    columns = judge(task).task.unique
    assert columns == frozenset({("visits", "start"), ("lodging", "hotel")})


@pytest.mark.parametrize("task", TASKS)
def test_the_reference_passes_with_every_soft_constraint(task: str) -> None:
    """The author's answer is right in everything."""
    verdict = judge(task).decoded(judge(task).task.reference)
    assert verdict.status == "pass"
    assert verdict.soft.satisfied == verdict.soft.total
    assert verdict.in_scope
    assert 6 <= verdict.hard.total <= 16
    assert 3 <= verdict.soft.total <= 8


def test_anchors_range_from_none_to_five() -> None:
    """A timed anchor is a place that is entered by booked slots."""
    counts = {task: sum(i.id.startswith("slot[") for i in judge(task).ground.instances) for task in TASKS}
    assert set(counts.values()) >= {0, 1, 2, 3, 4, 5}


def test_the_table_in_the_readme_is_true() -> None:
    """Days, travellers, places, anchors and constraints of every task."""
    (folder,) = {path.parent for path in Catalog().suite("worldtravel-berlin").tasks}
    readme = (folder / "README.md").read_text("utf-8")
    for task in TASKS:
        ground, given = judge(task).ground, judge(task).task.givens
        applicable = [i for i in ground.instances if i.applicable]
        hard = sum(i.constraint.hard for i in applicable)
        anchors = sum(i.id.startswith("slot[") for i in applicable)
        grown_ups = given["adults"] + given["students"] + given["seniors"]
        who = f"{grown_ups} + {given['children']}" if given["children"] else grown_ups
        places = len(judge(task).task.facts["Wish"].rows)
        cells = (f"`{task}`", len(given["trip"]), who, places, anchors, hard, len(applicable) - hard)
        assert f"| {' | '.join(map(str, cells))} |" in readme


def test_all_greedy_strategies_fail_on_at_least_eight_tasks() -> None:
    """Earliest slot first, nearest next and longest visit first, by what the purse bears or by one mode alone."""
    trapped = [task for task in TASKS if not any(passes(judge(task), s) for s in STRATEGIES)]
    assert len(trapped) >= 8


def test_the_greedy_planners_are_no_straw_men() -> None:
    """They do reach complete plans, and satisfy most hard constraints; it is the coupling that defeats them."""
    shares = []
    for task in TASKS:
        for strategy in STRATEGIES:
            for mode in TRAVEL:
                plan = greedy_plan(judge(task), strategy, mode)
                if plan is not None:
                    tally = judge(task).plan(plan, details="none").hard
                    shares.append(tally.satisfied / tally.total)
    assert len(shares) >= 12
    assert max(shares) > 0.75
