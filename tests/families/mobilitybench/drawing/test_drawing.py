"""Randomly drawn requests fit the map."""

import re
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest

from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.calls import TOOLS, folded
from planspec.families.mobilitybench.drawing import RequestDraft, Scene, decoy_calls
from planspec.families.mobilitybench.drawing.lookups import spoken_city
from planspec.families.mobilitybench.drawing.trips import BANDS
from planspec.families.mobilitybench.episode import Scenario, StandardCall
from planspec.families.mobilitybench.live import LiveTools, minute_of
from planspec.families.mobilitybench.map import Point, atlas, find_pois, metres, town_of
from tests.families.mobilitybench.drawing.towns import CITIES, drafts, scene, town

both = pytest.mark.parametrize("name", CITIES)


def point(drawing: Scene, slots: dict[str, Any], slot: str, user_location: Point) -> Point:
    """Return the location that a slot names, or the user's location if the request lacks the slot."""
    name = slots.get(slot, "here")
    return user_location if name == "here" else next(p.point for p in drawing.city.pois if p.name == name)


def trips(name: str, scenario: Scenario, count: int) -> list[tuple[Scene, RequestDraft, Any]]:
    """Draw requests of a scenario. Return each with its scene and its slots."""
    return [(drawing, draft, draft.slots) for drawing, draft in drafts(scenario, name, count)]


# ------------------------------------------------------------------ places


@both
def test_a_name_finds_only_the_place_with_this_name(name: str) -> None:
    region = town(name)
    assert len(region.pois) > 60
    names = [folded(n) for p in region.city.pois for n in (p.name, *p.aliases)]
    for poi in region.pois:
        assert names.count(folded(poi.name)) == 1
        first, *others = find_pois(region.city, poi.name)
        assert first.poi is poi and first.how == "exact" and all(m.how != "exact" for m in others)


@both
def test_no_request_names_a_ramp_or_a_numbered_street(name: str) -> None:
    region = town(name)
    assert region.streets
    for road in region.city.roads:
        if road.name in set(region.streets):
            assert not road.english.endswith("Ramp") and not road.name[-1].isdigit()


@both
def test_routes_have_a_length_suitable_for_their_mode_of_transport(name: str) -> None:
    for drawing, draft, slots in trips(name, Scenario.POINT_TO_POINT, 25):
        mode = str(slots.get("mode", draft.travel_tool))
        start, end = (point(drawing, slots, slot, draft.user_location) for slot in ("origin", "destination"))
        least, most = (BANDS[mode][0][0], BANDS[mode][-1][1]) if mode in BANDS else (800, 2_600_000)
        assert least - 80 <= metres(start, end) <= most + 80


@both
def test_stops_on_the_way_are_near_the_route(name: str) -> None:
    for drawing, draft, slots in trips(name, Scenario.MULTI_STOP, 15):
        ends = [point(drawing, slots, slot, draft.user_location) for slot in ("origin", "destination")]
        assert len(set(slots["via"])) == len(slots["via"]) > 0
        for via in slots["via"]:
            stop = next(p.point for p in drawing.city.pois if p.name == via)
            assert metres(ends[0], stop) + metres(stop, ends[1]) < 1.5 * metres(*ends) + 300
        stops = [slots.get("origin"), *slots["via"], slots["destination"]]
        assert all(a != b for a, b in pairwise(stops))


@both
def test_a_user_who_names_no_origin_is_near_a_street(name: str) -> None:
    seen = set()
    for drawing, draft, slots in trips(name, Scenario.POINT_TO_POINT, 25):
        seen.add(slots.get("origin") in (None, "here"))
        nearest = min(metres(draft.user_location, junction.point) for junction in drawing.city.junctions)
        assert nearest < 400
    assert seen == {True, False}


# ------------------------------------------------------------------ times


@both
def test_days_are_within_the_forecast(name: str) -> None:
    seen: set[str] = set()
    for drawing, draft in drafts(Scenario.WEATHER, name, 30):
        days: Any = draft.slots.get("days", [])
        begin = date.fromisoformat(drawing.city.today)
        assert all(begin <= date.fromisoformat(day) <= begin + timedelta(4) for day in days)
        seen |= set(days)
    assert len(seen) >= 4


@pytest.mark.slow
@both
def test_departures_are_after_now_and_before_midnight(name: str) -> None:
    for scenario in (Scenario.TIME, Scenario.POINT_TO_POINT, Scenario.OPTIONS):
        for drawing, _, slots in trips(name, scenario, 8):
            for slot in {"depart_at", "arrive_by"} & set(slots):
                assert drawing.now < minute_of(slots[slot]) < 24 * 60
            if slots.get("asked") == "possible":
                assert minute_of(slots["depart_at"]) < minute_of(slots["arrive_by"])


@both
def test_some_trips_are_possible_and_some_are_not(name: str) -> None:
    outcomes = set()
    for drawing, draft, slots in trips(name, Scenario.TIME, 60):
        if slots["asked"] == "possible" and slots.get("mode", draft.travel_tool) == "drive":
            start, end = (point(drawing, slots, slot, draft.user_location) for slot in ("origin", "destination"))
            trip = {"origin": str(start), "destination": str(end), "depart_at": slots["depart_at"]}
            answer = LiveTools(drawing.city, drawing.now).call("driving_planning", trip)
            gap = minute_of(slots["arrive_by"]) - minute_of(answer["routes"][0]["arrive"])
            assert abs(gap) >= 4
            outcomes.add(gap > 0)
    assert outcomes == {True, False}


# ------------------------------------------------------------------ preferences


@pytest.mark.sampled(2)
@pytest.mark.slow
@both
def test_most_preferences_change_the_best_route(name: str) -> None:
    for scenario in (Scenario.OPTIONS, Scenario.CUSTOMIZED):
        bites = [draft.wishes_are_binding for _, draft in drafts(scenario, name, 15)]
        assert None not in bites and bites.count(True) >= 11


@pytest.mark.sampled(2)
@pytest.mark.slow
@both
def test_roads_and_lines_to_avoid_are_on_the_route_that_is_best_without_options(name: str) -> None:
    seen = set()
    for drawing, draft, slots in trips(name, Scenario.CUSTOMIZED, 25):
        if "via" in slots:
            continue
        start, end = (point(drawing, slots, slot, draft.user_location) for slot in ("origin", "destination"))
        more = {"depart_at": slots["depart_at"]} if "depart_at" in slots else {}
        for slot, tool, step in (
            ("avoid_roads", "driving_planning", "road"),
            ("avoid_lines", "bus_planning", "line"),
        ):
            if slot in slots:
                plain = drawing.routes(tool, origin=str(start), destination=str(end), **more)[0]
                assert set(slots[slot]) <= {s[step] for s in plain["steps"]}
                assert drawing.routes(tool, origin=str(start), destination=str(end), **more, **{slot: slots[slot]})
                seen.add(slot)
    assert seen == {"avoid_roads", "avoid_lines"}


# ------------------------------------------------------------------ decoys: calls that no answer needs


@pytest.mark.parametrize("name", CITIES)
def test_decoy_calls_are_valid_for_their_tools(name: str) -> None:
    drawing = scene(name, 1)
    city = drawing.city.name
    a, b, c = (str(poi.point) for poi in drawing.town.pois[:3])
    word = "药店" if drawing.language == "zh" else "pharmacy"
    needed: list[tuple[str, dict[str, Any]]] = [
        ("poi_query", {"keywords": word, "city": city, "limit": 50}),
        ("poi_query", {"keywords": drawing.town.pois[0].name, "city": city}),
        ("nearby_poi_query", {"location": a, "keywords": word}),
        ("weather_query", {"city": city}),
        ("weather_query", {"location": b}),
        ("traffic_info_query", {"road": drawing.town.streets[0], "city": city}),
        ("reverse_geocoding", {"location": a}),
        ("geocoding", {"address": drawing.town.pois[0].address, "city": city}),
        (
            "driving_planning",
            {
                "origin": a,
                "destination": b,
                "waypoints": [c],
                "preferences": ["avoid_tolls", "fastest"],
                "avoid_roads": [drawing.town.streets[0]],
            },
        ),
        ("bus_planning", {"origin": a, "destination": b, "modes": ["bus"], "depart_at": "10:00"}),
    ]
    program = [StandardCall(tool=tool, name=tool, arguments=arguments) for tool, arguments in needed]
    calls = list(decoy_calls(Scenario.POINT_TO_POINT, drawing, {"origin": "here", "limit": 2}, a, program))
    for tool, arguments in calls:
        read_arguments(TOOLS[tool][0], arguments)
    assert {tool for tool, _ in calls} >= {tool for tool, _ in needed}
    plain = {"origin": a, "destination": b}
    assert ("driving_planning", {**plain, "waypoints": [c]}) in calls
    assert ("walking_planning", plain) in calls and ("bus_planning", {**plain, "modes": ["bus"]}) in calls
    assert ("reverse_geocoding", {"location": a}) in calls


@pytest.mark.parametrize("tool", ["driving_planning", "bus_planning"])
def test_departing_now_equals_departing_without_a_time(tool: str) -> None:
    drawing = scene("Boston", 2)
    one, other = drawing.draw_pair(1_600, 9_000)
    trip = {"origin": str(one.point), "destination": str(other.point), "depart_at": drawing.clock}
    live = LiveTools(drawing.city, drawing.now).call(tool, trip)
    assert drawing.ask(tool, read_arguments(TOOLS[tool][0], trip)) == live


def test_decoy_calls_for_legs_include_the_whole_route() -> None:
    drawing = scene("Boston", 3)
    a, b, c = (str(poi.point) for poi in drawing.town.pois[:3])
    legs: list[dict[str, Any]] = [
        {"origin": a, "destination": b, "avoid_lines": ["Bus 1"]},
        {"origin": b, "destination": c, "avoid_lines": ["Bus 1"]},
    ]
    program = [StandardCall(tool="bus_planning", name="bus_planning", arguments=leg) for leg in legs]
    calls = list(decoy_calls(Scenario.CUSTOMIZED, drawing, {}, a, program))
    assert ("bus_planning", {"origin": a, "destination": c}) in calls
    assert ("bus_planning", {"origin": a, "destination": c, "avoid_lines": ["Bus 1"]}) in calls


# ------------------------------------------------------------------ cities


def test_visitors_name_cities_in_their_own_language() -> None:
    """The map knows a city by its Chinese and by its English name. Calls with either name are recorded."""
    drawing = scene("Boston", 1, "zh")
    assert spoken_city(drawing) == "波士顿" and spoken_city(scene("Boston", 1, "en")) == "Boston"
    assert spoken_city(scene("Wuhan", 1, "en")) == "Wuhan"
    assert drawing.names_of("Boston") == drawing.names_of("波士顿") == ("Boston", "波士顿")
    assert town_of(drawing.city, "波士顿") == 0 and town_of(drawing.city, "Atlantis") is None
    tools = LiveTools(drawing.city, 600)
    for english, chinese in (("Boston", "波士顿"), ("Seattle", "西雅图")):
        model, names = TOOLS["weather_query"][0], (english, chinese)
        answers = [tools.ask("weather_query", read_arguments(model, {"city": name})) for name in names]
        assert answers[0]["weather"] and answers[0] == answers[1]


def test_no_two_cities_have_a_name_in_common() -> None:
    named = [(name, spec.english) for spec in atlas() for name in {spec.name, spec.english, spec.chinese} - {""}]
    assert len({name for name, _ in named}) == len(named)
    chinese = [spec.chinese for spec in atlas() if spec.chinese]
    assert len(chinese) >= 130 and all(re.fullmatch(r"[\u4e00-\u9fff]+", name) for name in chinese)


@both
def test_no_lookup_of_a_place_names_a_whole_town(name: str) -> None:
    """A request may name a town as a destination, or ask for its weather. Other lookups do not concern towns."""
    towns = {poi.name for poi in town(name).city.pois if poi.category == "city"}
    assert towns
    for scenario in (Scenario.POI_SEARCH, Scenario.GEOLOCATION, Scenario.NEARBY_SEARCH, Scenario.WEATHER):
        for _, _, slots in trips(name, scenario, 25):
            assert not towns & {slots.get("place"), slots.get("near")}
