"""VeriTrip answers for tests. The task is a trip of one traveller for two days, from Hangzhou to Shanghai and back."""

from __future__ import annotations

from datetime import date
from functools import cache
from typing import Any

import planspec
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.families.veritrip.facts_check.cells import check_answer
from planspec.families.veritrip.facts_check.verdict import CheckedCell, facts_of
from planspec.families.veritrip.format.codec import FORMAT
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.meaning.plan_rows import Plan

LEGS, STAYS, DOINGS = "transportationTable", "accommodationTable", "itineraryTable"
START, END = date(2025, 10, 16).toordinal(), date(2025, 10, 17).toordinal()
TASK = "veritrip-017"
HANGZHOU, HONGQIAO = "Hangzhou South Railway Station", "Shanghai Hongqiao Railway Station"


@cache
def judge() -> planspec.Judge:
    return planspec.Judge(planspec.load(TASK))


def task() -> Task:
    return judge().task


def leg_row(**changed: Any) -> dict[str, Any]:
    """Return a row of the answer's table of trains and flights, with changed cells."""
    return {
        "transportationID": "G2075",
        "date": "2025-10-16",
        "departureStation": HANGZHOU,
        "arriveStation": HONGQIAO,
        "begin_time": "09:50",
        "end_time": "10:43",
        "price_per_person": 77,
    } | changed


def stay_row(**changed: Any) -> dict[str, Any]:
    """Return a row of the answer's table of hotels, with changed cells."""
    return {
        "city": "Shanghai",
        "name": "Captain Hostel",
        "check_in": "2025-10-16",
        "check_out": "2025-10-17",
        "price_per_night": 160,
        "room_type": "Single room",
        "room_number": 1,
        "breakfast_included": False,
    } | changed


def activity_row(**changed: Any) -> dict[str, Any]:
    """Return a row of the answer's itinerary, with changed cells."""
    return {
        "Date": "2025-10-16",
        "active_item_number": 1,
        "active_type": "attraction",
        "start_time": "13:00",
        "end_time": "14:30",
        "name": "Jade Buddha Temple",
        "price_per_person": 20,
        "notes": "Statues [1792].",
    } | changed


def answer(legs: Any = (), stays: Any = (), doings: Any = ()) -> dict[str, Any]:
    """Return an answer with these rows of trains and flights, hotels, and activities."""
    return {"Final Result": {LEGS: list(legs), STAYS: list(stays), DOINGS: list(doings)}}


def decode(data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    return FORMAT.decode(task(), data)


def cells(data: Any) -> tuple[CheckedCell, ...]:
    """Return the checked cells of an answer."""
    facts = facts_of(check_answer(task(), data).extend(judge().undelivered("not judged")))
    assert facts is not None
    return facts.cells


def failing_findings(findings: tuple[ShapeFinding, ...]) -> list[tuple[str, str, str | None]]:
    """Return kind, path and column of each finding that makes an answer fail."""
    return [(f.kind, f.path, f.column) for f in findings if f.fails]


def non_failing_findings(findings: tuple[ShapeFinding, ...]) -> list[tuple[str, str]]:
    """Return the kind and the path of each finding that is only a note."""
    return [(f.kind, f.path) for f in findings if not f.fails]


def row_key(row: Row | None) -> Any:
    return None if row is None else row._key[0]


def only_row(plan: Plan, table: str) -> Any:
    """Return the only row of a plan table."""
    (row,) = plan.tables[table]
    return row


WHOLE = answer(
    [leg_row()],
    [stay_row()],
    [
        activity_row(active_type="inter_city_transportation", start_time="09:50", end_time="10:43", name="G2075"),
        activity_row(active_item_number=2),
        activity_row(active_item_number=3, active_type="meal", start_time="18:00", end_time="19:00", name="Lubolang"),
        activity_row(
            active_item_number=4,
            active_type="inner_city_transportation",
            start_time="23:50",
            end_time="00:10",
            name="Lubolang to hotel",
            notes="By taxi.",
        ),
    ],
)


def any_row(row: Row) -> Any:
    """Return a row as `Any`, since type checkers do not know its columns."""
    return row
