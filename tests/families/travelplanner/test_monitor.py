"""TravelPlanner's tasks in the monitor. Guards are derived from the library, and every passing plan can be built."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planspec import load, verify
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.families.travelplanner.nights import is_final_accommodation_day, remaining_nights
from planspec.monitor import OK, Accepted, Monitor, Refusal, WireError, connect, guards, serve
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.monotone.watch import monotone_parts
from tests.paths import ROOT
from tests.shipped import WORKSPACE
from tests.verifiers.growing_plans import (
    failed_conditions,
    failed_parts,
    has_keys_within_limits,
    smaller_plan,
    sound_plan,
)

TASKS = ROOT / "tasks" / "travelplanner-small" / "tasks"

GOOD: list[dict[str, Any]] = [
    {
        "days": 1,
        "current_city": "from Marrowby to Brindle",
        "transportation": "Self-driving, from Marrowby to Brindle",
        "breakfast": "-",
        "lunch": "-",
        "dinner": "-",
        "attraction": "-",
        "accommodation": "Riverside Bunk, Brindle",
    },
    {
        "days": 2,
        "current_city": "Brindle",
        "transportation": "-",
        "breakfast": "Spice Route, Brindle",
        "lunch": "Olive & Thyme, Brindle",
        "dinner": "Nonna's Table, Brindle",
        "attraction": "Old Mill Museum, Brindle;",
        "accommodation": "Riverside Bunk, Brindle",
    },
    {
        "days": 3,
        "current_city": "from Brindle to Marrowby",
        "transportation": "Self-driving, from Brindle to Marrowby",
        "breakfast": "-",
        "lunch": "-",
        "dinner": "-",
        "attraction": "Hanging Bridge, Brindle;",
        "accommodation": "-",
    },
]


def small_task(number: int) -> Task:
    return load(TASKS / f"{number}.yaml", workspace=WORKSPACE)


@pytest.fixture(scope="module")
def first_task() -> Task:
    return small_task(1)


def test_guards_are_derived_from_the_constraints() -> None:
    result = [(g.constraint, g.code) for g in guards(small_task(14))]
    for expected in (
        ("valid_cost", "BUDGET_EXCEEDED"),
        ("is_valid_restaurants", "DUPLICATE_VENUE"),
        ("is_valid_attractions", "DUPLICATE_VENUE"),
        ("is_valid_transportation", "MODE_CONFLICT"),
        ("valid_room_rule", "VALID_ROOM_RULE"),
        ("valid_room_type", "VALID_ROOM_TYPE"),
        ("valid_transportation", "VALID_TRANSPORTATION"),
        ("is_valid_information_in_sandbox", "IS_VALID_INFORMATION_IN_SANDBOX"),
        ("is_valid_information_in_current_city", "IS_VALID_INFORMATION_IN_CURRENT_CITY"),
    ):
        assert expected in result
    assert "valid_cuisine" not in dict(result), "a meal to come may bring the cuisine"


def test_a_passing_plan_can_be_built_day_by_day_in_any_order(first_task: Task) -> None:
    for order in ((1, 2, 3), (3, 1, 2), (2, 3, 1)):
        monitor = Monitor(first_task)
        for number in order:
            assert monitor.commit(monitor.day(number, GOOD[number - 1])) == OK
        assert verify(first_task, {"plan": monitor.answer()}).status == "pass"


@pytest.mark.slow
def test_a_passing_plan_can_be_built_cell_by_cell(first_task: Task) -> None:
    """No part of a passing plan is refused, in any order of its cells."""
    whole = Monitor(first_task)
    for number, day in enumerate(GOOD, 1):
        whole.commit(whole.day(number, day))
    cells: list[dict[str, Any]] = []
    for table, rows in whole.tables().items():
        for row in rows:
            key = {name: row[name] for name in first_task.tables[table].key}
            rest = {k: v for k, v in row.items() if k not in key and v is not None}
            parts = [{**key, k: v} for k, v in rest.items()] if key else [row]
            cells += [{table: [part]} for part in parts]
    for seed in range(5):
        Random(seed).shuffle(cells)
        monitor = Monitor(first_task)
        for cell in cells:
            assert monitor.commit(cell) == OK, cell
        assert verify(first_task, {"plan": monitor.answer()}).status == "pass"


def test_days_that_violate_guards_are_refused(first_task: Task) -> None:
    monitor = Monitor(first_task)
    for number, day in enumerate(GOOD, 1):
        monitor.commit(monitor.day(number, day))
    tries: list[tuple[str, dict[str, Any]]] = [
        (
            "DUPLICATE_VENUE",
            {"meals": [{"day": "2022-03-05", "meal": "lunch", "restaurant": "spice route, brindle"}]},
        ),
        ("DUPLICATE_VENUE", {"sights": [{"day": "2022-03-05", "attraction": "Old Mill Museum, Brindle"}]}),
        ("DUPLICATE_KEY", {"days": [{"day": "2022-03-03", "mode": "taxi"}]}),
        ("UNKNOWN_NAME", {"sights": [{"day": "2022-03-05", "attraction": "Louvre, Paris"}]}),
    ]
    for code, action in tries:
        refusal = monitor.commit(action)
        assert isinstance(refusal, Refusal) and refusal.code == code, (code, refusal)
    other = Monitor(first_task)
    taxi = {**GOOD[2], "transportation": "Taxi, from Brindle to Marrowby"}
    assert other.commit(other.day(1, GOOD[0])) == OK
    refusal = other.commit(other.day(3, taxi))
    assert isinstance(refusal, Refusal) and refusal.code in ("MODE_CONFLICT", "BUDGET_EXCEEDED")


def test_a_hotel_with_a_minimum_stay_beyond_the_trip_is_refused(first_task: Task) -> None:
    """At most two nights remain: the night before the last day, and perhaps the night after it.

    The hotel requires three.
    """
    city = first_task.facts["City"].by_key[("Brindle",)]
    rows: list[Any] = list(first_task.facts["Hotel"].rows)
    long, short = (next(h for h in rows if h.city is city and (h.least > 2) is way) for way in (True, False))
    monitor = Monitor(first_task)
    assert monitor.commit({"days": [{"day": "2022-03-03", "hotel": short._key[0]}]}) == OK
    refusal = monitor.commit({"days": [{"day": "2022-03-04", "hotel": long._key[0]}]})
    assert isinstance(refusal, Refusal) and refusal.code == "IS_VALID_ACCOMMODATION"


def test_a_day_with_an_unknown_name_is_refused(first_task: Task) -> None:
    monitor = Monitor(first_task)
    refusal = monitor.check(monitor.day(2, {**GOOD[1], "lunch": "Nowhere, Brindle"}))
    assert isinstance(refusal, Refusal) and refusal.code == "UNKNOWN_NAME"
    with pytest.raises(ValueError, match="lunch"):
        monitor.day(2, {**GOOD[1], "lunch": 3})
    with pytest.raises(ValueError, match="count from 1"):
        monitor.day(0, GOOD[0])


def test_look_ahead_proves_each_step_of_a_passing_plan(first_task: Task) -> None:
    monitor = Monitor(first_task, look_ahead=True)
    assert remaining_nights(monitor, "Brindle") == 2
    with serve(monitor, ("127.0.0.1", 0)) as server, connect(server.address, server.token) as client:
        assert client.call("get_remaining_nights", "Brindle") == 2
        assert client.call("is_final_accommodation_day", 2) is True
        with pytest.raises(WireError, match="no city is called `Paris`"):
            client.call("get_remaining_nights", "Paris")
    for number, day in enumerate(GOOD, 1):
        assert monitor.commit(monitor.day(number, day)) == Accepted(proved=True)
    assert [is_final_accommodation_day(monitor, n) for n in (1, 2, 3)] == [False, True, False]


def rows_on_trip_days(trip: tuple[int, ...], random: Random, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return the rows on days of the trip, without repeated keys."""
    result: dict[Any, Row] = {}
    for row in rows:
        row.day = random.choice(trip)  # type: ignore[attr-defined]
        result.setdefault(row._key or len(result), row)
    return tuple(result.values())


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 4, 7, 14])
def test_guards_that_a_plan_violates_are_violated_in_all_larger_plans(number: int) -> None:
    task = small_task(number)
    existing = ground(task)
    monitored = monotone_parts(existing)
    random = Random(number)
    trip = task.givens["trip"]
    seen: set[tuple[int, str]] = set()
    for _ in range(200):
        drawn = sound_plan(task, random)
        later = Plan({name: rows_on_trip_days(trip, random, rows) for name, rows in drawn.tables.items()})
        assert has_keys_within_limits(existing, later)
        before = smaller_plan(task, later, random)
        bad = failed_conditions(existing, monitored, before)
        assert bad <= failed_conditions(existing, monitored, later) <= failed_parts(existing, monitored, later)
        seen |= bad
    assert len(seen) > len(monitored) / 3
