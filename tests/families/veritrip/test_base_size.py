"""Fact bases of the paper's size have exact counts, contain all shipped rows, and mark invented places."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.veritrip.base_size import (
    PAPER,
    PAPER_DOCUMENTS,
    SHIPPED_DOCUMENTS,
    cities_of,
    even_parts,
)
from planspec.families.veritrip.fact_bases import CountryBase, country_bases, fact_bases
from planspec.families.veritrip.reading import read_places
from planspec.families.veritrip.timetable import STATIONS
from tests.paths import ROOT

pytestmark = pytest.mark.slow

PLACES = ROOT / "tasks" / "veritrip" / "places"
TABLES = ("attractions", "restaurants", "hotels", "pois")
COUNTRY = pytest.mark.parametrize("country", ["china", "usa"])


@cache
def large_bases() -> dict[str, CountryBase]:
    """Return the bases of the paper's size.

    They are built on first use, since every xdist worker imports this module.
    """
    return dict(country_bases(0, PAPER_DOCUMENTS))


def count_rows(bases: dict[str, CountryBase], table: str) -> int:
    """Return the number of rows of a table in all countries together."""
    return sum(len(getattr(one.base, table)) for one in bases.values())


def test_row_counts_equal_the_paper_s_table() -> None:
    bases = large_bases()
    assert count_rows(bases, "services") == PAPER.services == 57_773
    assert count_rows(bases, "restaurants") == PAPER.restaurants == 4304
    assert count_rows(bases, "hotels") == PAPER.hotels == 3613
    assert count_rows(bases, "attractions") == PAPER.attractions == 1056
    assert count_rows(bases, "pois") == PAPER.pois == 7400
    assert sum(len(one.base.cities) for one in bases.values()) == PAPER.cities == 15


def test_the_rows_of_each_table_are_spread_evenly_over_cities() -> None:
    for table in TABLES:
        counts = Counter(place.city for one in large_bases().values() for place in getattr(one.base, table))
        assert max(counts.values()) - min(counts.values()) <= 1, table


@COUNTRY
def test_every_shipped_row_is_in_the_large_base(country: str) -> None:
    shipped, more = fact_bases(0)[country], large_bases()[country].base
    for table in (*TABLES, "services"):
        assert set(getattr(shipped, table)) <= set(getattr(more, table)), table


@COUNTRY
def test_places_that_are_not_read_from_a_file_are_marked_as_invented(country: str) -> None:
    one = large_bases()[country]
    real = {
        (table, place.city, place.name)
        for folder in (country, f"{country}-more")
        for base in [read_places(PLACES / folder, one.base.currency)]
        for table in TABLES
        for place in getattr(base, table)
    }
    places = {(table, place.city, place.name) for table in TABLES for place in getattr(one.base, table)}
    assert real <= places
    assert set(one.invented) == places - real
    assert len(set(one.invented)) == len(one.invented)


@COUNTRY
def test_services_run_between_real_stations_of_all_cities_each_day(country: str) -> None:
    one = large_bases()[country]
    invented = {(city, name) for table, city, name in one.invented if table == "pois"}
    stations = {(p.city, p.name) for p in one.base.pois if p.kind in STATIONS} - invented
    ends = {end for s in one.base.services for end in ((s.origin_city, s.origin), (s.to_city, s.to))}
    assert ends <= stations
    cities = len(one.base.cities)
    assert len({(s.date, s.origin_city, s.to_city) for s in one.base.services}) == 16 * cities * (cities - 1)
    ways: dict[str, set[tuple[str, str, int]]] = {}
    for service in one.base.services:
        ways.setdefault(service.number, set()).add((service.origin, service.to, service.depart))
    assert {len(way) for way in ways.values()} == {1}


@COUNTRY
def test_invented_places_are_plausible(country: str) -> None:
    base = large_bases()[country].base
    names = Counter((type(place).__name__, place.city, place.name.casefold()) for place in base.places)
    assert max(names.values()) == 1
    assert all(0 <= a.opens < a.closes <= 24 * 60 and 0 < a.least <= a.most for a in base.attractions)
    assert all(r.opens < r.closes and r.price > 0 and r.dishes for r in base.restaurants)
    assert all(len({room.kind for room in h.rooms}) == len(h.rooms) > 0 for h in base.hotels)


@COUNTRY
def test_every_chinese_name_belongs_to_a_place_a_city_a_dish_or_a_cuisine(country: str) -> None:
    with (PLACES / f"{country}-more" / "names.csv").open(encoding="utf-8", newline="") as opened:
        listed = list(csv.DictReader(opened))
    base = large_bases()[country].base
    names = {place.name for place in base.places} | set(base.cities)
    names |= {word for r in base.restaurants for word in (*r.dishes, r.cuisine)}
    assert [row["name"] for row in listed if row["name"] not in names] == []
    assert len({row["name"] for row in listed}) == len(listed)
    assert all(any("\u4e00" <= sign <= "\u9fff" for sign in row["chinese"]) for row in listed)
    if country == "china":
        named = large_bases()[country].chinese
        assert [a.name for a in base.attractions if a.name not in named] == []


@pytest.mark.thorough
def test_every_count_of_places_grows_with_the_number_of_documents() -> None:
    sizes = [country_bases(0, documents) for documents in (SHIPPED_DOCUMENTS, 4000, PAPER_DOCUMENTS)]
    for table in (*TABLES, "services"):
        counts = [count_rows(dict(bases), table) for bases in sizes]
        assert all(less < more for less, more in pairwise(counts)), table
    assert country_bases(0, 900)["china"].base == fact_bases(0)["china"]
    assert {c: len(cities) for c, cities in cities_of(5000).items()} == {"china": 6, "usa": 4}


def test_another_seed_changes_services_but_not_places() -> None:
    other = country_bases(4, 2200)["usa"].base
    same = country_bases(0, 2200)["usa"].base
    assert other.places == same.places
    assert other.services != same.services


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 50), min_size=1, max_size=8), st.integers(0, 400))
def test_an_even_division_respects_the_minimum_sizes(least: dict[str, int], more: int) -> None:
    parts = even_parts(sum(least.values()) + more, least)
    assert sum(parts.values()) == sum(least.values()) + more
    assert all(parts[name] >= count for name, count in least.items())
    grown = [parts[name] for name in parts if parts[name] > least[name]]
    assert not grown or max(grown) - min(parts.values()) <= 1
