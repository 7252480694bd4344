"""Days of seven texts decode as an agent intends, and encoded plans decode to themselves."""

from __future__ import annotations

from dataclasses import replace
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
from tests.families.travelplanner.official.small_world import judge, judged, task
from tests.verifiers.small_tasks import small_task

GOOD: list[dict[str, Any]] = judged("a solo trip by car keeps every rule")["plan"]
STAY = GOOD[1]
Findings = tuple[ShapeFinding, ...]


def plain(value: Any) -> Any:
    return value._key[0] if isinstance(value, Row) else value


def _named(row: Row) -> dict[str, str]:
    """Return the names in columns that no table has."""
    unknown = row._unknown
    assert not isinstance(unknown, frozenset)
    return dict(unknown)


def rows(plan: Plan, table: str) -> list[dict[str, Any]]:
    return [
        {name: plain(getattr(row, name)) for name in row._table.columns} | {"unknown": _named(row)}
        if row._unknown
        else {name: plain(getattr(row, name)) for name in row._table.columns}
        for row in plan.tables[table]
    ]


def day(of: dict[str, Any] = STAY, /, **texts: Any) -> tuple[dict[str, Any], Findings, Plan]:
    """Return the row of `days` for a day, the findings, and the plan; `...` removes a field."""
    entry = {k: v for k, v in ({**of, "days": 1} | texts).items() if v is not ...}
    plan, findings = FORMAT.decode(task(1), [entry])
    return rows(plan, "days")[0], findings, plan


def sights(text: Any) -> list[str | None]:
    return [row["attraction"] for row in rows(day(attraction=text)[2], "sights")]


def failing(findings: Findings) -> list[tuple[str, str]]:
    return [(f.kind, f.path) for f in findings if f.fails]


# -- reading ------------------------------------------------------------------------------------------------


def test_a_good_plan_is_read_without_findings() -> None:
    plan, findings = FORMAT.decode(task(1), GOOD)
    first, second, third = task(1).givens["trip"]
    assert findings == ()
    car = {"mode": "self_driving", "flight": None}
    assert rows(plan, "days") == [
        {"day": first, "from": "Marrowby", "city": "Brindle", "origin": "Marrowby", "to": "Brindle", "hotel": "Riverside Bunk, Brindle", **car},
        {"day": second, "from": None, "city": "Brindle", "mode": None, "origin": None, "to": None, "flight": None, "hotel": "Riverside Bunk, Brindle"},
        {"day": third, "from": "Brindle", "city": "Marrowby", "origin": "Brindle", "to": "Marrowby", "hotel": None, **car},
    ]  # fmt: skip
    assert [(m["day"], m["meal"], m["restaurant"]) for m in rows(plan, "meals") if m["restaurant"]] == [
        (first, "dinner", "Olive & Thyme, Brindle"), (second, "breakfast", "Mill Street Kitchen, Brindle"),
        (second, "lunch", "Spice Route, Brindle"), (second, "dinner", "Nonna's Table, Brindle"),
    ]  # fmt: skip
    assert [s["attraction"] for s in rows(plan, "sights")] == [
        "Old Mill Museum, Brindle", "Hanging Bridge, Brindle", "Mill Pond Park, Brindle",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "content",
    ["from Marrowby to Brindle", "From Marrowby To Brindle", " FROM  Marrowby  to  Brindle ", "from marrowby to brindle", "from Marrowby(Veldania) to Brindle (Aldermark)"],
)  # fmt: skip
def test_travel_days_say_whence_and_where_in_any_case(content: str) -> None:
    row, findings, _ = day(current_city=content)
    assert (row["from"], row["city"], findings) == ("Marrowby", "Brindle", ())


@pytest.mark.parametrize("content", ["Brindle", " brindle ", "Brindle (Aldermark)", "BRINDLE", "Brindlé"])
def test_cities_are_found_without_their_state_case_and_accents(content: str) -> None:
    row, findings, _ = day(current_city=content)
    assert (row["from"], row["city"], findings) == (None, "Brindle", ())


def test_a_city_within_the_name_of_another_is_not_taken_for_it() -> None:
    assert [day(current_city=name)[0]["city"] for name in ("Brindle", "Brindleton", "Brind")] == [
        "Brindle", "Brindleton", None,
    ]  # fmt: skip


def test_an_unknown_city_is_kept_and_found_with_a_hint() -> None:
    row, findings, _ = day(current_city="from Marroby to Atlantis")
    assert row["from"] == "Marrowby"  # nothing else is similar to it
    assert row["unknown"] == {"city": "Atlantis"}
    assert failing(findings) == [("unknown-name", "/0/current_city")]


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        ("Self-driving, from Marrowby to Brindle", "self_driving"), ("self driving from marrowby to brindle", "self_driving"),
        ("Taxi, from Marrowby to Brindle, Duration: 4 hours", "taxi"), ("Bus, from Marrowby to Brindle", "other"), ("by train", "other"),
    ],
)  # fmt: skip
def test_a_ride_without_a_flight_has_its_mode_and_ends(content: str, mode: str) -> None:
    row, findings, _ = day(GOOD[0], transportation=content)
    assert (row["mode"], row["origin"], row["to"], row["flight"], failing(findings)) == (
        mode, "Marrowby", "Brindle", None, [],
    )  # fmt: skip


def test_a_ride_has_its_own_ends_where_it_says_them() -> None:
    row, _, _ = day(GOOD[0], transportation="Taxi, from Tamsin to Orla (Ostmere), Cost: 3")
    assert (row["from"], row["city"], row["origin"], row["to"]) == ("Marrowby", "Brindle", "Tamsin", "Orla")


@pytest.mark.parametrize("text", ["Flight Number: {}, from Marrowby to Brindle, Departure Time: 08:00", "flight {}", "Flight number {} from Marrowby to Brindle"])  # fmt: skip
def test_a_flight_is_found_by_its_number(text: str) -> None:
    for flight in task(1).facts["Flight"].rows:
        row, findings, _ = day(GOOD[0], transportation=text.format(plain(flight)))
        assert (row["mode"], row["flight"], row["origin"], findings) == (
            "flight", plain(flight), "Marrowby", (),
        )  # fmt: skip


@pytest.mark.parametrize("number", ["F9999999", ""])
def test_an_unknown_flight_is_kept_and_found(number: str) -> None:
    content = f"Flight Number: {number}, from Marrowby to Brindle"
    row, findings, _ = day(GOOD[0], transportation=content)
    assert (row["flight"], row["unknown"]) == (None, {"flight": number or content})
    assert failing(findings) == [("unknown-name", "/0/transportation")]


def test_several_modes_in_one_text_are_a_finding() -> None:
    row, findings, _ = day(
        GOOD[0], transportation="Taxi to the airport, then self-driving, from Marrowby to Brindle"
    )
    assert failing(findings) == [("two-modes", "/0/transportation")]
    assert row["mode"] in ("taxi", "self_driving")


@pytest.mark.parametrize(
    "content",
    ["Spice Route, Brindle", "spice route, brindle", " Spice  Route ,  Brindle (Aldermark) ", "Spice-Route, Brindle", "Spice Route, Brindle; Cost: 14", "Spice Route, Brindle ; cost $14 each", "Spice Routes, Brindle"],
)  # fmt: skip
def test_a_place_is_found_exactly_folded_or_as_the_only_similar_one(content: str) -> None:
    _, findings, plan = day(lunch=content)
    assert (rows(plan, "meals")[1]["restaurant"], findings) == ("Spice Route, Brindle", ())


@pytest.mark.parametrize(
    "content", ["Spice Route", "Spice, Brindle", "Spice Route, Orla", "Spice Route, Atlantis", ", Brindle", "Jade Lantern, Brindle", "😀, Brindle", "Cost: 14"]
)  # fmt: skip
def test_a_place_that_fits_nothing_in_its_city_is_unknown(content: str) -> None:
    _, findings, plan = day(lunch=content)
    assert rows(plan, "meals")[1]["unknown"] == {"restaurant": content}
    assert failing(findings) == [("unknown-name", "/0/lunch")]


def test_a_name_is_taken_as_it_stands_before_a_longer_or_a_similar_one() -> None:
    names = [
        "Golden Carp, Brindle",
        "Golden Carp Express, Brindle",
        "Café Ålder, Brindle",
        "cafe alder, Brindle",
    ]
    result = [rows(day(dinner=name)[2], "meals")[2]["restaurant"] for name in names]
    assert result == [*names[:3], "Café Ålder, Brindle"]


def test_of_two_similar_names_none_is_taken() -> None:
    made = small_world_with(("Blue Harbour Kitchen 1", "Blue Harbour Kitchen 2"))
    plan, findings = FORMAT.decode(made, [STAY | {"lunch": "Blue Harbour Kitchen, Brindle"}])
    assert rows(plan, "meals")[1]["restaurant"] is None
    assert ("unknown-name", "/0/lunch") in failing(findings)
    plan, _ = FORMAT.decode(
        small_world_with(("Blue Harbour Kitchen 1",)), [STAY | {"lunch": "Blue Harbour Kitchen, Brindle"}]
    )
    assert rows(plan, "meals")[1]["restaurant"] == "Blue Harbour Kitchen 1, Brindle"


def small_world_with(names: tuple[str, ...]) -> Task:
    """Return the task of query 1 with more restaurants in Brindle."""
    old = task(1).facts["Restaurant"]
    brindle = task(1).facts["City"].by_key[("Brindle",)]
    extra = [
        make_row(old.table, {"id": f"{name}, Brindle", "city": brindle, "cuisines": (), "price": 1, "plain": True}, 1000 + n)
        for n, name in enumerate(names)
    ]  # fmt: skip
    more = Facts(old.table, [*old.rows, *extra], {row._key: row for row in (*old.rows, *extra)})
    return replace(task(1), facts={**task(1).facts, "Restaurant": more})


MILL = ["Mill Pond, Brindle", "Hanging Bridge, Brindle"]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ("Mill Pond, Brindle", MILL[:1]), ("Mill Pond, Brindle;", MILL[:1]), ("Mill Pond, Brindle; Hanging Bridge, Brindle", MILL),
        ("Mill Pond, Brindle;Hanging Bridge, Brindle;", MILL), (";;Mill Pond, Brindle; ; - ;Hanging Bridge, Brindle;;", MILL),
        ("Mill Pond, Brindle; Cost: 14", MILL[:1]), ("Mill Pond, Brindle; Cost: 14; Hanging Bridge, Brindle; cost $3.50 each;", MILL),
        ("Museum of Clocks, Keys & Locks, Brindle;", ["Museum of Clocks, Keys & Locks, Brindle"]), ("-", []), ("", []), (" ; ", []), ("Mill Pond, Brindle;Mill Pond, Brindle;", MILL[:1] * 2),
    ],
)  # fmt: skip
def test_attractions_stand_one_after_the_other(content: str, result: list[str]) -> None:
    assert sights(content) == result
    assert failing(day(attraction=content)[1]) == []


def test_what_only_begins_like_a_cost_is_a_name() -> None:
    _, findings, plan = day(attraction="Mill Pond, Brindle; Costume House, Brindle; Cost Plus, Brindle;")
    assert [row.get("unknown") for row in rows(plan, "sights")] == [
        None, {"attraction": "Costume House, Brindle"}, {"attraction": "Cost Plus, Brindle"},
    ]  # fmt: skip
    assert len(failing(findings)) == 2


def test_a_listing_with_a_semicolon_in_its_name_is_found() -> None:
    name = "Blue Door Room; 5 min to the mill, Brindle"
    row, findings, _ = day(accommodation=name)
    assert (row["hotel"], findings) == (name, ())


BLANK = dict.fromkeys(("current_city", "transportation", "breakfast", "attraction", "lunch", "dinner", "accommodation"), "-")  # fmt: skip


@pytest.mark.parametrize(
    "padding",
    [BLANK, dict.fromkeys(BLANK, ""), dict.fromkeys(BLANK), {}, {"days": 4}, BLANK | {"current_city": "You don't need to fill in the information for this or later days."}],
)  # fmt: skip
def test_padding_days_are_no_days(padding: dict[str, Any]) -> None:
    plan, findings = FORMAT.decode(task(1), [*GOOD, padding, padding])
    assert (len(plan.tables["days"]), findings) == (3, ())


def test_days_past_the_trip_are_read_as_the_days_after_it() -> None:
    plan, _ = FORMAT.decode(task(1), [*GOOD, BLANK, STAY])
    assert [row.day for row in plan.tables["days"]][2:] == [  # type: ignore[attr-defined]
        task(1).givens["trip"][-1], task(1).givens["trip"][-1] + 2,
    ]  # fmt: skip
    assert judge(1, "strict").decoded([*GOOD, STAY]).status == "fail"


def test_a_day_s_place_counts_and_not_what_it_is_called() -> None:
    first = task(1).givens["trip"][0]
    content: Any
    for content in (7, 0, -1):
        row, findings, _ = day(days=content)
        assert (row["day"], [(f.kind, f.fails) for f in findings]) == (first, [("other-day", False)])
    for content in (1, ..., None, "two", [3]):
        row, findings, _ = day(days=content)
        assert (row["day"], findings) == (first, ())


@pytest.mark.parametrize("value", [5, 1.5, True, ["Brindle"], {"name": "Brindle"}])
@pytest.mark.parametrize("name", list(BLANK))
def test_a_field_that_is_no_text_is_a_finding_and_says_nothing(name: str, value: Any) -> None:
    _, findings, plan = day(**{name: value})
    assert failing(findings) == [("wrong-type", f"/0/{name}")]
    for table in ("days", "meals", "sights"):
        assert rows(plan, table) == rows(day(**{name: "-"})[2], table)


@pytest.mark.parametrize("name", list(BLANK))
def test_null_and_a_missing_field_are_nothing(name: str) -> None:
    for value in (None, ...):
        _, findings, plan = day(**{name: value})
        assert failing(findings) == []
        assert [(f.kind, f.path) for f in findings] == ([("missing-column", "/0")] if value is ... else [])
        for table in ("days", "meals", "sights"):
            assert rows(plan, table) == rows(day(**{name: "-"})[2], table)


@pytest.mark.parametrize("data", [5, None, "days", True])
def test_a_plan_that_is_no_list_has_no_days(data: Any) -> None:
    plan, findings = FORMAT.decode(task(1), data)
    assert (plan.tables["days"], failing(findings)) == ((), [("wrong-shape", "")])


@pytest.mark.parametrize("entry", [5, None, "a day", [STAY], True])
def test_a_day_that_is_no_object_is_a_finding_and_keeps_its_place(entry: Any) -> None:
    plan, findings = FORMAT.decode(task(1), [entry, STAY])
    assert failing(findings) == [("wrong-shape", "/0")]
    assert [row["day"] for row in rows(plan, "days")] == [task(1).givens["trip"][1]]


@pytest.mark.slow
def test_of_a_plan_without_end_the_first_days_are_read() -> None:
    """The time of rules grows with the third power of the days."""
    for days in ([STAY] * 5_000, [*GOOD, *[0] * 3_000_000, STAY]):
        plan, findings = FORMAT.decode(task(1), days)
        assert findings[0].kind == "too-long"
        assert findings[0].fails
        assert len(plan.tables["days"]) <= MOST_DAYS
    assert judge(1, "strict").decoded([STAY] * 5_000).status == "fail"
    assert not [f for f in FORMAT.decode(task(1), [STAY] * MOST_DAYS)[1] if f.kind == "too-long"]


@pytest.mark.parametrize("name", list(BLANK))
@pytest.mark.parametrize("text", ["from ", " ;", "(", "flight ", "x", "\n"])
def test_of_a_text_without_end_the_beginning_is_read(name: str, text: str) -> None:
    _, findings, _ = day(**{name: f"x{text * 50_000}x"})
    assert failing(findings)[0] == ("too-long", f"/0/{name}")
    long = "x" * MOST_CHARACTERS
    assert "too-long" not in [f.kind for f in day(**{name: long})[1]]


def test_an_object_with_the_plan_s_tables_is_read_as_tables() -> None:
    plan, findings = FORMAT.decode(task(1), {"days": [], "meals": [], "sights": []})
    assert (plan.tables["days"], failing(findings)) == ((), [])
    wrapped, _ = FORMAT.decode(task(1), {"plan": GOOD})
    assert rows(wrapped, "days") == rows(FORMAT.decode(task(1), GOOD)[0], "days")


@given(text=st.text())
def test_no_text_is_too_much(text: str) -> None:
    for name in BLANK:
        day(**{name: text})
        day(**{name: f"{text}, Brindle; Cost: {text}"})


def test_a_task_without_these_tables_is_refused() -> None:
    with pytest.raises(UnsuitableTaskError, match="needs the table `City`"):
        FORMAT.decode(small_task(), [])


# -- writing -------------------------------------------------------------------------------------------------

WEEK = 6
TABLES = task(WEEK).tables
FACTS = task(WEEK).facts
CITIES = FACTS["City"].rows
ENDS = st.tuples(st.sampled_from(CITIES), st.sampled_from(CITIES))


def some(table: str) -> st.SearchStrategy[Row | None]:
    return st.none() | st.sampled_from(FACTS[table].rows)


def made(days: list[dict[str, Any]], meals: list[dict[str, Any]], seen: list[dict[str, Any]]) -> Plan:
    named = {"days": days, "meals": meals, "sights": seen}
    return Plan(
        {n: tuple(make_row(TABLES[n], r, i) for i, r in enumerate(result)) for n, result in named.items()}
    )


@st.composite
def rides(draw: st.DrawFn) -> dict[str, Any]:
    mode = draw(st.sampled_from([None, "flight", "taxi", "self_driving"]))
    if mode is None:
        return dict.fromkeys(("mode", "origin", "to", "flight"))
    origin, to = draw(ENDS)
    flight = draw(st.sampled_from(FACTS["Flight"].rows)) if mode == "flight" else None
    return {"mode": mode, "origin": origin, "to": to, "flight": flight}


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Draw a plan that days can express."""
    trip = draw(st.lists(st.sampled_from(task(WEEK).givens["trip"]), unique=True).map(sorted))
    days: list[dict[str, Any]] = []
    meals: list[dict[str, Any]] = []
    seen: list[dict[str, Any]] = []
    for date in trip:
        days.append({"day": date, "from": draw(some("City")), "city": draw(st.sampled_from(CITIES)),
                     "hotel": draw(some("Hotel")), **draw(rides())})  # fmt: skip
        kinds = draw(st.lists(st.sampled_from(["breakfast", "lunch", "dinner"]), unique=True))
        meals += [{"day": date, "meal": meal, "restaurant": draw(some("Restaurant"))} for meal in kinds]
        result = draw(st.lists(st.sampled_from(FACTS["Attraction"].rows), max_size=4))
        seen += [{"day": date, "attraction": sight} for sight in result]
    return made(days, meals, seen)


def contents(plan: Plan) -> dict[str, list[Any]]:
    """Return a plan's rows without empty meals."""
    result = {name: rows(plan, name) for name in ("days", "meals", "sights")}
    result["meals"] = [row for row in result["meals"] if row["restaurant"] is not None]
    return {name: sorted(stored, key=repr) for name, stored in result.items()}


@given(plan=plans())
def test_what_is_written_is_read_as_the_same_plan(plan: Plan) -> None:
    days = FORMAT.encode(task(WEEK), plan)
    again, findings = FORMAT.decode(task(WEEK), days)
    assert failing(findings) == []
    assert contents(again) == contents(plan)
    assert [entry["days"] for entry in days] == [1, 2, 3, 4, 5]
    assert all(isinstance(entry[name], str) for entry in days for name in BLANK)


@given(
    row=st.fixed_dictionaries({
        "day": st.sampled_from(task(WEEK).givens["trip"]) | st.just(1),
        **{name: some("City") for name in ("from", "city", "origin", "to")},
        "mode": st.sampled_from([None, "flight", "taxi", "self_driving", "other"]), "flight": some("Flight"), "hotel": some("Hotel"),
    })
)  # fmt: skip
def test_any_row_is_said_as_it_is_or_refused(row: dict[str, Any]) -> None:
    plan = made([row], [], [])
    try:
        days = FORMAT.encode(task(WEEK), plan)
    except InexpressiblePlanError:
        return
    assert contents(FORMAT.decode(task(WEEK), days)[0]) == contents(plan)


D1 = task(WEEK).givens["trip"][0]
HERE: dict[str, Any] = {"day": D1, "from": None, "city": CITIES[0], "mode": None, "origin": None, "to": None, "flight": None, "hotel": None}  # fmt: skip
EAT = {"day": D1, "meal": "lunch", "restaurant": FACTS["Restaurant"].rows[0]}


@pytest.mark.parametrize(
    "plan",
    [
        made([HERE | {"mode": "other"}], [], []), made([HERE | {"mode": "flight"}], [], []), made([HERE | {"origin": CITIES[1]}], [], []),
        made([HERE | {"from": CITIES[1], "city": None}], [], []), made([HERE | {"day": D1 - 1}], [], []), made([HERE, HERE], [], []),
        made([HERE | {"city": None}], [], []), made([HERE], [EAT, EAT], []), made([HERE], [EAT, EAT | {"restaurant": FACTS["Restaurant"].rows[1]}], []),
        made([HERE], [], [{"day": D1, "attraction": None}]), made([HERE], [], [{"day": D1 + 99, "attraction": FACTS["Attraction"].rows[0]}]),
        made([], [EAT], []),
    ],
    ids=["other mode", "flight without one", "ends without a ride", "from without to", "before the trip", "twice", "a blank day", "a meal twice",
         "two meals at once", "no sight", "a sight after the trip", "a meal without a day"],
)  # fmt: skip
def test_what_days_cannot_say_is_refused(plan: Plan) -> None:
    with pytest.raises(InexpressiblePlanError, match="days of seven texts cannot say"):
        FORMAT.encode(task(WEEK), plan)
