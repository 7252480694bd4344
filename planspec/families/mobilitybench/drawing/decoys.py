"""Decoys: calls that an agent may plausibly make although the reference program does not need them.

For example, a decoy leaves out a wish such as `avoid_tolls`, uses another travel mode, or spells a name differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.drawing.scene import Scene
from planspec.families.mobilitybench.drawing.trips import tool_of
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Scenario, StandardCall
from planspec.families.mobilitybench.map import town_of
from planspec.families.mobilitybench.map.categories import category_of
from planspec.families.mobilitybench.wording import wording

DecoyCall: TypeAlias = tuple[str, dict[str, Any]]
WISHES = ("preferences", "preference", "avoid_roads", "avoid_lines", "use_line", "max_transfers")
TIMES = ("depart_at", "arrive_by")
RADII_M = (500, 1_000, 2_000, 3_000, 5_000)


def decoy_calls(
    scenario: Scenario,
    scene: Scene,
    slots: Mapping[str, JsonValue],
    user_location: str,
    program: Sequence[StandardCall],
) -> Iterator[DecoyCall]:
    """Yield decoys to record, some of them more than once.

    Args:
        scenario: scenario of the query.
        scene: user and town of the query.
        slots: values of the request, in the user's words.
        user_location: location of the user, as `longitude,latitude`.
        program: calls of the reference program.
    """
    for call in program:
        arguments = dict(call.arguments)
        match call.tool:
            case "poi_query":
                yield from _respelled_calls(scene, call.tool, arguments)
            case "nearby_poi_query":
                yield from _nearby_variants(scene, arguments, slots)
            case "weather_query":
                yield from _weather_variants(scene, arguments, user_location)
            case "traffic_info_query" | "geocoding":
                yield from _city_variants(scene, call.tool, arguments)
                if call.tool == "traffic_info_query" and "at" not in arguments:
                    yield call.tool, arguments | {"at": scene.clock}
            case "reverse_geocoding":
                yield call.tool, arguments | {"radius": 100}
                yield "nearby_poi_query", {"location": arguments["location"]}
            case _:
                yield from _way_variants(scene, call.tool, arguments)
    legs = [call for call in program if call.tool in ROUTE_TOOLS]
    if len(legs) > 1:
        yield from _direct_ways(legs)
    if "here" in slots.values() or user_location in str(program):
        yield "reverse_geocoding", {"location": user_location}
    if scenario in {Scenario.POINT_TO_POINT, Scenario.ROUTE_PROPERTY, Scenario.TIME}:
        yield from _other_modes(slots, program)


def _respelled_calls(scene: Scene, tool: str, arguments: dict[str, Any]) -> Iterator[DecoyCall]:
    """Yield place searches with other words for the same name or kind of place."""
    yield from _city_variants(scene, tool, arguments)
    keywords = str(arguments["keywords"])
    category = category_of(keywords)
    if category is None:
        yield tool, {"keywords": keywords, "limit": 1}
        yield tool, arguments | {"limit": 1}
        return
    for word in _other_words(scene, category, keywords):
        yield tool, arguments | {"keywords": word}
    yield tool, arguments | {"category": category}


def _other_words(scene: Scene, category: str, keywords: str) -> list[str]:
    """Return the words for a category of places other than `keywords`."""
    forms = wording(scene.language).words["category"].get(category, [])
    return [word for word in (*forms, category.replace("_", " ")) if folded(word) != folded(keywords)]


def _city_variants(scene: Scene, tool: str, arguments: dict[str, Any]) -> Iterator[DecoyCall]:
    """Yield the call with each name of its city, and without a city if the tool allows it."""
    for name in scene.names_of(str(arguments.get("city", scene.city.name))):
        yield tool, arguments | {"city": name}
    if tool != "traffic_info_query":
        yield tool, {name: value for name, value in arguments.items() if name != "city"}


def _nearby_variants(scene: Scene, arguments: dict[str, Any], slots: Mapping[str, JsonValue]) -> Iterator[DecoyCall]:
    base = {"location": arguments["location"]}
    word = str(arguments["keywords"])
    category = category_of(word)
    radii = [arguments["radius"]] if "radius" in arguments else list(RADII_M)
    spellings: list[dict[str, Any]] = [{"keywords": word}]
    if category is not None:
        spellings += [{"keywords": other} for other in _other_words(scene, category, word)]
        spellings += [{"category": category}, {"keywords": word, "category": category}]
    for spelling in spellings:
        yield "nearby_poi_query", base | spelling
        for radius in radii:
            yield "nearby_poi_query", base | spelling | {"radius": radius}
    limit = slots.get("limit")
    if limit is not None:
        for radius in radii:
            yield "nearby_poi_query", base | {"keywords": word, "limit": limit, "radius": radius}
        yield "nearby_poi_query", base | {"keywords": word, "limit": limit}


def _weather_variants(scene: Scene, arguments: dict[str, Any], user_location: str) -> Iterator[DecoyCall]:
    for kind in ({}, {"type": "forecast"}):
        if "city" in arguments:
            for name in dict.fromkeys((*scene.names_of(arguments["city"]), arguments["city"])):
                yield "weather_query", {"city": name, **kind}
            if town_of(scene.city, arguments["city"]) == 0:
                yield "weather_query", {"location": user_location, **kind}
        else:
            yield "weather_query", {"location": arguments["location"], **kind}
            yield "weather_query", {"city": scene.city.name, **kind}


def _way_variants(scene: Scene, tool: str, arguments: dict[str, Any]) -> Iterator[DecoyCall]:
    """Yield decoys for a route-planning call.

    They leave out the wishes, the stops or the time, keep only one wish, plan each leg separately, or depart now.
    """
    bare = {name: value for name, value in arguments.items() if name not in WISHES}
    wishes = {name: value for name, value in arguments.items() if name in WISHES}
    yield tool, bare
    if len(wishes) > 1:
        for name, value in wishes.items():
            yield tool, bare | {name: value}
    preferences = wishes.get("preferences", ())
    if len(preferences) > 1:
        for preference in preferences:
            yield tool, bare | {"preferences": [preference]}
    points = [arguments["origin"], *arguments.get("waypoints", ()), arguments["destination"]]
    if len(points) > 2:
        yield tool, {name: value for name, value in arguments.items() if name != "waypoints"}
        yield tool, {name: value for name, value in bare.items() if name != "waypoints"}
        for start, end in pairwise(points):
            yield tool, {"origin": start, "destination": end, **wishes}
    if tool in {"driving_planning", "bus_planning"}:
        if not set(TIMES) & set(arguments):
            yield tool, arguments | {"depart_at": scene.clock}
        else:
            yield tool, {name: value for name, value in arguments.items() if name not in TIMES}
    if "modes" in arguments:
        yield tool, {name: value for name, value in arguments.items() if name != "modes"}


def _direct_ways(legs: Sequence[StandardCall]) -> Iterator[DecoyCall]:
    """Yield calls that plan a route from the first place to the last without stops, with and without the wishes."""
    whole = dict(legs[0].arguments) | {"destination": legs[-1].arguments["destination"]}
    yield legs[0].tool, whole
    yield legs[0].tool, {name: value for name, value in whole.items() if name not in WISHES}


def _other_modes(slots: Mapping[str, JsonValue], program: Sequence[StandardCall]) -> Iterator[DecoyCall]:
    """Yield calls for the same trip by car, on foot and by bicycle, without the requested mode."""
    own_tool = tool_of(str(slots.get("mode", "drive")))
    for call in program:
        if call.tool == own_tool:
            trip = {name: call.arguments[name] for name in ("origin", "destination")}
            for tool in ("driving_planning", "walking_planning", "bicycling_planning"):
                if tool != own_tool:
                    yield tool, trip
