"""The rows of the library's tables in an episode's city."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """A place.

    Attributes:
        names: other names.
        addresses: its address with and without the city.
        x: longitude in 1e-6 degrees.
        y: latitude in 1e-6 degrees.
    """

    id: str
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    x: int | None
    y: int | None


@dataclass(frozen=True, slots=True)
class RoadRow:
    """A road."""

    id: str
    motorway: bool


@dataclass(frozen=True, slots=True)
class LineRow:
    """A line; `names` are its other names."""

    id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RouteRow:
    """A route that a tool returned; tolls and fare are in minor units."""

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
    """A step of a route."""

    route: str
    n: int
    vehicle: str
    road: str | None
    line: str | None
    time_min: int
    length_m: int


@dataclass(frozen=True, slots=True)
class HaltRow:
    """A place that a route passes."""

    route: str
    n: int
    place: str


@dataclass(frozen=True, slots=True)
class WeatherRow:
    """A day's weather."""

    day: str
    words: tuple[str, ...]
    temperature: int | None
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Ways:
    """The rows of an episode, by table."""

    places: tuple[PlaceRow, ...]
    roads: tuple[RoadRow, ...]
    lines: tuple[LineRow, ...]
    routes: tuple[RouteRow, ...]
    pieces: tuple[PieceRow, ...]
    halts: tuple[HaltRow, ...]
    weather: tuple[WeatherRow, ...]
