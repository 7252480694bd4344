"""Arguments of the ten tools, and the canonical form of calls."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.agents.tools import RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import (
    MODES,
    NAMES,
    PLACES,
    TOOLS,
    canonical_arguments,
    folded,
    normalise_location,
    route_id,
)

ROUTE = {"origin": "116.407400,39.904200", "destination": "116.310003,39.991957"}


def read(tool: str, **arguments: Any) -> Any:
    """Return the arguments of a call as the tool reads them."""
    return read_arguments(TOOLS[tool][0], arguments)


def refusal_message(tool: str, **arguments: Any) -> str:
    """Return the message with which a tool refuses wrong arguments."""
    with pytest.raises(RefusedCallError) as raised:
        read(tool, **arguments)
    assert raised.value.code == "invalid-arguments"
    return raised.value.message


def test_there_are_ten_tools_and_each_has_a_strict_schema() -> None:
    assert len(TOOLS) == 10
    for model, _ in TOOLS.values():
        schema = model.model_json_schema()
        assert schema["additionalProperties"] is False
        assert set(schema.get("required", [])) <= set(schema["properties"])


@pytest.mark.parametrize("text", ["200.0,95.0", "116.4", "", "116.4;39.9", "x,y", "nan,39.9", "1e2,39", "116.4,39.9,5"])
def test_strings_that_only_resemble_coordinates_are_refused(text: str) -> None:
    assert "location" in refusal_message("reverse_geocoding", location=text)


def test_exchanged_coordinates_are_reported() -> None:
    assert "the longitude comes first" in refusal_message("reverse_geocoding", location="39.9042,116.4074")


@pytest.mark.parametrize(
    ("tool", "arguments", "about"),
    [
        ("poi_query", {}, "keywords"),
        ("poi_query", {"keywords": 7}, "keywords"),
        ("poi_query", {"keywords": "museum", "limit": "5"}, "limit"),
        ("poi_query", {"keywords": "museum", "limit": 51}, "limit"),
        ("poi_query", {"keywords": "museum", "colour": "red"}, "colour"),
        ("nearby_poi_query", {"location": "1,1", "radius": 0}, "radius"),
        ("weather_query", {}, "city"),
        ("weather_query", {"city": "Berlin", "location": "13.4,52.5"}, "city"),
        ("traffic_info_query", {"road": "Ring", "city": "Berlin", "at": "25:00"}, "at"),
        (
            "driving_planning",
            ROUTE | {"preferences": ["avoid_highways", "prefer_highways"]},
            "exclude each other",
        ),
        ("driving_planning", ROUTE | {"preferences": ["scenic"]}, "preferences"),
        ("driving_planning", ROUTE | {"depart_at": "07:00", "arrive_by": "08:00"}, "not both"),
        ("driving_planning", ROUTE | {"waypoints": ["1,1"] * 17}, "waypoints"),
        ("driving_planning", ROUTE | {"traffic_aware": "yes"}, "traffic_aware"),
        ("bus_planning", ROUTE | {"max_transfers": -1}, "max_transfers"),
        ("walking_planning", {"origin": ROUTE["origin"]}, "destination"),
    ],
)
def test_wrong_arguments_are_named(tool: str, arguments: dict[str, Any], about: str) -> None:
    assert about in refusal_message(tool, **arguments)


def test_equivalent_calls_have_the_same_canonical_form() -> None:
    a = read("driving_planning", **ROUTE, preferences=["fastest", "avoid_tolls"], depart_at="7:30", waypoints=None)
    b = read(
        "driving_planning",
        origin="116.4074, 39.9042",
        destination="116.3100031,39.9919571",
        preferences=["avoid_tolls", "fastest"],
        depart_at="07:30:00",
        traffic_aware=True,
    )
    assert canonical_arguments(a) == canonical_arguments(b)


def test_waypoints_keep_their_order() -> None:
    forward = canonical_arguments(read("driving_planning", **ROUTE, waypoints=["1,1", "2,2"]))
    back = canonical_arguments(read("driving_planning", **ROUTE, waypoints=["2,2", "1,1"]))
    assert forward != back


def test_similar_calls_differ_only_in_names_and_places() -> None:
    """In similar calls, names and places may differ a little. All other arguments must be equal."""
    fields = {name for model, _ in TOOLS.values() for name in model.model_fields}
    assert {"waypoints", "origin", "destination", "location"} == PLACES
    assert fields - NAMES - PLACES == {
        "limit",
        "radius",
        "sort",
        "type",
        "at",
        "depart_at",
        "arrive_by",
        "preferences",
        "traffic_aware",
        "preference",
        "modes",
        "max_transfers",
    }


@given(st.floats(-180, 180), st.floats(-90, 90))
def test_a_coordinate_is_rounded(longitude: float, latitude: float) -> None:
    text = f"{longitude:.9f},{latitude:.9f}"
    ((_, place),) = canonical_arguments(read("reverse_geocoding", location=text))
    x, y = map(float, place.split(","))
    assert abs(x - longitude) <= 0.51e-5
    assert abs(y - latitude) <= 0.51e-5
    assert canonical_arguments(read("reverse_geocoding", location=place)) == (("location", place),)
    assert "-0.00000" not in place.split(",")


@given(
    st.dictionaries(st.text(max_size=12), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()))
)
def test_any_arguments_are_read_or_refused(arguments: dict[str, Any]) -> None:
    for name in TOOLS:
        try:
            own_call = read(name, **arguments)
        except RefusedCallError:
            continue
        assert {field for field, _ in canonical_arguments(own_call)} <= set(arguments)


def test_equal_calls_have_equal_route_ids_after_a_round_trip() -> None:
    given_arguments = canonical_arguments(read("driving_planning", **ROUTE, preferences=["avoid_tolls", "fastest"]))
    stored = json.loads(json.dumps(dict(given_arguments)))
    name = route_id("driving_planning", given_arguments, 1)
    assert re.fullmatch(r"drive-[0-9a-f]{8}-1", name)
    assert route_id("driving_planning", stored, 1) == name
    assert route_id("driving_planning", dict(reversed(stored.items())), 2) == name[:-1] + "2"


def test_different_calls_have_different_route_ids() -> None:
    walk = canonical_arguments(read("walking_planning", **ROUTE))
    plans = {route_id(tool, walk, 1).partition("-")[2] for tool in MODES}
    assert len(plans) == len(MODES)
    later = canonical_arguments(read("driving_planning", **ROUTE, depart_at="08:00"))
    assert route_id("driving_planning", later, 1) != route_id("driving_planning", walk, 1)


def test_a_location_has_one_canonical_form() -> None:
    assert (
        normalise_location(" 116.4074004 , 39.9042 ")
        == normalise_location("116.407400,39.904200")
        == "116.40740,39.90420"
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("München", "munchen", True),
        ("Việt  Nam", "VIET NAM", True),
        ("バス", "ハ\u3099ス", True),
        ("バス", "ﾊﾞｽ", True),
        ("バス", "ハス", False),
        ("ポスト", "ホスト", False),
        ("Кий", "Кии", False),
        ("２番街", "2番街", True),
    ],
)
def test_names_are_compared_without_accents_on_latin_letters_only(one: str, other: str, same: bool) -> None:
    assert (folded(one) == folded(other)) == same
