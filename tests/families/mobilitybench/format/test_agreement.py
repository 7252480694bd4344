"""Numbers in an answer must agree with the route whose id it gives. Questions are not read as statements."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import planspec
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.values import InvalidValueError
from planspec.families.mobilitybench.format.cells import read_count, read_minutes
from planspec.families.mobilitybench.format.words import is_question, level_of
from tests.families.mobilitybench.format.answers import (
    TOWN,
    column_keys,
    decode,
    failing_findings,
    failures,
    judge,
    row,
    row_key,
)
from tests.random_examples import examples

pytestmark = pytest.mark.slow


WAY = "point_to_point_planning"
ONE, TWO, RIDE = "drive-aaaaaaaa-1", "drive-aaaaaaaa-2", "transit-bbbbbbbb-1"
ROADS = [{"road": "First Street"}, {"road": "Second Street"}]


def failures_of_route(route: Any, **more: Any) -> list[tuple[str, str]]:
    """Decode an answer with a known route, and return the failing findings on its other statements."""
    plan, findings = decode({"answer": {"route": route, **more}}, WAY)
    assert column_keys(plan, "legs", "route")[0] in (ONE, TWO, RIDE)
    return failing_findings(findings)


# -- routes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"steps": ROADS},
        {"steps": [{"road": "First Street", "mode": "drive", "distance": 2800}, {"road": "Second Street"}]},
        {"steps": ["Take First Street", "then Second Street"]},
        {"steps": []},
        {"duration": 1200},
        {"duration": "21 min"},
        {"duration": "19 min"},
        {"distance": "3.9 km"},
        {"distance": 4200},
        {"traffic_lights": 3, "tolls": 0, "fare": None},
        {"depart": "08:00", "arrive": "08:20"},
        {"depart": "8:04", "arrive": "8:25"},
        {"index": 0},
        {"route_index": "0"},
        {"mode": "drive", "evidence": {"bans": []}, "transfers": 0},
    ],
    ids=repr,
)
def test_a_route_id_may_be_accompanied_by_true_statements(more: dict[str, Any]) -> None:
    assert failures_of_route({"id": ONE, **more}) == []


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"steps": [{"road": "A2"}]}, "/answer/route/steps"),
        ({"steps": list(reversed(ROADS))}, "/answer/route/steps"),
        ({"steps": [{"road": "First Street", "mode": "walk"}, ROADS[1]]}, "/answer/route/steps"),
        ({"duration": 60}, "/answer/route"),
        ({"duration": "22 min"}, "/answer/route"),
        ({"duration": "soon"}, "/answer/route"),
        ({"distance": 1}, "/answer/route"),
        ({"distance": "4.3 km"}, "/answer/route"),
        ({"traffic_lights": 4}, "/answer/route"),
        ({"tolls": 250}, "/answer/route"),
        ({"transfers": 1}, "/answer/route"),
        ({"fare": "€1"}, "/answer/route"),
        ({"depart": "09:00"}, "/answer/route"),
        ({"arrive": "08:26"}, "/answer/route"),
        ({"index": 1}, "/answer/route/index"),
        ({"duration": 60, "distance": 1}, "/answer/route"),
        ({"index": TWO}, "/answer/route/index"),
    ],
    ids=repr,
)
def test_false_statements_contradict_a_route_id(more: dict[str, Any], path: str) -> None:
    assert failures_of_route({"id": ONE, **more}) == [("contradiction", path)]


def test_a_step_on_an_unknown_road_is_an_unknown_name() -> None:
    assert failures_of_route({"id": ONE, "steps": [{"road": "Nowhere Lane"}]}) == [
        ("unknown-name", "/answer/route/steps/0/road")
    ]


def test_numbers_are_compared_with_the_route_that_the_steps_name() -> None:
    assert failures_of_route({"steps": ROADS, "tolls": 0}) == []
    assert failures_of_route({"steps": ROADS, "tolls": 250}) == [("contradiction", "/answer/route")]


def test_times_given_for_a_route_without_times_must_differ_by_its_duration() -> None:
    walk = "walk-cccccccc-1"
    for arrive, kinds in (
        ("15:15", []),
        ("15:20", []),
        ("15:21", ["contradiction"]),
        ("15:00", ["contradiction"]),
    ):
        _, findings = decode({"answer": {"route": {"id": walk, "depart": "15:00", "arrive": arrive}}}, WAY)
        assert [kind for kind, _ in failing_findings(findings)] == kinds


@pytest.mark.parametrize(
    ("name", "index", "agrees"),
    [
        ("route_index", 0, True),
        ("route_index", 1, False),
        ("index", 0, True),
        ("index", "1", False),
        ("route_index", ONE, True),
        ("route_index", TWO, False),
        ("route_index", -1, False),
        ("route_index", True, False),
    ],
)
def test_an_index_names_the_route_or_contradicts_it(name: str, index: Any, agrees: bool) -> None:
    expected = [] if agrees else [("contradiction", "/answer/route_index")]
    assert failures_of_route(ONE, **{name: index}) == expected


def test_a_route_index_that_names_one_of_several_legs_contradicts_nothing() -> None:
    assert failures_of_route([ONE, "walk-cccccccc-1"], route_index="walk-cccccccc-1") == []


# -- times, durations and counts ---------------------------------------------------------------------------------


def test_a_constraint_compares_given_times_with_the_duration_of_the_route() -> None:
    walk = {"route": ["walk-cccccccc-1"]}
    for times, fails in (
        ({"depart": "10:00", "arrive": "10:15"}, False),
        ({"depart": "10:00", "arrive": "10:20"}, False),
        ({"depart": "10:00", "arrive": "12:00"}, True),
        ({"depart": "23:50", "arrive": "00:05"}, False),
        ({"depart": "10:00"}, False),
    ):
        assert ("told-span" in failures(WAY, walk | times)) is fails, times


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.integers(1, 9000), min_size=1, max_size=4))
def test_durations_in_seconds_and_rounded_to_minutes_are_right(legs: list[int]) -> None:
    right, exact = sum(-(-leg // 60) for leg in legs), sum(legs)
    head = "planspec: task/1\nid: rounding\ntitle: A task\nuses: [mobilitybench]\nquery: How long?\n"
    task_given = f"given: {{scenario: route_property_query, right_time: {right}min, right_legs: {len(legs)}}}"
    judging = planspec.Judge(task_from_text(head + task_given + TOWN))
    for duration in (exact, f"{round(exact / 60)} min", f"{right} min", f"{exact // 60} min {exact % 60} s"):
        assert judging.answer({"answer": {"duration": duration}}).status == "pass", duration
    off = max(right // 20, len(legs)) + 1
    for minutes in (right + off, right - off):
        if minutes > 0:
            assert judging.answer({"answer": {"duration": f"{minutes} min"}}).status == "fail"


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("一刻钟", 15),
        ("15分半", 16),
        ("半小时", 30),
        ("一个半小时", 90),
        ("半个钟头", 30),
        ("1小时一刻", 75),
        ("三刻钟", 45),
        ("1小时半", 90),
        ("an hour and a half", 90),
        ("2 and a half hours", 150),
        ("a quarter of an hour", 15),
        ("half an hour", 30),
    ],
)
def test_halves_and_quarters_are_durations(text: str, minutes: int) -> None:
    assert read_minutes(text) == minutes


@pytest.mark.parametrize("text", ["刻", "5刻", "半", "21刻", "half", "quarter", "一刻钟或半小时"])
def test_incomplete_texts_are_not_durations(text: str) -> None:
    with pytest.raises(InvalidValueError):
        read_minutes(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("换乘1次", 1),
        ("换乘 2 次", 2),
        ("不用换乘", 0),
        ("需要换乘一次", 1),
        ("1次换乘", 1),
        ("没有换乘", 0),
        ("经过3个红绿灯", 3),
    ],
)
def test_counts_of_transfers_and_lights_are_read_in_chinese(text: str, count: int) -> None:
    assert read_count(text) == count


# -- questions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "望月路现在堵不堵",
        "会堵车吗",
        "会不会拥堵",
        "有没有堵车",
        "是否拥堵",
        "堵着呢",
        "路况怎么样，畅通",
        "smooth?",
        "畅通？",
        "Is there a traffic jam on Ring Road",
        "is it clear",
        "whether it is clear",
        "Is Ring Road clear at the moment",
        "How congested",
        "will Ring Road be jammed",
    ],
)
def test_a_question_about_traffic_is_not_read_as_a_traffic_level(text: str) -> None:
    assert is_question(text)
    with pytest.raises(InvalidValueError, match="question"):
        level_of(text)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("is congested", "congested"),
        ("May Street is clear", "smooth"),
        ("Will Street is jammed now", "congested"),
        ("现在不堵", "smooth"),
        ("is currently congested", "congested"),
        ("should be clear", "smooth"),
        ("没有堵车", "smooth"),
    ],
)
def test_a_statement_without_a_subject_is_not_a_question(text: str, level: str) -> None:
    assert level_of(text) == level


def test_a_question_is_not_a_statement_about_the_weather() -> None:
    for text in ("is it light rain", "Light rain?", "小雨吗", "下不下小雨"):
        _, findings = decode({"answer": {"weather": [{"day": "2026-05-11", "weather": text}]}}, "weather_query")
        assert failing_findings(findings) == [("unreadable", "/answer/weather/0/weather")]


# -- locations of places --------------------------------------------------------------------------------


ADDRESSED = TOWN.replace("{id: Zoo, x", '{id: Zoo, addresses: ["1 Zoo Road", "1 Zoo Road, London"], x').replace(
    "{id: Millgate East, x", '{id: Millgate East, addresses: ["8 Mill Lane, Millwood"], x'
)


def place_at_location(givens_text: str, answer: dict[str, Any]) -> tuple[Any, list[str]]:
    """Judge an answer to a query for a location, and return the place it locates and the violated constraints."""
    head = "planspec: task/1\nid: where\ntitle: A task\nuses: [mobilitybench]\nquery: Where?\n"
    judging = planspec.Judge(task_from_text(f"{head}given: {{{givens_text}}}{ADDRESSED}"))
    plan = judging.read({"answer": answer})
    assert plan is not None
    row_: Any = plan.tables["answer"][0]
    verdict = judging.answer({"answer": answer})
    names = [f.constraint if f.level != "shape" else f.kind for f in verdict.findings if f.status == "violated"]
    return row_key(row_.where), [name for name in names if name is not None]


WHERE = "scenario: poi_search, right_places: [Zoo], asked_where: true"


@pytest.mark.parametrize(
    ("answer", "place", "faults"),
    [
        ({"place": "Zoo"}, None, ["tells-where"]),
        ({"place": {"name": "Zoo", "location": "13.42,52.52"}}, "Zoo", []),
        ({"place": "Zoo", "location": "13.4205,52.5204"}, "Zoo", []),
        ({"place": "Zoo", "location": "13.4220,52.5200"}, None, ["tells-where"]),
        ({"location": "13.42,52.52"}, "Zoo", []),
        ({"place": {"name": "Zoo", "address": "1 Zoo Rd, London"}}, "Zoo", []),
        ({"address": "1 Zoo Road"}, "Zoo", []),
        ({"place": {"name": "Zoo", "address": "Zoo"}}, None, ["tells-where"]),
        ({"place": {"name": "Zoo", "address": "8 Mill Lane, Millwood"}}, "Zoo", ["contradiction"]),
        ({"place": {"name": "Zoo", "location": "13.43,52.52"}}, "Zoo", ["contradiction"]),
        ({"location": "13.42,52.52", "address": "8 Mill Lane, Millwood"}, "Zoo", ["contradiction"]),
        ({"place": "Central Station"}, None, ["right-place"]),
    ],
    ids=repr,
)
def test_an_answer_to_a_query_for_a_location_locates_the_place(
    answer: Any, place: str | None, faults: list[str]
) -> None:
    assert place_at_location(WHERE, answer) == (place, faults)


def test_a_name_suffices_if_the_query_gives_only_the_kind_of_place() -> None:
    assert place_at_location("scenario: poi_search, right_places: [Zoo]", {"place": "Zoo"}) == (None, [])


def test_a_requested_address_does_not_locate_the_place() -> None:
    given = 'scenario: geolocation_query, right_places: ["12 Elm Street, Millwood, London, England"], asked_where: true'
    assert place_at_location(given, {"address": "12 Elm Street, Millwood"})[1] == ["tells-where"]
    assert place_at_location(given, {"location": "13.409,52.505"})[1] == []


def test_a_single_nearby_place_may_be_given_under_the_key_place() -> None:
    given = "scenario: nearby_search, right_places: [Zoo, Millgate East], nearest: Zoo"
    assert place_at_location(given, {"place": "Zoo"}) == (None, [])
    assert place_at_location(given, {"location": "13.42,52.52"})[1] == []
    assert place_at_location(given, {"place": "Millgate East"})[1] == ["nearest-first"]
    assert place_at_location(given, {"place": "Nowhere Hall"})[1] == [
        "unknown-name",
        "near-places",
        "enough-places",
        "nearest-first",
    ]
    assert judge("nearby_search").answer({"answer": {"place": "春安咖啡"}}).status == "undelivered"
    assert row_key(row({"place": "Zoo"}, "poi_search").place) == "Zoo"
