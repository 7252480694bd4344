"""The difference between two plans is described as edits of rows and cells, as in the cases of a task."""

from __future__ import annotations

from typing import Any

import pytest

import planspec
from planspec.api.cases.changes import PlanChange, change_data
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.plan_rows import Plan
from tests.planspec.api.cases.afternoon import AFTERNOON

TASK = planspec.loads(AFTERNOON)
BASE: dict[str, Any] = {
    "visits": [
        {"stop": "museum", "start": "14:00", "end": "15:30"},
        {"stop": "park", "start": "15:30", "end": "17:00"},
    ],
    "lunch": {"at": "12:00", "cost": "9.00 EUR"},
    "notes": [{"text": "none"}, {"text": "b"}],
}


def plan(**tables: Any) -> Plan:
    """Return a plan with these tables. Other tables are as in `BASE`."""
    decoded, wrong = TABLES.decode(TASK, {**BASE, **tables})
    assert not wrong
    return decoded


@pytest.mark.parametrize(
    ("tables", "change"),
    [
        ({}, {}),
        ({"lunch": {"at": "12:00", "cost": "8.00 EUR"}}, {"lunch": {"cost": "8.00 EUR"}}),
        ({"visits": BASE["visits"][:1]}, {"visits": {"park": None}}),
        (
            {"visits": [BASE["visits"][1], {"stop": "museum", "start": "14:15", "end": "15:30"}]},
            {"visits": {"museum": {"start": "14:15"}}},
        ),
        ({"notes": [{"text": "b"}]}, {"notes": {"0": None}}),
        ({"notes": [{"text": "c"}, {"text": "none"}]}, {"notes": {"1": {"text": "c"}}}),
        ({"notes": [*BASE["notes"], {"text": "c"}]}, {"notes": {"+": [{"text": "c"}]}}),
    ],
)
def test_a_change_has_the_cells_and_rows_that_differ(tables: dict[str, Any], change: dict[str, Any]) -> None:
    other = plan(**tables)
    difference = PlanChange(TASK, plan(), other)
    assert difference.edits is not None
    assert change_data(difference.edits) == change
    changed, wrong = TABLES.decode(TASK, difference.tables(difference.edits))
    assert not wrong
    for name, rows in TABLES.encode(TASK, other).items():
        written = TABLES.encode(TASK, changed)[name]
        assert written == rows if isinstance(rows, dict) else sorted(map(str, written)) == sorted(map(str, rows))


def test_plans_with_duplicate_keys_have_no_change() -> None:
    twice = plan(visits=[BASE["visits"][0], BASE["visits"][0]])
    assert PlanChange(TASK, twice, plan()).edits is None
    assert PlanChange(TASK, plan(), twice).edits is None
    assert PlanChange(TASK, twice, twice).edits == ()


def test_a_part_of_the_edits_can_be_applied() -> None:
    difference = PlanChange(TASK, plan(), plan(visits=[], lunch={"at": "12:30", "cost": "9.00 EUR"}))
    assert difference.edits is not None
    assert difference.tables(difference.edits[:1]) == {**BASE, "visits": BASE["visits"][1:]}
