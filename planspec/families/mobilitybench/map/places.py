"""Invented districts, addresses and points of interest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Protocol

from planspec.families.mobilitybench.map.days import DayKind
from planspec.families.mobilitybench.map.geometry import PointIndex
from planspec.families.mobilitybench.map.naming import NameGenerator, words
from planspec.families.mobilitybench.map.records import Address, Poi, Point, Stop
from planspec.families.mobilitybench.map.specs import CitySpec
from planspec.families.mobilitybench.map.streets import Streets

WEIGHTS = {
    "restaurant": 20,
    "cafe": 10,
    "hotel": 8,
    "supermarket": 12,
    "mall": 3,
    "pharmacy": 6,
    "hospital": 4,
    "school": 7,
    "bank": 6,
    "parking": 8,
    "charging": 5,
    "fuel": 4,
    "museum": 3,
    "sports": 3,
    "cinema": 2,
    "toilet": 5,
    "police": 2,
    "sight": 3,
}
CATEGORIES = (*WEIGHTS, "park", "railway_station", "airport", "metro_station", "city")
"""All categories of places."""
CHAINS = {"cafe", "hotel", "supermarket", "pharmacy", "bank", "fuel", "charging", "parking"}
"""Categories of places that form chains. The name of a branch contains its street."""


class ZoneMap(Protocol):
    """Division of a settlement into named parts.

    Attributes:
        names: names of the parts.
    """

    names: tuple[str, ...]

    def zone_at(self, point: Point) -> str:
        """Return the name of the part in which a point lies."""


class SingleZone:
    """A settlement without districts. Its only part is the settlement itself.

    Args:
        name: name of the settlement.
    """

    def __init__(self, name: str) -> None:
        self.names: tuple[str, ...] = (name,)

    def zone_at(self, _point: Point) -> str:
        return self.names[0]


class DistrictMap:
    """Division of a city into districts. Each point belongs to the district with the nearest centre.

    Args:
        rng: random generator for the centres.
        streets: streets of the city.
        names: generator of district names.
    """

    def __init__(self, rng: Random, streets: Streets, names: NameGenerator) -> None:
        count = min(12, 4 + len(streets.junctions) // 800)
        self._plane = streets.plane
        self._centres = []
        for k in range(count):
            distance_m = streets.radius_m * (0.15 if k == 0 else rng.uniform(0.35, 0.85))
            angle = 2 * math.pi * k / count + rng.uniform(-0.3, 0.3)
            self._centres.append((distance_m * math.cos(angle) * 1000, distance_m * math.sin(angle) * 1000))
        self.names: tuple[str, ...] = tuple(names.draw_district()[0] for _ in range(count))

    def zone_at(self, point: Point) -> str:
        flat = self._plane.flat(point)
        nearest = min(range(len(self.names)), key=lambda k: (math.dist(flat, self._centres[k]), k))
        return self.names[nearest]


def draw_doors(rng: Random, streets: Streets, districts: ZoneMap, town: int = 0) -> tuple[Address, ...]:
    """Draw addresses on both sides of most streets, with odd house numbers on one side and even ones on the other."""
    following: dict[int, int] = {}
    addresses = []
    for piece in streets.pieces:
        road = streets.roads[piece.road]
        start = following.get(piece.road, 1)
        following[piece.road] = start + max(2, piece.length_m // 12 // 2 * 2)
        if road.kind in {"motorway", "path"} or piece.bridge or piece.tunnel or rng.random() < 0.4:
            continue
        a = streets.plane.flat(streets.junctions[piece.tail].point)
        b = streets.plane.flat(streets.junctions[piece.head].point)
        share, side = rng.uniform(0.25, 0.75), rng.choice((-1, 1))
        length = math.dist(a, b) or 1.0
        x = a[0] + (b[0] - a[0]) * share + side * 14_000 * (b[1] - a[1]) / length
        y = a[1] + (b[1] - a[1]) * share - side * 14_000 * (b[0] - a[0]) / length
        point = streets.plane.point(x / 1000, y / 1000)
        number = start + int(share * (following[piece.road] - start)) // 2 * 2 + (side > 0)
        addresses.append(Address(piece.road, number, districts.zone_at(point), point, town))
    return tuple(addresses)


class PoiBuilder:
    """Builder of the points of interest of a town, each at an address.

    Args:
        spec: specification of the city.
        rng: random generator.
        streets: streets of the city.
        names: generator of place names.
        addresses: addresses at which places are put.
        districts: districts of the city.
        town: number of the municipality, 0 for the home city.
        label: name of the town if addresses contain it, otherwise None.
    """

    def __init__(
        self,
        spec: CitySpec,
        rng: Random,
        streets: Streets,
        names: NameGenerator,
        addresses: Sequence[Address],
        districts: ZoneMap,
        town: int = 0,
        label: str | None = None,
    ) -> None:
        self._spec, self._rng, self._streets, self._names = spec, rng, streets, names
        self._town, self._label = town, label
        self._addresses, self._districts = addresses, districts
        self._near = PointIndex(((n, door.point) for n, door in enumerate(addresses)), streets.plane.centre)
        self._brands: dict[str, list[tuple[str, str]]] = {}
        self.pois: list[Poi] = []

    def grow(self, stops: Sequence[Stop], stations: set[int]) -> None:
        """Add all places of a city without surroundings: at least one of each category, and every station."""
        self.grow_town(stops, stations)
        plane = self._streets.plane
        for kind, share in (("railway_station", 0.3), ("railway_station", 0.55), ("airport", 0.93)):
            angle, distance_m = self._rng.uniform(0, 6.28), share * self._streets.radius_m
            at = plane.point(distance_m * math.cos(angle), distance_m * math.sin(angle))
            self._place_at_door(kind, self._nearest_door(at))
        self.place_near("city", (self._spec.name, self._spec.english), plane.centre)

    def grow_town(self, stops: Sequence[Stop], stations: set[int]) -> None:
        """Add all places except railway stations, the airport and the place for the city as a whole."""
        kinds = list(WEIGHTS)
        count = max(90, min(4_000, len(self._streets.junctions) // 3))
        drawn = kinds + self._rng.choices(kinds, list(WEIGHTS.values()), k=count - len(kinds))
        for kind in drawn:
            self._place_at_door(kind, self._rng.choice(self._addresses))
        plane = self._streets.plane
        for x, y, _ in self._streets.parks:
            self._place_at_door("park", self._nearest_door(plane.point(x, y)))
        for stop in stops:
            if stop.id in stations:
                door = self._nearest_door(stop.point)
                self._add_poi(stop.name, (stop.english,), "metro_station", door, stop.point)

    def place_anywhere(self, kinds: Sequence[str]) -> None:
        """Add one place of each given category at a random address."""
        for kind in kinds:
            self._place_at_door(kind, self._rng.choice(self._addresses))

    def place_near(self, kind: str, name: tuple[str, str], point: Point) -> Poi:
        """Add a place with the given name at the address nearest to a point."""
        local, english = name
        door = self._nearest_door(point)
        self._add_poi(local, (english,), kind, door, door.point)
        return self.pois[-1]

    def _nearest_door(self, point: Point) -> Address:
        number = self._near.nearest_key(point)
        assert number is not None
        return self._addresses[number]

    def _place_at_door(self, kind: str, door: Address) -> None:
        patterns, english = self._names.words["pois"][kind], words("en")["pois"][kind]
        if kind in CHAINS:
            brands = self._brands.setdefault(kind, [])
            if len(brands) < 3:
                brands.append(self._draw_name(patterns, english))
            name, plain = self._rng.choice(brands)
            road = self._streets.roads[door.road]
            full = self._names.words["branch"].format(name=name, at=road.name)
            aliases: tuple[str, ...] = (name, f"{plain} ({road.english})", plain)
        else:
            full, plain = self._draw_name(patterns, english)
            aliases = (plain,)
        self._add_poi(self._names.make_unique(full), aliases, kind, door, door.point)

    def _draw_name(self, patterns: list[str], english: list[str]) -> tuple[str, str]:
        stem, plain = self._names.draw_stem()
        k = self._rng.randrange(len(patterns))
        numbers = self._names.words["numbers"]
        ordinal = numbers[self._rng.randrange(1, len(numbers))]
        return patterns[k].format(s=stem, n=ordinal), english[k % len(english)].format(s=plain)

    def _add_poi(self, name: str, aliases: tuple[str, ...], kind: str, door: Address, point: Point) -> None:
        others = tuple(dict.fromkeys(alias for alias in aliases if alias != name))
        language = self._spec.language
        within = door.district if self._label is None else district_in_town(language, door.district, self._label)
        address = door_address(language, within, self._streets.roads[door.road].name, door.number)
        rating = self._rng.randint(31, 50)
        district = self._districts.zone_at(point)
        self.pois.append(Poi(len(self.pois), name, others, kind, address, district, point, rating, self._town))


HOURS: dict[str, tuple[tuple[int, int] | None, tuple[int, int] | None, tuple[int, int] | None]] = {
    "restaurant": ((10, 22), (10, 23), (11, 21)),
    "cafe": ((8, 21), (9, 22), (9, 20)),
    "supermarket": ((8, 22), (8, 22), (9, 20)),
    "mall": ((10, 22), (10, 22), (10, 22)),
    "pharmacy": ((8, 20), (9, 18), None),
    "school": ((7, 18), None, None),
    "bank": ((9, 17), None, None),
    "museum": ((9, 17), (9, 18), (9, 18)),
    "sports": ((9, 21), (8, 22), (8, 22)),
    "cinema": ((12, 24), (10, 24), (10, 24)),
    "sight": ((8, 18), (8, 19), (8, 19)),
    "park": ((6, 21), (6, 22), (6, 22)),
}
"""Opening and closing hour by category of place: on working days, at weekends and on holidays; None if closed.

Other categories are always open.
"""


def opening_hours(poi: Poi, kind: DayKind) -> str:
    """Return the opening hours of a place on a kind of day, for example `09:00-17:00` or `closed`.

    Some places open and close half an hour later than others of their category.
    """
    if poi.category not in HOURS:
        return "00:00-24:00"
    opening = HOURS[poi.category][("workday", "weekend", "holiday").index(kind)]
    if opening is None:
        return "closed"
    late = poi.rating % 3 == 0 and opening[1] < 24
    return f"{opening[0]:02}:{30 * late:02}-{opening[1]:02}:{30 * late:02}"


def district_in_town(language: str, district: str, town: str) -> str:
    """Return the name of a district with its town, written as is customary in the language."""
    return f"{town}{district}" if language in {"zh", "ja"} else f"{district}, {town}"


def door_address(language: str, district: str, road: str, number: int) -> str:
    """Return an address without city and province, written as is customary in the language."""
    match language:
        case "zh":
            return f"{district}{road}{number}号"
        case "ja":
            return f"{district}{road}{number}番"
        case "de":
            return f"{road} {number}, {district}"
        case _:
            return f"{number} {road}, {district}"
