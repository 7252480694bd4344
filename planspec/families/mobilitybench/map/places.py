"""Invented districts, doors and points of interest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from planspec.families.mobilitybench.map.geometry import Nearest
from planspec.families.mobilitybench.map.naming import NameGenerator, words
from planspec.families.mobilitybench.map.records import Address, Poi, Point, Stop
from planspec.families.mobilitybench.map.specs import CitySpec
from planspec.families.mobilitybench.map.streets import Streets

WEIGHTS = {
    "restaurant": 20, "cafe": 10, "hotel": 8, "supermarket": 12, "mall": 3, "pharmacy": 6, "hospital": 4,
    "school": 7, "bank": 6, "parking": 8, "charging": 5, "fuel": 4, "museum": 3, "sports": 3, "cinema": 2,
    "toilet": 5, "police": 2,
}  # fmt: skip
CATEGORIES = (*WEIGHTS, "park", "railway_station", "airport", "metro_station")
"""All kinds of places."""
CHAINS = {"cafe", "hotel", "supermarket", "pharmacy", "bank", "fuel", "charging", "parking"}
"""Kinds of which one company has many, told apart by their streets."""


class Districts:
    """Parts of a city, each around its own centre.

    Args:
        chance: another one draws other borders.
        streets: the city's.
        names: of districts.
    """

    def __init__(self, chance: Random, streets: Streets, names: NameGenerator) -> None:
        count = min(12, 4 + len(streets.junctions) // 800)
        self._plane = streets.plane
        self._centres = []
        for k in range(count):
            away = streets.radius_m * (0.15 if k == 0 else chance.uniform(0.35, 0.85))
            angle = 2 * math.pi * k / count + chance.uniform(-0.3, 0.3)
            self._centres.append((away * math.cos(angle) * 1000, away * math.sin(angle) * 1000))
        self.names = tuple(names.district()[0] for _ in range(count))

    def of(self, point: Point) -> str:
        flat = self._plane.flat(point)
        nearest = min(range(len(self.names)), key=lambda k: (math.dist(flat, self._centres[k]), k))
        return self.names[nearest]


def doors(chance: Random, streets: Streets, districts: Districts) -> tuple[Address, ...]:
    """Numbered doors on both sides of most streets, odd numbers on one side."""
    following: dict[int, int] = {}
    found = []
    for piece in streets.pieces:
        road = streets.roads[piece.road]
        start = following.get(piece.road, 1)
        following[piece.road] = start + max(2, piece.length_m // 12 // 2 * 2)
        if road.kind in {"motorway", "path"} or piece.bridge or piece.tunnel or chance.random() < 0.4:
            continue
        a = streets.plane.flat(streets.junctions[piece.tail].point)
        b = streets.plane.flat(streets.junctions[piece.head].point)
        share, side = chance.uniform(0.25, 0.75), chance.choice((-1, 1))
        length = math.dist(a, b) or 1.0
        x = a[0] + (b[0] - a[0]) * share + side * 14_000 * (b[1] - a[1]) / length
        y = a[1] + (b[1] - a[1]) * share - side * 14_000 * (b[0] - a[0]) / length
        point = streets.plane.point(x / 1000, y / 1000)
        number = start + int(share * (following[piece.road] - start)) // 2 * 2 + (side > 0)
        found.append(Address(piece.road, number, districts.of(point), point))
    return tuple(found)


class PoiGrowth:
    """Strews points of interest over doors.

    Args:
        spec: the city's.
        chance: another one strews others.
        streets: the city's.
        names: of places.
        addresses: to strew over.
        districts: the city's.
    """

    def __init__(
        self,
        spec: CitySpec,
        chance: Random,
        streets: Streets,
        names: NameGenerator,
        addresses: Sequence[Address],
        districts: Districts,
    ) -> None:
        self._spec, self._chance, self._streets, self._names = spec, chance, streets, names
        self._addresses, self._districts = addresses, districts
        self._near = Nearest(((n, door.point) for n, door in enumerate(addresses)), streets.plane.centre)
        self._brands: dict[str, list[tuple[str, str]]] = {}
        self.pois: list[Poi] = []

    def grow(self, stops: Sequence[Stop], stations: set[int]) -> None:
        """All places; every category has one, and every station is a place, too."""
        kinds = list(WEIGHTS)
        count = max(90, min(4_000, len(self._streets.junctions) // 3))
        drawn = kinds + self._chance.choices(kinds, list(WEIGHTS.values()), k=count - len(kinds))
        for kind in drawn:
            self._strew(kind, self._chance.choice(self._addresses))
        plane = self._streets.plane
        for x, y, _ in self._streets.parks:
            self._strew("park", self._nearest(plane.point(x, y)))
        for kind, share in (("railway_station", 0.3), ("railway_station", 0.55), ("airport", 0.93)):
            angle, away = self._chance.uniform(0, 6.28), share * self._streets.radius_m
            at = plane.point(away * math.cos(angle), away * math.sin(angle))
            self._strew(kind, self._nearest(at))
        for stop in stops:
            if stop.id in stations:
                door = self._nearest(stop.point)
                self._add(stop.name, (stop.english,), "metro_station", door, stop.point)

    def _nearest(self, point: Point) -> Address:
        found = self._near.near(point)
        assert found is not None
        return self._addresses[found]

    def _strew(self, kind: str, door: Address) -> None:
        patterns, english = self._names.words["pois"][kind], words("en")["pois"][kind]
        if kind in CHAINS:
            brands = self._brands.setdefault(kind, [])
            if len(brands) < 3:
                brands.append(self._named(patterns, english))
            name, plain = self._chance.choice(brands)
            road = self._streets.roads[door.road]
            full = self._names.words["branch"].format(name=name, at=road.name)
            aliases: tuple[str, ...] = (name, f"{plain} ({road.english})", plain)
        else:
            full, plain = self._named(patterns, english)
            aliases = (plain,)
        self._add(self._names.take(full), aliases, kind, door, door.point)

    def _named(self, patterns: list[str], english: list[str]) -> tuple[str, str]:
        stem, plain = self._names.stem()
        k = self._chance.randrange(len(patterns))
        numbers = self._names.words["numbers"]
        ordinal = numbers[self._chance.randrange(1, len(numbers))]
        return patterns[k].format(s=stem, n=ordinal), english[k % len(english)].format(s=plain)

    def _add(self, name: str, aliases: tuple[str, ...], kind: str, door: Address, point: Point) -> None:
        others = tuple(dict.fromkeys(alias for alias in aliases if alias != name))
        address = written(
            self._spec.language, door.district, self._streets.roads[door.road].name, door.number
        )
        rating = self._chance.randint(31, 50)
        district = self._districts.of(point)
        self.pois.append(Poi(len(self.pois), name, others, kind, address, district, point, rating))


def written(language: str, district: str, road: str, number: int) -> str:
    """A door as people of the country write it, without city and province."""
    match language:
        case "zh":
            return f"{district}{road}{number}号"
        case "ja":
            return f"{district}{road}{number}番"
        case "de":
            return f"{road} {number}, {district}"
        case _:
            return f"{number} {road}, {district}"
