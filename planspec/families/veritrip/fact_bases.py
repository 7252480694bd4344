"""Fact bases of generated suites: shipped places, invented ones to fill them up, and an invented timetable."""

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
    share_of,
    sized,
)
from planspec.families.veritrip.facts import AnyPlace, FactBase
from planspec.families.veritrip.invented_places import PlaceNotes, filled
from planspec.families.veritrip.reading import read_places
from planspec.families.veritrip.timetable import longer_timetable, timetable

P = TypeVar("P", bound=AnyPlace)
TABLES = ("attractions", "restaurants", "hotels", "pois")


@dataclass(frozen=True, slots=True)
class SizedBase:
    """A country's fact base with further data on its places.

    Attributes:
        chinese: Chinese names of places, cities, dishes and cuisines.
        about: Chinese descriptions of invented places.
        invented: table, city and name of each invented place, in the order of the tables.
        whole: whether each task reads the whole base instead of choosing from it.
    """

    base: FactBase
    chinese: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    invented: tuple[tuple[str, str, str], ...] = ()

    @property
    def whole(self) -> bool:
        return not self.invented


def fact_bases(seed: int) -> dict[str, FactBase]:
    """Return the shipped fact base of each country: real places and invented services."""
    return {country: sized.base for country, sized in sized_bases(seed, SHIPPED_DOCUMENTS).items()}


@lru_cache(maxsize=2)
def sized_bases(seed: int, documents: int) -> Mapping[str, SizedBase]:
    """Return the fact base of each country for a number of documents.

    Every row of the shipped base is in each larger one. Places do not depend on the seed.

    Args:
        seed: seed of the services.
        documents: number of documents; up to 2,000 the base is the shipped one, and from 8,210 it has the
            paper's size.
    """
    shipped = {}
    for country, currency in COUNTRIES.items():
        base = _read(country, currency)
        shipped[country] = replace(base, services=timetable(base, seed))
    if share_of(documents) == 0:
        return {country: SizedBase(base) for country, base in shipped.items()}
    size = sized(_size_of(shipped), documents)
    bases = {country: _with_cities(country, base, documents) for country, base in shipped.items()}
    counts = {
        table: even_parts(
            getattr(size, table),
            {city: _count(base, table, city) for base in bases.values() for city in base.cities},
        )
        for table in TABLES
    }
    result = {}
    left = size.services
    for country, base in bases.items():
        notes = PlaceNotes(_chinese_names(country), {}, {})
        whole = filled(base, counts, notes)
        services = min(left, size.services * SERVICE_SHARES[country] // 100) if country != "usa" else left
        services = max(services, len(base.services))
        left -= services
        whole = replace(whole, services=longer_timetable(whole, seed, base.services, services))
        result[country] = SizedBase(whole, notes.chinese, notes.about, tuple(notes.invented))
    return result


def _read(country: str, currency: str) -> FactBase:
    with as_file(files("planspec.tasks") / "veritrip" / "places" / country) as folder:
        return read_places(folder, currency)


def _with_cities(country: str, shipped: FactBase, documents: int) -> FactBase:
    """Add the real places of the further cities to the shipped base."""
    more = _read(f"{country}-more", shipped.currency)
    cities = cities_of(documents)[country]

    def within(places: tuple[P, ...]) -> tuple[P, ...]:
        return tuple(place for city in cities for place in places if place.city == city)

    return FactBase(
        shipped.currency,
        shipped.services,
        shipped.attractions + within(more.attractions),
        shipped.restaurants + within(more.restaurants),
        shipped.hotels + within(more.hotels),
        shipped.pois + within(more.pois),
    )


def _chinese_names(country: str) -> dict[str, str]:
    """Return the shipped Chinese names by English name."""
    text = (files("planspec.tasks") / "veritrip" / "places" / f"{country}-more" / "names.csv").read_text(
        "utf-8"
    )
    return {row["name"]: row["chinese"] for row in csv.DictReader(StringIO(text))}


def _size_of(bases: Mapping[str, FactBase]) -> BaseSize:
    countries = bases.values()
    return BaseSize(
        sum(len(base.cities) for base in countries),
        sum(len(base.services) for base in countries),
        *(
            sum(len(getattr(base, table)) for base in countries)
            for table in ("restaurants", "hotels", "attractions", "pois")
        ),
    )


def _count(base: FactBase, table: str, city: str) -> int:
    return sum(place.city == city for place in getattr(base, table))
