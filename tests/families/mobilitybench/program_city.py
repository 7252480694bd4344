"""A small city in which the reference programs are executed, and slots (parameters of a query) for each scenario."""

from __future__ import annotations

from functools import cache
from typing import Any

from planspec.families.mobilitybench.amounts import duration_text
from planspec.families.mobilitybench.episode import Context, Scenario
from planspec.families.mobilitybench.live import LiveTools, point_of
from planspec.families.mobilitybench.map import City, NoRoute, Point, Route, grow_city, metres
from planspec.families.mobilitybench.program import ProgramExecution, execute, programs
from planspec.families.mobilitybench.snapshot import Recorder

NOW = 8 * 60
ROUTED = ("driving_planning", "bus_planning", "bicycling_planning", "walking_planning")


@cache
def city() -> City:
    return grow_city("London", 3, 300)


@cache
def tools() -> LiveTools:
    return LiveTools(city(), NOW)


@cache
def recorder() -> Recorder:
    """Return a recorder that forwards calls to the city's tools and stores their results."""
    return Recorder(tools().ask)


@cache
def ends() -> tuple[str, str, str]:
    """Return the names of an origin at the user's location, a place on the way, and a distant destination.

    No query mentions the origin by name.
    """
    first = city().pois[0]
    far = max(city().pois, key=lambda poi: (metres(first.point, poi.point), poi.id))
    return first.name, city().pois[len(city().pois) // 2].name, far.name


def location_of(name: str) -> Point:
    """Return the location of a place, rounded as the tools round it."""
    point = next(poi.point for poi in city().pois if poi.name == name)
    return point_of(round_location(str(point)))


def round_location(location: str) -> str:
    """Return a location, such as `-0.1,51.5`, rounded to five decimals."""
    return ",".join(f"{float(part):.5f}" for part in location.split(","))


def context(**more: Any) -> Context:
    """Return the user's context: location, city and time, with changed fields."""
    here = next(poi for poi in city().pois if poi.name == ends()[0])
    fields = {"location": str(here.point), "city": "London", "time": "08:00", "extra": {"day": city().today}}
    return Context.model_validate(fields | more)


def run(scenario: Scenario, **own_slots: Any) -> ProgramExecution:
    """Execute the reference program of a scenario with these slots."""
    return execute(programs()[scenario], own_slots, context(), recorder().call)


def called_tools(execution: ProgramExecution) -> list[str]:
    return [call.tool for call in execution.program]


def best_route(answer: tuple[Route, ...] | NoRoute) -> Route:
    assert not isinstance(answer, NoRoute), answer
    return answer[0]


def duration_of(*routes: Route) -> str:
    """Return the sum of the routes' durations as a literal of the planning language."""
    return duration_text(*(route.duration_s for route in routes))


def trip() -> tuple[Point, Point]:
    """Return the locations of the user and of the distant place."""
    return location_of(ends()[0]), location_of(ends()[2])


def slots_by_scenario() -> list[tuple[Scenario, dict[str, Any]]]:
    """Return the slots of one query for each scenario."""
    _, middle, far = ends()
    to = {"destination": far}
    return [
        (Scenario.POI_SEARCH, {"place": "cafe"}),
        (Scenario.GEOLOCATION, {"location": "here"}),
        (Scenario.NEARBY_SEARCH, {"place": "cafe", "near": middle, "limit": 1}),
        (Scenario.WEATHER, {"days": [city().weather[1].day]}),
        (Scenario.TRAFFIC, {"near": far}),
        (Scenario.ROUTE_PROPERTY, to | {"asked": "fare"}),
        (Scenario.TIME, to | {"asked": "depart", "arrive_by": "10:00"}),
        (Scenario.POINT_TO_POINT, to | {"mode": "cycle"}),
        (Scenario.MULTI_STOP, to | {"via": [middle], "mode": "bus"}),
        (Scenario.OPTIONS, to | {"preferences": ["cheapest"]}),
        (Scenario.CUSTOMIZED, to | {"use_line": city().lines[1].name}),
    ]
