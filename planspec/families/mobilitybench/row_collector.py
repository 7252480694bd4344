"""Conversion of the tools' results in an episode to rows of the constraint library's tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from planspec.agents.tools import RefusedCallError, read_arguments
from planspec.families.mobilitybench.amounts import minutes_of, time_text
from planspec.families.mobilitybench.calls import (
    MODES,
    TOOLS,
    canonical_arguments,
    normalise_location,
    route_id,
)
from planspec.families.mobilitybench.episode import Episode, RecordedResult
from planspec.families.mobilitybench.map.geometry import metres
from planspec.families.mobilitybench.map.records import Point
from planspec.families.mobilitybench.rows import (
    EpisodeRows,
    HaltRow,
    LineRow,
    PieceRow,
    PlaceRow,
    RoadRow,
    RouteRow,
    WeatherRow,
)
from planspec.families.mobilitybench.weather import weather_words

HERE = "here"
"""Id of the place that represents the user's location."""
HERE_NAMES = (
    "my location",
    "my current location",
    "current location",
    "我的位置",
    "我这里",
    "当前位置",
    "现在的位置",
)
SAME_PLACE_M = 60
"""Maximum distance in metres between two locations that are treated as the same place."""
PLACES_GIVEN = ("origin", "destination", "nearest", "via", "right_places")
TIMES_GIVEN = ("depart_at", "arrive_by", "right_depart", "right_arrive", "right_possible")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_CITY = re.compile(r"[市州县盟都]$|地区$")
VEHICLES = frozenset({"drive", "walk", "cycle", "bus", "subway", "tram", "ferry", "train", "flight"})
ToolResult: TypeAlias = Mapping[str, Any]
__all__ = [
    "HERE",
    "HERE_NAMES",
    "SAME_PLACE_M",
    "EpisodeRows",
    "RowCollector",
    "address_in_city",
    "rows_of_episode",
]


def rows_of_episode(episode: Episode, *, near: bool = False) -> EpisodeRows:
    """Return the rows of the tables of an episode's task.

    Args:
        episode: the episode.
        near: whether a route that begins or ends within `SAME_PLACE_M` of a place in the givens is assigned to that
            place. It should be True for calls of agents, which may round a location.

    Raises:
        ValueError: a record does not fit its tool.
    """
    records: list[tuple[RecordedResult, Any]]
    if episode.source is not None:
        from planspec.families.mobilitybench.public.result_translation import (
            result_of,  # an import at the top would be circular, since the package `public` writes suites
        )

        records = [(record, result_of(episode, record)) for record in episode.snapshot]
    else:
        records = [(record, record.result) for record in episode.snapshot]
    collector = RowCollector(episode.given, episode.context.location, near=near)
    answered = [(record, result) for record, result in records if isinstance(result, Mapping) and "error" not in result]
    try:
        for record, result in answered:
            collector.collect_result(record.tool, record.arguments, result)
        for record, result in answered:
            if record.tool in MODES and record.arguments is not None:
                collector.collect_routes(record, result)
    except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{episode.id}: a result is none of its tool: {type(error).__name__} {error}") from None
    return collector.rows()


class RowCollector:
    """Collector of the rows that describe an episode.

    If several places share a location, a place in the givens comes first, then the user's location, then the first
    place that a tool returned.

    Args:
        given: the task's givens as JSON. Each place in them gets a row, even if no tool returned it.
        user_location: location of the user; None if unknown.
        near: whether a route that begins or ends within `SAME_PLACE_M` of a place in the givens is assigned to it.
    """

    def __init__(self, given: ToolResult, user_location: str | None, *, near: bool = False) -> None:
        self._near = near
        self._places: dict[str, str | None] = {}
        self._names: dict[str, dict[str, None]] = {}
        self._addresses: dict[str, dict[str, None]] = {}
        self._at: dict[str, list[str]] = {}
        self._roads: dict[str, bool] = {}
        self._lines: dict[str, None] = {}
        self._routes: dict[str, RouteRow] = {}
        self._pieces: list[PieceRow] = []
        self._halts: list[HaltRow] = []
        self._weather: dict[str, WeatherRow] = {}
        self._given = tuple(dict.fromkeys(name for key in PLACES_GIVEN for name in _given_texts(given.get(key))))
        self._timed = any(given.get(key) is not None for key in TIMES_GIVEN)
        self._parameters = given
        self._stops: set[str] = set()
        self._reversed: list[tuple[str, str]] = []
        if user_location is not None and _location_or_none(user_location) is not None:
            self.add_place(HERE, user_location, HERE_NAMES)

    def rows(self) -> EpisodeRows:
        """Return all rows, including rows of givens that no tool returned."""
        for name in self._given:
            self.add_place(name, _location_or_none(name))
        for location, address in self._reversed:
            self.add_address(self.place_at(location), address)
        for name in _given_texts(self._parameters.get("avoid_roads")):
            self._roads.setdefault(name, False)
        for name in (
            *_given_texts(self._parameters.get("avoid_lines")),
            *_given_texts(self._parameters.get("use_line")),
        ):
            self._lines.setdefault(name)
        return EpisodeRows(
            places=tuple(
                PlaceRow(
                    name,
                    tuple(self._names[name]),
                    tuple(self._addresses.get(name, ())),
                    *((None, None) if location is None else _microdegrees(location)),
                )
                for name, location in self._places.items()
            ),
            roads=tuple(RoadRow(*road) for road in self._roads.items()),
            lines=tuple(LineRow(name, ()) for name in self._lines),
            routes=tuple(self._routes.values()),
            pieces=tuple(self._pieces),
            halts=tuple(self._halts),
            weather=tuple(self._weather.values()),
        )

    # ------------------------------------------------------------------ places and weather

    def add_place(self, name: str, location: str | None, names: Iterable[str] = ()) -> str:
        """Add a place, or details of a place that has already been added.

        If another place has the same name, a number is added to the name.

        Returns:
            The id of the place.
        """
        spot = None if location is None else normalise_location(location)
        recorded = self._places.get(name)
        if name in self._places and recorded is not None and spot is not None and normalise_location(recorded) != spot:
            namesakes = [other for other in self._at.get(spot, ()) if name in self._names[other]]
            number = 2
            while f"{name} ({number})" in self._places:
                number += 1
            names = (name, *names)
            name = namesakes[0] if namesakes else f"{name} ({number})"
        if self._places.get(name) is None:
            self._places[name] = location
            if spot is not None:
                self._at.setdefault(spot, []).append(name)
        self._names.setdefault(name, {}).update((other, None) for other in names if other and other != name)
        return name

    def place_at(self, location: str) -> str:
        """Return the id of the place at a location. If there is none, add one named by its coordinates."""
        ids = self._at.get(normalise_location(location), ())
        for name in self._given:
            if name in ids or (name not in self._places and _is_same_location(_location_or_none(name), location)):
                return self.add_place(name, location)
        if not ids and self._near and (close := self._nearest_given_place(location)) is not None:
            return close
        return ids[0] if ids else self.add_place(normalise_location(location), location)

    def _nearest_given_place(self, location: str) -> str | None:
        """Return the nearest place in the givens; None if no such place is within `SAME_PLACE_M`."""
        point = Point(*_microdegrees(location))
        spots = {name: self._places.get(name) or _location_or_none(name) for name in self._given}
        away = [(metres(point, Point(*_microdegrees(spot))), name) for name, spot in spots.items() if spot is not None]
        best = min(away, default=None)
        return best[1] if best is not None and best[0] <= SAME_PLACE_M else None

    def add_address(self, name: str, address: str | None, city: str | None = None) -> None:
        """Add the address of a place, as it is and, if the city is known, also with the city."""
        if address:
            addresses = self._addresses.setdefault(name, {})
            addresses.update({address: None} | ({} if not city else {address_in_city(address, city): None}))

    def collect_result(self, tool: str, arguments: Mapping[str, Any] | None, result: ToolResult) -> None:
        """Collect the places and the weather in a result."""
        query = arguments or {}
        match tool:
            case "poi_query" | "nearby_poi_query":
                for poi in result.get("pois", ()):
                    name = self.add_place(poi["name"], poi.get("location"))
                    self.add_address(name, poi.get("address"), query.get("city"))
            case "reverse_geocoding" if result.get("address") and _location_or_none(str(query.get("location"))):
                self._reversed.append((query["location"], result["address"]))
            case "geocoding":
                places = result.get("places", ())
                for place in places:
                    self.add_place(
                        place["address"],
                        place["location"],
                        _given_texts(query.get("address"))[: len(places) == 1],
                    )
            case "weather_query":
                for day in result.get("weather", ()):
                    self.add_day(day)
            case _ if tool in MODES:  # a route may use a stop that is given as a place
                for stop, location in _stops(result):
                    if stop in self._given:
                        self.add_place(stop, location if self._places.get(stop) is None else None)
            case _:
                pass

    def add_day(self, report: ToolResult) -> None:
        """Add a day's weather, unless the day already has weather."""
        degrees = (_whole_degrees(report.get(name)) for name in ("temperature", "low", "high"))
        row = WeatherRow(report["day"], weather_words(report["condition"]), *degrees)
        self._weather.setdefault(row.day, row)

    # ------------------------------------------------------------------ routes

    def collect_routes(self, record: RecordedResult, result: ToolResult) -> None:
        """Collect the routes in a planner's result.

        Raises:
            ValueError: the arguments do not fit the tool.
        """
        try:
            parsed = read_arguments(TOOLS[record.tool][0], record.arguments)
        except RefusedCallError as refused:
            raise ValueError(f"{record.tool}: {refused.message}") from None
        query = dict(canonical_arguments(parsed))
        ends = [query["origin"], *query.get("waypoints", ()), query["destination"]]
        passed = [self.place_at(location) for location in ends]
        timed = "depart_at" in query or "arrive_by" in query
        timed = timed or (self._timed and record.tool in {"driving_planning", "bus_planning"})
        for number, route in enumerate(result.get("routes", ()), 1):
            name = route.get("id") or route_id(record.tool, query, number)
            if name not in self._routes:
                self._add_route(name, route, passed, timed)

    def _add_route(self, name: str, route: ToolResult, passed: Sequence[str], timed: bool) -> None:
        steps = route["steps"]
        depart, arrive = (route.get(key) if timed else None for key in ("depart", "arrive"))
        self._routes[name] = RouteRow(
            id=name,
            origin=passed[0],
            destination=passed[-1],
            time_min=minutes_of(route["duration"]),
            length_m=route["distance"],
            depart=None if depart is None else time_text(depart),
            arrive=None if arrive is None else time_text(arrive),
            transfers=route.get("transfers") or 0,
            walking_m=route.get("walking_distance") or 0,
            tolls=route.get("tolls") or 0,
            fare=route.get("fare") or 0,
            lights=route.get("traffic_lights") or 0,
        )
        halts = list(passed[:-1])
        for n, step in enumerate(steps, 1):
            road, line = step.get("road") or None, step.get("line") or None
            if step["mode"] not in VEHICLES:
                raise ValueError(f"{name}: `{step['mode']}` is no vehicle")
            if road is not None:
                self._roads[road] = self._roads.get(road, False) or step.get("class") == "motorway"
            if line is not None:
                self._lines.setdefault(line)
                halts += [self._place_of_stop(stop, location) for stop, location in _ends(step)]
            self._pieces.append(
                PieceRow(name, n, step["mode"], road, line, minutes_of(step["duration"]), step["distance"])
            )
        halts.append(passed[-1])
        places = [place for before, place in zip([None, *halts], halts, strict=False) if place != before]
        self._halts += [HaltRow(name, n, place) for n, place in enumerate(places, 1)]

    def _place_of_stop(self, name: str, location: str | None) -> str:
        """Return the id of the place at a stop. Add a place if there is none.

        The place at a stop has its name, or else is the nearest place within `SAME_PLACE_M` that is not itself a stop.
        Places in the givens take precedence over nearer places.
        """
        if name in self._places or name in self._given or location is None:
            return self.add_place(name, location if self._places.get(name) is None else None)
        point = Point(*_microdegrees(location))
        near = [
            (other not in self._given, metres(point, Point(*_microdegrees(spot))), other)
            for other, spot in self._places.items()
            if spot is not None and other not in self._stops
        ]
        near = [candidate for candidate in near if candidate[1] <= SAME_PLACE_M]
        if not near:
            self._stops.add(name)
            return self.add_place(name, location)
        other = min(near)[2]
        return self.add_place(other, None, (name,))


def address_in_city(address: str, city: str) -> str:
    """Add the city to an address that lacks it, before or after the address as is customary in the country."""
    if city.casefold() in address.casefold():
        return address
    if _WIDE.search(address):
        return f"{city if _CITY.search(city) else city + '市'}{address}"
    return f"{address}, {city}"


def _stops(result: ToolResult) -> Iterator[tuple[str, str | None]]:
    """Yield the names and locations of the stops that the routes in a result use."""
    for route in result.get("routes", ()):
        for step in route["steps"]:
            if step.get("line"):
                yield from _ends(step)


def _ends(step: ToolResult) -> Iterator[tuple[str, str | None]]:
    """Yield the names and locations of the stops where a step boards and leaves a line."""
    points = step.get("polyline") or (None,)
    for stop, location in ((step.get("from"), points[0]), (step.get("to"), points[-1])):
        if stop:
            yield stop, location


def _given_texts(value: Any) -> tuple[str, ...]:
    """Return the strings in a given, which may be a list, a single string, or missing."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list | tuple) else ()


def _location_or_none(name: str) -> str | None:
    """Return the name if it is a pair of coordinates, otherwise None."""
    try:
        normalise_location(name)
    except ValueError:
        return None
    return name


def _is_same_location(one: str | None, other: str) -> bool:
    return one is not None and normalise_location(one) == normalise_location(other)


def _microdegrees(location: str) -> tuple[int, int]:
    """Return longitude and latitude in microdegrees."""
    longitude, latitude = (
        int((Decimal(part.strip()) * 1_000_000).to_integral_value()) for part in location.replace("，", ",").split(",")
    )
    return longitude, latitude


def _whole_degrees(value: Any) -> int | None:
    return None if value is None else int(Decimal(str(value)).to_integral_value())
