"""The records of a city: streets, transit, places, weather and traffic, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Mode = Literal["drive", "walk", "cycle"]
"""A way to use the streets."""
RoadClass = Literal["motorway", "trunk", "primary", "secondary", "residential", "path"]
LineMode = Literal["bus", "metro", "tram", "ferry", "train", "flight"]
Language = Literal["zh", "en", "de", "ja"]
TrafficLevel = Literal["free", "slow", "congested", "blocked"]

ROAD_CLASSES: tuple[RoadClass, ...] = get_args(RoadClass)
UNNAMED = "Unnamed "
"""How the names of roads begin that have none; nobody speaks of them."""
LINE_MODES: tuple[LineMode, ...] = get_args(LineMode)


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A place on the earth in WGS-84, exact and hashable.

    Attributes:
        longitude: in 1e-6 degrees.
        latitude: in 1e-6 degrees.
    """

    longitude: int
    latitude: int

    def __str__(self) -> str:
        return f"{_degrees(self.longitude)},{_degrees(self.latitude)}"


def _degrees(micro: int) -> str:
    return f"{'-' if micro < 0 else ''}{abs(micro) // 1_000_000}.{abs(micro) % 1_000_000:06d}"


@dataclass(frozen=True, slots=True)
class Junction:
    """A point where pieces of streets meet; `id` is its place in the city's tuple."""

    id: int
    point: Point
    light: bool = False


@dataclass(frozen=True, slots=True)
class Road:
    """A named street or motorway; `id` is its place in the city's tuple, and names are unique in a city."""

    id: int
    name: str
    english: str
    kind: RoadClass


@dataclass(frozen=True, slots=True)
class Piece:
    """A street between two junctions with nothing to turn into on the way.

    Attributes:
        id: its place in the city's tuple.
        tail: the junction where it begins.
        head: the junction where it ends.
        road: the road that it is a part of.
        length_m: along the street, at least one.
        one_way: drivers and cyclists may go from tail to head alone.
        toll: for each passage by car, in minor units of the city's currency.
        bridge: it crosses water.
        tunnel: it runs below ground.
        modes: who may use it.
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
    """A stop at which lines are boarded; walkers reach it at its junction."""

    id: int
    name: str
    english: str
    point: Point
    junction: int


@dataclass(frozen=True, slots=True)
class Headway:
    """A vehicle leaves both ends at `first_min` and every `every_min` minutes after it, before `before_min`."""

    first_min: int
    before_min: int
    every_min: int


@dataclass(frozen=True, slots=True)
class Fare:
    """The price of one ride in minor units: `base`, and `step` for each begun `step_m` past `included_m`."""

    base: int
    included_m: int = 0
    step: int = 0
    step_m: int = 1


@dataclass(frozen=True, slots=True)
class TransitLine:
    """A transit line that runs both ways, with the same departures from either end.

    Attributes:
        id: its place in the city's tuple.
        name: in the city's language.
        aliases: what else it is called, English included.
        mode: what runs on it.
        stops: ids in order. A loop ends where it begins.
        running_s: seconds from each stop to the next, with the halt there; one less than the stops.
        lengths_m: metres from each stop to the next.
        headways: departures by period.
        departures_min: departures one by one, in minutes after midnight.
        fare: of one ride.
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
    """A numbered door; `town` is the number of the municipality in which it is."""

    road: int
    number: int
    district: str
    point: Point
    town: int = 0


@dataclass(frozen=True, slots=True)
class Poi:
    """A point of interest.

    Attributes:
        id: its place in the city's tuple.
        name: unique in the city.
        aliases: what else it is called.
        category: a key of `CATEGORIES`.
        address: district, street and number.
        district: alone.
        point: where it is.
        rating: tenths of a star.
        town: the number of the municipality in which it is.
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
    """One day's weather: what is observed if the day is the city's today, and a forecast otherwise.

    Attributes:
        day: ISO 8601.
        condition: such as "light rain", in English.
        description: a sentence in the city's language or in English.
        temperature_c: at noon.
        low_c: of the night.
        high_c: of the day.
        humidity: percent.
        wind: where it blows from, such as "NE".
        wind_force: Beaufort.
        rain_mm: over the day.
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
    """A part of every day in which traffic does not change: minutes after midnight, the end left out."""

    name: str
    start_min: int
    end_min: int


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic on a road in a period.

    Attributes:
        road: its id.
        period: its place in the city's tuple.
        level: in one word.
        percent: of the free speed, from 1 to 100.
        description: a sentence in the city's language or in English.
    """

    road: int
    period: int
    level: TrafficLevel
    percent: int
    description: str


@dataclass(frozen=True, slots=True)
class Municipality:
    """Another city of a region.

    Attributes:
        name: in the region's language.
        english: in English.
        province: or state, in its language.
        centre: of its streets.
    """

    name: str
    english: str
    province: str
    centre: Point


@dataclass(frozen=True, slots=True, eq=False)
class City:
    """A city with everything in it, and with other cities around it if it is the home of a region. Cities are told apart by identity; `dump` compares them by content.

    Attributes:
        name: in the city's language.
        english: in English.
        country: in English.
        province: or state, in the city's language.
        language: of its names.
        currency: ISO 4217.
        centre: of the town.
        seed: from which it grew.
        drives_left: on the left side of the road.
        today: ISO 8601, the day of the clock.
        periods: parts of the day, without gaps from 0 to 1440.
        weather: by day.
        traffic: of each road in each period; a road without any runs freely.
        others: the municipalities from number 1 on; the city itself is number 0.
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
