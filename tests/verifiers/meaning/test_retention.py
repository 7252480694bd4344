"""The share of a plan's cells that are unchanged in another plan is computed exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.retention import kept_share

TASK = task_from_text("""\
planspec: task/1
id: trip
query: Where to?
plan:
  visits: {place: key text, start: time, tags: set of text, note: text?}
  walks: {way: text, length: distance}
  lodging: {one: true, hotel: text, nights: int}
""")
BEFORE: dict[str, Any] = {
    "visits": [
        {"place": "zoo", "start": "09:00", "tags": ["a", "b"], "note": None},
        {"place": "park", "start": "11:00", "tags": [], "note": "late"},
    ],
    "walks": [{"way": "short", "length": "1km"}, {"way": "long", "length": "3km"}],
    "lodging": {"hotel": "Ritz", "nights": 2},
}


def plan(**tables: Any) -> Plan:
    """Return a plan with these tables. Other tables are as in `BEFORE`."""
    return TABLES.decode(TASK, {**BEFORE, **tables})[0]


ZOO, PARK = BEFORE["visits"]
SHORT, LONG = BEFORE["walks"]


@pytest.mark.parametrize(
    ("after", "lost"),
    [
        pytest.param({}, 0, id="the same"),
        pytest.param({"visits": [PARK, {**ZOO, "tags": ["b", "a"]}]}, 0, id="order is nothing"),
        pytest.param({"visits": [{**ZOO, "start": "09:05"}, PARK]}, 1, id="a field"),
        pytest.param({"visits": [ZOO, {**PARK, "note": None}]}, 1, id="a field that is none now"),
        pytest.param({"visits": [{**ZOO, "note": "new"}, PARK]}, 1, id="a field that was none"),
        pytest.param({"visits": [ZOO]}, 4, id="a row with all its cells"),
        pytest.param({"visits": [ZOO, {**PARK, "place": "tower"}]}, 4, id="another key is another row"),
        pytest.param({"visits": [ZOO, PARK, {**PARK, "place": "tower"}]}, 0, id="what is added costs nothing"),
        pytest.param({"walks": [LONG, SHORT]}, 0, id="rows without a key in another order"),
        pytest.param({"walks": [LONG]}, 2, id="a row without a key"),
        pytest.param({"walks": [SHORT, {**LONG, "length": "2km"}]}, 1, id="rows without a key that are alike"),
        pytest.param({"lodging": {"hotel": "Inn", "nights": 2}}, 1, id="the row of a `one` table"),
        pytest.param({"visits": [], "walks": [], "lodging": []}, 14, id="nothing is left"),
    ],
)
def test_each_lost_cell_of_fourteen_is_counted(after: dict[str, Any], lost: int) -> None:
    assert kept_share(TASK, plan(), plan(**after)) == Fraction(14 - lost, 14)


def test_all_of_an_empty_plan_counts_as_unchanged() -> None:
    empty = plan(visits=[], walks=[], lodging=[])
    assert kept_share(TASK, empty, plan()) == 1
    assert kept_share(TASK, empty, empty) == 1
