"""References to results of calls are replaced by ids of recorded routes. Results that a trace claims are ignored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.answers import resolve_routes
from planspec.families.mobilitybench.calls import TOOLS, canonical_arguments, route_id
from planspec.families.mobilitybench.episode import (
    Context,
    Episode,
    EpisodeOrigin,
    RecordedResult,
    Scenario,
    ScenarioFamily,
)
from planspec.traces import Call, Result, Trace

A, B, C = "13.410000,52.510000", "13.420000,52.520000", "13.430000,52.530000"
PLAIN = {"origin": A, "destination": B}
TOLL_FREE = PLAIN | {"preferences": ["avoid_tolls"]}


def arguments(tool: str, call_arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments in the canonical JSON form in which calls are recorded."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in canonical_arguments(read_arguments(TOOLS[tool][0], call_arguments))
    }


def recorded_route_id(tool: str, call_arguments: dict[str, Any], number: int) -> str:
    """Return the id of a route by its call and its number in the result."""
    return route_id(tool, arguments(tool, call_arguments), number)


def record(tool: str, call_arguments: dict[str, Any], routes: int, *, named: bool = True) -> RecordedResult:
    """Return a recorded planning call with this number of routes, or with an error if the number is 0."""
    result: Any = {
        "routes": [
            {"id": recorded_route_id(tool, call_arguments, n)} if named else {"mode": "drive"}
            for n in range(1, routes + 1)
        ]
    }
    if not routes:
        result = {"error": {"code": "not-found", "message": "there is no way"}}
    return RecordedResult(tool=tool, arguments=arguments(tool, call_arguments), result=result)


def episode(*records: RecordedResult, source: EpisodeOrigin | None = None) -> Episode:
    """Return an episode with these recorded calls."""
    return Episode(
        id="e",
        family=ScenarioFamily.BASIC_PLANNING,
        scenario=Scenario.POINT_TO_POINT,
        query="?",
        context=Context(),
        program=(),
        snapshot=records,
        source=source,
    )


def call(tool: str, call_arguments: Any, id: str | None = None) -> Call:
    """Return an agent's call, whose claimed result has wrong ids of routes."""
    liar = Result(value={"routes": [{"id": f"drive-eeeeeeee-{n}"} for n in range(9)]})
    return Call(id=id, name=tool, arguments=call_arguments, result=liar)


def trace(*calls: Call) -> Trace:
    return Trace(task="e", calls=calls)


DRIVE, RIDE = "driving_planning", "bus_planning"
EPISODE = episode(
    record(DRIVE, PLAIN, 2),
    record(DRIVE, TOLL_FREE, 1, named=False),
    record(RIDE, PLAIN, 3),
    record("walking_planning", PLAIN, 0),
)
TRACE = trace(
    call(DRIVE, PLAIN, "c1"),
    call(RIDE, PLAIN, "c2"),
    call(DRIVE, TOLL_FREE, "c3"),
    call("walking_planning", PLAIN, "c4"),
    call("poi_query", {"keywords": "zoo"}, "c5"),
)
LAST = recorded_route_id(DRIVE, TOLL_FREE, 1)


def route(value: Any, run: Trace = TRACE, own_episode: Episode = EPISODE) -> Any:
    """Return the route in an answer after references to calls are replaced."""
    return resolve_routes(json.dumps({"answer": {"route": value}}), run, own_episode)["answer"]["route"]


@pytest.mark.parametrize(
    ("reference", "id_"),
    [
        ({"call": "c1", "index": 0}, recorded_route_id(DRIVE, PLAIN, 1)),
        ({"call": "c1", "index": 1}, recorded_route_id(DRIVE, PLAIN, 2)),
        ({"call": 1, "index": "2"}, recorded_route_id(RIDE, PLAIN, 3)),
        ({"call": "c3"}, LAST),
        ({"index": 0}, LAST),
        (0, LAST),
        ({"route_index": 0}, LAST),
    ],
    ids=repr,
)
def test_a_reference_to_a_call_becomes_the_id_of_the_recorded_route(reference: Any, id_: str) -> None:
    assert route(reference) == id_
    assert route([reference, "drive-1"]) == [id_, "drive-1"]


@pytest.mark.parametrize(
    "reference",
    [
        {"call": "c1", "index": 2},
        {"call": "c1"},
        {"call": "c9", "index": 0},
        {"call": "c4", "index": 0},
        {"call": "c5", "index": 0},
        {"call": 7, "index": 0},
        {"index": 1},
        {"index": -1},
        {"index": True},
        {"index": "first"},
        1,
        -1,
        True,
        "drive-eeeeeeee-0",
        {"steps": [{"road": "A2"}]},
        {"call": ["c1"], "index": 0},
        {"call": "c1", "index": [0]},
        None,
    ],
    ids=repr,
)
def test_references_that_name_no_recorded_route_are_unchanged(reference: Any) -> None:
    assert route(reference) == reference
    assert route([reference]) == [reference]


def test_the_public_toolkits_answer_names_a_route_of_the_last_planning_call() -> None:
    text = 'The first.\n```json\n{"content": "Take it.", "route_index": 0}\n```'
    assert resolve_routes(text, TRACE, EPISODE) == {"content": "Take it.", "route": LAST}
    assert resolve_routes('{"content": "x", "route_index": "0", "answer": {"duration": 60}}', TRACE, EPISODE) == {
        "content": "x",
        "answer": {"duration": 60, "route": LAST},
    }
    assert resolve_routes('{"route_index": 7}', TRACE, EPISODE) == {"route_index": 7}
    assert resolve_routes('{"route_index": 0, "answer": {"route": "drive-1"}}', TRACE, EPISODE) == {
        "answer": {"route": "drive-1", "route_index": LAST},
    }


def test_calls_by_public_names_are_translated() -> None:
    for name, given, id_ in (
        ("driving_route", PLAIN, recorded_route_id(DRIVE, PLAIN, 1)),
        ("driving_route", PLAIN | {"strategy": ["36"]}, LAST),
        ("bus_route", PLAIN | {"strategy": "0"}, recorded_route_id(RIDE, PLAIN, 1)),
    ):
        assert route({"index": 0}, trace(call(name, given))) == id_
    for name, given in (
        ("driving_route", PLAIN | {"strategy": ["44"]}),
        ("teleport", PLAIN),
        ("driving_route", PLAIN | {"waypoints": [C]}),
    ):
        assert route({"index": 0}, trace(call(name, given))) == {"index": 0}


def test_only_a_call_similar_to_a_recorded_one_has_its_routes() -> None:
    near, far = PLAIN | {"origin": "13.4101,52.51"}, PLAIN | {"origin": "13.414,52.51"}
    assert route({"index": 1}, trace(call(DRIVE, near))) == recorded_route_id(DRIVE, PLAIN, 2)
    assert route({"index": 0}, trace(call(DRIVE, far))) == {"index": 0}


@pytest.mark.parametrize("given", [None, {}, {"origin": A}, PLAIN | {"speed": 9}, {"origin": 5, "destination": B}])
def test_a_wrong_call_has_no_routes(given: Any) -> None:
    assert route({"index": 0}, trace(call(DRIVE, given))) == {"index": 0}
    assert route({"call": "c1", "index": 0}, trace(call(DRIVE, given, "c1"), call(DRIVE, PLAIN))) == {
        "call": "c1",
        "index": 0,
    }


def test_an_id_of_two_planning_calls_is_ambiguous() -> None:
    twice = trace(call(DRIVE, PLAIN, "c"), call(RIDE, PLAIN, "c"))
    assert route({"call": "c", "index": 0}, twice) == {"call": "c", "index": 0}
    once = trace(call(DRIVE, PLAIN, "c"), call("poi_query", {"keywords": "zoo"}, "c"))
    assert route({"call": "c", "index": 0}, once) == recorded_route_id(DRIVE, PLAIN, 1)


@pytest.mark.parametrize("text", [None, "", "Take the first.", "[1]", '{"route": 0, "route": 1}', '{"route_index": 0'])
def test_texts_without_a_valid_answer_are_returned_unchanged(text: str | None) -> None:
    assert resolve_routes(text, TRACE, EPISODE) == (text or "")


def test_an_answer_of_plan_tables_is_returned_unchanged() -> None:
    text = '{"answer": {"level": "slow"}, "places": [], "legs": [], "days": []}'
    assert resolve_routes(text, TRACE, EPISODE) == text


def test_an_unreadable_public_route_keeps_its_index() -> None:
    path = {"distance": "100", "cost": {"duration": "60", "tolls": "0"}, "steps": []}
    result: Any = {"status": "1", "route": {"paths": [{"distance": "far"}, path]}}
    recorded = RecordedResult(tool=DRIVE, arguments=arguments(DRIVE, PLAIN), result=result)
    source = EpisodeOrigin(row=1, sha256="0", scenario="s", family="f")
    run = trace(call("driving_route", PLAIN))
    assert route({"index": 0}, run, episode(recorded, source=source)) == {"index": 0}
    assert route({"index": 1}, run, episode(recorded, source=source)) == recorded_route_id(DRIVE, PLAIN, 2)
