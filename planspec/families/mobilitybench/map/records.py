"""Records of a city: streets, transit, places, weather and traffic, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["drive", "walk", "cycle"]
"""Mode of travel on the streets."""
RoadClass = Literal["motorway", "trunk", "primary", "secondary", "residential", "path"]
LineMode = Literal["bus", "metro", "tram", "ferry", "train", "flight"]
Language = Literal["zh", "en", "de", "ja"]
TrafficLevel = Literal["free", "slow", "congested", "blocked"]

UNNAMED = "Unnamed "
"""Prefix of generated names for roads without a name. Queries never mention such roads."""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A point on the earth in WGS-84, exact and hashable.

    Attributes:
        longitude: longitude in 1e-6 degrees.
        latitude: latitude in 1e-6 degrees.
    """

    longitude: int
    latitude: int

    def __str__(self) -> str:
        return f"{_degrees_text(self.longitude)},{_degrees_text(self.latitude)}"


def _degrees_text(micro: int) -> str:
    return f"{'-' if micro < 0 else ''}{abs(micro) // 1_000_000}.{abs(micro) % 1_000_000:06d}"


@dataclass(frozen=True, slots=True)
class Junction:
    """A point where pieces of streets meet; `id` is its index in `City.junctions`."""

    id: int
    point: Point
    light: bool = False


@dataclass(frozen=True, slots=True)
class Road:
    """A named street or motorway; `id` is its index in `City.roads`. Names are unique in a city."""

    id: int
    name: str
    english: str
    kind: RoadClass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a road between two adjacent junctions.

    Attributes:
        id: index in `City.pieces`.
        tail: id of the junction where it begins.
        head: id of the junction where it ends.
        road: id of its road.
        length_m: length along the street in metres, at least 1.
        one_way: whether drivers and cyclists may only go from tail to head.
        toll: toll for each passage by car, in minor units of the city's currency.
        bridge: whether it is on a bridge.
        tunnel: whether it is in a tunnel.
        modes: travel modes that may use it.
    """

    id: int
    tail: int
    head: int
    road: int
    length_m: int
    one_way: bool = False
    toll: int = 0
    bridge: bool = False
    tunnel: bool = False
    modes: tuple[Mode, ...] = ("drive", "walk", "cycle")


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of transit lines, reached on foot at the junction with the id `junction`."""

    id: int
    name: str
    english: str
    point: Point
    junction: int


@dataclass(frozen=True, slots=True)
class Headway:
    """Regular departures from both ends of a line.

    Attributes:
        first_min: first departure, in minutes after midnight.
        before_min: end of the period; the last departure is before it.
        every_min: minutes from one departure to the next.
    """

    first_min: int
    before_min: int
    every_min: int


@dataclass(frozen=True, slots=True)
class Fare:
    """Price of one ride, in minor units of the currency.

    Attributes:
        base: price of a ride of up to `included_m` metres.
        included_m: metres that the base price covers.
        step: additional price for each started `step_m` metres beyond `included_m`.
        step_m: length of a price step in metres.
    """

    base: int
    included_m: int = 0
    step: int = 0
    step_m: int = 1


@dataclass(frozen=True, slots=True)
class TransitLine:
    """A transit line in both directions, with the same departures from either end.

    Attributes:
        id: index in `City.lines`.
        name: name in the city's language.
        aliases: other names, including English.
        mode: kind of vehicle.
        stops: stop ids in order; a loop ends where it begins.
        running_s: seconds from each stop to the next, including the dwell time there. There is one entry fewer than
            stops.
        lengths_m: metres from each stop to the next.
        headways: regular departures in periods of the day.
        departures_min: single departures, in minutes after midnight.
        fare: fare of one ride.
    """

    id: int
    name: str
    aliases: tuple[str, ...]
    mode: LineMode
    stops: tuple[int, ...]
    running_s: tuple[int, ...]
    lengths_m: tuple[int, ...]
    headways: tuple[Headway, ...]
    departures_min: tuple[int, ...]
    fare: Fare


@dataclass(frozen=True, slots=True)
class Address:
    """An address with a house number.

    Attributes:
        road: id of its road.
        number: house number.
        district: name of its district.
        point: location.
        town: number of its municipality, 0 for the home city.
    """

    road: int
    number: int
    district: str
    point: Point
    town: int = 0


@dataclass(frozen=True, slots=True)
class Poi:
    """A point of interest.

    Attributes:
        id: index in `City.pois`.
        name: name, unique in the city.
        aliases: other names.
        category: one of `CATEGORIES`.
        address: district, street and number.
        district: name of the district.
        point: location.
        rating: rating in tenths of a star.
        town: number of its municipality, 0 for the home city.
    """

    id: int
    name: str
    aliases: tuple[str, ...]
    category: str
    address: str
    district: str
    point: Point
    rating: int
    town: int = 0


@dataclass(frozen=True, slots=True)
class Weather:
    """Weather of a day: an observation if it is the current day of the city, otherwise a forecast.

    Attributes:
        day: the day, in ISO 8601.
        condition: condition in English, such as "light rain".
        description: a sentence in the city's language or in English.
        temperature_c: temperature at noon, in degrees Celsius.
        low_c: lowest temperature of the day, in degrees Celsius.
        high_c: highest temperature of the day, in degrees Celsius.
        humidity: relative humidity in percent.
        wind: direction from which the wind blows, such as "NE".
        wind_force: force of the wind on the Beaufort scale.
        rain_mm: rain of the day in millimetres.
    """

    day: str
    condition: str
    description: str
    temperature_c: int
    low_c: int
    high_c: int
    humidity: int
    wind: str
    wind_force: int
    rain_mm: int


@dataclass(frozen=True, slots=True)
class Period:
    """A part of the day with constant traffic. Start and end are in minutes after midnight, the end excluded."""

    name: str
    start_min: int
    end_min: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """Traffic on a road in a period.

    Attributes:
        road: id of the road.
        period: index in `City.periods`.
        level: level of traffic.
        percent: percentage of free speed, from 1 to 100.
        description: a sentence in the city's language or in English.
    """

    road: int
    period: int
    level: TrafficLevel
    percent: int
    description: str


@dataclass(frozen=True, slots=True)
class Municipality:
    """A city of a region other than the home city.

    Attributes:
        name: name in the region's language.
        english: name in English.
        province: province or state, in its language.
        centre: centre of its streets.
    """

    name: str
    english: str
    province: str
    centre: Point


@dataclass(frozen=True, slots=True, eq=False)
class City:
    """A city and, if it is the home city of a region, the other cities around it.

    `==` compares cities by identity. To compare them by content, compare the bytes returned by `dump`.

    Attributes:
        name: name in the city's language.
        english: name in English.
        country: country in English.
        province: province or state, in the city's language.
        language: language of its names.
        currency: ISO 4217 code.
        centre: centre of the city.
        seed: seed from which the city was generated.
        drives_left: whether people drive on the left.
        today: current day, in ISO 8601.
        periods: parts of the day, without gaps from 0 to 1440.
        weather: weather of each day, beginning with `today`.
        traffic: traffic by road and period. A road moves at free speed in a period without an entry.
        others: other municipalities, numbered from 1; the city itself is number 0.
    """

    name: str
    english: str
    country: str
    province: str
    language: Language
    currency: str
    centre: Point
    seed: int
    drives_left: bool
    today: str
    districts: tuple[str, ...]
    junctions: tuple[Junction, ...]
    roads: tuple[Road, ...]
    pieces: tuple[Piece, ...]
    stops: tuple[Stop, ...]
    lines: tuple[TransitLine, ...]
    pois: tuple[Poi, ...]
    addresses: tuple[Address, ...]
    periods: tuple[Period, ...]
    weather: tuple[Weather, ...]
    traffic: tuple[Traffic, ...]
    others: tuple[Municipality, ...] = ()
