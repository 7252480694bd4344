"""Rows of the task tables that describe an episode: places, roads, lines, routes and weather."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A place.

    Attributes:
        id: main name.
        names: other names.
        addresses: its address, with and without the city.
        x: longitude in microdegrees; None if unknown.
        y: latitude in microdegrees; None if unknown.
    """

    id: str
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    x: int | None
    y: int | None


@dataclass(frozen=True, slots=True)
class RoadRow:
    """A road.

    Attributes:
        id: name.
        motorway: whether it is a motorway.
    """

    id: str
    motorway: bool


@dataclass(frozen=True, slots=True)
class LineRow:
    """A line of public transport.

    Attributes:
        id: main name.
        names: other names.
    """

    id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RouteRow:
    """A route that a tool returned.

    Attributes:
        id: id of the route.
        origin: id of the place where it begins; None if unknown.
        destination: id of the place where it ends; None if unknown.
        time_min: duration in minutes.
        length_m: length in metres.
        depart: departure as HH:MM; None if unknown.
        arrive: arrival as HH:MM; None if unknown.
        transfers: number of transfers.
        walking_m: metres on foot.
        tolls: tolls in minor units of the currency.
        fare: fare in minor units of the currency.
        lights: number of traffic lights.
    """

    id: str
    origin: str | None
    destination: str | None
    time_min: int
    length_m: int
    depart: str | None
    arrive: str | None
    transfers: int
    walking_m: int
    tolls: int
    fare: int
    lights: int


@dataclass(frozen=True, slots=True)
class PieceRow:
    """A step of a route.

    Attributes:
        route: id of the route.
        n: number of the step, from 1.
        vehicle: vehicle, or `walk`.
        road: name of the road; None if there is none.
        line: name of the line; None if there is none.
        time_min: duration in minutes.
        length_m: length in metres.
    """

    route: str
    n: int
    vehicle: str
    road: str | None
    line: str | None
    time_min: int
    length_m: int


@dataclass(frozen=True, slots=True)
class HaltRow:
    """A place at which a route begins, ends, or stops on the way.

    Attributes:
        route: id of the route.
        n: number of the place, from 1.
        place: id of the place.
    """

    route: str
    n: int
    place: str


@dataclass(frozen=True, slots=True)
class WeatherRow:
    """Weather on a day.

    Attributes:
        day: the day as ISO 8601.
        words: words for the condition.
        temperature: current temperature in degrees Celsius; None if unknown.
        low: lowest temperature in degrees Celsius; None if unknown.
        high: highest temperature in degrees Celsius; None if unknown.
    """

    day: str
    words: tuple[str, ...]
    temperature: int | None
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class EpisodeRows:
    """Rows that describe an episode, by table of the constraint library."""

    places: tuple[PlaceRow, ...]
    roads: tuple[RoadRow, ...]
    lines: tuple[LineRow, ...]
    routes: tuple[RouteRow, ...]
    pieces: tuple[PieceRow, ...]
    halts: tuple[HaltRow, ...]
    weather: tuple[WeatherRow, ...]
