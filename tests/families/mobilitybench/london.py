"""One episode of each scenario in a small generated city. Results of tools are recorded from the city's map."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from planspec.agents.tools import read_arguments
from planspec.families.mobilitybench.amounts import duration_text, length_text, time_text
from planspec.families.mobilitybench.calls import TOOLS, canonical_arguments
from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult, Scenario, StandardCall
from planspec.families.mobilitybench.live import LiveTools
from planspec.families.mobilitybench.map import City, Poi, grow_city


@cache
def city() -> City:
    return grow_city("London", 3, 400)


@cache
def tools() -> LiveTools:
    return LiveTools(city(), 8 * 60)


def record(tool: str, **arguments: Any) -> RecordedResult:
    """Call a tool of the city, and return the call with its result."""
    read = read_arguments(TOOLS[tool][0], arguments)
    result = tools().call(tool, arguments)
    plain = {name: list(v) if isinstance(v, tuple) else v for name, v in canonical_arguments(read)}
    return RecordedResult(call=0, tool=tool, arguments=plain, result=result)


def search(poi: Poi) -> RecordedResult:
    """Return a recorded search for a place by its name."""
    return record("poi_query", keywords=poi.name, limit=1)


def routes(recorded: RecordedResult) -> list[dict[str, Any]]:
    """Return the routes in the result of a recorded planning call."""
    result = recorded.result
    assert isinstance(result, dict) and "routes" in result, result
    return result["routes"]  # type: ignore[return-value]


def episode(scenario: Scenario, given: Mapping[str, Any], *records: RecordedResult, name: str = "") -> Episode:
    """Return an episode of a scenario with these givens of its task and these recorded calls."""
    return Episode(
        id=name or f"mb-{list(Scenario).index(scenario):06}",
        family=scenario.family,
        scenario=scenario,
        language="en",
        query=f"A query for {scenario.value}: what, then?",
        context=Context(location=str(city().pois[5].point), city="London", time="08:00"),
        program=tuple(StandardCall(tool=r.tool, name=r.tool, arguments=r.arguments or {}) for r in records),
        snapshot=records,
        given=dict(given),
    ).with_checksum()


@cache
def ends() -> tuple[Poi, Poi, Poi]:
    """Return three places of the city: a start, a destination, and a place on the way."""
    pois = city().pois
    return pois[0], pois[77], pois[40]


def drive(**more: Any) -> RecordedResult:
    """Return a recorded call that plans a route by car from the start to the destination."""
    a, b, _ = ends()
    return record("driving_planning", origin=str(a.point), destination=str(b.point), **more)


def ride(**more: Any) -> RecordedResult:
    """Return a recorded call that plans a route by public transport from the start to the destination."""
    a, b, _ = ends()
    return record("bus_planning", origin=str(a.point), destination=str(b.point), **more)


def poi_search() -> Episode:
    """Return an episode that asks for a place by its name."""
    a, b, _ = ends()
    return episode(Scenario.POI_SEARCH, {"right_places": [a.name]}, search(a), search(b))


def geolocation() -> Episode:
    """Return an episode that asks for the address of a location."""
    result = record("reverse_geocoding", location=str(ends()[0].point))
    assert isinstance(result.result, dict)
    return episode(Scenario.GEOLOCATION, {"right_address": [result.result["address"]]}, result)


def nearby() -> Episode:
    """Return an episode that asks for places near another place."""
    result = record("nearby_poi_query", location=str(city().pois[5].point), radius=2000)
    assert isinstance(result.result, dict)
    names = [poi["name"] for poi in result.result["pois"]]  # type: ignore[index, call-overload, union-attr]
    given = {"right_places": names[:6], "at_least": 3, "nearest": names[0]}
    return episode(Scenario.NEARBY_SEARCH, given, result)


def weather() -> Episode:
    """Return an episode that asks for the weather of several days."""
    result = record("weather_query", city="London", type="forecast")
    assert isinstance(result.result, dict)
    days = [day["day"] for day in result.result["weather"]]  # type: ignore[index, call-overload, union-attr]
    return episode(Scenario.WEATHER, {"weather_days": days[:2]}, result)


def traffic() -> Episode:
    """Return an episode that asks for the traffic on a road."""
    result = record("traffic_info_query", road=city().roads[0].name, city="London")
    return episode(Scenario.TRAFFIC, {"right_level": "congested"}, result)


def figures() -> Episode:
    """Return an episode that asks for duration, length, lights and tolls of a route."""
    result = drive()
    best = routes(result)[0]
    given = {
        "right_time": duration_text(best["duration"]),
        "right_length": length_text(best["distance"]),
        "right_lights": best["traffic_lights"],
        "right_tolls": best["tolls"],
    }
    a, b, _ = ends()
    return episode(
        Scenario.ROUTE_PROPERTY,
        given | {"origin": a.name, "destination": b.name},
        search(a),
        search(b),
        result,
    )


def times() -> Episode:
    """Return an episode that asks when to depart in order to arrive in time."""
    result = drive(arrive_by="09:00")
    given = {"right_depart": time_text(routes(result)[0]["depart"]), "right_possible": "possible"}
    return episode(Scenario.TIME, given, result)


def from_to() -> Episode:
    """Return an episode that asks for a route between two places."""
    a, b, _ = ends()
    given = {"origin": a.name, "destination": b.name, "vehicles": ["drive"], "via": [], "detour": "0.50"}
    given["usual_time"] = duration_text(routes(drive())[0]["duration"])
    return episode(Scenario.POINT_TO_POINT, given, search(a), search(b), drive(), ride())


def stops() -> Episode:
    """Return an episode that asks for a route through a third place."""
    a, b, c = ends()
    one = record("walking_planning", origin=str(a.point), destination=str(c.point))
    two = record("walking_planning", origin=str(c.point), destination=str(b.point))
    through = drive(waypoints=[str(c.point)])
    given = {"origin": a.name, "destination": b.name, "via": [c.name], "vehicles": ["walk"]}
    return episode(Scenario.MULTI_STOP, given, search(a), search(b), search(c), one, two, through, drive())


def options() -> Episode:
    """Return an episode that asks for a route with a preference."""
    a, b, _ = ends()
    shortest = drive(preferences=["shortest"])
    given = {
        "origin": a.name,
        "destination": b.name,
        "vehicles": ["drive"],
        "no_tolls": True,
        "no_motorway": True,
        "best_length": length_text(routes(shortest)[0]["distance"]),
        "avoid_roads": ["Nowhere Lane"],
    }
    return episode(Scenario.OPTIONS, given, search(a), search(b), drive(), shortest)


def customized() -> Episode:
    """Return an episode that asks for a route by a certain line."""
    a, b, _ = ends()
    result = ride(depart_at="08:00")
    line = next(step["line"] for step in routes(result)[0]["steps"] if step["line"])
    given = {
        "origin": a.name,
        "destination": b.name,
        "vehicles": ["bus", "tram", "subway"],
        "use_line": line,
        "max_transfers": 1,
        "depart_at": "08:00",
        "best_time": duration_text(routes(result)[0]["duration"]),
    }
    return episode(Scenario.CUSTOMIZED, given, search(a), search(b), result, drive(), ride(preference="cheapest"))


EPISODES = {
    Scenario.POI_SEARCH: poi_search,
    Scenario.GEOLOCATION: geolocation,
    Scenario.NEARBY_SEARCH: nearby,
    Scenario.WEATHER: weather,
    Scenario.TRAFFIC: traffic,
    Scenario.ROUTE_PROPERTY: figures,
    Scenario.TIME: times,
    Scenario.POINT_TO_POINT: from_to,
    Scenario.MULTI_STOP: stops,
    Scenario.OPTIONS: options,
    Scenario.CUSTOMIZED: customized,
}
