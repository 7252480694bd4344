"""The reference programs for lookups make no superfluous calls and use every part of a query."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations
from typing import Any

import pytest

from planspec.agents.tools import JsonResult
from planspec.families.mobilitybench.episode import Context, Scenario
from planspec.families.mobilitybench.live import LiveTools
from planspec.families.mobilitybench.map import drive, find_pois, grow_city, nearby, traffic_on
from planspec.families.mobilitybench.program import InvalidSlotsError, UnansweredCallError, execute, programs
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.snapshot import Recorder
from planspec.families.mobilitybench.steps import atomic_steps
from tests.families.mobilitybench.program_city import (
    NOW,
    best_route,
    called_tools,
    city,
    context,
    ends,
    location_of,
    recorder,
    run,
    slots_by_scenario,
    tools,
    trip,
)


def test_a_name_selects_one_place_and_a_kind_all_places_of_that_kind() -> None:
    name = ends()[2]
    done = run(Scenario.POI_SEARCH, place=name)
    assert done.given == {"right_places": [name], "asked_where": True}
    assert done.program[0].arguments == {"keywords": name, "city": "London"}
    kind = run(Scenario.POI_SEARCH, place="pharmacy")
    names = [match.poi.name for match in find_pois(city(), "pharmacy") if match.how == "category"]
    assert kind.given == {"right_places": names} and len(names) > 1


def test_a_kind_with_a_district_selects_all_places_of_that_kind_in_the_district() -> None:
    district = next(poi.district for poi in city().pois if poi.category == "restaurant")
    done = run(Scenario.POI_SEARCH, place="restaurant", district=district)
    names = {poi.name for poi in city().pois if poi.category == "restaurant" and poi.district == district}
    assert set(done.given["right_places"]) == names  # type: ignore[arg-type]
    with pytest.raises(UnansweredCallError):
        run(Scenario.POI_SEARCH, place="restaurant", district="Nowhere")


def test_locations_have_addresses_and_names_have_locations() -> None:
    place = city().pois[3]
    by_word = run(Scenario.GEOLOCATION, location="here")
    by_location = run(Scenario.GEOLOCATION, location=str(place.point))
    assert called_tools(by_word) == called_tools(by_location) == ["reverse_geocoding"]
    addresses = by_location.given["right_address"]
    assert isinstance(addresses, list)
    whole, *shorter = addresses
    assert isinstance(whole, str) and whole.endswith(", London, England")
    assert [f"{whole}|".startswith(str(part)) for part in shorter] == [True, True]
    assert run(Scenario.GEOLOCATION, place=place.name).given == {
        "right_places": [place.name],
        "asked_where": True,
    }
    address = city().addresses[5]
    street_address = f"{address.number} {city().roads[address.road].name}"
    done = run(Scenario.GEOLOCATION, address=street_address)
    assert called_tools(done) == ["geocoding"] and done.given["asked_where"] is True
    assert str(done.given["right_places"]).startswith(f"['{street_address}, ")


def test_chinese_addresses_may_omit_province_and_city() -> None:
    chengdu = grow_city("成都市", 1, 300)
    point = str(chengdu.addresses[7].point)
    done = execute(
        programs()[Scenario.GEOLOCATION],
        {"location": point},
        Context(city="成都市"),
        Recorder(LiveTools(chengdu, NOW).ask).call,
    )
    addresses = done.given["right_address"]
    assert isinstance(addresses, list)
    whole, of_city, of_district = addresses
    assert str(whole).startswith("四川省成都市") and of_city == str(whole)[3:] and of_district == str(whole)[6:]


def test_places_within_the_radius_are_listed_nearest_first() -> None:
    centre = ends()[1]
    radius = 1500
    names = [
        near.poi.name
        for near in nearby(city(), location_of(centre), radius, category="restaurant", limit=10)
        if near.poi.name != centre
    ]
    done = run(Scenario.NEARBY_SEARCH, place="restaurant", near=centre, radius=radius)
    assert done.given == {"right_places": names, "at_least": 1}
    assert called_tools(done) == ["poi_query", "nearby_poi_query"]
    nearest = run(Scenario.NEARBY_SEARCH, category="restaurant", near=centre, radius=radius, limit=1)
    assert nearest.given == {"right_places": names, "at_least": 1, "nearest": names[0]}
    three = run(Scenario.NEARBY_SEARCH, place="restaurant", near=centre, radius=radius, limit=3)
    assert three.given["at_least"] == 3
    assert called_tools(run(Scenario.NEARBY_SEARCH, place="restaurant", radius=3000)) == ["nearby_poi_query"]


def test_the_answer_may_be_that_no_places_are_nearby_only_if_a_radius_is_given() -> None:
    lonely = "airport"
    done = run(Scenario.NEARBY_SEARCH, place=lonely, radius=1)
    assert done.given == {"at_least": 0}
    with pytest.raises(UnansweredCallError, match="nothing is near"):
        run(Scenario.NEARBY_SEARCH, place="zzzz")


def test_the_centre_of_a_search_is_not_among_its_results() -> None:
    hotel = next(poi for poi in city().pois if poi.category == "hotel")
    done = run(Scenario.NEARBY_SEARCH, place="hotel", near=hotel.name, radius=5000)
    assert hotel.name not in done.given["right_places"]  # type: ignore[operator]


def test_weather_is_the_current_one_for_today_and_a_forecast_for_other_days() -> None:
    days = [weather.day for weather in city().weather]
    now = run(Scenario.WEATHER, city="London")
    assert now.given == {"weather_days": [days[0]]}
    later = run(Scenario.WEATHER, days=days[1:3])
    assert [call.arguments for call in later.program] == [{"city": "London", "type": "forecast"}]
    assert later.given == {"weather_days": days[1:3]}
    both = run(Scenario.WEATHER, place=ends()[2], days=days[:2])
    assert called_tools(both) == ["poi_query", "weather_query", "weather_query"]
    assert both.given == {"weather_days": days[:2]}
    assert "location" in run(Scenario.WEATHER, location="here").program[0].arguments
    with pytest.raises(UnansweredCallError, match="no weather"):
        run(Scenario.WEATHER, days=[days[8]])


def test_traffic_is_that_of_the_road_at_the_time() -> None:
    words = {"free": "smooth", "slow": "slow", "congested": "congested", "blocked": "severe"}
    for road in city().roads[:12]:
        for time_slots, minute in (({}, NOW), ({"at": "18:00"}, 18 * 60), ({"at": "03:00"}, 180)):
            status = traffic_on(city(), road.name, minute)
            assert status is not None
            done = run(Scenario.TRAFFIC, road=road.name, **time_slots)
            assert done.given == {"right_level": words[status.level]}
            assert called_tools(done) == ["traffic_info_query"]


def test_traffic_near_a_place_or_on_a_route_is_looked_up_for_one_road() -> None:
    near = run(Scenario.TRAFFIC, near=ends()[2])
    assert called_tools(near) == ["poi_query", "reverse_geocoding", "traffic_info_query"]
    way = run(Scenario.TRAFFIC, destination=ends()[2])
    assert called_tools(way) == ["poi_query", "driving_planning", "traffic_info_query"]
    far: dict[str | None, int] = {}
    for step in best_route(drive(city(), *trip(), depart=NOW)).steps:
        if step.road is not None and step.mode == "drive":
            far[step.road] = far.get(step.road, 0) + step.length_m
    assert far[str(way.program[-1].arguments["road"])] == max(far.values())


def test_a_program_has_the_same_result_if_its_recording_is_replayed() -> None:
    assert {scenario for scenario, _ in slots_by_scenario()} == set(Scenario)
    for scenario, own_slots in slots_by_scenario():
        own = Recorder(tools().ask)
        done = execute(programs()[scenario], own_slots, context(), own.call)
        assert len(own.snapshot()) == len(done.program) == len(done.results)
        assert execute(programs()[scenario], own_slots, context(), ReplaySandbox(own.snapshot()).call) == done


def test_no_reference_program_repeats_a_call_and_each_call_is_needed() -> None:
    for scenario, own_slots in slots_by_scenario():
        done = run(scenario, **own_slots)
        assert all(a != b for a, b in combinations(done.program, 2))
        for left_out in done.program:

            def ask(name: str, arguments: Any, left_out: Any = left_out) -> JsonResult:
                if (name, arguments) == (left_out.tool, left_out.arguments):
                    return {"error": {"code": "upstream", "message": "down"}}
                return recorder().call(name, arguments)

            with pytest.raises(UnansweredCallError, match="down"):
                execute(programs()[scenario], own_slots, context(), ask)
    there_and_back = run(Scenario.MULTI_STOP, origin=ends()[2], via=[ends()[1]], destination=ends()[2])
    assert called_tools(there_and_back) == ["poi_query", "poi_query", "driving_planning"]


def test_similar_recorded_calls_give_no_ground_truth() -> None:
    own = Recorder(tools().ask)
    own_slots = {"location": str(city().pois[4].point)}
    execute(programs()[Scenario.GEOLOCATION], own_slots, context(), own.call)
    longitude, latitude = own_slots["location"].split(",")
    near = {"location": f"{longitude},{float(latitude) + 0.0002:.6f}"}
    with pytest.raises(UnansweredCallError, match="similar"):
        execute(programs()[Scenario.GEOLOCATION], near, context(), ReplaySandbox(own.snapshot()).call)


def test_givens_are_declared_in_the_library_and_steps_are_named_in_the_published_list() -> None:
    text = files("planspec.tasks").joinpath("libraries", "mobilitybench.library.yaml").read_text("utf-8")
    parameters = set(re.findall(r"^  (\w+):", text.partition("\ngiven:\n")[2].partition("\nplan:\n")[0], re.MULTILINE))
    assert {"scenario", "right_possible"} <= parameters
    for program in programs().values():
        for variant in program.variants:
            words = [given for by_word in variant.given_for.values() for given in by_word.values()]
            for given in (variant.given, variant.otherwise, *words):
                assert set(given) <= parameters
    for scenario, own_slots in slots_by_scenario():
        assert set(run(scenario, **own_slots).steps) <= set(atomic_steps())


@pytest.mark.parametrize(
    ("scenario", "own_slots"),
    [
        (Scenario.POI_SEARCH, {}),
        (Scenario.POI_SEARCH, {"place": "cafe", "mode": "drive"}),
        (Scenario.POI_SEARCH, {"place": ["cafe"]}),
        (Scenario.GEOLOCATION, {}),
        (Scenario.GEOLOCATION, {"location": "far away"}),
        (Scenario.GEOLOCATION, {"location": "200,95"}),
        (Scenario.GEOLOCATION, {"location": "here", "place": "cafe"}),
        (Scenario.NEARBY_SEARCH, {"place": "cafe", "limit": 11}),
        (Scenario.NEARBY_SEARCH, {"place": "cafe", "limit": True}),
        (Scenario.NEARBY_SEARCH, {"place": "cafe", "radius": "near"}),
        (Scenario.WEATHER, {"days": ["tomorrow"]}),
        (Scenario.TRAFFIC, {"at": "08:00"}),
        (Scenario.TRAFFIC, {"road": "x", "at": "8 am"}),
        (Scenario.ROUTE_PROPERTY, {"destination": "here", "asked": "depart"}),
        (Scenario.TIME, {"destination": "here", "asked": "depart"}),
        (Scenario.OPTIONS, {"destination": "here", "preferences": ["nicest"]}),
        (Scenario.CUSTOMIZED, {"destination": "here", "mode": "rocket"}),
        (Scenario.MULTI_STOP, {"destination": "here"}),
    ],
)
def test_slots_from_which_no_reference_program_can_be_made_are_refused(
    scenario: Scenario, own_slots: dict[str, Any]
) -> None:
    with pytest.raises(InvalidSlotsError):
        run(scenario, **own_slots)


def test_an_ambiguous_name_does_not_select_a_place() -> None:
    with pytest.raises(UnansweredCallError, match="one of several"):
        run(Scenario.POINT_TO_POINT, destination="restaurant", mode="drive")
    with pytest.raises(UnansweredCallError):
        run(Scenario.POINT_TO_POINT, destination="Zzyzx Qqq", mode="drive")
