"""Planners that never look ahead, on days in a small town with results computed by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

import planspec
from planspec.dsl.model.task import Task
from planspec.families.worldtravel.generator.calendar import draw_calendar
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.drawing import Draft, WishDraft
from planspec.families.worldtravel.generator.making import DraftSolver
from planspec.families.worldtravel.shortsighted import PLANNERS, QUERY_ORDER, RANDOM_ORDER, plans
from planspec.verifiers.meaning.plan_rows import Plan
from tests.families.worldtravel.generator.towns import write_town

DAY = date(2026, 7, 2)
WIDE_OPEN = """offer,days,first,last,every,places,language
mill_ticket,mon-sun,10:00,16:00,1h,9,
tower_queue,mon-sun,10:00,18:00,2h,9,
tower_fast,mon-sun,10:30,18:30,2h,9,
lake_boat,mon-sun,08:00,18:00,1h,99,
inn_table,mon-sun,12:00,13:00,1h,9,
inn_table,mon-sun,18:00,21:00,1h,9,
bar_table,mon-sun,12:00,13:00,1h,9,
"""


@pytest.fixture(scope="module")
def draft_solver(tmp_path_factory: pytest.TempPathFactory) -> DraftSolver:
    """Return a solver for tasks in the town, in which every start has places left."""
    folder = tmp_path_factory.mktemp("town")
    city = CityFolder.read(write_town(folder / "city", starts_csv=WIDE_OPEN))
    (folder / "drafts").mkdir()
    drawn = draw_calendar(city, city.head.first, city.head.days, 0)
    empty = replace(drawn, entries=tuple(replace(entry, left=9) for entry in drawn.entries))
    return DraftSolver(folder / "drafts", city, empty)


def task(draft_solver: DraftSolver, *wishes: tuple[str, int], before: tuple[tuple[str, str], ...] = ()) -> Task:
    """Return a task of two friends for a day on foot.

    Args:
        draft_solver: solver for drafts in the town.
        wishes: requested places, each with the index of a wish in the town's scenarios.
        before: required orders of two places.
    """
    scenarios = draft_solver.city.scenarios
    drafts = tuple(WishDraft(place, scenarios.places[place].wishes[nr]) for place, nr in wishes)
    return draft_solver.load_task(
        Draft(
            scenarios.cores[1],
            (DAY,),
            scenarios.parties[0],
            drafts,
            before,
            (),
            scenarios.stays[0],
            "foot",
            0,
            None,
            False,
        )
    )


def visits(plan: Plan) -> list[tuple[str, str]]:
    """Return the places that a plan visits with the start times, in order."""
    rows: Any = sorted(plan.tables["visits"], key=lambda visit: visit.start)
    return [(str(row.place._key[0]), f"{row.start // 60:02d}:{row.start % 60:02d}") for row in rows]


def visits_by_planner(task_: Task, **more: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the visits that each planner plans."""
    return {name: visits(plan) for name, plan in plans(task_, **more)}


def status(task_: Task, planner: str, **more: Any) -> str:
    """Return the status of the verdict on the plan of a planner."""
    judge = planspec.Judge(task_)
    return judge.plan(dict(plans(task_, **more))[planner]).status


def test_each_planner_visits_places_by_its_strategy(draft_solver: DraftSolver) -> None:
    # from Hotel Oak, the mill is 2 minutes away, the tower 12 and the lake 15; the deep visit of the mill takes two hours
    day = task(draft_solver, ("tower", 0), ("lake", 0), ("mill", 1))
    result = visits_by_planner(day)
    assert set(result) == set(PLANNERS)
    # the visit of the tower begins at half past ten with the more expensive ticket, which avoids the queue
    assert result["earliest start first"] == [("lake", "09:00"), ("tower", "10:30"), ("mill", "12:00")]
    assert result["nearest next"][0] == ("mill", "10:00")
    assert result["longest visit first"] == [("mill", "10:00"), ("lake", "13:00"), ("tower", "14:30")]
    assert [place for place, _ in result[QUERY_ORDER]] == ["tower", "lake", "mill"]


def test_all_planners_pass_on_a_day_that_needs_no_look_ahead(draft_solver: DraftSolver) -> None:
    day = task(draft_solver, ("mill", 0), ("lake", 1))
    assert {name: status(day, name) for name in PLANNERS} == dict.fromkeys(PLANNERS, "pass")


def test_a_planner_that_takes_the_earliest_start_misses_a_later_visit(draft_solver: DraftSolver) -> None:
    # the eight o'clock boat cannot be reached, so the earliest start is that of the lake at nine; the only start left
    # at the mill is at ten, which cannot be reached from the lake in time
    day = task(draft_solver, ("mill", 0), ("lake", 0))
    sold_out = {("mill_ticket", DAY, 60 * hour): 0 for hour in range(11, 17)}
    result = visits_by_planner(day, sold_out=sold_out)
    assert result["earliest start first"] == [("lake", "09:00")]
    assert result["nearest next"] == [("mill", "10:00"), ("lake", "12:00")]
    assert status(day, "earliest start first", sold_out=sold_out) == "fail"
    assert status(day, "nearest next", sold_out=sold_out) == "pass"


def test_the_careless_planner_ignores_orders_and_meals(draft_solver: DraftSolver) -> None:
    day = task(draft_solver, ("inn", 1), ("mill", 0), before=(("mill", "inn"),))
    result = visits_by_planner(day)
    assert result[QUERY_ORDER] == [("inn", "12:00"), ("mill", "14:00")]
    assert result["earliest start first"] == [("mill", "10:00"), ("inn", "18:00")]
    assert (status(day, QUERY_ORDER), status(day, "earliest start first")) == ("fail", "pass")


def test_the_random_order_depends_on_the_seed(draft_solver: DraftSolver) -> None:
    day = task(draft_solver, ("tower", 0), ("lake", 1), ("mill", 2), ("inn", 1))
    drawn = {tuple(place for place, _ in visits_by_planner(day, seed=seed)[RANDOM_ORDER]) for seed in range(8)}
    assert len(drawn) > 3
    assert visits_by_planner(day, seed=5) == visits_by_planner(day, seed=5)
