"""Lookups in a map: places by name, kind and distance, addresses, locations of addresses, weather and traffic."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.mobilitybench.map import (
    City,
    Point,
    find_pois,
    forecast,
    geocode,
    grow_city,
    metres,
    nearby,
    reverse_geocode,
    traffic_on,
    weather_on,
)
from planspec.families.mobilitybench.map.categories import WORDS, category_of
from planspec.families.mobilitybench.map.lookup import LEAST_SCORE, name_similarity
from planspec.families.mobilitybench.map.places import CATEGORIES
from tests.random_examples import examples

NAMES = ("Shanghai", "Chicago", "Munich", "Osaka")
EACH = pytest.mark.parametrize("city", NAMES, indirect=True)
OFFSETS = st.integers(-30_000, 30_000)


@cache
def grown_city(name: str) -> City:
    """Return a city generated with a fixed seed."""
    return grow_city(name, 4, 300)


@pytest.fixture
def city(request: pytest.FixtureRequest) -> City:
    return grown_city(request.param)


@EACH
def test_a_name_is_found_exactly_and_first(city: City) -> None:
    for poi in city.pois:
        first = find_pois(city, f" {poi.name.upper()} ")[0]
        assert (first.poi, first.how, first.score) == (poi, "exact", 100)


@EACH
def test_a_place_found_by_an_alias_is_marked_as_found_by_an_alias(city: City) -> None:
    poi = next(poi for poi in city.pois if poi.aliases and poi.aliases[0] not in {p.name for p in city.pois})
    matches = find_pois(city, poi.aliases[0], limit=None)
    assert matches[0].how == "alias"
    assert poi in [match.poi for match in matches if match.how == "alias"]


@EACH
def test_a_misspelt_name_is_found_with_its_score(city: City) -> None:
    poi = max(city.pois, key=lambda poi: len(poi.name))
    typo = poi.name[:-2] + "q" + poi.name[-1]
    matches = [match for match in find_pois(city, typo) if match.poi == poi]
    assert matches[0].how == "fuzzy" and 70 <= matches[0].score < 100


@EACH
def test_nonsense_is_not_found(city: City) -> None:
    assert find_pois(city, "zzzzqqqq 0000") == ()
    assert geocode(city, "zzzzqqqq 0000") == ()


@EACH
def test_every_similar_place_is_found_with_its_score(city: City) -> None:
    """The search compares all names in one call. It must find the places that comparisons of single names find."""
    for query in ("museum of art", "starr inn", "zzz", city.pois[3].name[1:], city.pois[8].name.upper(), ""):
        folded = query.strip().casefold()
        scores = {}
        for poi in city.pois:
            names = [name.casefold() for name in (poi.name, *poi.aliases)]
            score = max(name_similarity(folded, name) for name in names)
            if score >= LEAST_SCORE or any(folded in name for name in names):
                scores[poi.id] = score
        matches = find_pois(city, query, limit=None)
        assert {match.poi.id for match in matches} >= scores.keys()
        assert all(scores[m.poi.id] == m.score for m in matches if m.how in ("part", "fuzzy"))


@EACH
def test_a_category_finds_all_of_its_places(city: City) -> None:
    for word, category in (("医院", "hospital"), ("EV charging station", "charging"), ("トイレ", "toilet")):
        expected = {poi.id for poi in city.pois if poi.category == category}
        matches = find_pois(city, word, category=category, limit=None)
        assert {match.poi.id for match in matches} == expected != set()


def test_every_category_has_words_and_no_word_has_two() -> None:
    assert set(WORDS) == set(CATEGORIES)
    words = [word for synonyms in WORDS.values() for word in synonyms]
    assert len(set(words)) == len(words)
    assert all(category_of(word.upper()) == category for category, synonyms in WORDS.items() for word in synonyms)
    assert category_of("nothing") is None


@EACH
def test_a_district_and_a_limit_narrow_the_search(city: City) -> None:
    district = city.districts[0]
    matches = find_pois(city, "restaurant", district=district, limit=2)
    assert len(matches) <= 2 and all(match.poi.district == district for match in matches)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.sampled_from(NAMES).map(grown_city),
    OFFSETS,
    OFFSETS,
    st.integers(0, 4_000),
    st.sampled_from([None, "hotel", "bank"]),
)
def test_places_within_a_radius_are_listed_nearest_first(
    city: City, x: int, y: int, radius: int, category: str | None
) -> None:
    centre = Point(city.centre.longitude + x, city.centre.latitude + y)
    near_places = nearby(city, centre, radius, category=category)
    inside = [
        (metres(centre, poi.point), poi.id)
        for poi in city.pois
        if metres(centre, poi.point) <= radius and category in {None, poi.category}
    ]
    assert [(near.distance_m, near.poi.id) for near in near_places] == sorted(inside)
    assert nearby(city, centre, radius, category=category, limit=3) == near_places[:3]


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(NAMES).map(grown_city), OFFSETS, OFFSETS)
def test_the_address_of_a_point_is_the_nearest_door(city: City, x: int, y: int) -> None:
    point = Point(city.centre.longitude + x, city.centre.latitude + y)
    address_found = reverse_geocode(city, point)
    nearest = min(metres(point, address.point) for address in city.addresses)
    if address_found is None:
        assert nearest > 3_000
    else:
        assert address_found.distance_m - nearest <= 1
        assert address_found.district in city.districts and address_found.street in address_found.formatted


@EACH
def test_an_address_is_located_at_its_door(city: City) -> None:
    for address in city.addresses[::5]:
        place = reverse_geocode(city, address.point)
        assert place is not None and place.distance_m == 0
        match = geocode(city, place.formatted)[0]
        assert (match.how, match.street, match.number) == ("exact", place.street, place.number)
        assert match.district == place.district


def test_the_match_for_an_unknown_house_number_says_that_only_the_street_matched() -> None:
    city = grown_city("Chicago")
    address = city.addresses[3]
    street = city.roads[address.road].name
    assert geocode(city, f"99999 {street}")[0].how == "number"
    whole = geocode(city, street.upper())[0]
    assert (whole.how, whole.number, whole.street) == ("street", None, street)
    typo = geocode(city, f"{address.number} {street[:-1]}")[0]
    assert typo.street == street and typo.score < 100


@EACH
def test_a_place_far_away_has_no_address(city: City) -> None:
    assert reverse_geocode(city, Point(city.centre.longitude + 900_000, city.centre.latitude)) is None


@EACH
def test_the_weather_of_today_is_observed_and_that_of_other_days_forecast(city: City) -> None:
    today = weather_on(city)
    assert today is not None and today.day == city.today and today.day in today.description
    assert today.low_c < today.high_c
    assert [w.day for w in forecast(city, 3)] == [w.day for w in city.weather[1:4]]
    assert weather_on(city, city.weather[4].day) == city.weather[4]
    assert weather_on(city, "1999-01-01") is None


@EACH
def test_traffic_depends_on_road_and_time(city: City) -> None:
    road = next(road for road in city.roads if road.kind == "primary")
    night, peak = traffic_on(city, road.name.upper(), 120), traffic_on(city, road.english, 480)
    assert night is not None and peak is not None
    assert (night.percent, night.level, night.period.name) == (100, "free", "night")
    assert peak.percent < 100 and peak.period.name == "morning peak" and road.name in peak.description
    assert peak.speed_km_h < night.speed_km_h
    assert traffic_on(city, road.name, 480 + 1440) == peak
    assert traffic_on(city, "no such road", 480) is None


def test_a_negative_radius_is_refused() -> None:
    with pytest.raises(ValueError, match="radius"):
        nearby(grown_city("Shanghai"), grown_city("Shanghai").centre, -1)
