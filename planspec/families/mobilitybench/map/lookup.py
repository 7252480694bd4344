"""Finding places by name, by category, by distance and by address."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz, process

from planspec.families.mobilitybench.map.categories import category_of
from planspec.families.mobilitybench.map.geometry import Nearest, metres
from planspec.families.mobilitybench.map.places import written
from planspec.families.mobilitybench.map.records import Address, City, Poi, Point, Road
from planspec.families.mobilitybench.map.specs import find_spec, plain_name

How = Literal["exact", "alias", "category", "part", "fuzzy"]
LEAST_SCORE = 70
"""The least likeness, out of 100, at which a name is found."""
REACH_M = 3_000
"""The greatest distance at which an address is told of a place."""
ORDER: dict[How, int] = {"exact": 0, "alias": 1, "category": 2, "part": 3, "fuzzy": 4}


@dataclass(frozen=True, slots=True)
class PlaceMatch:
    """A place that a keyword found: how, and how alike they are, of 100."""

    poi: Poi
    how: How
    score: int


@dataclass(frozen=True, slots=True)
class NearbyPlace:
    """A place and its distance from a centre, as the crow flies."""

    poi: Poi
    distance_m: int


@dataclass(frozen=True, slots=True)
class AddressParts:
    """The parts of an address.

    Attributes:
        province: or state.
        city: its name.
        district: of the city.
        street: in the city's language.
        number: of the door; None if only the street is known.
        formatted: as people of the country write it.
        point: where it is.
        distance_m: from the point that was asked about; 0 where a text was.
        score: how alike a text and the street's name are, of 100.
        how: "exact", or "number" for the door next to one that is not there, or "street".
    """

    province: str
    city: str
    district: str
    street: str
    number: int | None
    formatted: str
    point: Point
    distance_m: int
    score: int
    how: Literal["exact", "number", "street"]


def town_of(city: City, name: str) -> int | None:
    """The number of the municipality of that name, in any language and with 市 or without; None if there is none."""
    spec = find_spec(name)
    wanted = {plain_name(name), plain_name(name if spec is None else spec.english)}
    called = ((town.name, town.english) for town in city.others)
    for number, names in enumerate(((city.name, city.english), *called)):
        if not wanted.isdisjoint(map(plain_name, names)):
            return number
    return None


def known_city(city: City, name: str) -> bool:
    """Something is known of a city of that name: its map, or its weather alone."""
    return town_of(city, name) is not None or find_spec(name) is not None


def alike(a: str, b: str) -> int:
    """The likeness of two names, out of 100, whatever their case and the order of their words."""
    return int(max(fuzz.ratio(a, b), fuzz.token_sort_ratio(a, b)))


def find_pois(
    city: City,
    keyword: str,
    *,
    category: str | None = None,
    district: str | None = None,
    limit: int | None = 10,
    least_score: int = LEAST_SCORE,
    town: int | None = None,
) -> tuple[PlaceMatch, ...]:
    """The places that a keyword names, the surest first: by name, alias, category, part of a name, and likeness.

    Args:
        city: where.
        keyword: a name or a category in any of the languages; empty for any place.
        category: a key of `WORDS` or a word for one; only such places are found.
        district: only places of this one.
        limit: the most places.
        least_score: out of 100, for names that are only alike.
        town: the number of a municipality: its places come first, and of others those alone that bear the name.
    """
    wanted = keyword.strip().casefold()
    kind = category_of(wanted)
    only = None if category is None else category_of(category) or category
    alike_ = _alike(city, wanted, least_score)
    found = []
    for poi, names, text in zip(city.pois, _names(city), _texts(city), strict=True):
        if (only is not None and poi.category != only) or (district is not None and poi.district != district):
            continue
        # most places have nothing of the word, which one look at all their names tells
        how = _sure(poi, names, wanted, kind) if wanted in text or poi.category == kind else None
        if town is not None and poi.town != town and how not in {"exact", "alias"}:
            continue
        if how == "part":
            found.append(PlaceMatch(poi, how, max(alike(wanted, name) for name in names)))
        elif how is not None:
            found.append(PlaceMatch(poi, how, 100))
        elif poi.id in alike_:
            found.append(PlaceMatch(poi, "fuzzy", alike_[poi.id]))
    found.sort(
        key=lambda match: (ORDER[match.how], match.poi.town != (town or 0), -match.score, match.poi.id)
    )
    return tuple(found[:limit])


def _sure(poi: Poi, names: Sequence[str], wanted: str, kind: str | None) -> How | None:
    """How a keyword finds a place for sure: not by likeness."""
    if wanted == names[0]:
        return "exact"
    if wanted in names:
        return "alias"
    if kind is not None and poi.category == kind:
        return "category"
    return "part" if any(wanted in name for name in names) else None


def _alike(city: City, wanted: str, least_score: int) -> dict[int, int]:
    """The likeness of the places, by their ids, with a name that is alike enough; see `alike`."""
    owners, names = _listed(city)
    found: dict[int, int] = {}
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
        near = process.extract(wanted, names, scorer=scorer, score_cutoff=least_score, limit=None)
        for _, score, at in near:
            found[owners[at]] = max(found.get(owners[at], 0), int(score))
    return found


@lru_cache(maxsize=4)
def _names(city: City) -> tuple[tuple[str, ...], ...]:
    """The names of each place, whatever their case."""
    return tuple(tuple(name.casefold() for name in (poi.name, *poi.aliases)) for poi in city.pois)


@lru_cache(maxsize=4)
def _texts(city: City) -> tuple[str, ...]:
    """The names of each place, one after the other."""
    return tuple("\n".join(names) for names in _names(city))


@lru_cache(maxsize=4)
def _listed(city: City) -> tuple[list[int], list[str]]:
    """Every name of every place, and beside it the place's id."""
    pairs = [(poi.id, name) for poi, names in zip(city.pois, _names(city), strict=True) for name in names]
    return [owner for owner, _ in pairs], [name for _, name in pairs]


@lru_cache(maxsize=4)
def _placed(city: City) -> Nearest:
    return Nearest(((poi.id, poi.point) for poi in city.pois), city.centre)


@lru_cache(maxsize=4)
def _doors(city: City) -> Nearest:
    return Nearest(((n, address.point) for n, address in enumerate(city.addresses)), city.centre)


def nearby(
    city: City,
    centre: Point,
    radius_m: int,
    *,
    keyword: str | None = None,
    category: str | None = None,
    limit: int | None = None,
) -> tuple[NearbyPlace, ...]:
    """The places within a radius, the nearest first, and those of equal distance in the order of their ids.

    Args:
        city: where.
        centre: of the circle.
        radius_m: the rim belongs to it.
        keyword: a name, a part of one, or a word for a category; likeness alone finds nothing.
        category: a key of `WORDS` or a word for one.
        limit: the most places.

    Raises:
        ValueError: if the radius is negative.
    """
    if radius_m < 0:
        raise ValueError("a radius is not negative")
    only = None if category is None else category_of(category) or category
    wanted = None if keyword is None else keyword.strip().casefold()
    kind = None if wanted is None else category_of(wanted)
    found, names = [], _names(city)
    for key in _placed(city).within(centre, radius_m):
        poi = city.pois[key]
        distance = metres(centre, poi.point)
        if distance > radius_m or (only is not None and poi.category != only):
            continue
        if wanted is None or _sure(poi, names[key], wanted, kind) is not None:
            found.append(NearbyPlace(poi, distance))
    found.sort(key=lambda near: (near.distance_m, near.poi.id))
    return tuple(found[:limit])


def full_address(city: City, district: str, street: str, number: int | None, town: int = 0) -> str:
    """A door, or a whole street, as people of the country write it; `town` is the number of the municipality."""
    place = city if town == 0 else city.others[town - 1]
    if city.language in {"zh", "ja"}:
        before = place.name if place.province == place.name else place.province + place.name
        if number is None:
            return f"{before}{district}{street}"
        return before + written(city.language, district, street, number)
    within = f"{street}, {district}" if number is None else written(city.language, district, street, number)
    after = place.name if place.province == place.name else f"{place.name}, {place.province}"
    return f"{within}, {after}"


def _place(
    city: City, address: Address, distance_m: int, score: int, how: Literal["exact", "number", "street"]
) -> AddressParts:
    street = city.roads[address.road].name
    number = None if how == "street" else address.number
    formatted = full_address(city, address.district, street, number, address.town)
    place = city if address.town == 0 else city.others[address.town - 1]
    return AddressParts(
        place.province, place.name, address.district, street, number, formatted, address.point, distance_m, score, how
    )  # fmt: skip


def reverse_geocode(city: City, point: Point) -> AddressParts | None:
    """The address nearest to a point, None if there is none within reach."""
    key = _doors(city).near(point)
    if key is None:
        return None
    distance = metres(point, city.addresses[key].point)
    return None if distance > REACH_M else _place(city, city.addresses[key], distance, 100, "exact")


def geocode(
    city: City, text: str, *, limit: int | None = 5, least_score: int = LEAST_SCORE
) -> tuple[AddressParts, ...]:
    """The places that an address may mean, the surest first.

    A street is found by the longest name that the text contains, and else by likeness. A door that does not exist gives
    the one with the nearest number, and a street without number its first door, and both say so.

    Args:
        city: where.
        text: an address, with or without number, district, city and province.
        limit: the most places.
        least_score: out of 100, for streets whose names are only alike.
    """
    folded = text.casefold()
    doors = _by_road(city)
    ranked: list[tuple[int, int, AddressParts]] = []
    for score, road, rest in _streets(city, folded, least_score):
        number = _number(rest)
        of_road = doors.get(road.id, ())
        if not of_road:
            continue
        within = [address for address in of_road if address.district.casefold() in folded] or list(of_road)
        how: Literal["exact", "number", "street"]
        if number is None:
            door, how = min(within, key=lambda a: (a.number, a.point)), "street"
        else:
            door = min(within, key=lambda a: (abs(a.number - number), a.number, a.point))
            how = "exact" if door.number == number else "number"
        ranked.append((-score, road.id, _place(city, door, 0, score, how)))
    ranked.sort(key=lambda entry: entry[:2])
    return tuple(place for *_, place in ranked[:limit])


@lru_cache(maxsize=4)
def _by_road(city: City) -> dict[int, tuple[Address, ...]]:
    found: dict[int, list[Address]] = {}
    for address in city.addresses:
        found.setdefault(address.road, []).append(address)
    return {road: tuple(addresses) for road, addresses in found.items()}


def _number(rest: str) -> int | None:
    digits = re.search(r"[0-9]+", rest)
    return None if digits is None or len(digits[0]) > 6 else int(digits[0])


def _streets(city: City, folded: str, least_score: int) -> list[tuple[int, Road, str]]:
    """Streets with their likeness and what the text says beside their name."""
    contained = []
    for road in city.roads:
        contained += [
            (len(name), road, folded.replace(name, " ", 1))
            for name in (road.name.casefold(), road.english.casefold())
            if name in folded
        ]
    if contained:
        longest = max(length for length, *_ in contained)
        first: dict[int, tuple[int, Road, str]] = {}
        for length, road, rest in contained:
            if length == longest:
                first.setdefault(road.id, (100, road, rest))
        return list(first.values())
    return _alike_streets(city.roads, folded, _bare(city, folded), least_score)


def _bare(city: City, folded: str) -> str:
    """The text without numbers, city, province and districts."""
    for name in (city.name, city.english, city.province, *city.districts):
        folded = folded.replace(name.casefold(), " ")
    return re.sub(r"[0-9]+\s*(号|番)?|[,，]", " ", folded).strip()


def _alike_streets(
    roads: Sequence[Road], folded: str, bare: str, least_score: int
) -> list[tuple[int, Road, str]]:
    found = []
    for road in roads:
        score = max(alike(bare, road.name.casefold()), alike(bare, road.english.casefold()))
        if bare and score >= least_score:
            found.append((score, road, folded))
    return found
