"""Itineraries are decoded as agents intend, and plans are unchanged by encoding and decoding."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.families.worldtravel.format.codec import FORMAT
from planspec.verifiers.answers import InexpressiblePlanError, UnsuitableTaskError
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.plan_rows import Plan
from tests.verifiers.berlin_trip import FIRST, TEXT, berlin_task, entry, itinerary, plain_rows, plan_of


@pytest.fixture(scope="module")
def task() -> Task:
    return berlin_task()


def decode(task: Task, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    return FORMAT.decode(task, data)


def hotel(time: str = "8:00-8:00", cost: Any = 0) -> dict[str, Any]:
    """Return a hotel item of an itinerary."""
    return entry("hotel", time, "Grand Hotel Berlin 1", cost)


def day(*items: dict[str, Any]) -> dict[str, Any]:
    """Return a day with the items between two hotel items."""
    return itinerary([hotel(), *items, hotel("22:00-22:00")])


def failing_findings(findings: tuple[ShapeFinding, ...]) -> list[tuple[str, str, str | None]]:
    """Return kind, path and column of each finding that makes an itinerary fail."""
    return [(f.kind, f.path, f.column) for f in findings if f.fails]


WHOLE = itinerary(
    [
        hotel(cost=300),
        entry("transportation", "8:30-8:45", "Pergamonmuseum", 9.1, origin="Grand Hotel Berlin 1", by="taxi"),
        entry("attraction", "09:00-12:00", "Pergamonmuseum", 36),
        entry("transportation", "12:00-12:10", "Rutz", 0, origin="Pergamonmuseum", by="foot"),
        entry("restaurant", "12:15-13:45", "Rutz", 120.5),
        entry("transportation", "13:45-13:55", "Pergamonmuseum", 9, origin="Rutz", by="bus"),
        entry("attraction", "14:00-16:00", "Pergamonmuseum"),
        entry("transportation", "23:50-00:10", "Grand Hotel Berlin 1", 0, origin="Pergamonmuseum", by="driving"),
        hotel("00:10-00:10"),
    ],
    [hotel(cost=150), hotel()],
)


def test_a_complete_itinerary_decodes_to_a_plan(task: Task) -> None:
    plan, findings = decode(task, WHOLE)
    assert findings == ()
    assert plain_rows(plan, "visits") == [
        {"place": "pergamon", "day": FIRST, "session": 1, "start": 540, "end": 720, "cost": 3600},
        {"place": "rutz", "day": FIRST, "session": 1, "start": 735, "end": 825, "cost": 12050},
        {"place": "pergamon", "day": FIRST, "session": 2, "start": 840, "end": 960, "cost": 0},
    ]
    assert [
        (m["to"], m["session"], m["origin"], m["mode"], m["depart"], m["arrive"], m["cost"])
        for m in plain_rows(plan, "moves")
    ] == [
        ("s1", 1, "s7", "taxi", 510, 525, 910),
        ("s2", 1, "s1", "foot", 720, 730, 0),
        ("s1", 2, "s2", "bus", 825, 835, 900),
        ("s7", 1, "s1", "driving", 1430, 1450, 0),
    ]
    assert plain_rows(plan, "lodging") == [{"hotel": "hotel-1", "cost": 45000}]


@pytest.mark.parametrize("value", ["07.01", "7/1", " 7.1. ", "2026-07-01", 7.1])
def test_a_date_gives_month_and_day_in_the_year_of_the_trip(task: Task, value: Any) -> None:
    data = day(entry("attraction", "9:00-10:00", "dom"))
    data["itinerary"][0]["date"] = value
    plan, findings = decode(task, data)
    assert plain_rows(plan, "visits")[0]["day"] == FIRST
    assert failing_findings(findings) == []


def test_the_tenth_of_a_month_is_not_read_as_its_first(task: Task) -> None:
    read = read_answer('{"itinerary": [{"date": 7.10, "schedule": [{"item": "attraction", "destination": "dom"}]}]}')
    assert isinstance(read, Answer)
    plan, findings = decode(task, read.plan)
    assert plain_rows(plan, "visits")[0]["day"] == FIRST + 9
    assert ("unknown-date", "/itinerary/0/date", None) in failing_findings(findings)


@pytest.mark.parametrize("value", ["13.1", "2.30", "July 1", "", None, 7, True, [], "7.1.2026"])
def test_the_day_of_an_invalid_date_is_none(task: Task, value: Any) -> None:
    data = day(entry("attraction", "9:00-10:00", "dom"))
    data["itinerary"][0]["date"] = value
    plan, findings = decode(task, data)
    assert plain_rows(plan, "visits")[0]["day"] is None
    assert failing_findings(findings) == [("wrong-type", "/itinerary/0/date", None)]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("8:00-9:30", 480, 570),
        ("08:00 - 09:30", 480, 570),
        ("08:00–09:30", 480, 570),
        ("23:00-00:30", 1380, 1470),
        ("23:00-24:30", 1380, 1470),
        ("25:10-25:40", 1510, 1540),
        ("10:00-10:00", 600, 600),
    ],
)
def test_an_end_before_its_start_is_on_the_next_day(task: Task, text: str, start: int, end: int) -> None:
    plan, findings = decode(task, day(entry("attraction", text, "dom")))
    row = plain_rows(plan, "visits")[0]
    assert (row["start"], row["end"]) == (start, end)
    assert failing_findings(findings) == []


def test_an_early_time_listed_after_a_late_one_is_after_midnight(task: Task) -> None:
    items = [
        entry("restaurant", "22:00-00:20", "Rutz"),
        entry("transportation", "00:20-00:35", "dom", origin="Rutz", by="foot"),
        entry("attraction", "00:40-01:00", "dom"),
        entry("transportation", "01:00-01:10", "Grand Hotel Berlin 1", origin="dom", by="foot"),
    ]
    plan, _ = decode(task, day(*items))
    assert [(v["start"], v["end"]) for v in plain_rows(plan, "visits")] == [(1320, 1460), (1480, 1500)]
    assert [(m["depart"], m["arrive"]) for m in plain_rows(plan, "moves")] == [(1460, 1475), (1500, 1510)]


def test_an_item_out_of_order_keeps_its_time(task: Task) -> None:
    plan, _ = decode(task, day(entry("attraction", "14:00-15:00", "dom"), entry("restaurant", "13:00-14:30", "Rutz")))
    assert [v["start"] for v in plain_rows(plan, "visits")] == [840, 780]


@pytest.mark.parametrize("value", ["8:00", "8-9", "morning", "08:75-09:00", "8:00-9:00:00", 8, ""])
def test_an_unreadable_time_is_none(task: Task, value: Any) -> None:
    plan, findings = decode(task, day(entry("attraction", value, "dom")))
    row = plain_rows(plan, "visits")[0]
    assert (row["start"], row["end"]) == (None, None)
    assert failing_findings(findings) == [("wrong-type", "/itinerary/0/schedule/1/time", "start")]


@pytest.mark.parametrize(
    ("value", "minor"),
    [
        (12, 1200),
        (12.5, 1250),
        (9.1, 910),
        (27.299999999999997, 2730),
        ("12.50", 1250),
        ("€12", 1200),
        ("12 €", 1200),
        ("12.50 EUR", 1250),
        ("EUR 12", 1200),
        ("eur12", 1200),
        ("1,200.50", 120050),
        ("free", 0),
        (-3, -300),
    ],
)
def test_a_cost_is_a_number_or_a_string(task: Task, value: Any, minor: int) -> None:
    plan, findings = decode(task, day(entry("attraction", "9:00-10:00", "dom", value)))
    assert plain_rows(plan, "visits")[0]["cost"] == minor
    assert failing_findings(findings) == []


@pytest.mark.parametrize(
    "value", ["12,5", "$12", "12 USD", "twelve", "", 9.123, True, [1], 10**30, float("nan"), "1" * 21]
)
def test_an_unreadable_cost_is_none(task: Task, value: Any) -> None:
    plan, findings = decode(task, day(entry("attraction", "9:00-10:00", "dom", value)))
    assert plain_rows(plan, "visits")[0]["cost"] is None
    assert failing_findings(findings) == [("wrong-type", "/itinerary/0/schedule/1/cost", "cost")]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Pergamonmuseum", "pergamon"),
        ("pergamon", "pergamon"),
        ("PERGAMON-MUSEUM", "pergamon"),
        ("Cafe Einstein", "cafe"),
        ("café  einstein", "cafe"),
        ("Pergamonmusum", "pergamon"),
        ("DOM", "dom"),
    ],
)
def test_a_place_is_found_by_its_name_its_id_and_similar_names(task: Task, text: str, place: str) -> None:
    plan, findings = decode(task, day(entry("attraction", "9:00-10:00", text)))
    assert plain_rows(plan, "visits")[0]["place"] == place
    assert failing_findings(findings) == []


def test_an_unknown_name_is_none_and_the_nearest_name_is_suggested(task: Task) -> None:
    plan, findings = decode(task, day(entry("attraction", "9:00-10:00", "Pergamon Museum Island")))
    (row,) = plan.tables["visits"]
    assert row._key[0] is None
    assert row._unknown == {"place": "Pergamon Museum Island"}
    (finding,) = [f for f in findings if f.fails]
    assert (finding.kind, finding.path, finding.table) == (
        "unknown-name",
        "/itinerary/0/schedule/1/destination",
        "visits",
    )
    assert "did you mean `Pergamonmuseum`?" in finding.message


def test_a_name_similar_to_two_names_matches_neither(task: Task) -> None:
    plan, findings = decode(task, itinerary([entry("hotel", "8:00-8:00", "Grand Hotel Berlin 3")]))
    assert plain_rows(plan, "lodging")[0]["hotel"] is None
    (finding,) = [f for f in findings if f.fails]
    assert "`Grand Hotel Berlin 1` or `Grand Hotel Berlin 2`" in finding.message


def test_a_name_shared_by_a_hotel_and_a_restaurant_refers_to_the_one_at_the_adjacent_stop(task: Task) -> None:
    items = [
        entry("hotel", "8:00-8:00", "Adlon", 10),
        entry("transportation", "9:00-9:10", "dom", origin="Adlon", by="foot"),
        entry("attraction", "9:10-10:00", "dom"),
        entry("transportation", "10:00-10:10", "Adlon", origin="dom", by="foot"),
        entry("restaurant", "10:10-11:00", "Adlon"),
        entry("transportation", "11:00-11:10", "dom", origin="Adlon", by="foot"),
        entry("attraction", "11:10-12:00", "dom"),
        entry("transportation", "12:00-12:10", "Adlon", origin="dom", by="foot"),
        entry("hotel", "12:10-12:10", "Adlon"),
    ]
    plan, findings = decode(task, itinerary(items))
    assert findings == ()
    assert [(m["origin"], m["to"]) for m in plain_rows(plan, "moves")] == [
        ("s6", "s5"),
        ("s5", "s4"),
        ("s4", "s5"),
        ("s5", "s6"),
    ]


def test_a_place_without_a_location_cannot_be_the_end_of_a_move(task: Task) -> None:
    plan, findings = decode(task, day(entry("transportation", "9:00-9:10", "Far Away", origin="dom", by="foot")))
    assert plain_rows(plan, "moves")[0]["to"] is None
    assert failing_findings(findings) == [("unknown-name", "/itinerary/0/schedule/1/destination", "to")]


@pytest.mark.parametrize("text", ["Foot", " taxi ", "walking", "foot (walking)", "self-driving", "bus"])
def test_a_mode_may_have_the_explanation_from_the_prompt(task: Task, text: str) -> None:
    plan, findings = decode(task, day(entry("transportation", "9:00-9:10", "dom", origin="Rutz", by=text)))
    assert plain_rows(plan, "moves")[0]["mode"] in {"foot", "driving", "bus", "taxi"}
    assert failing_findings(findings) == []


@pytest.mark.parametrize("value", ["none", "tram", "", None, 1])
def test_an_unknown_mode_is_none(task: Task, value: Any) -> None:
    plan, findings = decode(
        task, day(entry("transportation", "9:00-9:10", "dom", origin="Rutz") | {"transportation": value})
    )
    assert plain_rows(plan, "moves")[0]["mode"] is None
    assert failing_findings(findings) == [("wrong-type", "/itinerary/0/schedule/1/transportation", "mode")]


def test_two_consecutive_visits_of_one_place_imply_a_move_of_length_zero(task: Task) -> None:
    plan, findings = decode(
        task, itinerary([entry("attraction", "9:00-10:00", "dom"), entry("attraction", "11:00-12:00", "dom")])
    )
    assert "no-way" not in [f.kind for f in findings]
    assert [v["session"] for v in plain_rows(plan, "visits")] == [1, 2]
    (move,) = plain_rows(plan, "moves")
    assert (move["to"], move["session"], move["origin"], move["depart"], move["arrive"], move["cost"]) == (
        "s5",
        2,
        "s5",
        600,
        600,
        0,
    )


def test_a_move_belongs_to_the_next_visit_even_if_an_earlier_move_is_missing(task: Task) -> None:
    items = [
        entry("attraction", "9:00-10:00", "dom"),
        entry("transportation", "10:00-10:10", "Rutz", origin="dom", by="foot"),
        entry("restaurant", "10:10-11:00", "Rutz"),
        entry("transportation", "11:00-11:10", "dom", origin="Rutz", by="foot"),
        entry("attraction", "11:10-12:00", "dom"),
    ]
    plan, _ = decode(task, day(*items))
    assert [(m["to"], m["session"]) for m in plain_rows(plan, "moves")] == [("s2", 1), ("s5", 2)]


def test_a_missing_move_or_hotel_is_noted_and_does_not_fail_the_plan(task: Task) -> None:
    items = [entry("attraction", "9:00-10:00", "dom"), entry("restaurant", "11:00-12:00", "Rutz")]
    plan, findings = decode(task, itinerary(items))
    assert [(f.kind, f.path, f.fails) for f in findings] == [
        ("no-hotel", "/itinerary/0/schedule", False),
        ("no-hotel", "/itinerary/0/schedule", False),
        ("no-way", "/itinerary/0/schedule/1", False),
    ]
    assert (plan.tables["moves"], plan.tables["lodging"]) == ((), ())
    _, findings = decode(task, day(*items))
    assert [(f.kind, f.path) for f in findings] == [("no-way", f"/itinerary/0/schedule/{i}") for i in (1, 2, 3)]


def test_all_hotel_items_form_one_stay(task: Task) -> None:
    plan, findings = decode(
        task, itinerary([hotel(cost=100), hotel(cost="none")], [hotel(cost="50.5"), hotel(cost=None)])
    )
    assert plain_rows(plan, "lodging") == [{"hotel": "hotel-1", "cost": 15050}]
    assert failing_findings(findings) == []
    plan, findings = decode(task, itinerary([hotel(cost=100), entry("hotel", "9:00-9:00", "Adlon", 7)]))
    assert plain_rows(plan, "lodging") == [{"hotel": "hotel-1", "cost": 10700}]
    assert failing_findings(findings) == [("several-hotels", "/itinerary/0/schedule/1", "hotel")]
    plan, findings = decode(task, itinerary([hotel(cost=100), hotel(cost="lots")]))
    assert plain_rows(plan, "lodging") == [{"hotel": "hotel-1", "cost": None}]
    assert failing_findings(findings) == [("wrong-type", "/itinerary/0/schedule/1/cost", "cost")]


def test_origin_and_destination_of_an_item_at_one_place_must_agree(task: Task) -> None:
    plan, findings = decode(task, day(entry("attraction", "9:00-10:00", "dom", origin="Pergamonmuseum")))
    assert plain_rows(plan, "visits")[0]["place"] == "dom"
    assert failing_findings(findings) == [("two-places", "/itinerary/0/schedule/1", None)]
    plan, findings = decode(task, day(entry("attraction", "9:00-10:00", "", origin="dom")))
    assert plain_rows(plan, "visits")[0]["place"] == "dom"
    assert failing_findings(findings) == []


def test_a_day_may_be_listed_twice(task: Task) -> None:
    data = itinerary([entry("attraction", "9:00-10:00", "dom")], [entry("attraction", "11:00-12:00", "dom")])
    data["itinerary"][1]["date"] = "7.1"
    plan, findings = decode(task, data)
    assert [v["session"] for v in plain_rows(plan, "visits")] == [1, 2]
    assert "repeated-day" in [f.kind for f in findings]
    assert failing_findings(findings) == []


@pytest.mark.parametrize(
    ("data", "kind", "path"),
    [
        ({"plan": 1}, "missing-column", "/itinerary"),
        ({"itinerary": {"date": "7.1"}}, "wrong-shape", "/itinerary"),
        ({"itinerary": [17]}, "wrong-shape", "/itinerary/0"),
        ({"itinerary": [{"date": "7.1"}]}, "wrong-shape", "/itinerary/0/schedule"),
        ({"itinerary": [{"date": "7.1", "schedule": ["x"]}]}, "wrong-shape", "/itinerary/0/schedule/0"),
        (
            {"itinerary": [{"date": "7.1", "schedule": [{"item": "nap"}]}]},
            "wrong-type",
            "/itinerary/0/schedule/0/item",
        ),
        ({"itinerary": [{"date": "7.1", "schedule": [{}]}]}, "wrong-type", "/itinerary/0/schedule/0/item"),
    ],
)
def test_a_wrong_shape_is_a_finding(task: Task, data: Any, kind: str, path: str) -> None:
    plan, findings = decode(task, data)
    assert [(f.kind, f.path) for f in findings if f.fails] == [(kind, path)]
    assert set(plan.tables) == {"visits", "moves", "lodging"}


def test_missing_cells_of_an_item_are_findings(task: Task) -> None:
    _, findings = decode(task, day({"item": "attraction"}, {"item": "transportation"}))
    assert [(k, c) for k, _, c in failing_findings(findings)] == [
        ("missing-column", "place"),
        ("missing-column", "start"),
        ("missing-column", "cost"),
        ("missing-column", "to"),
        ("missing-column", "origin"),
        ("missing-column", "depart"),
        ("wrong-type", "mode"),
        ("missing-column", "cost"),
    ]


def test_an_answer_in_the_form_of_tables_is_accepted(task: Task) -> None:
    plan, _ = decode(task, WHOLE)
    again, findings = decode(task, write_tables(task, plan))
    assert findings == ()
    for name in plan.tables:
        assert plain_rows(again, name) == plain_rows(plan, name)


PLAN: dict[str, list[dict[str, Any]]] = {
    "visits": [
        {"place": "pergamon", "day": FIRST, "session": 1, "start": 540, "end": 720, "cost": 3610},
        {"place": "rutz", "day": FIRST, "session": 1, "start": 1170, "end": 1450, "cost": 12050},
    ],
    "moves": [
        {
            "to": "s1",
            "day": FIRST,
            "session": 1,
            "origin": "s7",
            "mode": "taxi",
            "depart": 510,
            "arrive": 525,
            "cost": 910,
        },
        {
            "to": "s2",
            "day": FIRST,
            "session": 1,
            "origin": "s1",
            "mode": "foot",
            "depart": 720,
            "arrive": 730,
            "cost": 0,
        },
        {
            "to": "s7",
            "day": FIRST,
            "session": 1,
            "origin": "s2",
            "mode": "bus",
            "depart": 1450,
            "arrive": 1465,
            "cost": 900,
        },
    ],
    "lodging": [{"hotel": "hotel-1", "cost": 45000}],
}


def test_a_plan_is_encoded_in_the_form_of_the_prompt(task: Task) -> None:
    first, second = FORMAT.encode(task, plan_of(task, **PLAN))["itinerary"]
    hotel_name = "Grand Hotel Berlin 1"
    rows = [
        (
            i["item"],
            i["time"],
            i["departure"],
            i["destination"],
            i["cost"],
            i["transportation"],
            i["referenceImage"],
        )
        for i in first["schedule"]
    ]
    assert first["date"] == "7.1"
    assert rows == [
        ("hotel", "8:00-8:00", hotel_name, hotel_name, 450, "none", "hotel_list.png"),
        (
            "transportation",
            "08:30-08:45",
            hotel_name,
            "Pergamonmuseum",
            9.1,
            "taxi",
            f"route_{hotel_name}_Pergamonmuseum.png",
        ),
        (
            "attraction",
            "09:00-12:00",
            "Pergamonmuseum",
            "Pergamonmuseum",
            36.1,
            "none",
            "Pergamonmuseum_guide.png,Pergamonmuseum_ticket.png",
        ),
        ("transportation", "12:00-12:10", "Pergamonmuseum", "Rutz", 0, "foot", "route_Pergamonmuseum_Rutz.png"),
        ("restaurant", "19:30-24:10", "Rutz", "Rutz", 120.5, "none", "Rutz_guide.png,Rutz_reservation.png"),
        ("transportation", "24:10-24:25", "Rutz", hotel_name, 9, "bus", f"route_Rutz_{hotel_name}.png"),
        ("hotel", "24:25-24:25", hotel_name, hotel_name, 0, "none", "hotel_list.png"),
    ]
    assert second["date"] == "7.2"
    assert [(i["item"], i["time"], i["cost"]) for i in second["schedule"]] == [
        ("hotel", "8:00-8:00", 0),
        ("hotel", "8:00-8:00", 0),
    ]


CHANGES: dict[str, Callable[[Any], object]] = {
    "two stays": lambda plan: plan["lodging"].append({"hotel": "adlon", "cost": 0}),
    "no start": lambda plan: plan["visits"][0].update(start=None),
    "no place": lambda plan: plan["visits"][0].update(place=None),
    "an end before its start": lambda plan: plan["visits"][0].update(end=530),
    "a start before the day": lambda plan: plan["visits"][0].update(start=-10),
    "an end past 99:59": lambda plan: plan["visits"][0].update(end=6000),
    "a second visit without a first": lambda plan: plan["visits"][0].update(session=2),
    "a day before all days": lambda plan: plan["visits"][0].update(day=0),
    "a second way home without a first": lambda plan: plan["moves"][2].update(session=2),
    "two visits in a row without a way": lambda plan: plan["visits"].append(
        PLAN["visits"][1] | {"session": 2, "start": 1460, "end": 1490}
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_plan_that_no_itinerary_can_express_is_refused(task: Task, change: str) -> None:
    rows: Any = {name: [dict(row) for row in table] for name, table in PLAN.items()}
    if change.startswith("two visits"):
        rows["moves"].pop()
    CHANGES[change](rows)
    with pytest.raises(InexpressiblePlanError):
        FORMAT.encode(task, plan_of(task, **rows))


def test_a_plan_without_a_stay_has_no_hotel_items(task: Task) -> None:
    plan = plan_of(task, visits=PLAN["visits"])
    written = FORMAT.encode(task, plan)
    assert [item["item"] for item in written["itinerary"][0]["schedule"]] == ["attraction", "restaurant"]


@st.composite
def routes(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Draw a plan with a route from the hotel to places and back on each day, like plans of a solver."""
    home = draw(st.sampled_from(["s6", "s7", "s8"]))
    spots = {"pergamon": "s1", "rutz": "s2", "cafe": "s3", "adlon-kitchen": "s4", "dom": "s5"}
    visits: list[dict[str, Any]] = []
    moves: list[dict[str, Any]] = []
    for trip_day in (FIRST, FIRST + 1):
        at, now, seen = home, draw(st.integers(360, 700)), Counter[str]()
        places = draw(st.lists(st.sampled_from(sorted(spots)), max_size=5))
        for place in places:
            seen[place] += 1
            to = spots[place]
            if to == at:
                ride, wait, cost, mode = 0, 0, 0, "foot"
            else:
                ride, cost = draw(st.integers(0, 40)), draw(st.integers(0, 9999))
                wait, mode = (
                    draw(st.integers(0, 30)),
                    draw(st.sampled_from(["foot", "driving", "bus", "taxi"])),
                )
            ways = {
                "to": to,
                "day": trip_day,
                "session": seen[place],
                "origin": at,
                "mode": mode,
                "cost": cost,
            }
            moves.append(ways | {"depart": now + wait, "arrive": now + wait + ride})
            start = now + wait + ride + draw(st.integers(0, 60))
            now = start + draw(st.integers(1, 300))
            visits.append(
                {
                    "place": place,
                    "day": trip_day,
                    "session": seen[place],
                    "start": start,
                    "end": now,
                    "cost": draw(st.integers(0, 10**6)),
                }
            )
            at = to
        if at != home:
            moves.append(
                {
                    "to": home,
                    "day": trip_day,
                    "session": 1,
                    "origin": at,
                    "mode": "taxi",
                    "cost": 500,
                    "depart": now,
                    "arrive": now + 9,
                }
            )
    stay = {"s6": "adlon", "s7": "hotel-1", "s8": "hotel-2"}[home]
    return {
        "visits": visits,
        "moves": moves,
        "lodging": [{"hotel": stay, "cost": draw(st.integers(0, 10**6))}],
    }


@given(routes())
def test_a_plan_is_unchanged_by_encoding_and_decoding(task: Task, rows: dict[str, list[dict[str, Any]]]) -> None:
    plan = plan_of(task, **rows)
    answer = read_answer(json.dumps(FORMAT.encode(task, plan)))
    assert isinstance(answer, Answer)
    again, findings = decode(task, answer.plan)
    assert failing_findings(findings) == []
    for name in plan.tables:
        assert sorted(map(repr, plain_rows(again, name))) == sorted(map(repr, plain_rows(plan, name)))


@st.composite
def any_rows(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Draw a plan of arbitrary rows."""
    days, minutes = st.sampled_from([FIRST, FIRST + 1, FIRST + 40]), st.integers(0, 3000)
    spot = st.sampled_from([f"s{i}" for i in range(1, 9)])
    visit = st.fixed_dictionaries(
        {
            "place": st.sampled_from(["pergamon", "rutz", "adlon-kitchen", "far"]),
            "day": days,
            "session": st.integers(1, 2),
            "start": minutes,
            "end": minutes,
            "cost": st.integers(-100, 10**15),
        }
    )
    move = st.fixed_dictionaries(
        {
            "to": spot,
            "day": days,
            "session": st.integers(1, 2),
            "origin": spot,
            "mode": st.sampled_from(["foot", "taxi"]),
            "depart": minutes,
            "arrive": minutes,
            "cost": st.integers(0, 1),
        }
    )
    stay = st.fixed_dictionaries({"hotel": st.sampled_from(["adlon", "hotel-1"]), "cost": st.integers(-5, 5)})
    return {
        "visits": draw(st.lists(visit, max_size=3)),
        "moves": draw(st.lists(move, max_size=3)),
        "lodging": draw(st.lists(stay, max_size=2)),
    }


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(any_rows())
def test_any_plan_is_encoded_faithfully_or_refused(task: Task, rows: dict[str, list[dict[str, Any]]]) -> None:
    plan = plan_of(task, **rows)
    try:
        written = FORMAT.encode(task, plan)
    except InexpressiblePlanError:
        assume(False)
        return
    answer = read_answer(json.dumps(written))
    assert isinstance(answer, Answer)
    again, _ = decode(task, answer.plan)
    for name in plan.tables:
        assert sorted(map(repr, plain_rows(again, name))) == sorted(map(repr, plain_rows(plan, name)))


CELL = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.lists(st.integers(), max_size=1)
)
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "item": CELL | st.sampled_from(["hotel", "transportation", "attraction", "restaurant"]),
        "time": CELL | st.sampled_from(["9:00-10:00", "23:00-1:00", "9-10"]),
        "departure": CELL | st.sampled_from(["dom", "Adlon", "Rutz"]),
        "destination": CELL | st.sampled_from(["dom", "Adlon", "Rutz"]),
        "cost": CELL | st.sampled_from(["€1", "1e5"]),
        "transportation": CELL | st.just("taxi"),
    },
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {}, optional={"date": CELL | st.just("7.1"), "schedule": CELL | st.lists(ITEM | CELL, max_size=5)}
        )
        | CELL,
        max_size=3,
    )
)
def test_any_itinerary_decodes_to_a_plan_with_findings(task: Task, days: list[Any]) -> None:
    plan, findings = decode(task, {"itinerary": days})
    assert set(plan.tables) == {"visits", "moves", "lodging"}
    assert all(f.message and f.as_finding().level == "shape" for f in findings)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("currency: EUR\n", "", "currency"),
        ("  lodging: {one: true, hotel: Hotel, cost: money}\n", "", "lodging"),
        ("hotel: Hotel, cost: money}", "hotel: Hotel}", "lodging.cost"),
        ("arrive: time\n", "arrive: time\n    seat: int\n", "moves.seat"),
        ("  trip: [2026-07-01, 2026-07-02]", "  days: [2026-07-01]", "trip"),
    ],
)
def test_a_task_with_other_tables_is_unsuitable(old: str, new: str, message: str) -> None:
    text = TEXT.replace(old, new)
    if "currency" in old:
        text = text.replace(": money", ": int")
    assert text != TEXT
    task = task_from_text(text)
    for act in (lambda: FORMAT.decode(task, {}), lambda: FORMAT.encode(task, plan_of(task))):
        with pytest.raises(UnsuitableTaskError, match=message):
            act()
