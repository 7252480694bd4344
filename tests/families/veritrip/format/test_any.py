"""Any VeriTrip plan is unchanged by encoding and decoding, and any answer gets a verdict."""

from __future__ import annotations

import copy
import json
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.model.rows import Row, make_row
from planspec.families.veritrip.facts_check.verdict import facts_of
from planspec.families.veritrip.format.codec import FORMAT
from planspec.verifiers.answers import InexpressiblePlanError, UnsuitableTaskError
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.meaning.plan_rows import Plan
from tests.families.veritrip.format.answers import (
    DOINGS,
    END,
    LEGS,
    START,
    STAYS,
    WHOLE,
    any_row,
    cells,
    decode,
    failing_findings,
    judge,
    row_key,
    task,
)
from tests.verifiers.berlin_trip import berlin_task

# -- encoding and decoding ---------------------------------------------------------------------------------------

MINUTES = st.integers(0, 1440)
PRICES = st.integers(0, 10**7)
STRANGERS = st.text(st.sampled_from("abcdefgh0123456789楼外味"), min_size=1, max_size=12).map("zzqx".__add__)


def fact_rows(name: str, **where: str) -> list[Row]:
    """Return the rows of a table of facts in which the columns refer to these keys."""
    rows = task().facts[name].rows
    return [row for row in rows if all(row_key(getattr(row, column)) == value for column, value in where.items())]


@st.composite
def times(draw: st.DrawFn) -> tuple[int, int]:
    """Draw the start and the end of an activity, in minutes."""
    start = draw(MINUTES)
    return start, start + draw(st.integers(0, 1439))


@st.composite
def legs(draw: st.DrawFn, index: int) -> Row:
    """Draw a row of trains and flights."""
    service: Any = draw(st.sampled_from(fact_rows("Service")))
    begin, end = draw(times())
    stations = st.sampled_from(fact_rows("Station"))
    values = {
        "n": index + 1,
        "service": service,
        "date": service.day,
        "origin": draw(stations),
        "to": draw(stations),
        "begin": begin,
        "end": end,
        "price": draw(PRICES),
    }
    unknown = {}
    if draw(st.booleans()):
        values["service"], unknown["service"] = None, "Z" + draw(st.from_regex(r"[0-9]{5}", fullmatch=True))
    return make_row(task().tables["transportation"], values, index, unknown=unknown)


@st.composite
def stays(draw: st.DrawFn, index: int) -> Row:
    """Draw a row of hotels."""
    hotel: Any = draw(st.sampled_from(fact_rows("Hotel")))
    check_in = draw(st.integers(START - 9, START + 9))
    values = {
        "n": index + 1,
        "city": hotel.city,
        "hotel": hotel,
        "room": draw(st.sampled_from(fact_rows("RoomKind"))),
        "check_in": check_in,
        "check_out": check_in + draw(st.integers(-3, 9)),
        "price": draw(PRICES),
        "rooms": draw(st.integers(0, 99)),
        "board": draw(st.sampled_from(("with_breakfast", "room_only"))),
    }
    return make_row(task().tables["accommodation"], values, index)


@st.composite
def doings(draw: st.DrawFn, index: int) -> Row:
    """Draw a row of activities."""
    start, end = draw(times())
    values: dict[str, Any] = {
        "date": draw(st.integers(START - 1, END + 1)),
        "number": draw(st.integers(0, 99)),
        "start": start,
        "end": end,
        "price": draw(PRICES),
        "activity": draw(
            st.sampled_from(("inner_city_transportation", "inter_city_transportation", "meal", "attraction"))
        ),
    }
    sources = {"meal": ("Restaurant", "Hotel"), "attraction": ("Attraction",)}.get(values["activity"], ())
    if sources:
        source = draw(st.sampled_from((*sources, None)))
        if source is None:
            values["stranger"] = draw(STRANGERS)
        else:
            values[source.lower()] = draw(st.sampled_from(fact_rows(source, city="Shanghai")))
    elif values["activity"] == "inner_city_transportation":
        values["ride"] = draw(st.sampled_from(("taxi", "public", None)))
    return make_row(task().tables["itinerary"], values, index)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Draw a plan that an answer can express."""
    return Plan(
        {
            name: tuple(draw(rows(place)) for place in range(draw(st.integers(0, most))))
            for name, rows, most in (
                ("transportation", legs, 3),
                ("accommodation", stays, 3),
                ("itinerary", doings, 8),
            )
        }
    )


def rows_of(plan: Plan) -> dict[str, Counter[tuple[Any, ...]]]:
    """Return the rows of each plan table as a multiset of cells."""
    return {
        name: Counter(tuple(getattr(row, column) for column in row._table.columns) for row in rows)
        for name, rows in plan.tables.items()
    }


@given(plans())
def test_a_plan_is_unchanged_by_encoding_and_decoding(plan: Plan) -> None:
    written = json.loads(json.dumps(FORMAT.encode(task(), plan)), parse_float=Decimal)
    again, findings = decode(written)
    assert rows_of(again) == rows_of(plan)
    strange = sum(bool(r._unknown) for rows in plan.tables.values() for r in rows)
    strange += sum(
        any_row(r).activity == "attraction" and any_row(r).attraction is None for r in plan.tables["itinerary"]
    )
    assert len(failing_findings(findings)) == strange


@pytest.mark.slow
def test_plans_that_no_answer_can_express_are_refused() -> None:
    plan, _ = decode(WHOLE)
    values = {"date": START, "number": 9, "activity": "meal", "start": 0, "end": 60, "price": 0}
    for bad in (
        values | {"stranger": "Not Folded"},
        values | {"stranger": "lubolang"},
        values | {"attraction": fact_rows("Attraction", city="Shanghai")[0]},
        values | {"start": 600, "end": 540, "stranger": "zz"},
        values | {"start": 1500, "end": 1560, "stranger": "zz"},
    ):
        row = make_row(task().tables["itinerary"], bad, 0)
        with pytest.raises(InexpressiblePlanError, match="itinerary"):
            FORMAT.encode(task(), Plan({**plan.tables, "itinerary": (row,)}))


@pytest.mark.slow
def test_written_answers_cite_documents_for_every_fact_of_a_visit() -> None:
    written = FORMAT.encode(task(), decode(WHOLE)[0])
    checked = cells(written)
    assert {cell.citation for cell in checked if cell.table == DOINGS} == {"supported"}
    assert {cell.status for cell in checked} == {"correct"}


# -- arbitrary answers ----------------------------------------------------------------------------------------

NUMBERS = st.integers(-(10**40), 10**40) | st.sampled_from((10**399, -(10**399))) | st.floats() | st.decimals()
TEXTS = st.text(max_size=20) | st.sampled_from(
    (
        "<HH:MM>",
        "24:00",
        "24:01",
        "2025-10-16",
        "0001-01-01",
        "9999-12-31",
        "1e99",
        "1" * 5000,
        "[1][2][3]",
        "\x00",
        "٣",
        "١٢:٠٠",
    )
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def all_paths(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in JSON data. The first path is the path of the whole data."""
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(inner for name, part in parts for inner in all_paths(part, (*path, name)))]


PLACES = all_paths(WHOLE)


def replace_at(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of JSON data in which the value at a path is replaced."""
    if not path:
        return value
    changed = copy.copy(data)
    changed[path[0]] = replace_at(data[path[0]], path[1:], value)
    return changed


@given(st.sampled_from(PLACES), VALUES)
def test_any_value_at_any_path_gets_a_verdict(path: tuple[Any, ...], value: Any) -> None:
    verdict = judge().answer(replace_at(WHOLE, path, value))
    assert verdict.status in ("fail", "undelivered")
    assert (facts_of(verdict) is None) == (verdict.status == "undelivered")


@given(st.dictionaries(st.sampled_from((LEGS, STAYS, DOINGS, f"#{LEGS}", "Final Result")), VALUES, min_size=1))
def test_any_tables_are_read_or_have_a_failing_finding(data: dict[str, Any]) -> None:
    try:
        plan, findings = decode(data)
    except NoAnswerError:
        return  # the data is a wrapper around something other than tables
    assert failing_findings(findings) or not any(plan.tables.values())


def test_a_task_of_another_family_is_refused() -> None:
    with pytest.raises(UnsuitableTaskError, match="a VeriTrip plan needs"):
        FORMAT.decode(berlin_task(), WHOLE)
