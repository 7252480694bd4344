"""Fact bases of generated suites: shipped places, invented places, and an invented timetable."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import as_file, files
from io import StringIO
from typing import TypeVar

from planspec.families.veritrip.base_size import (
    COUNTRIES,
    SERVICE_SHARES,
    SHIPPED_DOCUMENTS,
    BaseSize,
    cities_of,
    even_parts,
    interpolated_size,
    size_fraction,
)
from planspec.families.veritrip.facts import AnyPlace, FactBase
from planspec.families.veritrip.invented_places import PlaceNotes, add_invented_places
from planspec.families.veritrip.reading import read_places
from planspec.families.veritrip.timetable import longer_timetable, timetable

Place = TypeVar("Place", bound=AnyPlace)
TABLES = ("attractions", "restaurants", "hotels", "pois")


@dataclass(frozen=True, slots=True)
class CountryBase:
    """A country's fact base, with translations of its places and a list of the invented places.

    Attributes:
        base: fact base.
        chinese: Chinese names of places, cities, dishes and cuisines, by English name.
        about: Chinese descriptions of invented places, keyed by the English name.
        invented: table, city and name of each invented place, in the order of the tables.
    """

    base: FactBase
    chinese: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    invented: tuple[tuple[str, str, str], ...] = ()


def fact_bases(seed: int) -> dict[str, FactBase]:
    """Return the fact base that planspec ships for each country: real places, and invented trains and flights."""
    return {country: country_base.base for country, country_base in country_bases(seed, SHIPPED_DOCUMENTS).items()}


@lru_cache(maxsize=2)
def country_bases(seed: int, document_count: int) -> Mapping[str, CountryBase]:
    """Return the fact base of each country, given the number of documents of the corpus.

    Larger bases contain every row of the shipped one. Places do not depend on the seed.

    Args:
        seed: seed of the trains and flights.
        document_count: number of documents of the corpus. The base is the shipped one up to 2,000 documents,
            and has the paper's size from 8,210 on.
    """
    shipped = {}
    for country, currency in COUNTRIES.items():
        base = _read_country(country, currency)
        shipped[country] = replace(base, services=timetable(base, seed))
    if size_fraction(document_count) == 0:
        return {country: CountryBase(base) for country, base in shipped.items()}
    size = interpolated_size(_total_size(shipped), document_count)
    bases = {country: _add_cities(country, base, document_count) for country, base in shipped.items()}
    counts = {
        table: even_parts(
            getattr(size, table),
            {city: _count_places(base, table, city) for base in bases.values() for city in base.cities},
        )
        for table in TABLES
    }
    result = {}
    remaining = size.services
    for country, base in bases.items():
        notes = PlaceNotes(_chinese_names(country), {}, {})
        whole = add_invented_places(base, counts, notes)
        services = min(remaining, size.services * SERVICE_SHARES[country] // 100) if country != "usa" else remaining
        services = max(services, len(base.services))
        remaining -= services
        whole = replace(whole, services=longer_timetable(whole, seed, base.services, services))
        result[country] = CountryBase(whole, notes.chinese, notes.about, tuple(notes.invented))
    return result


def _read_country(country: str, currency: str) -> FactBase:
    with as_file(files("planspec.tasks") / "veritrip" / "places" / country) as folder:
        return read_places(folder, currency)


def _add_cities(country: str, shipped: FactBase, document_count: int) -> FactBase:
    """Add the real places of cities that the shipped base lacks. `document_count` determines which cities."""
    more = _read_country(f"{country}-more", shipped.currency)
    cities = cities_of(document_count)[country]

    def in_cities(places: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(place for city in cities for place in places if place.city == city)

    return FactBase(
        shipped.currency,
        shipped.services,
        shipped.attractions + in_cities(more.attractions),
        shipped.restaurants + in_cities(more.restaurants),
        shipped.hotels + in_cities(more.hotels),
        shipped.pois + in_cities(more.pois),
    )


def _chinese_names(country: str) -> dict[str, str]:
    """Return the Chinese names from the file of a country, by English name."""
    text = (files("planspec.tasks") / "veritrip" / "places" / f"{country}-more" / "names.csv").read_text("utf-8")
    return {row["name"]: row["chinese"] for row in csv.DictReader(StringIO(text))}


def _total_size(bases: Mapping[str, FactBase]) -> BaseSize:
    countries = bases.values()
    return BaseSize(
        sum(len(base.cities) for base in countries),
        sum(len(base.services) for base in countries),
        *(
            sum(len(getattr(base, table)) for base in countries)
            for table in ("restaurants", "hotels", "attractions", "pois")
        ),
    )


def _count_places(base: FactBase, table: str, city: str) -> int:
    return sum(place.city == city for place in getattr(base, table))
