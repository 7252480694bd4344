"""Planners without look-ahead, on days in a small town with results known by hand."""

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
from planspec.families.worldtravel.generator.making import Bench
from planspec.families.worldtravel.shortsighted import LAZY, PLANNERS, RANDOM, plans
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
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("town")
    city = CityFolder.read(write_town(folder / "city", starts_csv=WIDE_OPEN))
    (folder / "bench").mkdir()
    drawn = draw_calendar(city, city.head.first, city.head.days, 0)
    empty = replace(drawn, entries=tuple(replace(entry, left=9) for entry in drawn.entries))
    return Bench(folder / "bench", city, empty)


def task(bench: Bench, *wishes: tuple[str, int], before: tuple[tuple[str, str], ...] = ()) -> Task:
    """Return a day of the two friends, on foot, with wishes by their numbers in the town's scenarios."""
    scenarios = bench.city.scenarios
    drafts = tuple(WishDraft(place, scenarios.places[place].wishes[nr]) for place, nr in wishes)
    return bench.task(
        Draft(scenarios.cores[1], (DAY,), scenarios.parties[0], drafts, before, (), scenarios.stays[0], "foot", 0, None, False)
    )  # fmt: skip


def visits(plan: Plan) -> list[tuple[str, str]]:
    rows: Any = sorted(plan.tables["visits"], key=lambda visit: visit.start)
    return [(str(row.place._key[0]), f"{row.start // 60:02d}:{row.start % 60:02d}") for row in rows]


def made(made_of: Task, **more: Any) -> dict[str, list[tuple[str, str]]]:
    return {name: visits(plan) for name, plan in plans(made_of, **more)}


def status(made_of: Task, planner: str, **more: Any) -> str:
    judge = planspec.Judge(made_of)
    return judge.plan(dict(plans(made_of, **more))[planner]).status


def test_each_planner_takes_its_own_way(bench: Bench) -> None:
    # from Hotel Oak: the mill is 2 minutes off, the tower 12, the lake 15; the deep visit of the mill takes two hours
    day = task(bench, ("tower", 0), ("lake", 0), ("mill", 1))
    result = made(day)
    assert set(result) == set(PLANNERS)
    assert result["earliest start first"] == [("lake", "09:00"), ("mill", "11:00"), ("tower", "14:00")]
    assert result["nearest next"][0] == ("mill", "10:00")
    assert result["longest visit first"] == [("mill", "10:00"), ("lake", "13:00"), ("tower", "16:00")]
    assert [place for place, _ in result[LAZY]] == ["tower", "lake", "mill"]


def test_a_day_without_a_trap_is_passed_by_all(bench: Bench) -> None:
    day = task(bench, ("mill", 0), ("lake", 1))
    assert {name: status(day, name) for name in PLANNERS} == dict.fromkeys(PLANNERS, "pass")


def test_who_takes_the_first_start_misses_the_last(bench: Bench) -> None:
    # dinner is long after both; the lake's eight o'clock boat is too early to be reached, so the earliest start is the lake's at nine, and
    # the mill, whose only start left is at ten, cannot be reached from there in time
    day = task(bench, ("mill", 0), ("lake", 0))
    gone = {("mill_ticket", DAY, 60 * hour): 0 for hour in range(11, 17)}
    result = made(day, gone=gone)
    assert result["earliest start first"] == [("lake", "09:00")]
    assert result["nearest next"] == [("mill", "10:00"), ("lake", "12:00")]
    assert status(day, "earliest start first", gone=gone) == "fail"
    assert status(day, "nearest next", gone=gone) == "pass"


def test_a_careless_reader_heeds_no_order_and_no_meal(bench: Bench) -> None:
    day = task(bench, ("inn", 1), ("mill", 0), before=(("mill", "inn"),))
    result = made(day)
    assert result[LAZY] == [("inn", "12:00"), ("mill", "14:00")]
    assert result["earliest start first"] == [("mill", "10:00"), ("inn", "18:00")]
    assert (status(day, LAZY), status(day, "earliest start first")) == ("fail", "pass")


def test_a_random_order_is_drawn_by_seed(bench: Bench) -> None:
    day = task(bench, ("tower", 0), ("lake", 1), ("mill", 2), ("inn", 1))
    drawn = {tuple(place for place, _ in made(day, seed=seed)[RANDOM]) for seed in range(8)}
    assert len(drawn) > 3
    assert made(day, seed=5) == made(day, seed=5)
