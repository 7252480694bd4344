"""Decoding a MobilityBench answer gives what the agent means and adds nothing."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from planspec.families.mobilitybench.format.codec import FORMAT
from planspec.families.mobilitybench.format.names import is_misspelling
from planspec.verifiers.answers.format import NoAnswerError
from planspec.verifiers.answers.tables import write_tables
from tests.families.mobilitybench.format.answers import (
    WHOLE,
    column_keys,
    decode,
    failing_findings,
    judge,
    non_failing_findings,
    row,
    row_key,
    task,
)

# -- reading -----------------------------------------------------------------------------------------


def test_a_complete_answer_is_decoded_to_a_plan() -> None:
    plan, findings = decode(WHOLE)
    assert findings == ()
    answer: Any = plan.tables["answer"][0]
    assert (row_key(answer.place), answer.address, answer.level) == ("Zoo", "1 Zoo Road", "congested")
    assert (answer.depart, answer.arrive, answer.time, answer.length) == (480, 500, 20, 4000)
    assert (answer.transfers, answer.lights, answer.tolls, answer.fare, answer.possible) == (
        0,
        3,
        0,
        280,
        "possible",
    )
    assert column_keys(plan, "legs", "route") == ["drive-aaaaaaaa-1", "walk-cccccccc-1"]
    assert column_keys(plan, "places", "place") == ["Central Station", "Zoo"]
    day: Any = plan.tables["days"][0]
    assert (day.day, day.weather) == (date(2026, 5, 11).toordinal(), "light rain")
    assert (day.temperature, day.low, day.high) == (16, 9, 17)


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_the_answer_may_be_nested(layers: int) -> None:
    data: Any = WHOLE["answer"]
    for _ in range(layers):
        data = {"answer": data, "intent": "x"}
    assert write_tables(task(), decode(data)[0]) == write_tables(task(), decode(WHOLE)[0])


def test_an_answer_may_consist_of_tables_of_a_plan() -> None:
    plan, _ = decode(WHOLE)
    tables = json.loads(json.dumps(write_tables(task(), plan)))
    again, findings = decode(tables)
    assert findings == ()
    assert write_tables(task(), again) == tables


def test_unknown_names_are_noted_with_a_suggestion() -> None:
    _, findings = decode({"answer": {"place": "Zoo", "distanse": 1}, "score": 1})
    assert failing_findings(findings) == []
    assert non_failing_findings(findings) == [
        ("unknown-table", "/score"),
        ("unknown-column", "/answer/distanse"),
    ]
    assert "did you mean `distance`" in findings[1].message


def test_keys_of_an_answer_ignore_case_and_blanks() -> None:
    assert row({"Traffic Lights": 3, "TOLLS": 0}).lights == 3


def test_each_unreadable_part_is_reported_and_fails() -> None:
    bad = dict.fromkeys(
        (
            "level",
            "depart",
            "arrive",
            "duration",
            "distance",
            "transfers",
            "traffic_lights",
            "tolls",
            "fare",
            "possible",
            "location",
        ),
        "perhaps",
    )
    plan, findings = decode({"answer": bad})
    assert sorted(failing_findings(findings)) == sorted(("unreadable", f"/answer/{name}") for name in bad)
    assert all(
        getattr(plan.tables["answer"][0], name) is None
        for name in plan.tables["answer"][0]._table.columns
        if name != "one"
    )


def test_prose_is_not_an_answer() -> None:
    every: tuple[Any, ...] = (
        {"answer": "Take the first."},
        {"answer": None},
        {"answer": []},
        {"answer": 3, "intent": "x"},
        {"intent": "x"},
    )
    for data in every:
        with pytest.raises(NoAnswerError):
            decode(data)


# -- names and locations -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Zoo", "Zoo"),
        ("ZOO ", "Zoo"),
        ("central station", "Central Station"),
        ("Central-Station", "Central Station"),
        ("Central Statoin", "Central Station"),
        ("中央车站", "Central Station"),
        ("Central", "Central Station"),
        ("Baker Coffee", "Baker Coffee (Elm Street)"),
        ("millgate east", "Millgate East"),
        ("My location", "here"),
        ("13.42,52.52", "Zoo"),
        ("Zoo Station", "Zoo"),
    ],
)
def test_a_place_is_found_by_its_name(text: str, name: str) -> None:
    plan, findings = decode({"place": text})
    assert (column_keys(plan, "answer", "place"), failing_findings(findings)) == ([name], [])


@pytest.mark.parametrize(
    "text",
    [
        "Millgate",
        "Millgate Est",
        "Millgate North",
        "Millgate South",
        "Zoo 2",
        "Zoo or Central Station",
        "Zoo, Central Station",
        "Zoos and more",
        "动物园",
        "Baker Tea (Elm Street)",
        "Baker Coffee (Oak Street)",
        "!!!",
        "0,0",
        "Nowhere",
    ],
)
def test_an_unknown_name_is_a_finding_and_is_stored_in_the_plan(text: str) -> None:
    plan, findings = decode({"place": text})
    answer_row = plan.tables["answer"][0]
    assert column_keys(plan, "answer", "place") == [None]
    assert len(failing_findings(findings)) == 1
    assert answer_row._unknown


@pytest.mark.parametrize(
    ("text", "name", "same"),
    [
        ("Maple Hospitol", "Maple Hospital", True),
        ("Mapel Hospital", "Maple Hospital", True),
        ("Chestnutwood Airport", "Chestnutford Airport", False),
        ("Metro Line 2", "Metro Line 3", False),
        ("First Ring Road", "Third Ring Road", False),
        ("Airport Terminal A", "Airport Terminal B", False),
        ("北京第二实验小学", "北京第三实验小学", False),
        ("中山东路小学", "中山西路小学", False),
        ("武汉长江大桥公园", "武汉长江大桥公园站", True),
        ("Ash School", "Elm School", False),
        ("Upper Mill", "Lower Mill", False),
        ("Old Town Hall", "Town Hall", False),
    ],
)
def test_a_misspelt_name_is_distinguished_from_another_name(text: str, name: str, same: bool) -> None:
    assert is_misspelling(text, name) is same


@pytest.mark.parametrize(
    ("place", "name", "kinds"),
    [
        ({"name": "Zoo", "location": "13.4215,52.5210"}, "Zoo", []),  # 150 m from the zoo
        ({"name": "Zoo", "location": "13.4235,52.5200"}, "Zoo", ["contradiction"]),  # 240 m from the zoo
        ({"name": "Zoo", "location": "52.52,13.42"}, "Zoo", ["contradiction"]),
        ({"name": "Zoo", "location": "116.4,95"}, "Zoo", ["unreadable"]),
        ({"name": "Unplaced Inn", "location": "1,1"}, "Unplaced Inn", []),
        ({"name": "春安咖啡", "location": "13.403,52.503"}, "春安咖啡 (2)", []),
        ({"name": "春安咖啡", "location": "13.4005,52.5"}, "春安咖啡", []),
        ({"name": "春安咖啡"}, None, ["ambiguous"]),
        ({"name": "Nowhere", "location": "13.42,52.52"}, None, ["unknown-name"]),
        ({"location": "13.42,52.5208"}, "Zoo", []),  # 89 m from the zoo
        ({"location": "13.42,52.521"}, None, ["unknown-name"]),  # 111 m from the zoo
        ({"location": {"longitude": 13.42, "latitude": 52.52}}, "Zoo", []),
        ({"name": 7}, None, ["unreadable"]),
        (["Zoo"], None, ["unreadable"]),
        ({"rating": 4}, None, ["unreadable"]),
    ],
    ids=repr,
)
def test_a_name_and_a_location_must_agree(place: Any, name: str | None, kinds: list[str]) -> None:
    plan, findings = decode({"place": place})
    assert column_keys(plan, "answer", "place") == [name]
    assert [kind for kind, _ in failing_findings(findings)] == kinds


def test_a_location_beside_a_place_must_agree_with_the_place() -> None:
    assert failing_findings(decode({"place": "Zoo", "location": "13.41,52.51"})[1]) == [("contradiction", "/location")]
    both = {"place": {"location": "13.42,52.52"}, "location": "13.41,52.51"}
    assert failing_findings(decode(both)[1]) == [("contradiction", "/location")]


def test_two_addresses_contradict_each_other() -> None:
    data = {"place": {"name": "Zoo", "address": "1 Zoo Road"}, "address": "2 Zoo Road"}
    assert failing_findings(decode(data)[1]) == [("contradiction", "/place/address")]


def test_an_unknown_location_beside_a_requested_address_is_only_noted() -> None:
    _, findings = decode({"address": "12 Elm Street, Millwood", "location": "1,1"}, "geolocation_query")
    assert (failing_findings(findings), non_failing_findings(findings)) == (
        [],
        [("unknown-name", "/location")],
    )
    assert failing_findings(decode({"address": "1 Zoo Road", "location": "1,1"})[1]) == [("unknown-name", "/location")]


def test_a_repeated_place_is_noted() -> None:
    _, findings = decode({"places": ["Zoo", "Central Station", {"location": "13.42,52.52"}]})
    assert (failing_findings(findings), non_failing_findings(findings)) == ([], [("duplicate", "/places/2")])


def test_a_list_of_too_many_places_is_truncated_and_reported() -> None:
    plan, findings = decode({"places": ["Nowhere"] * 5000})
    assert len(plan.tables["places"]) == 256
    assert failing_findings(findings)[0] == ("too-long", "/places")
    assert len(findings) < 1002


# -- times -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_arrival_before_the_departure_is_on_the_next_day() -> None:
    assert (row({"depart": "23:50", "arrive": "00:15"}).arrive, row({"arrive": "00:15"}).arrive) == (1455, 15)
    assert row({"arrive": "00:15", "route": "drive-aaaaaaaa-1"}).arrive == 1455
    assert row({"arrive": "07:00", "route": "x"}, "customized_planning").arrive == 1860  # the request departs at 08:00
    assert row({"depart": "23:50", "arrive": "24:15"}).arrive == 1455
    assert row({"depart": "08:00", "arrive": "07:00 same day"}).arrive == 420
    assert row({"arrive": "08:10:01"}).arrive == 491


# -- weather -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Light Rain", "light rain"),
        ("小雨，气温9℃到17℃", "小雨"),
        ("slight rain, 9 to 17 °C", "slight rain"),
        ("the weather is light rain", "light rain"),
        ("sunny or light rain", "sunny or light rain"),
        ("no light rain", "no light rain"),
        ("rain", "rain"),
        ("小雨转晴", "小雨转晴"),
    ],
)
def test_words_around_a_weather_condition_are_removed_only_if_they_do_not_change_it(text: str, word: str) -> None:
    plan, findings = decode({"weather": [{"day": "2026-05-11", "weather": text}]})
    assert (plan.tables["days"][0].weather, failing_findings(findings)) == (word, [])  # type: ignore[attr-defined]


def test_the_day_may_be_omitted_only_if_one_is_requested() -> None:
    plan, findings = decode({"weather": "sunny"}, "weather_query")
    assert failing_findings(findings) == [("missing-column", "/weather")]
    one = judge("weather_query", days="[2026-05-12]").task
    plan, findings = FORMAT.decode(one, {"weather": {"weather": "Sunny"}})
    assert (plan.tables["days"][0].day, findings) == (date(2026, 5, 12).toordinal(), ())  # type: ignore[attr-defined]
    days = [{"weather": "sunny"}, {"weather": "sunny"}]
    assert [kind for kind, _ in failing_findings(FORMAT.decode(one, {"weather": days})[1])] == ["missing-column"] * 2


# -- routes ------------------------------------------------------------------------------------------

FIRST = [{"road": "First Street"}, {"road": "Second Street"}]
RIDES = [{"mode": "walk"}, {"line": "Metro Line 2", "mode": "subway"}, {"line": "Bus 10"}]


@pytest.mark.parametrize(
    ("route", "names", "kinds"),
    [
        ("drive-aaaaaaaa-1", ["drive-aaaaaaaa-1"], []),
        (" DRIVE-AAAAAAAA-1", ["drive-aaaaaaaa-1"], []),
        ({"id": "drive-aaaaaaaa-1"}, ["drive-aaaaaaaa-1"], []),
        ("drive-aaaaaaaa-9", [None], ["unknown-name"]),
        ("drive-aaaaaaaa-1, drive-aaaaaaaa-2", [None], ["unknown-name"]),
        ({"steps": FIRST}, ["drive-aaaaaaaa-1"], []),
        (FIRST, ["drive-aaaaaaaa-1"], []),
        ({"steps": [FIRST[0], *FIRST]}, ["drive-aaaaaaaa-1"], []),
        ({"steps": FIRST[::-1]}, [None], ["unknown-name"]),
        ({"steps": FIRST[:1]}, [None], ["unknown-name"]),
        ({"steps": [*FIRST, {"road": "A2"}]}, [None], ["unknown-name"]),
        ({"steps": [{"road": "A3"}]}, [None], ["unknown-name"]),
        ({"steps": [{"road": "A 2"}]}, ["drive-aaaaaaaa-2"], []),
        ({"steps": [{"road": "A2", "mode": "bus"}]}, [None], ["unknown-name"]),
        ({"steps": [{"road": "A2", "mode": "rocket"}]}, [None], ["unreadable"]),
        ({"steps": [{"road": "East Ring"}]}, [None], ["ambiguous"]),
        ({"steps": [{"road": "East Ring", "mode": "on foot"}]}, ["walk-cccccccc-1"], []),
        ({"steps": [{"road": "West Ring", "mode": "on foot"}]}, [None], ["unknown-name"]),
        ({"steps": [{"mode": "walk"}]}, [None], ["unreadable"]),
        ({"steps": RIDES}, ["transit-bbbbbbbb-1"], []),  # the query does not ask for the departure
        ({"steps": [*RIDES[:2], {"line": "Bus 10", "to": "Millgate East"}]}, [None], ["unknown-name"]),
        ({"steps": [{"line": "Line 3"}, RIDES[2]]}, [None], ["unknown-name"]),
        ({"steps": ["First Street"]}, [None], ["wrong-shape"]),
        ({"index": 0}, [None], ["unknown-name"]),
        (0, [None], ["unknown-name"]),
        ({"call": "c1", "index": 1}, [None], ["unknown-name"]),
        (True, [None], ["unreadable"]),
        ({"name": "the best"}, [None], ["unreadable"]),
        (["drive-aaaaaaaa-1", None], ["drive-aaaaaaaa-1", None], ["unreadable"]),
    ],
    ids=repr,
)
def test_a_route_must_be_a_recorded_one_named_by_its_id_or_its_steps(
    route: Any, names: list[str | None], kinds: list[str]
) -> None:
    plan, findings = decode({"route": route})
    assert column_keys(plan, "legs", "route") == names
    assert [kind for kind, _ in failing_findings(findings)] == kinds
    assert [r.n for r in plan.tables["legs"]] == list(range(1, len(names) + 1))  # type: ignore[attr-defined]


@pytest.mark.slow
def test_steps_of_routes_with_several_departures_are_ambiguous_if_the_query_asks_for_times() -> None:
    plan, findings = decode({"route": {"steps": RIDES}}, "customized_planning")
    assert (column_keys(plan, "legs", "route"), [kind for kind, _ in failing_findings(findings)]) == (
        [None],
        ["ambiguous"],
    )


def test_the_departure_distinguishes_otherwise_equal_routes() -> None:
    for depart, name in (("08:05", "transit-bbbbbbbb-1"), ("8:15", "transit-bbbbbbbb-2")):
        plan, findings = decode({"route": {"steps": RIDES}, "depart": depart})
        assert (column_keys(plan, "legs", "route"), failing_findings(findings)) == ([name], [])


def test_a_route_index_without_a_call_is_not_a_route() -> None:
    for data in (
        {"content": "x", "route_index": 0},
        {"answer": {"route_index": "0"}},
        {"answer": "x", "route_index": -1},
    ):
        plan, findings = decode(data)
        assert column_keys(plan, "legs", "route") == [None]
        assert ("unknown-name" in [kind for kind, _ in failing_findings(findings)]) is True
