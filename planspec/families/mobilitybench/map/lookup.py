"""Lookup of places by name, category and distance, and of addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz, process

from planspec.families.mobilitybench.map.categories import category_of
from planspec.families.mobilitybench.map.geometry import PointIndex, metres
from planspec.families.mobilitybench.map.places import door_address
from planspec.families.mobilitybench.map.records import Address, City, Poi, Point, Road
from planspec.families.mobilitybench.map.specs import find_spec, plain_name

MatchKind = Literal["exact", "alias", "category", "part", "fuzzy"]
LEAST_SCORE = 70
"""Default for the minimum similarity of a fuzzily matching name, from 0 to 100."""
MAX_ADDRESS_M = 3_000
"""Maximum distance in metres between a point and an address found for it."""
ORDER: dict[MatchKind, int] = {"exact": 0, "alias": 1, "category": 2, "part": 3, "fuzzy": 4}


@dataclass(frozen=True, slots=True)
class PlaceMatch:
    """A place that matches a keyword.

    Attributes:
        poi: the place.
        how: kind of the match, such as "exact" or "fuzzy".
        score: similarity of keyword and name, from 0 to 100.
    """

    poi: Poi
    how: MatchKind
    score: int


@dataclass(frozen=True, slots=True)
class NearbyPlace:
    """A place and its straight-line distance from the centre of the search, in metres."""

    poi: Poi
    distance_m: int


@dataclass(frozen=True, slots=True)
class AddressParts:
    """Parts of an address.

    Attributes:
        province: province or state.
        city: name of the city.
        district: district of the city.
        street: street in the city's language.
        number: house number; None if only the street is known.
        formatted: full address, written as is customary in the country.
        point: location.
        distance_m: distance from the requested point; 0 if the request was a text.
        score: similarity of the requested text and the street's name, from 0 to 100.
        how: "exact"; "number" if the map lacks the requested house number and the nearest number is returned; or
            "street" if the requested text has no number.
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
    """Return the number of the municipality with a name, 0 for the home city; None if the name is unknown.

    The name may be in any language. A Chinese name may end with 市 or omit it.
    """
    spec = find_spec(name)
    plain_names = {plain_name(name), plain_name(name if spec is None else spec.english)}
    town_names = ((town.name, town.english) for town in city.others)
    for number, names in enumerate(((city.name, city.english), *town_names)):
        if not plain_names.isdisjoint(map(plain_name, names)):
            return number
    return None


def is_known_city(city: City, name: str) -> bool:
    """Return whether a city is on the map or in the table of cities. Only such cities have weather."""
    return town_of(city, name) is not None or find_spec(name) is not None


def name_similarity(a: str, b: str) -> int:
    """Return the similarity of two names in folded case, from 0 to 100, regardless of the order of words."""
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
    """Return the places that match a keyword, best match first.

    From best to worst, a place matches by its name, an alias, its category, a part of a name, or a similar name.

    Args:
        city: the city.
        keyword: a name or a category in any of the languages; empty for any place.
        category: required category, either a key of `WORDS` or a word for a category; None for any.
        district: required district; None for any.
        limit: maximum number of places; None for all.
        least_score: minimum similarity, from 0 to 100, for a match by similar name.
        town: number of a municipality. Places elsewhere then match only by their exact name or alias. None to
            search all municipalities, the home city first among equally good matches.
    """
    folded_keyword = keyword.strip().casefold()
    kind = category_of(folded_keyword)
    required_kind = None if category is None else category_of(category) or category
    similar_ids = _similar_places(city, folded_keyword, least_score)
    matches = []
    for poi, names, text in zip(city.pois, _folded_names(city), _joined_names(city), strict=True):
        if (required_kind is not None and poi.category != required_kind) or (
            district is not None and poi.district != district
        ):
            continue
        # one substring test on the joined names excludes most places cheaply
        how = (
            _certain_match(poi, names, folded_keyword, kind) if folded_keyword in text or poi.category == kind else None
        )
        if town is not None and poi.town != town and how not in {"exact", "alias"}:
            continue
        if how == "part":
            matches.append(PlaceMatch(poi, how, max(name_similarity(folded_keyword, name) for name in names)))
        elif how is not None:
            matches.append(PlaceMatch(poi, how, 100))
        elif poi.id in similar_ids:
            matches.append(PlaceMatch(poi, "fuzzy", similar_ids[poi.id]))
    matches.sort(key=lambda match: (ORDER[match.how], match.poi.town != (town or 0), -match.score, match.poi.id))
    return tuple(matches[:limit])


def _certain_match(poi: Poi, names: Sequence[str], keyword: str, kind: str | None) -> MatchKind | None:
    """Return the kind of the match by name, alias, category or part of a name; None if there is no match.

    `_similar_places` finds matches by similar name.
    """
    if keyword == names[0]:
        return "exact"
    if keyword in names:
        return "alias"
    if kind is not None and poi.category == kind:
        return "category"
    return "part" if any(keyword in name for name in names) else None


def _similar_places(city: City, keyword: str, least_score: int) -> dict[int, int]:
    """Return the similarity of each place with a name similar to the keyword, by place id."""
    owners, names = _names_with_owners(city)
    scores: dict[int, int] = {}
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
        similar = process.extract(keyword, names, scorer=scorer, score_cutoff=least_score, limit=None)
        for _, score, at in similar:
            scores[owners[at]] = max(scores.get(owners[at], 0), int(score))
    return scores


@lru_cache(maxsize=4)
def _folded_names(city: City) -> tuple[tuple[str, ...], ...]:
    """Return all names of each place, in folded case."""
    return tuple(tuple(name.casefold() for name in (poi.name, *poi.aliases)) for poi in city.pois)


@lru_cache(maxsize=4)
def _joined_names(city: City) -> tuple[str, ...]:
    """Return the names of each place, joined to one string for substring search."""
    return tuple("\n".join(names) for names in _folded_names(city))


@lru_cache(maxsize=4)
def _names_with_owners(city: City) -> tuple[list[int], list[str]]:
    """Return two parallel lists, place ids and names, with one entry for each name of each place."""
    pairs = [(poi.id, name) for poi, names in zip(city.pois, _folded_names(city), strict=True) for name in names]
    return [owner for owner, _ in pairs], [name for _, name in pairs]


@lru_cache(maxsize=4)
def _place_index(city: City) -> PointIndex:
    return PointIndex(((poi.id, poi.point) for poi in city.pois), city.centre)


@lru_cache(maxsize=4)
def _door_index(city: City) -> PointIndex:
    return PointIndex(((n, address.point) for n, address in enumerate(city.addresses)), city.centre)


def nearby(
    city: City,
    centre: Point,
    radius_m: int,
    *,
    keyword: str | None = None,
    category: str | None = None,
    limit: int | None = None,
) -> tuple[NearbyPlace, ...]:
    """Return the places within a radius, nearest first; places at equal distance are ordered by id.

    Args:
        city: the city.
        centre: centre of the circle.
        radius_m: maximum distance in metres.
        keyword: a name, a part of a name, or a word for a category. Similar names do not match.
        category: required category, either a key of `WORDS` or a word for a category; None for any.
        limit: maximum number of places; None for all.

    Raises:
        ValueError: the radius is negative.
    """
    if radius_m < 0:
        raise ValueError("a radius is not negative")
    required_kind = None if category is None else category_of(category) or category
    folded_keyword = None if keyword is None else keyword.strip().casefold()
    kind = None if folded_keyword is None else category_of(folded_keyword)
    matches, names = [], _folded_names(city)
    for key in _place_index(city).keys_around(centre, radius_m):
        poi = city.pois[key]
        distance = metres(centre, poi.point)
        if distance > radius_m or (required_kind is not None and poi.category != required_kind):
            continue
        if folded_keyword is None or _certain_match(poi, names[key], folded_keyword, kind) is not None:
            matches.append(NearbyPlace(poi, distance))
    matches.sort(key=lambda near: (near.distance_m, near.poi.id))
    return tuple(matches[:limit])


def full_address(city: City, district: str, street: str, number: int | None, town: int = 0) -> str:
    """Return the full address of a door or a street, written as is customary in the country.

    Args:
        city: the city.
        district: name of the district.
        street: name of the street.
        number: house number; None for the whole street.
        town: number of the municipality.
    """
    place = city if town == 0 else city.others[town - 1]
    if city.language in {"zh", "ja"}:
        before = place.name if place.province == place.name else place.province + place.name
        if number is None:
            return f"{before}{district}{street}"
        return before + door_address(city.language, district, street, number)
    within = f"{street}, {district}" if number is None else door_address(city.language, district, street, number)
    after = place.name if place.province == place.name else f"{place.name}, {place.province}"
    return f"{within}, {after}"


def _address_parts(
    city: City, address: Address, distance_m: int, score: int, how: Literal["exact", "number", "street"]
) -> AddressParts:
    street = city.roads[address.road].name
    number = None if how == "street" else address.number
    formatted = full_address(city, address.district, street, number, address.town)
    place = city if address.town == 0 else city.others[address.town - 1]
    return AddressParts(
        place.province, place.name, address.district, street, number, formatted, address.point, distance_m, score, how
    )


def reverse_geocode(city: City, point: Point) -> AddressParts | None:
    """Return the address nearest to a point; None if there is none within `MAX_ADDRESS_M`."""
    key = _door_index(city).nearest_key(point)
    if key is None:
        return None
    distance = metres(point, city.addresses[key].point)
    return None if distance > MAX_ADDRESS_M else _address_parts(city, city.addresses[key], distance, 100, "exact")


def geocode(
    city: City, text: str, *, limit: int | None = 5, least_score: int = LEAST_SCORE
) -> tuple[AddressParts, ...]:
    """Return the addresses that a text may denote, best match first.

    The text may contain the name of a street; the longest such name wins. Otherwise, streets with similar names match.
    If the map lacks the house number, the address with the nearest number is returned. If the text has no number, the
    lowest number of the street is returned. `AddressParts.how` distinguishes these cases.

    Args:
        city: the city.
        text: an address, with or without number, district, city and province.
        limit: maximum number of addresses; None for all.
        least_score: minimum similarity, from 0 to 100, for a match by similar name.
    """
    folded = text.casefold()
    doors = _addresses_by_road(city)
    ranked: list[tuple[int, int, AddressParts]] = []
    for score, road, rest in _matching_streets(city, folded, least_score):
        number = _door_number(rest)
        road_doors = doors.get(road.id, ())
        if not road_doors:
            continue
        candidates = [address for address in road_doors if address.district.casefold() in folded] or list(road_doors)
        how: Literal["exact", "number", "street"]
        if number is None:
            door, how = min(candidates, key=lambda a: (a.number, a.point)), "street"
        else:
            door = min(candidates, key=lambda a: (abs(a.number - number), a.number, a.point))
            how = "exact" if door.number == number else "number"
        ranked.append((-score, road.id, _address_parts(city, door, 0, score, how)))
    ranked.sort(key=lambda entry: entry[:2])
    return tuple(place for *_, place in ranked[:limit])


@lru_cache(maxsize=4)
def _addresses_by_road(city: City) -> dict[int, tuple[Address, ...]]:
    by_road: dict[int, list[Address]] = {}
    for address in city.addresses:
        by_road.setdefault(address.road, []).append(address)
    return {road: tuple(addresses) for road, addresses in by_road.items()}


def _door_number(rest: str) -> int | None:
    digits = re.search(r"[0-9]+", rest)
    return None if digits is None or len(digits[0]) > 6 else int(digits[0])


def _matching_streets(city: City, folded: str, least_score: int) -> list[tuple[int, Road, str]]:
    """Return the streets that a text in folded case may denote, as triples of similarity, street and remaining text.

    The remaining text is the text without the name of the street.
    """
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
    return _similar_streets(city.roads, folded, _street_text(city, folded), least_score)


def _street_text(city: City, folded: str) -> str:
    """Reduce an address to its street: remove numbers and the names of city, province and districts."""
    for name in (city.name, city.english, city.province, *city.districts):
        folded = folded.replace(name.casefold(), " ")
    return re.sub(r"[0-9]+\s*(号|番)?|[,，]", " ", folded).strip()


def _similar_streets(roads: Sequence[Road], folded: str, bare: str, least_score: int) -> list[tuple[int, Road, str]]:
    matches = []
    for road in roads:
        score = max(name_similarity(bare, road.name.casefold()), name_similarity(bare, road.english.casefold()))
        if bare and score >= least_score:
            matches.append((score, road, folded))
    return matches
