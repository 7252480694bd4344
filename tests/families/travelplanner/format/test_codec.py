"""Days of seven strings are decoded as intended, and plans are unchanged by encoding and decoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.families.travelplanner.format.codec import FORMAT
from planspec.families.travelplanner.format.reading import MOST_CHARACTERS, MOST_DAYS
from planspec.verifiers.answers import InexpressiblePlanError, UnsuitableTaskError
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.meaning.plan_rows import Plan
from tests.families.travelplanner.official.small_world import judge, judged_record, task
from tests.verifiers.small_tasks import small_task

GOOD: list[dict[str, Any]] = judged_record("a solo trip by car keeps every rule")["plan"]
STAY = GOOD[1]
Findings = tuple[ShapeFinding, ...]


def key_or_value(value: Any) -> Any:
    """Return the first part of a row's key, or any other value unchanged."""
    return value._key[0] if isinstance(value, Row) else value


def unknown_names(row: Row) -> dict[str, str]:
    """Return the unknown names of a row, by column."""
    unknown = row._unknown
    assert not isinstance(unknown, frozenset)
    return dict(unknown)


def rows(plan: Plan, table: str) -> list[dict[str, Any]]:
    """Return the rows of a plan table. A referenced row is replaced by its key."""
    return [
        {name: key_or_value(getattr(row, name)) for name in row._table.columns} | {"unknown": unknown_names(row)}
        if row._unknown
        else {name: key_or_value(getattr(row, name)) for name in row._table.columns}
        for row in plan.tables[table]
    ]


def read_day(day: dict[str, Any] = STAY, /, **texts: Any) -> tuple[dict[str, Any], Findings, Plan]:
    """Decode a plan of one day, in which `texts` replaces fields. Return its row of `days`, the findings, and the plan.

    A field whose new text is `...` is removed from the day.
    """
    entry = {k: v for k, v in ({**day, "days": 1} | texts).items() if v is not ...}
    plan, findings = FORMAT.decode(task(1), [entry])
    return rows(plan, "days")[0], findings, plan


def read_sights(text: Any) -> list[str | None]:
    """Decode a text of attractions, and return their names, with None for an unknown one."""
    return [row["attraction"] for row in rows(read_day(attraction=text)[2], "sights")]


def failing_findings(findings: Findings) -> list[tuple[str, str]]:
    """Return the kind and the path of each finding that makes a plan fail."""
    return [(f.kind, f.path) for f in findings if f.fails]


# -- reading ------------------------------------------------------------------------------------------------


def test_a_good_plan_is_read_without_findings() -> None:
    plan, findings = FORMAT.decode(task(1), GOOD)
    first, second, third = task(1).givens["trip"]
    assert findings == ()
    car = {"mode": "self_driving", "flight": None}
    assert rows(plan, "days") == [
        {
            "day": first,
            "from": "Marrowby",
            "city": "Brindle",
            "origin": "Marrowby",
            "to": "Brindle",
            "hotel": "Riverside Bunk, Brindle",
            **car,
        },
        {
            "day": second,
            "from": None,
            "city": "Brindle",
            "mode": None,
            "origin": None,
            "to": None,
            "flight": None,
            "hotel": "Riverside Bunk, Brindle",
        },
        {
            "day": third,
            "from": "Brindle",
            "city": "Marrowby",
            "origin": "Brindle",
            "to": "Marrowby",
            "hotel": None,
            **car,
        },
    ]
    assert [(m["day"], m["meal"], m["restaurant"]) for m in rows(plan, "meals") if m["restaurant"]] == [
        (first, "dinner", "Olive & Thyme, Brindle"),
        (second, "breakfast", "Mill Street Kitchen, Brindle"),
        (second, "lunch", "Spice Route, Brindle"),
        (second, "dinner", "Nonna's Table, Brindle"),
    ]
    assert [s["attraction"] for s in rows(plan, "sights")] == [
        "Old Mill Museum, Brindle",
        "Hanging Bridge, Brindle",
        "Mill Pond Park, Brindle",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "from Marrowby to Brindle",
        "From Marrowby To Brindle",
        " FROM  Marrowby  to  Brindle ",
        "from marrowby to brindle",
        "from Marrowby(Veldania) to Brindle (Aldermark)",
    ],
)
def test_a_travel_day_names_origin_and_destination_in_any_letter_case(content: str) -> None:
    row, findings, _ = read_day(current_city=content)
    assert (row["from"], row["city"], findings) == ("Marrowby", "Brindle", ())


@pytest.mark.parametrize("content", ["Brindle", " brindle ", "Brindle (Aldermark)", "BRINDLE", "Brindlé"])
def test_cities_match_regardless_of_state_case_and_accents(content: str) -> None:
    row, findings, _ = read_day(current_city=content)
    assert (row["from"], row["city"], findings) == (None, "Brindle", ())


def test_a_city_name_inside_another_name_does_not_match() -> None:
    assert [read_day(current_city=name)[0]["city"] for name in ("Brindle", "Brindleton", "Brind")] == [
        "Brindle",
        "Brindleton",
        None,
    ]


def test_an_unknown_city_is_recorded_and_reported_with_a_suggestion() -> None:
    row, findings, _ = read_day(current_city="from Marroby to Atlantis")
    assert row["from"] == "Marrowby"  # no other name is similar
    assert row["unknown"] == {"city": "Atlantis"}
    assert failing_findings(findings) == [("unknown-name", "/0/current_city")]


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        ("Self-driving, from Marrowby to Brindle", "self_driving"),
        ("self driving from marrowby to brindle", "self_driving"),
        ("Taxi, from Marrowby to Brindle, Duration: 4 hours", "taxi"),
        ("Bus, from Marrowby to Brindle", "other"),
        ("by train", "other"),
    ],
)
def test_a_ride_without_a_flight_is_read_with_its_mode_origin_and_destination(content: str, mode: str) -> None:
    row, findings, _ = read_day(GOOD[0], transportation=content)
    assert (row["mode"], row["origin"], row["to"], row["flight"], failing_findings(findings)) == (
        mode,
        "Marrowby",
        "Brindle",
        None,
        [],
    )


def test_origin_and_destination_in_the_text_of_a_ride_take_precedence_over_current_city() -> None:
    row, _, _ = read_day(GOOD[0], transportation="Taxi, from Tamsin to Orla (Ostmere), Cost: 3")
    assert (row["from"], row["city"], row["origin"], row["to"]) == ("Marrowby", "Brindle", "Tamsin", "Orla")


@pytest.mark.parametrize(
    "text",
    [
        "Flight Number: {}, from Marrowby to Brindle, Departure Time: 08:00",
        "flight {}",
        "Flight number {} from Marrowby to Brindle",
    ],
)
def test_a_flight_is_found_by_its_number(text: str) -> None:
    for flight in task(1).facts["Flight"].rows:
        row, findings, _ = read_day(GOOD[0], transportation=text.format(key_or_value(flight)))
        assert (row["mode"], row["flight"], row["origin"], findings) == (
            "flight",
            key_or_value(flight),
            "Marrowby",
            (),
        )


@pytest.mark.parametrize("number", ["F9999999", ""])
def test_an_unknown_flight_is_recorded_and_reported(number: str) -> None:
    content = f"Flight Number: {number}, from Marrowby to Brindle"
    row, findings, _ = read_day(GOOD[0], transportation=content)
    assert (row["flight"], row["unknown"]) == (None, {"flight": number or content})
    assert failing_findings(findings) == [("unknown-name", "/0/transportation")]


def test_several_modes_in_one_text_are_a_finding() -> None:
    row, findings, _ = read_day(
        GOOD[0], transportation="Taxi to the airport, then self-driving, from Marrowby to Brindle"
    )
    assert failing_findings(findings) == [("two-modes", "/0/transportation")]
    assert row["mode"] in ("taxi", "self_driving")


@pytest.mark.parametrize(
    "content",
    [
        "Spice Route, Brindle",
        "spice route, brindle",
        " Spice  Route ,  Brindle (Aldermark) ",
        "Spice-Route, Brindle",
        "Spice Route, Brindle; Cost: 14",
        "Spice Route, Brindle ; cost $14 each",
        "Spice Routes, Brindle",
    ],
)
def test_a_place_matches_exactly_or_folded_or_as_the_only_similar_name(content: str) -> None:
    _, findings, plan = read_day(lunch=content)
    assert (rows(plan, "meals")[1]["restaurant"], findings) == ("Spice Route, Brindle", ())


@pytest.mark.parametrize(
    "content",
    [
        "Spice Route",
        "Spice, Brindle",
        "Spice Route, Orla",
        "Spice Route, Atlantis",
        ", Brindle",
        "Jade Lantern, Brindle",
        "😀, Brindle",
        "Cost: 14",
    ],
)
def test_a_place_that_matches_no_name_in_its_city_is_unknown(content: str) -> None:
    _, findings, plan = read_day(lunch=content)
    assert rows(plan, "meals")[1]["unknown"] == {"restaurant": content}
    assert failing_findings(findings) == [("unknown-name", "/0/lunch")]


def test_an_exact_name_takes_precedence_over_longer_and_similar_names() -> None:
    names = [
        "Golden Carp, Brindle",
        "Golden Carp Express, Brindle",
        "Café Ålder, Brindle",
        "cafe alder, Brindle",
    ]
    result = [rows(read_day(dinner=name)[2], "meals")[2]["restaurant"] for name in names]
    assert result == [*names[:3], "Café Ålder, Brindle"]


def test_a_place_with_two_similar_names_is_unknown() -> None:
    made = small_world_with(("Blue Harbour Kitchen 1", "Blue Harbour Kitchen 2"))
    plan, findings = FORMAT.decode(made, [STAY | {"lunch": "Blue Harbour Kitchen, Brindle"}])
    assert rows(plan, "meals")[1]["restaurant"] is None
    assert ("unknown-name", "/0/lunch") in failing_findings(findings)
    plan, _ = FORMAT.decode(
        small_world_with(("Blue Harbour Kitchen 1",)), [STAY | {"lunch": "Blue Harbour Kitchen, Brindle"}]
    )
    assert rows(plan, "meals")[1]["restaurant"] == "Blue Harbour Kitchen 1, Brindle"


def small_world_with(names: tuple[str, ...]) -> Task:
    """Return the task of query 1 with more restaurants in Brindle."""
    old = task(1).facts["Restaurant"]
    brindle = task(1).facts["City"].by_key[("Brindle",)]
    extra = [
        make_row(
            old.table, {"id": f"{name}, Brindle", "city": brindle, "cuisines": (), "price": 1, "plain": True}, 1000 + n
        )
        for n, name in enumerate(names)
    ]
    more = Facts(old.table, [*old.rows, *extra], {row._key: row for row in (*old.rows, *extra)})
    return replace(task(1), facts={**task(1).facts, "Restaurant": more})


MILL = ["Mill Pond, Brindle", "Hanging Bridge, Brindle"]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ("Mill Pond, Brindle", MILL[:1]),
        ("Mill Pond, Brindle;", MILL[:1]),
        ("Mill Pond, Brindle; Hanging Bridge, Brindle", MILL),
        ("Mill Pond, Brindle;Hanging Bridge, Brindle;", MILL),
        (";;Mill Pond, Brindle; ; - ;Hanging Bridge, Brindle;;", MILL),
        ("Mill Pond, Brindle; Cost: 14", MILL[:1]),
        ("Mill Pond, Brindle; Cost: 14; Hanging Bridge, Brindle; cost $3.50 each;", MILL),
        ("Museum of Clocks, Keys & Locks, Brindle;", ["Museum of Clocks, Keys & Locks, Brindle"]),
        ("-", []),
        ("", []),
        (" ; ", []),
        ("Mill Pond, Brindle;Mill Pond, Brindle;", MILL[:1] * 2),
    ],
)
def test_attractions_are_split_at_semicolons(content: str, result: list[str]) -> None:
    assert read_sights(content) == result
    assert failing_findings(read_day(attraction=content)[1]) == []


def test_a_name_that_only_begins_like_a_cost_is_read_as_a_name() -> None:
    _, findings, plan = read_day(attraction="Mill Pond, Brindle; Costume House, Brindle; Cost Plus, Brindle;")
    assert [row.get("unknown") for row in rows(plan, "sights")] == [
        None,
        {"attraction": "Costume House, Brindle"},
        {"attraction": "Cost Plus, Brindle"},
    ]
    assert len(failing_findings(findings)) == 2


def test_a_listing_with_a_semicolon_in_its_name_is_found() -> None:
    name = "Blue Door Room; 5 min to the mill, Brindle"
    row, findings, _ = read_day(accommodation=name)
    assert (row["hotel"], findings) == (name, ())


BLANK = dict.fromkeys(
    ("current_city", "transportation", "breakfast", "attraction", "lunch", "dinner", "accommodation"), "-"
)


@pytest.mark.parametrize(
    "padding",
    [
        BLANK,
        dict.fromkeys(BLANK, ""),
        dict.fromkeys(BLANK),
        {},
        {"days": 4},
        BLANK | {"current_city": "You don't need to fill in the information for this or later days."},
    ],
)
def test_padding_days_are_skipped(padding: dict[str, Any]) -> None:
    plan, findings = FORMAT.decode(task(1), [*GOOD, padding, padding])
    assert (len(plan.tables["days"]), findings) == (3, ())


def test_surplus_days_are_read_with_the_dates_after_the_trip() -> None:
    plan, _ = FORMAT.decode(task(1), [*GOOD, BLANK, STAY])
    assert [row.day for row in plan.tables["days"]][2:] == [  # type: ignore[attr-defined]
        task(1).givens["trip"][-1],
        task(1).givens["trip"][-1] + 2,
    ]
    assert judge(1, "strict").decoded([*GOOD, STAY]).status == "fail"


def test_the_position_of_a_day_takes_precedence_over_its_number() -> None:
    first = task(1).givens["trip"][0]
    content: Any
    for content in (7, 0, -1):
        row, findings, _ = read_day(days=content)
        assert (row["day"], [(f.kind, f.fails) for f in findings]) == (first, [("other-day", False)])
    for content in (1, ..., None, "two", [3]):
        row, findings, _ = read_day(days=content)
        assert (row["day"], findings) == (first, ())


@pytest.mark.parametrize("value", [5, 1.5, True, ["Brindle"], {"name": "Brindle"}])
@pytest.mark.parametrize("name", list(BLANK))
def test_a_field_that_is_not_a_string_is_reported_and_read_as_empty(name: str, value: Any) -> None:
    _, findings, plan = read_day(**{name: value})
    assert failing_findings(findings) == [("wrong-type", f"/0/{name}")]
    for table in ("days", "meals", "sights"):
        assert rows(plan, table) == rows(read_day(**{name: "-"})[2], table)


@pytest.mark.parametrize("name", list(BLANK))
def test_null_and_missing_fields_are_read_as_empty(name: str) -> None:
    for value in (None, ...):
        _, findings, plan = read_day(**{name: value})
        assert failing_findings(findings) == []
        assert [(f.kind, f.path) for f in findings] == ([("missing-column", "/0")] if value is ... else [])
        for table in ("days", "meals", "sights"):
            assert rows(plan, table) == rows(read_day(**{name: "-"})[2], table)


@pytest.mark.parametrize("data", [5, None, "days", True])
def test_a_plan_that_is_not_a_list_has_no_days(data: Any) -> None:
    plan, findings = FORMAT.decode(task(1), data)
    assert (plan.tables["days"], failing_findings(findings)) == ((), [("wrong-shape", "")])


@pytest.mark.parametrize("entry", [5, None, "a day", [STAY], True])
def test_a_day_that_is_not_an_object_is_reported_and_keeps_its_position(entry: Any) -> None:
    plan, findings = FORMAT.decode(task(1), [entry, STAY])
    assert failing_findings(findings) == [("wrong-shape", "/0")]
    assert [row["day"] for row in rows(plan, "days")] == [task(1).givens["trip"][1]]


@pytest.mark.slow
def test_only_the_first_days_of_an_overlong_plan_are_read() -> None:
    """The time to judge a plan is cubic in the number of days."""
    for days in ([STAY] * 5_000, [*GOOD, *[0] * 3_000_000, STAY]):
        plan, findings = FORMAT.decode(task(1), days)
        assert findings[0].kind == "too-long"
        assert findings[0].fails
        assert len(plan.tables["days"]) <= MOST_DAYS
    assert judge(1, "strict").decoded([STAY] * 5_000).status == "fail"
    assert not [f for f in FORMAT.decode(task(1), [STAY] * MOST_DAYS)[1] if f.kind == "too-long"]


@pytest.mark.parametrize("name", list(BLANK))
@pytest.mark.parametrize("text", ["from ", " ;", "(", "flight ", "x", "\n"])
def test_only_the_beginning_of_an_overlong_text_is_read(name: str, text: str) -> None:
    _, findings, _ = read_day(**{name: f"x{text * 50_000}x"})
    assert failing_findings(findings)[0] == ("too-long", f"/0/{name}")
    long = "x" * MOST_CHARACTERS
    assert "too-long" not in [f.kind for f in read_day(**{name: long})[1]]


def test_an_object_with_the_plan_s_tables_is_read_as_tables() -> None:
    plan, findings = FORMAT.decode(task(1), {"days": [], "meals": [], "sights": []})
    assert (plan.tables["days"], failing_findings(findings)) == ((), [])
    wrapped, _ = FORMAT.decode(task(1), {"plan": GOOD})
    assert rows(wrapped, "days") == rows(FORMAT.decode(task(1), GOOD)[0], "days")


@given(text=st.text())
def test_any_text_in_any_field_can_be_read(text: str) -> None:
    for name in BLANK:
        read_day(**{name: text})
        read_day(**{name: f"{text}, Brindle; Cost: {text}"})


def test_a_task_without_the_tables_of_the_family_is_refused() -> None:
    with pytest.raises(UnsuitableTaskError, match="needs the table `City`"):
        FORMAT.decode(small_task(), [])


# -- writing -------------------------------------------------------------------------------------------------

WEEK = 6


def facts(table: str) -> Sequence[Row]:
    """Return the rows of a table of facts.

    The task is read on first use, since every xdist worker imports this module.
    """
    return task(WEEK).facts[table].rows


def rows_of_facts(table: str) -> st.SearchStrategy[Row]:
    """Return a strategy for the rows of a table of facts."""
    return st.deferred(lambda: st.sampled_from(facts(table)))


def row_or_none(table: str) -> st.SearchStrategy[Row | None]:
    return st.none() | rows_of_facts(table)


def plan_of_rows(days: list[dict[str, Any]], meals: list[dict[str, Any]], visits: list[dict[str, Any]]) -> Plan:
    """Return a plan with these rows of the tables `days`, `meals` and `sights`."""
    tables = task(WEEK).tables
    named = {"days": days, "meals": meals, "sights": visits}
    return Plan({n: tuple(make_row(tables[n], r, i) for i, r in enumerate(result)) for n, result in named.items()})


@st.composite
def rides(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the cells of a day that describe a ride, or no ride."""
    mode = draw(st.sampled_from([None, "flight", "taxi", "self_driving"]))
    if mode is None:
        return dict.fromkeys(("mode", "origin", "to", "flight"))
    origin, to = draw(rows_of_facts("City")), draw(rows_of_facts("City"))
    flight = draw(rows_of_facts("Flight")) if mode == "flight" else None
    return {"mode": mode, "origin": origin, "to": to, "flight": flight}


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Draw a plan that can be written in TravelPlanner's format of days."""
    trip = draw(st.lists(st.sampled_from(task(WEEK).givens["trip"]), unique=True).map(sorted))
    days: list[dict[str, Any]] = []
    meals: list[dict[str, Any]] = []
    visits: list[dict[str, Any]] = []
    for date in trip:
        days.append(
            {
                "day": date,
                "from": draw(row_or_none("City")),
                "city": draw(rows_of_facts("City")),
                "hotel": draw(row_or_none("Hotel")),
                **draw(rides()),
            }
        )
        kinds = draw(st.lists(st.sampled_from(["breakfast", "lunch", "dinner"]), unique=True))
        meals += [{"day": date, "meal": meal, "restaurant": draw(row_or_none("Restaurant"))} for meal in kinds]
        result = draw(st.lists(rows_of_facts("Attraction"), max_size=4))
        visits += [{"day": date, "attraction": sight} for sight in result]
    return plan_of_rows(days, meals, visits)


def filled_rows(plan: Plan) -> dict[str, list[Any]]:
    """Return the rows of a plan by table, sorted and without empty meals."""
    result = {name: rows(plan, name) for name in ("days", "meals", "sights")}
    result["meals"] = [row for row in result["meals"] if row["restaurant"] is not None]
    return {name: sorted(stored, key=repr) for name, stored in result.items()}


@given(plan=plans())
def test_plans_are_unchanged_by_encoding_and_decoding(plan: Plan) -> None:
    days = FORMAT.encode(task(WEEK), plan)
    again, findings = FORMAT.decode(task(WEEK), days)
    assert failing_findings(findings) == []
    assert filled_rows(again) == filled_rows(plan)
    assert [entry["days"] for entry in days] == [1, 2, 3, 4, 5]
    assert all(isinstance(entry[name], str) for entry in days for name in BLANK)


@given(
    row=st.fixed_dictionaries(
        {
            "day": st.deferred(lambda: st.sampled_from(task(WEEK).givens["trip"])) | st.just(1),
            **{name: row_or_none("City") for name in ("from", "city", "origin", "to")},
            "mode": st.sampled_from([None, "flight", "taxi", "self_driving", "other"]),
            "flight": row_or_none("Flight"),
            "hotel": row_or_none("Hotel"),
        }
    )
)
def test_every_row_is_encoded_exactly_or_refused(row: dict[str, Any]) -> None:
    plan = plan_of_rows([row], [], [])
    try:
        days = FORMAT.encode(task(WEEK), plan)
    except InexpressiblePlanError:
        return
    assert filled_rows(FORMAT.decode(task(WEEK), days)[0]) == filled_rows(plan)


@cache
def inexpressible_plans() -> dict[str, Plan]:
    """Return plans that days cannot express, keyed by the reason."""
    first_day = task(WEEK).givens["trip"][0]
    city, other_city = facts("City")[:2]
    restaurant, other_restaurant = facts("Restaurant")[:2]
    sight = facts("Attraction")[0]
    day: dict[str, Any] = dict.fromkeys(("from", "mode", "origin", "to", "flight", "hotel"))
    day |= {"day": first_day, "city": city}
    meal = {"day": first_day, "meal": "lunch", "restaurant": restaurant}
    return {
        "other mode": plan_of_rows([day | {"mode": "other"}], [], []),
        "flight without one": plan_of_rows([day | {"mode": "flight"}], [], []),
        "ends without a ride": plan_of_rows([day | {"origin": other_city}], [], []),
        "from without to": plan_of_rows([day | {"from": other_city, "city": None}], [], []),
        "before the trip": plan_of_rows([day | {"day": first_day - 1}], [], []),
        "twice": plan_of_rows([day, day], [], []),
        "a blank day": plan_of_rows([day | {"city": None}], [], []),
        "a meal twice": plan_of_rows([day], [meal, meal], []),
        "two meals at once": plan_of_rows([day], [meal, meal | {"restaurant": other_restaurant}], []),
        "no sight": plan_of_rows([day], [], [{"day": first_day, "attraction": None}]),
        "a sight after the trip": plan_of_rows([day], [], [{"day": first_day + 99, "attraction": sight}]),
        "a meal without a day": plan_of_rows([], [meal], []),
    }


@pytest.mark.parametrize(
    "reason",
    [
        "other mode",
        "flight without one",
        "ends without a ride",
        "from without to",
        "before the trip",
        "twice",
        "a blank day",
        "a meal twice",
        "two meals at once",
        "no sight",
        "a sight after the trip",
        "a meal without a day",
    ],
)
def test_plans_that_days_cannot_express_are_refused(reason: str) -> None:
    with pytest.raises(InexpressiblePlanError, match="days of seven texts cannot say"):
        FORMAT.encode(task(WEEK), inexpressible_plans()[reason])
