"""Answers to each of the eleven scenarios, with verdicts written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.families.mobilitybench.format.answers import GIVEN, failures, judge

EAST = "drive-dddddddd-1"
JUDGED: list[tuple[str, Any, list[str]]] = [
    ("poi_search", {"place": "Zoo"}, []),
    ("poi_search", {"place": {"name": "zoo", "location": "13.420000,52.520000"}}, []),
    ("poi_search", {"location": "13.4201,52.5201"}, []),
    ("poi_search", {"place": "Central Station"}, ["right-place"]),
    ("poi_search", {"place": "Zoo or Central Station"}, ["place", "right-place"]),
    ("poi_search", {"place": {"name": "Zoo", "location": "13.41,52.51"}}, ["place"]),
    ("geolocation_query", {"address": "12 Elm Street, Millwood"}, []),
    ("geolocation_query", {"address": "武汉市新洲区阳逻街道金江路12号"}, []),
    ("geolocation_query", {"address": "12 Elm Street, Millwood", "location": "9.0,48.0"}, []),
    ("geolocation_query", {"address": "14 Elm Street, Millwood"}, ["right-address"]),
    ("geolocation_query", {"address": "12 or 14 Elm Street, Millwood"}, ["right-address"]),
    ("geolocation_query", {"place": "12 Elm Street, Millwood, London, England"}, ["right-address"]),
    ("nearby_search", {"places": ["春安咖啡", "Baker Coffee"]}, []),
    ("nearby_search", {"places": [{"name": "春安咖啡", "location": "13.4005,52.5"}, "Baker Coffee"]}, []),
    ("nearby_search", {"places": ["春安咖啡", "春安咖啡"]}, []),
    ("nearby_search", {"places": ["Baker Coffee", "春安咖啡"]}, ["nearest-first"]),
    ("nearby_search", {"places": ["春安咖啡"]}, ["enough-places"]),
    ("nearby_search", {"places": ["春安咖啡", "Baker Coffee", "Zoo"]}, ["near-places"]),
    ("nearby_search", {"places": ["Baker Coffee", "Baker Coffee"]}, ["enough-places", "nearest-first"]),
    ("nearby_search", {"places": []}, ["enough-places", "nearest-first"]),
    (
        "weather_query",
        {"weather": [{"day": "2026-05-11", "weather": "小雨"}, {"day": "2026-05-12", "weather": "Clear, 21°C"}]},
        [],
    ),
    (
        "weather_query",
        {
            "weather": [
                {"day": "2026-05-11", "weather": "light rain"},
                {"day": "2026-05-12", "weather": "sunny or cloudy"},
            ]
        },
        ["right-weather"],
    ),
    (
        "weather_query",
        {"weather": [{"day": "2026-05-11", "weather": "light rain", "low": 8}, {"day": "2026-05-12", "weather": "晴"}]},
        ["right-temperatures"],
    ),
    ("weather_query", {"weather": [{"day": "2026-05-11", "weather": "light rain"}]}, ["right-weather"]),
    ("traffic_info_query", {"level": "拥堵"}, []),
    ("traffic_info_query", {"level": "First Street: traffic is congested in the morning peak, about 12 km/h."}, []),
    ("traffic_info_query", {"level": "严重拥堵"}, ["right-level"]),
    ("traffic_info_query", {"level": "congested or smooth"}, ["level", "right-level"]),
    ("traffic_info_query", {"level": "not that congested"}, ["level", "right-level"]),
    ("route_property_query", {"distance": "4.1 km", "traffic_lights": 3}, []),
    ("route_property_query", {"distance": 4000, "traffic_lights": "3个"}, []),
    ("route_property_query", {"distance": "4.3公里", "traffic_lights": 3}, ["right-length"]),
    ("route_property_query", {"distance": 4000, "traffic_lights": 4}, ["right-lights"]),
    ("route_property_query", {"distance": "4 or 5 km", "traffic_lights": 3}, ["distance", "right-length"]),
    ("arrival_departure_time_query", {"depart": "07:30", "possible": True}, []),
    ("arrival_departure_time_query", {"depart": "早上7点半", "possible": "来得及"}, []),
    ("arrival_departure_time_query", {"depart": "7:40 am", "possible": True}, ["right-departure"]),
    (
        "arrival_departure_time_query",
        {"depart": "07:35 pm", "possible": False},
        ["right-departure", "right-possibility"],
    ),
    ("point_to_point_planning", {"route": "drive-aaaaaaaa-1"}, []),
    (
        "point_to_point_planning",
        {"route": {"steps": [{"road": "First Street"}, {"road": "Second Street"}]}, "duration": "20 min"},
        [],
    ),
    ("point_to_point_planning", {"route": "drive-aaaaaaaa-1", "duration": 300}, ["told-time"]),
    ("point_to_point_planning", {"route": "transit-bbbbbbbb-1"}, ["by", "sensible"]),
    ("point_to_point_planning", {"duration": 1200, "distance": 4000}, ["undelivered"]),
    ("point_to_point_planning", {"route": {"index": 0}}, ["legs.route", "starts", "ends", "by", "sensible"]),
    ("multi_stop_planning", {"route": ["drive-aaaaaaaa-1", EAST]}, []),
    (
        "multi_stop_planning",
        {"route": ["drive-aaaaaaaa-1", {"steps": [{"road": "East Ring", "mode": "walking"}]}], "duration": "35分钟"},
        [],
    ),
    ("multi_stop_planning", {"route": "drive-aaaaaaaa-1"}, ["ends"]),
    ("multi_stop_planning", {"route": ["drive-aaaaaaaa-2", EAST]}, ["via", "via-in-order"]),
    ("multi_stop_planning", {"route": [EAST, "drive-aaaaaaaa-1"]}, ["starts", "ends", "unbroken"]),
    ("option_constrained_route_planning", {"route": "drive-aaaaaaaa-1", "tolls": 0}, []),
    ("option_constrained_route_planning", {"route": {"steps": [{"road": "A2"}]}}, ["no-tolls"]),
    ("option_constrained_route_planning", {"route": "drive-aaaaaaaa-1", "tolls": "2.50 EUR"}, ["told-counts"]),
    ("customized_planning", {"route": "transit-bbbbbbbb-1", "depart": "08:05", "fare": "€2.80"}, []),
    (
        "customized_planning",
        {"route": {"steps": [{"line": "地铁2号线"}, {"line": "bus 10", "to": "Zoo"}]}, "depart": "08:05"},
        [],
    ),
    (
        "customized_planning",
        {"route": {"steps": [{"line": "Metro Line 3"}, {"line": "bus 10"}]}},
        ["legs.route", "starts", "ends", "by", "use-line", "departs"],
    ),
    ("customized_planning", {"route": "drive-aaaaaaaa-1"}, ["by", "use-line"]),
    ("customized_planning", {"route": "transit-bbbbbbbb-1", "transfers": "direct"}, ["told-counts"]),
]


@pytest.mark.parametrize(("scenario", "answer", "fails"), JUDGED, ids=repr)
def test_verdicts_equal_those_given_by_hand(scenario: str, answer: Any, fails: list[str]) -> None:
    assert sorted(failures(scenario, answer)) == sorted(fails)


def test_each_scenario_has_answers_that_pass_and_that_fail() -> None:
    for scenario in GIVEN:
        judged = [bool(fails) for name, _, fails in JUDGED if name == scenario]
        assert True in judged
        assert False in judged


CONSTANT: tuple[Any, ...] = (
    {"place": "Zoo, Central Station, Millgate East"},
    {"places": ["Zoo", "Central Station", "春安咖啡", "Baker Coffee"]},
    {"level": "畅通 缓行 拥堵 严重拥堵"},
    {"address": "12 Elm Street, 14 Elm Street, Millwood, London"},
    {"weather": "sunny, cloudy, overcast, light rain"},
    {"route": {"index": 0}},
    {"route": ["drive-1"]},
    {"route_index": 0},
    {"duration": "1-60 min", "distance": "1-100 km", "traffic_lights": "0-9"},
    {"depart": "00:00-23:59", "possible": "yes or no"},
    {"content": "公里 分钟 路线", "route_index": "0"},
)


@pytest.mark.parametrize("answer", CONSTANT, ids=repr)
@pytest.mark.parametrize("scenario", GIVEN)
def test_an_answer_that_lists_everything_fails(scenario: str, answer: Any) -> None:
    assert failures(scenario, answer)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"route": []},
        {"route": ""},
        {"route": {"steps": []}},
        {"route": None},
        {"place": {"name": " "}},
        {"weather": [{}]},
        {"content": "I do not know"},
        {"steps": ["look"]},
        {"places": None},
        {"route_index": ""},
    ],
    ids=repr,
)
def test_an_empty_answer_is_undelivered(answer: Any) -> None:
    for scenario in GIVEN:
        assert failures(scenario, answer) == ["undelivered"]
        whole = {"intent": "Traffic", "constraints": {"road": "A2"}, "steps": ["x"], "content": "y", **answer}
        assert failures(scenario, whole) == ["undelivered"]


def test_an_empty_list_of_places_is_an_answer() -> None:
    assert "undelivered" not in failures("nearby_search", {"places": []})


def test_a_plan_without_legs_has_no_route() -> None:
    verdict = judge("point_to_point_planning").answer({"legs": [], "answer": {"depart": "08:00"}})
    assert "a-way" in {f.constraint for f in verdict.findings if f.status == "violated"}
