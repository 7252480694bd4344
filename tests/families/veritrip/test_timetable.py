"""The invented timetable has services on every day.

A service does not run on all days, and its price varies from day to day.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import date, timedelta
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.veritrip import timetable as module
from planspec.families.veritrip.base_size import COUNTRIES
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.facts import FactBase
from planspec.families.veritrip.timetable import CARRIERS, FIRST_DAY, LAST_DAY, kilometres, timetable
from tests.families.veritrip.small_base import small_base
from tests.families.veritrip.test_places import BASES
from tests.random_examples import examples

DAYS = [FIRST_DAY + timedelta(days=n) for n in range(16)]
SEEDS = st.integers(0, 10**6)
COUNTRY = pytest.mark.parametrize("country", COUNTRIES)


def test_the_timetable_covers_the_papers_period() -> None:
    assert (DAYS[0], DAYS[-1], LAST_DAY) == (date(2025, 10, 15), date(2025, 10, 30), date(2025, 10, 30))


@settings(max_examples=examples(15))
@given(st.sampled_from(sorted(COUNTRIES)), SEEDS)
def test_every_pair_of_cities_has_services_on_every_date_and_none_arrives_after_midnight(
    country: str, seed: int
) -> None:
    base = BASES[country]
    services = timetable(base, seed)
    running = {(s.date, s.origin_city, s.to_city) for s in services}
    assert running == {(day, *pair) for day in DAYS for pair in permutations(base.cities, 2)}
    assert all(0 < s.depart < s.arrive < 24 * 60 for s in services)
    assert all(390 <= s.depart <= 20 * 60 for s in services)
    assert all(s.price > 0 for s in services)


@settings(max_examples=examples(15))
@given(st.sampled_from(sorted(COUNTRIES)), SEEDS)
def test_a_number_has_one_route_with_fixed_stations_and_times(country: str, seed: int) -> None:
    routes = defaultdict(set)
    dates = defaultdict(list)
    for s in timetable(BASES[country], seed):
        routes[s.number].add((s.vehicle, s.origin, s.to, s.origin_city, s.to_city, s.depart, s.arrive))
        dates[s.number].append(s.date)
    assert all(len(values) == 1 for values in routes.values())
    assert all(len(values) == len(set(values)) for values in dates.values())


def test_a_used_number_is_not_assigned_again() -> None:
    carrier = replace(CARRIERS["USD"]["airplane"], codes=("X",))
    taken = {f"X{n}" for n in range(101, 9900)} - {"X500"}
    assert module._draw_number(Random(0), carrier, taken) == "X500"
    assert "X500" in taken


@COUNTRY
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_some_services_run_only_on_some_weekdays_and_prices_change_from_day_to_day(country: str, seed: int) -> None:
    days, prices = defaultdict(set), defaultdict(set)
    for s in timetable(BASES[country], seed):
        days[s.number].add(s.date.weekday())
        prices[s.number].add(s.price)
    often = sum(len(values) == 7 for values in days.values())
    assert 0 < often < len(days)
    assert {len(values) for values in days.values()} == {4, 7}
    assert all(len(values) > 1 for values in prices.values())


@COUNTRY
def test_a_timetable_depends_only_on_the_base_and_the_seed(country: str) -> None:
    base = BASES[country]
    assert timetable(base, 3) == timetable(base, 3)
    assert timetable(base, 3) != timetable(base, 4)
    assert fact_bases(3)[country].services == timetable(base, 3)


@COUNTRY
def test_services_begin_and_end_at_stations_of_their_kind(country: str) -> None:
    base = BASES[country]
    kinds = {(poi.name, poi.city): poi.kind for poi in base.pois}
    for s in timetable(base, 0):
        kind = "railway_station" if s.vehicle == "train" else "airport"
        assert (kinds[s.origin, s.origin_city], kinds[s.to, s.to_city]) == (kind, kind)
    vehicles = {s.vehicle for s in timetable(base, 0)}
    assert vehicles == ({"airplane"} if country == "usa" else {"train", "airplane"})


@COUNTRY
def test_no_service_is_faster_than_its_kind_of_vehicle_allows(country: str) -> None:
    base = BASES[country]
    poi = {(p.name, p.city): p for p in base.pois}
    for s in timetable(base, 0):
        way = kilometres(poi[s.origin, s.origin_city], poi[s.to, s.to_city])
        assert way / (s.arrive - s.depart) * 60 < CARRIERS[base.currency][s.vehicle].speed


def test_a_timetable_of_requested_days_lists_its_services_in_order() -> None:
    base = BASES["usa"]
    first = date(2026, 1, 1)
    services = timetable(base, 0, first, first + timedelta(days=1))
    assert {s.date for s in services} == {first, first + timedelta(days=1)}
    keys = [(s.origin_city, s.to_city, s.date, s.depart) for s in services]
    assert keys == sorted(keys)


def test_the_generated_timetable_does_not_depend_on_the_services_of_the_base() -> None:
    base = small_base()
    bare = FactBase(base.currency, (), base.attractions, base.restaurants, base.hotels, base.pois)
    assert timetable(base, 0) == timetable(bare, 0) != ()


def test_a_city_without_a_station_has_no_services() -> None:
    base = small_base()
    cut = tuple(poi for poi in base.pois if poi.city != "Brunn" or poi.kind == "airport")
    services = timetable(FactBase("CNY", (), (), (), base.hotels, cut), 0)
    assert {s.vehicle for s in services if "Brunn" in (s.origin_city, s.to_city)} == {"airplane"}
    assert {s.vehicle for s in services if "Brunn" not in (s.origin_city, s.to_city)} == {"airplane", "train"}
