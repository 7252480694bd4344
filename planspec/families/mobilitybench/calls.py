"""The ten tools of MobilityBench's Table S2: their arguments, and the canonical form of calls.

Equivalent calls have equal canonical forms. A place is `longitude,latitude` in degrees, as in the public toolkit; a
time is HH:MM on the episode's day. The canonical form rounds coordinates to `PRECISION` decimals, folds the case of
names, sorts unordered values and omits arguments with their default value.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator

from planspec.agents.tools import Arguments

PRECISION = 5
"""Decimals of a coordinate in degrees that are significant, about a metre."""
MOST_WAYPOINTS = 16
_PLACE = re.compile(r"\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*[,，]\s*(-?\d{1,3}(?:\.\d{1,15})?)\s*", re.ASCII)
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?", re.ASCII)


def normalise_location(text: str) -> str:
    """Round a place `longitude,latitude` to `PRECISION` decimals.

    Raises:
        ValueError: `text` is not a longitude and a latitude in degrees.
    """
    match = _PLACE.fullmatch(text)
    if match is None:
        raise ValueError("a place is `longitude,latitude` in degrees, such as 116.407400,39.904200")
    longitude, latitude = float(match[1]), float(match[2])
    if abs(latitude) > 90 >= abs(longitude) and abs(latitude) <= 180:
        raise ValueError(f"latitude {match[2]} is not between -90 and 90; the longitude comes first")
    if abs(latitude) > 90 or abs(longitude) > 180:
        raise ValueError("longitude is between -180 and 180 and latitude between -90 and 90")
    return f"{_degrees_text(longitude)},{_degrees_text(latitude)}"


def _degrees_text(value: float) -> str:
    return f"{value + 0.0:.{PRECISION}f}".replace(f"-{0:.{PRECISION}f}", f"{0:.{PRECISION}f}")


def _normalise_time(text: str) -> str:
    match = _CLOCK.fullmatch(text.strip())
    if match is None or int(match[1]) > 23:
        raise ValueError("a time is HH:MM, such as 07:30")
    return f"{int(match[1]):02}:{match[2]}"


def _normalise_name(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


_AFTER_LATIN = "\u0250"
"""First character after the Latin letters without marks or with one mark. Latin letters with two marks come later."""


@lru_cache(maxsize=1 << 16)
def folded(name: str) -> str:
    """Fold a name for comparison: drop its case, accents on Latin letters, and repeated blanks.

    Marks on other letters distinguish words and are kept: バス is a bus, ハス a lotus.
    """
    if name.isascii():
        return " ".join(name.casefold().split())
    signs: list[str] = []
    latin = False
    for sign in unicodedata.normalize("NFKD", name):
        if not unicodedata.combining(sign):
            latin = sign < _AFTER_LATIN or "\u1e00" <= sign < "\u1f00"
        elif latin:
            continue
        signs.append(sign)
    return " ".join(unicodedata.normalize("NFKC", "".join(signs)).casefold().split())


def _empty_if_none(value: Any) -> Any:
    return [] if value is None else value


LocationText = Annotated[
    str,
    StringConstraints(strict=True, max_length=60),
    AfterValidator(normalise_location),
    Field(description="longitude,latitude in degrees"),
]
Clock = Annotated[
    str,
    StringConstraints(strict=True, max_length=20),
    AfterValidator(_normalise_time),
    Field(description="HH:MM"),
]
Name = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=100), AfterValidator(_normalise_name)]
Count = Annotated[int, Field(strict=True)]
Drive: TypeAlias = Literal["avoid_tolls", "avoid_highways", "prefer_highways", "fastest", "shortest", "fewest_lights"]
Transit: TypeAlias = Literal["fastest", "fewest_transfers", "least_walking", "cheapest"]
Means: TypeAlias = Literal["bus", "subway", "tram", "ferry", "train", "flight"]


class PoiQuery(Arguments):
    """Places by name or kind, best first."""

    keywords: Name = Field(description="name or kind of place")
    category: Name | None = None
    city: Name | None = None
    limit: Annotated[Count, Field(ge=1, le=50)] = 10


class NearbyPoiQuery(Arguments):
    """Places around a location."""

    location: LocationText
    keywords: Name | None = Field(default=None, description="name or kind of place; all kinds if left out")
    category: Name | None = None
    radius: Annotated[Count, Field(ge=1, le=50_000, description="metres")] = 1000
    limit: Annotated[Count, Field(ge=1, le=50)] = 10
    sort: Literal["distance", "rating"] = "distance"


class Geocoding(Arguments):
    """An address whose location is requested."""

    address: Name
    city: Name | None = None


class ReverseGeocoding(Arguments):
    """A location whose address is requested."""

    location: LocationText
    radius: Annotated[Count, Field(ge=1, le=3000, description="metres")] = 1000


class WeatherQuery(Arguments):
    """The weather of a city or of a location."""

    city: Name | None = Field(default=None, description="or `location`")
    location: LocationText | None = None
    type: Literal["current", "forecast"] = "current"

    @model_validator(mode="after")
    def _check_city_or_location(self) -> WeatherQuery:
        if (self.city is None) == (self.location is None):
            raise ValueError("give either `city` or `location`")
        return self


class TrafficInfoQuery(Arguments):
    """The traffic of a road at a time."""

    road: Name = Field(description="name of the road or area")
    city: Name
    at: Clock | None = Field(default=None, description="HH:MM; now if left out")


class _Trip(Arguments):
    origin: LocationText
    destination: LocationText


class WalkingPlanning(_Trip):
    """A walk from one place to another."""


class BicyclingPlanning(_Trip):
    """A bicycle ride from one place to another."""


class _TimedTrip(_Trip):
    depart_at: Clock | None = None
    arrive_by: Clock | None = None

    @model_validator(mode="after")
    def _check_one_time(self) -> Any:
        if self.depart_at is not None and self.arrive_by is not None:
            raise ValueError("give `depart_at` or `arrive_by`, not both")
        return self


class DrivingPlanning(_TimedTrip):
    """A drive through waypoints in the given order, with preferences."""

    waypoints: Annotated[
        tuple[LocationText, ...], BeforeValidator(_empty_if_none), Field(max_length=MOST_WAYPOINTS)
    ] = ()
    preferences: Annotated[tuple[Drive, ...], BeforeValidator(_empty_if_none), Field(max_length=4)] = ()
    avoid_roads: Annotated[tuple[Name, ...], BeforeValidator(_empty_if_none), Field(max_length=10)] = ()
    traffic_aware: Annotated[bool, Field(strict=True)] = True

    @model_validator(mode="after")
    def _check_preferences(self) -> DrivingPlanning:
        if {"avoid_highways", "prefer_highways"} <= set(self.preferences):
            raise ValueError("avoid_highways and prefer_highways exclude each other")
        if {"fastest", "shortest"} <= set(self.preferences):
            raise ValueError("fastest and shortest exclude each other")
        return self


class BusPlanning(_TimedTrip):
    """A journey by public transport. One line may be required, and others avoided."""

    preference: Transit = "fastest"
    modes: Annotated[tuple[Means, ...], BeforeValidator(_empty_if_none), Field(max_length=6)] = ()
    use_line: Name | None = None
    avoid_lines: Annotated[tuple[Name, ...], BeforeValidator(_empty_if_none), Field(max_length=10)] = ()
    max_transfers: Annotated[Count, Field(ge=0, le=10)] | None = None


TOOLS: dict[str, tuple[type[Arguments], str]] = {
    "poi_query": (PoiQuery, "Finds places by name or kind."),
    "nearby_poi_query": (NearbyPoiQuery, "Finds places within a distance of a location."),
    "geocoding": (Geocoding, "Finds the location of an address."),
    "reverse_geocoding": (ReverseGeocoding, "Tells the address at a location."),
    "weather_query": (WeatherQuery, "Tells the weather now, or the forecast for some days."),
    "traffic_info_query": (TrafficInfoQuery, "Tells how traffic flows on a road."),
    "driving_planning": (DrivingPlanning, "Plans a way by car, through waypoints and with preferences."),
    "bus_planning": (BusPlanning, "Plans a way by bus, subway, tram, ferry, train and flight."),
    "bicycling_planning": (BicyclingPlanning, "Plans a way by bicycle."),
    "walking_planning": (WalkingPlanning, "Plans a way on foot."),
}
"""Arguments and description of each tool, in the order in which agents see them."""

PLACES = frozenset({"location", "origin", "destination", "waypoints"})
"""Arguments that are coordinates. In a replay, a call also matches a recorded call with nearby coordinates."""
NAMES = frozenset({"keywords", "city", "address", "road", "use_line", "avoid_roads", "avoid_lines", "category"})
"""Arguments that are names. In a replay, a call also matches a recorded call with similar names."""
UNORDERED = frozenset({"preferences", "avoid_roads", "avoid_lines", "modes"})
WHOLE: Mapping[str, frozenset[str]] = {"modes": frozenset(get_args(Means))}
"""Arguments that list allowed values, with all possible values. Listing all means the same as omitting the argument."""

Canonical: TypeAlias = tuple[tuple[str, Any], ...]


def canonical_arguments(arguments: Arguments) -> Canonical:
    """Return a call's arguments in canonical form: pairs of name and value, sorted by name, without defaults."""
    pairs = []
    defaults, values = _default_values(type(arguments)), arguments.__dict__
    for name in sorted(arguments.model_fields_set):  # arguments that are not set have their defaults
        value = values[name]
        if value == defaults[name]:
            continue
        if isinstance(value, tuple):
            value = tuple(map(_fold_function(name), value))
            if name in UNORDERED:
                distinct = frozenset(value)
                value = () if distinct == WHOLE.get(name) else tuple(sorted(distinct))
                if not value:
                    continue
        elif isinstance(value, str):
            value = _fold_function(name)(value)
        pairs.append((name, value))
    return tuple(pairs)


def drop_fastest(arguments: Canonical) -> Canonical:
    """Return a call's arguments without the preference `fastest`, which has no effect on a generated map.

    A generated map returns the fastest route by car anyway. AMap's service distinguishes its recommended route from
    the fastest route.
    """
    pairs = []
    for name, value in arguments:
        if name == "preferences":
            value = tuple(word for word in value if word != "fastest")
        if value != () or name != "preferences":
            pairs.append((name, value))
    return tuple(pairs)


MODES: dict[str, str] = {
    "driving_planning": "drive",
    "bus_planning": "transit",
    "bicycling_planning": "cycle",
    "walking_planning": "walk",
}
"""Prefix of the ids of routes, by planning tool."""


def route_id(tool: str, arguments: Canonical | Mapping[str, Any], number: int) -> str:
    """Return the id of a planned route, such as `drive-3f2a91c0-1`. Equal calls yield routes with equal ids.

    Args:
        tool: name of a planning tool.
        arguments: the call's arguments in canonical form.
        number: position of the route in the result, from 1.
    """
    text = json.dumps([tool, dict(arguments)], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"{MODES[tool]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}-{number}"


@cache
def _default_values(model: type[Arguments]) -> dict[str, Any]:
    return {name: field.default for name, field in model.model_fields.items()}


def _fold_function(name: str) -> Callable[[str], str]:
    return folded if name in NAMES else str
