"""A call is answered from an equal or a similar recorded call; otherwise it is refused."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.agents.tools import Arguments, RefusedCallError
from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.replay import NEAR, SIMILAR, ReplaySandbox, distance
from planspec.families.mobilitybench.snapshot import Recorder, call_of

ORIGIN, DESTINATION, STOP = "116.40740,39.90420", "116.31000,39.99196", "116.35000,39.95000"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("poi_query", {"keywords": "Summer Palace", "city": "Beijing"}),
    ("poi_query", {"keywords": "Summer Place", "city": "Boston"}),
    ("driving_planning", {"origin": ORIGIN, "destination": DESTINATION}),
    ("driving_planning", {"origin": ORIGIN, "destination": DESTINATION, "waypoints": [STOP]}),
    ("driving_planning", {"origin": ORIGIN, "destination": DESTINATION, "preferences": ["avoid_tolls"]}),
    ("reverse_geocoding", {"location": ORIGIN}),
    ("weather_query", {"city": "Beijing"}),
]


def echo_service(name: str, arguments: Arguments) -> object:
    """Simulate a service: return the arguments. The service does not find Atlantis, and it fails for noon."""
    given_arguments = arguments.model_dump(mode="json", exclude_defaults=True)
    if given_arguments.get("city") == "Atlantis":
        raise RefusedCallError("not-found", "there is no such city")
    if given_arguments.get("at") == "12:00":
        raise ConnectionError("the line is dead")
    return {"tool": name, "asked": given_arguments, "number": len(json.dumps(given_arguments))}


def recorder() -> Recorder:
    """Return a recorder of some calls to the simulated service."""
    own_recorder = Recorder(echo_service)
    for name, arguments in CALLS:
        own_recorder.call(name, arguments)
    return own_recorder


def sandbox() -> ReplaySandbox:
    """Return tools that replay the recorded calls."""
    return ReplaySandbox(recorder().snapshot())


def move_north(place: str, metres: float) -> str:
    """Return a location moved north by a distance."""
    longitude, latitude = map(float, place.split(","))
    return f"{longitude:.6f},{latitude + math.degrees(metres / 6_371_008.8):.6f}"


def test_a_recording_is_replayed_exactly() -> None:
    own_recorder = Recorder(echo_service)
    answers = [own_recorder.call(name, arguments) for name, arguments in [*CALLS, *CALLS[::-1]]]
    replay = ReplaySandbox(own_recorder.snapshot())
    again = [replay.call(name, arguments) for name, arguments in [*CALLS, *CALLS[::-1]]]
    assert json.dumps(again) == json.dumps(answers)
    assert all(answer["match"] == {"kind": "exact"} for answer in answers)
    assert [replay.call_text(*call) for call in CALLS] == [replay.call_text(*call) for call in CALLS]
    assert json.loads(replay.call_text(*CALLS[0])) == answers[0]


def test_the_service_is_called_once_for_each_different_call() -> None:
    names: list[str] = []

    def counting_service(name: str, arguments: Arguments) -> object:
        names.append(name)
        return {"n": len(names)}

    own_recorder = Recorder(counting_service)
    first = own_recorder.call("poi_query", {"keywords": "Summer  Palace"})
    assert own_recorder.call("poi_query", {"keywords": "summer palace"}) == first
    assert names == ["poi_query"]


def test_calls_without_a_result_wrong_calls_and_errors_of_the_service_have_codes() -> None:
    own_recorder = Recorder(echo_service)
    own_recorder.call("poi_query", {"keywords": "temple", "city": "Atlantis"})
    own_recorder.call("traffic_info_query", {"road": "Ring", "city": "Berlin", "at": "12:00"})
    replay = ReplaySandbox(own_recorder.snapshot())
    codes = [
        replay.call("poi_query", {"keywords": "temple", "city": "Atlantis"})["error"]["code"],
        replay.call("traffic_info_query", {"road": "Ring", "city": "Berlin", "at": "12:00"})["error"]["code"],
        replay.call("poi_query", {"keywords": ""})["error"]["code"],
        replay.call("poi_query", {"keywords": "harbour"})["error"]["code"],
        replay.call("time_travel", {})["error"]["code"],
    ]
    assert codes == ["not-found", "upstream", "invalid-arguments", "not-found", "unknown-tool"]


def test_a_similar_name_has_a_score() -> None:
    answer = sandbox().call("poi_query", {"keywords": "Sumer Palace", "city": "beijing"})
    assert answer["match"]["kind"] == "fuzzy"
    assert SIMILAR <= answer["match"]["score"] < 1
    assert answer["match"]["recorded"] == {"city": "beijing", "keywords": "summer palace"}
    assert answer["result"]["asked"]["city"] == "Beijing"


def test_a_name_that_is_not_similar_enough_is_not_found() -> None:
    assert "error" in sandbox().call("poi_query", {"keywords": "Winter Palace of the Tsars", "city": "Beijing"})
    assert "error" in sandbox().call("poi_query", {"keywords": "Summer Palace", "city": "Nanjing"})


@pytest.mark.parametrize(
    ("recorded", "requested"),
    [
        ("East Third Ring Road", "West Third Ring Road"),
        ("Metro Line 12 Terminus", "Metro Line 13 Terminus"),
        ("东三环中路", "西三环中路"),
    ],
)
def test_names_that_differ_in_a_direction_or_a_number_are_not_similar(recorded: str, requested: str) -> None:
    own_recorder = Recorder(echo_service)
    own_recorder.call("traffic_info_query", {"road": recorded, "city": "Beijing"})
    replay = ReplaySandbox(own_recorder.snapshot(), similar=0.5)
    assert "match" in replay.call("traffic_info_query", {"road": recorded, "city": "Bejing"})
    assert replay.call("traffic_info_query", {"road": requested, "city": "Beijing"})["error"]["code"] == "not-found"


def test_equally_near_places_have_a_fixed_order() -> None:
    answers = []
    for places in (("1.00010,0.00000", "0.99990,0.00000"), ("0.99990,0.00000", "1.00010,0.00000")):
        own_recorder = Recorder(echo_service)
        for place in places:
            own_recorder.call("reverse_geocoding", {"location": place})
        answers.append(
            ReplaySandbox(own_recorder.snapshot()).call("reverse_geocoding", {"location": "1.00000,0.00000"})
        )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("metres", [20, NEAR - 2])
def test_the_distance_to_the_nearest_recorded_place_is_returned(metres: float) -> None:
    answer = sandbox().call("reverse_geocoding", {"location": move_north(ORIGIN, metres)})
    assert answer["match"]["kind"] == "near"
    assert abs(answer["match"]["metres"] - metres) < 2


def test_a_place_that_is_too_far_away_is_not_found() -> None:
    assert "error" in sandbox().call("reverse_geocoding", {"location": move_north(ORIGIN, NEAR + 5)})


def test_calls_with_different_waypoints_or_options_are_not_similar() -> None:
    replay = sandbox()
    way = {"origin": move_north(ORIGIN, 10), "destination": DESTINATION}
    assert replay.call("driving_planning", way)["match"]["recorded"].keys() == {"origin", "destination"}
    through = replay.call("driving_planning", way | {"waypoints": [move_north(STOP, 15)]})
    assert through["result"]["asked"]["waypoints"] == [STOP]
    assert through["match"]["recorded"]["waypoints"] == [STOP], "what a tool says is JSON"
    for unheard in (
        {"waypoints": [STOP, DESTINATION]},
        {"waypoints": ["116.00000,39.00000"]},
        {"preferences": ["avoid_highways"]},
        {"depart_at": "08:00"},
        {"avoid_roads": ["Ring Road"]},
        {"traffic_aware": False},
    ):
        assert replay.call("driving_planning", way | unheard)["error"]["code"] == "not-found", unheard


def test_exchanged_coordinates_in_range_are_suspected() -> None:
    own_recorder = Recorder(echo_service)
    own_recorder.call("reverse_geocoding", {"location": "13.40500,52.52000"})
    message = ReplaySandbox(own_recorder.snapshot()).call("reverse_geocoding", {"location": "52.52000,13.40500"})[
        "error"
    ]["message"]
    assert "the longitude comes first" in message


@given(st.integers(0, 10**6))
def test_the_nearest_recorded_place_is_used_in_any_order_of_records(seed: int) -> None:
    random = Random(seed)
    places = [move_north(ORIGIN, random.uniform(-150, 150)) for _ in range(6)]
    requested = move_north(ORIGIN, random.uniform(-40, 40))
    answers = []
    for order in (places, places[::-1]):
        own_recorder = Recorder(echo_service)
        for place in order:
            own_recorder.call("reverse_geocoding", {"location": place})
        answers.append(ReplaySandbox(own_recorder.snapshot()).call("reverse_geocoding", {"location": requested}))
    distances = [float(answer["match"].get("metres", 0)) for answer in answers]
    least = min(distance(requested, place) for place in places)
    assert distances[0] == distances[1]
    assert abs(distances[0] - least) < 1.3  # the canonical form rounds to about a metre


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"tool": "fly", "arguments": {}, "result": 1},
        {"tool": "poi_query", "arguments": {"keywords": ""}, "result": 1},
    ],
)
def test_a_record_that_is_not_a_call_is_refused(record: dict[str, Any]) -> None:
    with pytest.raises((KeyError, ValueError)):
        call_of(record)


@given(st.sampled_from(sorted(TOOLS)), st.dictionaries(st.text(max_size=9), st.text(max_size=9) | st.integers()))
def test_any_call_is_answered(tool: str, arguments: dict[str, Any]) -> None:
    answer = sandbox().call(tool, arguments)
    assert set(answer) in ({"match", "result"}, {"error"})
