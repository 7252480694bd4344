"""The shipped places agree with the description in their folder."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from planspec.families.veritrip.base_size import COUNTRIES
from planspec.families.veritrip.query import Interest
from planspec.families.veritrip.reading import read_base, read_places
from planspec.families.veritrip.timetable import STATIONS, kilometres
from tests.paths import ROOT

PLACES = ROOT / "tasks" / "veritrip" / "places"
CITIES = {"china": ("Beijing", "Shanghai", "Hangzhou"), "usa": ("New York", "Washington", "Boston")}
CENTRES = {
    "Beijing": (39.90, 116.40),
    "Shanghai": (31.23, 121.47),
    "Hangzhou": (30.25, 120.16),
    "New York": (40.75, -73.98),
    "Washington": (38.90, -77.04),
    "Boston": (42.36, -71.06),
}
BASES = {country: read_places(PLACES / country, currency) for country, currency in COUNTRIES.items()}
COUNTRY = pytest.mark.parametrize("country", CITIES)


@COUNTRY
def test_every_row_of_the_files_of_places_is_stored_in_the_base(country: str) -> None:
    _, counts = read_base(
        PLACES / country,
        COUNTRIES[country],
        ("attractions", "restaurants", "accommodations", "pois"),
    )
    assert all(count.stored == count.read > 0 for count in counts)


@COUNTRY
def test_each_city_has_the_documented_number_of_places(country: str) -> None:
    base = BASES[country]
    assert set(base.cities) == set(CITIES[country])
    for city in base.cities:
        kinds = Counter(type(place).__name__ for place in base.within(city))
        assert kinds == {"Attraction": 24, "Restaurant": 24, "Hotel": 12, "Poi": 22}
    assert {place.city for place in base.places} == set(base.cities)


@COUNTRY
def test_names_are_distinct_within_a_city(country: str) -> None:
    counts = Counter((place.city, place.name.casefold()) for place in BASES[country].places)
    assert [name for name, count in counts.items() if count > 1] == []


@COUNTRY
def test_every_place_is_in_or_near_its_city(country: str) -> None:
    """A degree is 111 km. Dulles Airport and the Great Wall count as parts of their cities."""
    far = [
        place.name
        for place in BASES[country].places
        if abs(float(place.latitude) - CENTRES[place.city][0]) > 0.65
        or abs(float(place.longitude) - CENTRES[place.city][1]) > 0.65
    ]
    assert far == []


@COUNTRY
def test_no_two_places_have_the_same_position(country: str) -> None:
    base = BASES[country]
    for city in base.cities:
        points = Counter((place.latitude, place.longitude) for place in base.within(city))
        assert points.most_common(1)[0][1] == 1


@COUNTRY
def test_every_city_can_be_reached(country: str) -> None:
    base = BASES[country]
    kinds = {"airport"} if country == "usa" else set(STATIONS)
    for city in base.cities:
        assert kinds <= {poi.kind for poi in base.pois if poi.city == city}


@COUNTRY
def test_sights_are_open_long_enough_to_be_seen_and_not_closed_all_week(country: str) -> None:
    for sight in BASES[country].attractions:
        assert sight.least <= sight.closes - sight.opens, sight.name
        assert len(sight.closed_on) < 7, sight.name
        assert sight.interests, sight.name
        assert set(sight.interests) <= set(Interest.__args__), sight.name  # type: ignore[attr-defined]
        assert sight.introduction, sight.name


@COUNTRY
def test_hours_of_sights_are_multiples_of_half_an_hour(country: str) -> None:
    assert [s.name for s in BASES[country].attractions if s.opens % 30 or s.closes % 30] == []


@COUNTRY
def test_each_city_has_restaurants_open_at_noon_and_in_the_evening(country: str) -> None:
    base = BASES[country]
    for city in base.cities:
        tables = [r for r in base.restaurants if r.city == city and r.dishes]
        for begin, end in ((720, 780), (780, 840), (1080, 1140)):
            assert sum(r.opens <= begin and end <= r.closes for r in tables) >= 6, (city, begin)


@COUNTRY
def test_hotels_have_stars_and_rooms_for_one_and_for_four(country: str) -> None:
    base = BASES[country]
    for hotel in base.hotels:
        assert 2 <= hotel.stars <= 5, hotel.name
        assert all(room.price > 0 for room in hotel.rooms), hotel.name
    for city in base.cities:
        beds = {room.sleeps for hotel in base.hotels if hotel.city == city for room in hotel.rooms}
        assert {1, 2} <= beds and max(beds) >= 4, city


def test_distances_between_cities_are_realistic() -> None:
    """The distances between airports are common knowledge, in kilometres. The tolerance is 10%."""
    distances = {
        ("Beijing", "Shanghai"): 1090,
        ("Beijing", "Hangzhou"): 1150,
        ("New York", "Boston"): 300,
        ("New York", "Washington"): 340,
        ("Washington", "Boston"): 640,
    }
    for base in BASES.values():
        first = {poi.city: poi for poi in reversed(base.pois) if poi.kind == "airport"}
        for pair in combinations(base.cities, 2):
            if (expected := distances.get(pair)) is not None:
                assert kilometres(first[pair[0]], first[pair[1]]) == pytest.approx(expected, rel=0.1), pair
