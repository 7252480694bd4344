from typing import Any

import pytest

from planspec.agents.tools import RefusedCallError, read_arguments
from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.public.translation import UntranslatableCall, translate_call

ENDS = {"origin": "120.1,30.1", "destination": "120.2,30.2"}


@pytest.mark.parametrize(
    ("name", "public_arguments", "tool", "arguments"),
    [
        ("query_poi", {"keywords": "x", "city": "甲市"}, "poi_query", {"keywords": "x", "city": "甲市"}),
        ("query_poi", {"keywords": "x", "city": None}, "poi_query", {"keywords": "x"}),
        ("query_poi", {"keywords": "x", "city": ""}, "poi_query", {"keywords": "x"}),
        (
            "search_around_poi",
            {"location": "1,2", "keywords": "x"},
            "nearby_poi_query",
            {"location": "1,2", "keywords": "x", "radius": 10_000},
        ),
        (
            "search_around_poi",
            {"location": "1,2", "keywords": "x", "radius": 500},
            "nearby_poi_query",
            {"location": "1,2", "keywords": "x", "radius": 500},
        ),
        ("walking_route", ENDS, "walking_planning", ENDS),
        ("bicycling_route", ENDS, "bicycling_planning", ENDS),
        ("driving_route", ENDS, "driving_planning", ENDS),
        (
            "driving_route",
            ENDS | {"strategy": [], "waypoints": ["1,2"]},
            "driving_planning",
            ENDS | {"waypoints": ["1,2"]},
        ),
        (
            "driving_route",
            ENDS | {"strategy": ["不走高速"]},
            "driving_planning",
            ENDS | {"preferences": ["avoid_highways"]},
        ),
        (
            "driving_route",
            ENDS | {"strategy": ["less_toll", "躲避拥堵"]},
            "driving_planning",
            ENDS | {"preferences": ["avoid_tolls"]},
        ),
        (
            "driving_route",
            ENDS | {"strategy": 42},
            "driving_planning",
            ENDS | {"preferences": ["avoid_tolls", "avoid_highways"]},
        ),
        ("driving_route", ENDS | {"strategy": "32"}, "driving_planning", ENDS),
        ("bus_route", ENDS, "bus_planning", ENDS),
        ("bus_route", ENDS | {"strategy": "0"}, "bus_planning", ENDS),
        ("bus_route", ENDS | {"strategy": "1"}, "bus_planning", ENDS | {"preference": "cheapest"}),
        ("bus_route", ENDS | {"strategy": "2"}, "bus_planning", ENDS | {"preference": "fewest_transfers"}),
        ("bus_route", ENDS | {"strategy": "3"}, "bus_planning", ENDS | {"preference": "least_walking"}),
        ("bus_route", ENDS | {"strategy": "5"}, "bus_planning", ENDS | {"modes": ["bus", "tram", "ferry"]}),
        ("bus_route", ENDS | {"strategy": "8"}, "bus_planning", ENDS | {"preference": "fastest"}),
        ("weather_query", {"city": "甲市"}, "weather_query", {"city": "甲市", "type": "current"}),
        (
            "weather_query",
            {"city": "甲市", "need_forecast": True},
            "weather_query",
            {"city": "甲市", "type": "forecast"},
        ),
        (
            "reverse_geocoding",
            {"longitude": "120.1", "latitude": 30.1, "radius": 500},
            "reverse_geocoding",
            {"location": "120.1,30.1", "radius": 500},
        ),
        ("traffic_status", {"name": "环路", "city": "甲市"}, "traffic_info_query", {"road": "环路", "city": "甲市"}),
        (
            "traffic_status_road_api",
            {"name": "环路", "city": "甲市"},
            "traffic_info_query",
            {"road": "环路", "city": "甲市"},
        ),
    ],
)
def test_a_translated_call_is_valid_by_planspecs_schema(
    name: str, public_arguments: dict[str, Any], tool: str, arguments: dict[str, Any]
) -> None:
    assert translate_call(name, public_arguments) == (tool, arguments)
    read_arguments(TOOLS[tool][0], arguments)


@pytest.mark.parametrize(
    ("name", "public_arguments"),
    [
        ("query_poi", {"city": "甲市"}),
        ("query_poi", {"keywords": "x", "unexpected_field": "x"}),
        ("query_poi", "x"),
        ("search_around_poi", {"location": "200.0,95.0", "keywords": "x"}),
        ("search_around_poi", {"location": "1,2", "radius": "near"}),
        ("walking_route", {"origin": "1,2"}),
        ("driving_route", ENDS | {"waypoints": "1,2"}),
        ("driving_route", ENDS | {"strategy": ["不走高速", "高速优先"]}),
        ("weather_query", {"city": "甲市", "need_forecast": "yes"}),
        ("reverse_geocoding", {"longitude": "120.1"}),
        ("reverse_geocoding", {"longitude": "999", "latitude": "-999"}),
        ("reverse_geocoding", {"longitude": True, "latitude": "1"}),
        ("traffic_status", {"name": "环路"}),
    ],
)
def test_the_translation_of_a_wrong_call_is_wrong(name: str, public_arguments: Any) -> None:
    ours = translate_call(name, public_arguments)
    assert not isinstance(ours, UntranslatableCall)
    with pytest.raises(RefusedCallError):
        read_arguments(TOOLS[ours[0]][0], ours[1])


@pytest.mark.parametrize(
    ("name", "public_arguments", "cause", "reason"),
    [
        ("driving_route", {"strategy": ["大路优先"]}, "counterpart", "main roads first"),
        ("driving_route", {"strategy": ["不走高速", "main_road"]}, "counterpart", "main roads first"),
        ("driving_route", {"strategy": 37}, "counterpart", "main roads first"),
        ("driving_route", {"strategy": "2"}, "counterpart", "a balance of length and time"),
        ("driving_route", {"strategy": ["飞"]}, "choice", "`飞` is no driving strategy"),
        ("driving_route", {"strategy": True}, "choice", "`True` is no driving strategy"),
        ("driving_route", {"strategy": [["35"]]}, "choice", "no driving strategy"),
        ("bus_route", {"strategy": "4"}, "counterpart", "comfort"),
        ("bus_route", {"strategy": 7}, "counterpart", "the subway first"),
        ("bus_route", {"strategy": "9"}, "choice", "`9` is no strategy of the bus tool"),
        ("taxi", {}, "tool", "no tool `taxi`"),
        (None, {}, "tool", "no tool `None`"),
    ],
)
def test_calls_without_a_counterpart_are_not_translated(
    name: Any, public_arguments: Any, cause: str, reason: str
) -> None:
    ours = translate_call(name, public_arguments)
    assert isinstance(ours, UntranslatableCall)
    assert ours.cause == cause and reason in ours.reason


def test_every_tool_of_the_toolkit_is_translated_to_one_of_planspecs() -> None:
    from planspec.families.mobilitybench.episode import TOOLS as NAMES

    for name, tool in NAMES.items():
        ours = translate_call(name, {})
        assert not isinstance(ours, UntranslatableCall) and ours[0] == tool and tool in TOOLS
