"""The ten tools on the map of a city. Their results are recorded and replayed, and all options are respected."""

from __future__ import annotations

import json
from itertools import islice, permutations
from typing import Any

import pytest

from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.calls import MODES, TOOLS, canonical_arguments, route_id
from planspec.families.mobilitybench.live import LATEST_MIN, LiveTools, clock_of, minute_of, point_of
from planspec.families.mobilitybench.map import metres
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.snapshot import Recorder
from tests.families.mobilitybench.london import city, tools


def answer_of(name: str, **arguments: Any) -> Any:
    """Return the result of a tool on the city's map, which must not be an error."""
    answer = tools().call(name, arguments)
    assert "error" not in answer, answer
    return answer


def refusal_code(name: str, **arguments: Any) -> str:
    """Return the code of the error with which a tool replies."""
    return str(tools().call(name, arguments)["error"]["code"])


def place_pairs(n: int = 8) -> list[dict[str, str]]:
    """Return pairs of places that are more than 1.5 km apart."""
    pairs = ((a.point, b.point) for a, b in permutations(city().pois[::7], 2) if metres(a.point, b.point) > 1500)
    return [{"origin": str(a), "destination": str(b)} for a, b in islice(pairs, n)]


def test_every_tool_answers_and_is_replayed() -> None:
    way = place_pairs(1)[0]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("poi_query", {"keywords": city().pois[0].name}),
        ("nearby_poi_query", {"location": way["origin"], "radius": 800}),
        ("geocoding", {"address": city().pois[0].address}),
        ("reverse_geocoding", {"location": way["origin"]}),
        ("weather_query", {"city": "London"}),
        ("weather_query", {"location": way["origin"], "type": "forecast"}),
        ("traffic_info_query", {"road": city().roads[0].name, "city": "london", "at": "18:00"}),
        ("driving_planning", way),
        ("bus_planning", way),
        ("bicycling_planning", way),
        ("walking_planning", way),
    ]
    assert {name for name, _ in calls} == set(TOOLS)
    recorder = Recorder(tools().ask)
    answers = [recorder.call(name, arguments) for name, arguments in calls]
    replay = ReplaySandbox(recorder.snapshot())
    assert json.dumps([replay.call(*call) for call in calls]) == json.dumps(answers)
    assert [sorted(answer) for answer in answers] == [["match", "result"]] * len(calls)


def test_routes_satisfy_their_options() -> None:
    kinds = {road.name: road.kind for road in city().roads}
    for way in place_pairs():
        plain = answer_of("driving_planning", **way)["routes"][0]
        assert all(step["class"] == kinds.get(step["road"]) for step in plain["steps"])
        bare = tools().call("driving_planning", way | {"preferences": ["avoid_highways", "avoid_tolls"]})
        if "error" in bare:
            assert bare["error"]["message"].startswith("banned")
        else:
            route = bare["routes"][0]
            assert route["tolls"] == 0
            assert all(kinds.get(step["road"]) != "motorway" for step in route["steps"])
            assert route["duration"] >= plain["duration"]
        assert sum(step["distance"] for step in plain["steps"]) == plain["distance"]
        assert sum(step["duration"] + step["wait"] for step in plain["steps"]) == plain["duration"]


def test_a_route_has_the_id_of_its_call_and_number() -> None:
    first, second = place_pairs(2)
    for name in MODES:
        answers = [tools().call(name, way) for way in (first, second, first)]
        ids = [[route["id"] for route in answer.get("routes", ())] for answer in answers]
        assert ids[0] == ids[2]
        assert ids[0]
        assert not set(ids[0]) & set(ids[1])
        own_arguments = canonical_arguments(read_arguments(TOOLS[name][0], first))
        assert ids[0] == [route_id(name, own_arguments, n) for n in range(1, len(ids[0]) + 1)]


def test_arrival_times_are_met_by_the_latest_departure() -> None:
    for way in place_pairs(4):
        for name in ("driving_planning", "bus_planning"):
            answer = tools().call(name, way | {"arrive_by": "10:00"})
            if "error" not in answer:
                route = answer["routes"][0]
                assert route["arrive"] <= "10:00", name
                later = clock_of(minute_of(route["depart"]) * 60 + 120)
                again = tools().call(name, way | {"depart_at": later})
                assert "error" in again or again["routes"][0]["arrive"] > "10:00", name


def test_a_route_with_waypoints_passes_each_of_them() -> None:
    first, second = place_pairs(2)
    stop = second["destination"]
    route = answer_of("driving_planning", **first, waypoints=[stop])["routes"][0]
    passed = [point_of(p.replace(" ", "")) for step in route["steps"] for p in step["polyline"]]
    assert min(metres(point_of(stop), point) for point in passed) < 400
    assert route["duration"] >= answer_of("driving_planning", **first)["routes"][0]["duration"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("poi_query", {"keywords": "museum", "city": "Atlantis"}),
        ("weather_query", {"city": "Atlantis"}),
        ("poi_query", {"keywords": "zzzzqqqq"}),
        ("traffic_info_query", {"road": "Nowhere Lane", "city": "London"}),
        ("reverse_geocoding", {"location": "0,0"}),
        ("walking_planning", {"origin": "0,0", "destination": "0,0.1"}),
    ],
)
def test_unknown_places_roads_and_cities_are_not_found(name: str, arguments: dict[str, Any]) -> None:
    assert refusal_code(name, **arguments) == "not-found"


def test_a_required_line_is_used_or_there_is_no_route() -> None:
    line = city().lines[0]
    answers = [tools().call("bus_planning", way | {"use_line": line.name}) for way in place_pairs()]
    used = [answer["routes"][0] for answer in answers if "error" not in answer]
    assert all(any(step["line"] == line.name for step in route["steps"]) for route in used)
    assert all(answer["error"]["code"] == "not-found" for answer in answers if "error" in answer)


def test_a_route_that_ends_after_hour_99_59_is_refused() -> None:
    way = place_pairs(1)[0]
    route = answer_of("walking_planning", **way)["routes"][0]
    minutes = minute_of(route["arrive"]) - minute_of(route["depart"])
    last = LiveTools(city(), LATEST_MIN - minutes).call("walking_planning", way)
    assert last["routes"][0]["arrive"] == "99:59"
    late = LiveTools(city(), LATEST_MIN - minutes + 1).call("walking_planning", way)
    assert late["error"]["code"] == "not-found"
    assert late["error"]["message"] == "one would arrive after 99:59, days later"
