"""VeriTrip answers are decoded to the plans that agents mean, and unreadable parts are reported."""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from typing import Any

import pytest

from planspec.families.veritrip.format.reading import MOST_ROWS
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.answers.tables import write_tables
from tests.families.veritrip.format.answers import (
    DOINGS,
    END,
    HANGZHOU,
    HONGQIAO,
    LEGS,
    START,
    STAYS,
    WHOLE,
    activity_row,
    answer,
    any_row,
    cells,
    decode,
    failing_findings,
    leg_row,
    non_failing_findings,
    only_row,
    row_key,
    stay_row,
    task,
)

# -- reading -----------------------------------------------------------------------------------------


def test_a_complete_answer_is_decoded_to_a_plan() -> None:
    plan, findings = decode(WHOLE)
    assert findings == ()
    ride = only_row(plan, "transportation")
    assert (row_key(ride.service), ride.date, row_key(ride.origin), row_key(ride.to)) == (
        "G2075",
        START,
        HANGZHOU,
        HONGQIAO,
    )
    assert (ride.n, ride.begin, ride.end, ride.price) == (1, 590, 643, 7700)
    bed = only_row(plan, "accommodation")
    assert (row_key(bed.city), row_key(bed.hotel), row_key(bed.room)) == (
        "Shanghai",
        "Captain Hostel",
        "Single room",
    )
    assert (bed.n, bed.check_in, bed.check_out, bed.price, bed.rooms, bed.board) == (
        1,
        START,
        END,
        16000,
        1,
        "room_only",
    )
    train, temple, dinner, taxi = (row for row in map(any_row, plan.tables["itinerary"]))
    assert (train.activity, train.attraction, train.stranger) == ("inter_city_transportation", None, None)
    assert (temple.number, row_key(temple.attraction), temple.price) == (2, "Jade Buddha Temple", 2000)
    assert (row_key(dinner.restaurant), dinner.hotel, dinner.stranger) == ("Lubolang", None, None)
    assert (taxi.ride, taxi.start, taxi.end) == ("taxi", 1430, 1450)


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_wrappers_are_removed(layers: int) -> None:
    data: Any = WHOLE["Final Result"]
    for _ in range(layers):
        data = {"Final Result": data}
    plan, findings = decode(data)
    assert findings == ()
    assert write_tables(task(), plan) == write_tables(task(), decode(WHOLE)[0])


def test_an_answer_may_consist_of_tables_of_a_plan() -> None:
    plan, _ = decode(WHOLE)
    again, findings = decode(json.loads(json.dumps(write_tables(task(), plan))))
    assert findings == ()
    assert write_tables(task(), again) == write_tables(task(), plan)


@pytest.mark.parametrize(
    ("content", "minor"),
    [
        (77, 7700),
        (77.5, 7750),
        (Decimal("77.50"), 7750),
        ("77", 7700),
        ("¥1,077", 107700),
        ("77 CNY", 7700),
        ("free", 0),
    ],
    ids=repr,
)
def test_prices_are_numbers_or_strings_in_the_currency_of_the_world(content: Any, minor: int) -> None:
    plan, findings = decode(answer([leg_row(price_per_person=content)]))
    assert (only_row(plan, "transportation").price, failing_findings(findings)) == (minor, [])


UNREADABLE: dict[str, tuple[Any, ...]] = {
    "price_per_person": ("$40", "40 USD", "<Integer Price>", "about 40", -1, True, [], {}, None, ""),
    "date": ("<2025-10-17>", "2025-13-01", "2025-02-30", "Oct 16", 20251016, True, [], None),
    "begin_time": ("<HH:MM>", "HH:MM ", "25:10", "9.50", "09:60", 950, False, {}, None),
    "transportationID": ("<Flight ID/Train ID>", "", "  ", [], {}, True, None),
}


@pytest.mark.parametrize(
    ("column", "content"),
    [(column, content) for column, every in UNREADABLE.items() for content in every],
    ids=repr,
)
def test_an_unreadable_cell_is_none_and_reported(column: str, content: Any) -> None:
    plan, findings = decode(answer([leg_row(**{column: content})]))
    assert ("unreadable", f"/{LEGS}/0/{column}", column) in failing_findings(findings)
    names = {"price_per_person": "price", "begin_time": "begin", "transportationID": "service"}
    assert getattr(only_row(plan, "transportation"), names.get(column, column)) is None


@pytest.mark.parametrize(
    ("column", "content", "value"),
    [
        ("room_number", "2", 2),
        ("room_number", 2.0, None),
        ("room_number", Decimal("2.0"), 2),
        ("room_number", "two", None),
        ("room_number", True, None),
        ("room_number", 10**9, None),
        ("breakfast_included", "True", "with_breakfast"),
        ("breakfast_included", "no", "room_only"),
        ("breakfast_included", 1, None),
        ("breakfast_included", "<true/false>", None),
    ],
    ids=repr,
)
def test_numbers_and_booleans_are_read_in_the_form_of_their_columns(column: str, content: Any, value: Any) -> None:
    plan, findings = decode(answer(stays=[stay_row(**{column: content})]))
    name = {"room_number": "rooms", "breakfast_included": "board"}[column]
    assert getattr(only_row(plan, "accommodation"), name) == value
    assert failing_findings(findings) == ([] if value is not None else [("unreadable", f"/{STAYS}/0/{column}", column)])


@pytest.mark.parametrize(
    ("name", "content", "ride"),
    [
        ("Hotel to Museum", "By taxi", "taxi"),
        ("Hotel to Museum", "Didi", "taxi"),
        ("Hotel to Museum", "打车", "taxi"),
        ("Hotel to Museum", "Metro line 2", "public"),
        ("Hotel to Museum", "乘地铁", "public"),
        ("Bus to the Bund", "", "public"),
        ("Hotel to Museum", "On foot", None),
        ("Hotel to Museum", None, None),
        ("Hotel to Columbus Circle", "walk past the cabinet", None),
    ],
)
def test_the_mode_of_a_ride_is_in_its_name_or_notes(name: str, content: Any, ride: str | None) -> None:
    plan, findings = decode(
        answer(doings=[activity_row(active_type="inner_city_transportation", name=name, notes=content)])
    )
    assert (only_row(plan, "itinerary").ride, failing_findings(findings)) == (ride, [])


def test_a_meal_is_at_a_restaurant_or_at_a_hotel_or_at_an_unknown_place() -> None:
    for name, expected in (
        ("Lubolang", ("Lubolang", None, None)),
        ("Haidilao Hot Pot", ("Haidilao Hot Pot, Shanghai", None, None)),
        ("Captain Hostel", (None, "Captain Hostel", None)),
        ("绿波廊 (Old Town)", (None, None, "绿波廊oldtown")),
    ):
        plan, findings = decode(answer(doings=[activity_row(active_type="meal", name=name)]))
        row = only_row(plan, "itinerary")
        assert (row_key(row.restaurant), row_key(row.hotel), row.stranger) == expected
        assert failing_findings(findings) == []
        assert bool(non_failing_findings(findings)) == (expected[2] is not None)


# -- malformed tables --------------------------------------------------------------------


@pytest.mark.parametrize("table", [LEGS, STAYS, DOINGS])
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (None, "missing-table"),
        ("none", "wrong-shape"),
        ({"0": {}}, "wrong-shape"),
        (7, "wrong-shape"),
        (True, "wrong-shape"),
    ],
    ids=repr,
)
def test_a_table_that_is_not_a_list_is_reported(table: str, content: Any, kind: str) -> None:
    data = copy.deepcopy(WHOLE)
    data["Final Result"][table] = content
    plan, findings = decode(data)
    assert [f.kind for f in findings] == [kind]
    assert len([name for name, rows in plan.tables.items() if not rows]) == 1


def test_a_missing_table_is_reported_and_the_others_are_read() -> None:
    data = copy.deepcopy(WHOLE)
    del data["Final Result"][STAYS]
    plan, findings = decode(data)
    assert failing_findings(findings) == [("missing-table", "", None)]
    assert [len(plan.tables[name]) for name in ("transportation", "accommodation", "itinerary")] == [1, 0, 4]


@pytest.mark.parametrize("column", sorted(leg_row()))
def test_a_missing_column_is_reported(column: str) -> None:
    row = leg_row()
    del row[column]
    _, findings = decode(answer([row]))
    assert ("missing-column", f"/{LEGS}/0", column) in failing_findings(findings)


def test_notes_may_be_missing() -> None:
    row = activity_row()
    del row["notes"]
    assert decode(answer(doings=[row]))[1] == ()


def test_names_of_columns_ignore_case_and_extra_columns_are_noted() -> None:
    row = activity_row(seat="window", Notez="x")
    row["date"] = row.pop("Date")
    plan, findings = decode(answer(doings=[row]) | {LEGS: []})
    assert decode(answer(doings=[row]))[0].tables["itinerary"][0]._key == (START, 1)
    assert plan.tables["itinerary"] == ()  # the inner tables are read only if there is no outer table
    _, findings = decode(answer(doings=[row]))
    assert failing_findings(findings) == []
    assert non_failing_findings(findings) == [("unknown-column", f"/{DOINGS}/0")] * 2
    assert any("did you mean `notes`" in f.message for f in findings)


@pytest.mark.parametrize("row", [None, "free time", 7, [], [[]]])
def test_a_row_that_is_not_an_object_is_reported_and_skipped(row: Any) -> None:
    plan, findings = decode(answer([leg_row(), row]))
    assert failing_findings(findings) == [("wrong-shape", f"/{LEGS}/1", None)]
    assert len(plan.tables["transportation"]) == 1


@pytest.mark.parametrize(
    "data", [{"Final Result": None}, {"Final Result": "soon"}, {"Final Result": []}, {"Final Result": 3}]
)
def test_a_wrapper_without_tables_is_refused(data: Any) -> None:
    with pytest.raises(NoAnswerError, match="transportationTable"):
        decode(data)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [
        activity_row(),
        activity_row(name="Place of wonder"),
        {},
        {"Date": "<2025-10-17>"},
        {f"column {k}": k for k in range(30)},
    ],
)
def test_at_most_a_limited_number_of_rows_is_read_and_the_rest_is_reported(row: dict[str, Any]) -> None:
    data = answer(doings=[row | {"active_item_number": number} for number in range(5000)])
    plan, findings = decode(data)
    assert len(plan.tables["itinerary"]) == MOST_ROWS < 5000
    assert failing_findings(findings)[0] == ("too-long", f"/{DOINGS}", None)
    assert len(findings) <= 1001  # the last finding counts the omitted ones
    assert len(cells(data)) == (4 * MOST_ROWS if "active_type" in row else 0)


# -- names -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "is_found"),
    [
        ("Xintiandi", True),
        ("xin tian di!", True),
        ("Ｘｉｎｔｉａｎｄｉ", True),
        ("Xīntiāndì", True),
        ("Xintiandiqq", True),  # 2 of 9 + 11 letters differ: similar at exactly 0.9
        ("Xintiandiqqq", False),  # 3 of 9 + 12
        ("Xintiand", True),  # 1 of 9 + 8
        ("Xintian", False),  # 2 of 9 + 7
        ("新天地", False),
        ("!!!", False),
    ],
)
def test_names_are_found_if_their_similarity_is_at_least_nine_tenths(content: str, is_found: bool) -> None:
    plan, findings = decode(answer(doings=[activity_row(name=content)]))
    row = only_row(plan, "itinerary")
    assert row_key(row.attraction) == ("Xintiandi" if is_found else None)
    assert (row.stranger is None) == is_found
    assert failing_findings(findings) == ([] if is_found else [("unknown-name", f"/{DOINGS}/0/name", "name")])


def test_an_ambiguous_station_name_matches_neither() -> None:
    plan, findings = decode(answer([leg_row(departureStation="Hangzhou Wast Railway Station")]))
    row = only_row(plan, "transportation")
    assert row.origin is None
    assert row._unknown == {"origin": "Hangzhou Wast Railway Station"}
    (finding,) = findings
    assert (finding.kind, finding.fails) == ("unknown-name", True)
    assert "Hangzhou West Railway Station" in finding.message
    assert "Hangzhou East Railway Station" in finding.message


def test_an_unknown_name_is_a_finding_and_is_stored_in_the_plan() -> None:
    plan, findings = decode(answer([leg_row(transportationID="Z9")], [stay_row(name="Nowhere Inn", room_type="Igloo")]))
    assert only_row(plan, "transportation")._unknown == {"service": "Z9"}
    assert only_row(plan, "accommodation")._unknown == {"hotel": "Nowhere Inn", "room": "Igloo"}
    assert [kind for kind, _, _ in failing_findings(findings)] == ["unknown-name"] * 3
