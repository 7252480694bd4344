"""Drafted queries have the paper's proportions and ranges, and never name a sight that they show in a picture."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from functools import cache
from itertools import islice, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.veritrip.base_size import COUNTRIES
from planspec.families.veritrip.drafting import QUERY_BOUNDS, _with_shown_sight, draft_queries, query_counts
from planspec.families.veritrip.fact_bases import fact_bases
from planspec.families.veritrip.query import Difficulty, Query
from planspec.families.veritrip.timetable import FIRST_DAY, LAST_DAY
from planspec.families.veritrip.wording import replace_name_by_picture, wording

TABLE_2: dict[Difficulty, dict[str, tuple[int, int]]] = {
    "Simple": {"days": (2, 5), "people_number": (1, 2), "preferences": (1, 4)},
    "Medium": {"days": (1, 6), "people_number": (2, 5), "preferences": (2, 5)},
    "Complex": {"days": (3, 7), "people_number": (2, 8), "preferences": (2, 8)},
}
PERSONAS = {
    "Solo traveler",
    "Couple",
    "Friends",
    "Family (with elderly)",
    "Family (with children)",
    "Family (with elderly and children)",
    "Two families",
}
BASES = fact_bases(0)
EACH = pytest.mark.parametrize(("country", "difficulty"), [(c, d) for c in COUNTRIES for d in TABLE_2], ids=str)


@cache
def sample_queries(country: str, difficulty: Difficulty) -> tuple[Query, ...]:
    """Return 150 drafted queries of a country and a difficulty."""
    return tuple(islice(draft_queries(BASES[country], difficulty, "9"), 150))


def test_difficulties_have_the_paper_s_proportions() -> None:
    assert query_counts(228) == {"Simple": 78, "Medium": 76, "Complex": 74}
    assert query_counts(60) == {"Simple": 21, "Medium": 20, "Complex": 19}
    assert query_counts(1) == {"Simple": 1, "Medium": 0, "Complex": 0}


@given(st.integers(0, 5000))
def test_the_numbers_of_queries_sum_to_the_total_and_are_proportional(n: int) -> None:
    counts = query_counts(n)
    assert sum(counts.values()) == n
    for name, part in {"Simple": 78, "Medium": 76, "Complex": 74}.items():
        assert abs(counts[name] * 228 - n * part) < 228  # type: ignore[index]


@EACH
def test_drafts_are_within_the_ranges_of_the_paper(country: str, difficulty: Difficulty) -> None:
    for query in sample_queries(country, difficulty):
        for name, (least, most) in TABLE_2[difficulty].items():
            # these cities have enough places for all preferences
            assert least <= getattr(query, name) <= most, (name, query)
        assert query.difficulty == difficulty


@EACH
def test_the_minimum_and_maximum_of_each_range_occur(country: str, difficulty: Difficulty) -> None:
    for name, (least, most) in TABLE_2[difficulty].items():
        values = {getattr(query, name) for query in sample_queries(country, difficulty)}
        assert {least, most - (name == "preferences" and most == 8)} <= values, name


@EACH
def test_drafts_are_in_the_paper_s_period_and_name_at_most_three_places(country: str, difficulty: Difficulty) -> None:
    for query in sample_queries(country, difficulty):
        assert FIRST_DAY <= query.start_date <= query.end_date <= LAST_DAY
        assert max(len(query.attractions), len(query.meals)) <= 3
        assert query.persona in PERSONAS


@EACH
def test_preferences_of_drafts_exist_in_the_city(country: str, difficulty: Difficulty) -> None:
    base = BASES[country]
    sights = {(a.city, a.name): a for a in base.attractions}
    for query in sample_queries(country, difficulty):
        city = query.target_city
        days = {(query.start_date + timedelta(days=n)).weekday() for n in range(query.days)}
        assert all(days - sights[city, name].closed_on for name in query.attractions)
        assert set(query.meals) <= {d for r in base.restaurants if r.city == city for d in r.dishes}
        rooms = {room.kind for h in base.hotels if h.city == city for room in h.rooms}
        assert query.p_accommodation is None or query.p_accommodation in rooms
        assert query.p_accommodation is None or query.days > 1
        assert country == "china" or query.p_intercity_traffic != "High-speed rail"
        assert set(query.shown) <= set(query.attractions)


@EACH
def test_drafts_use_all_pairs_of_cities_in_turn(country: str, difficulty: Difficulty) -> None:
    count = Counter((q.start_city, q.target_city) for q in sample_queries(country, difficulty))
    assert count == dict.fromkeys(permutations(BASES[country].cities, 2), 25)


@EACH
def test_personas_fit_the_number_of_people(country: str, difficulty: Difficulty) -> None:
    for query in sample_queries(country, difficulty):
        assert (query.persona == "Solo traveler") == (query.people_number == 1)
        assert query.persona != "Couple" or query.people_number == 2
        assert query.persona != "Two families" or query.people_number >= 4


def test_drafts_depend_only_on_the_seed() -> None:
    def some_queries(seed: str) -> list[Query]:
        return list(islice(draft_queries(BASES["usa"], "Complex", seed), 10))

    assert some_queries("9") == some_queries("9") == list(sample_queries("usa", "Complex")[:10])
    assert some_queries("9") != some_queries("10")


@EACH
def test_words_name_all_preferences_except_sights_in_pictures(country: str, difficulty: Difficulty) -> None:
    for query in sample_queries(country, difficulty):
        text = query.nature_language
        sights = set(query.attractions)
        others = " ".join(query.meals)
        for name in query.shown:
            # a name shown in a picture may occur only within another name
            assert name not in text or any(name in o for o in sights - set(query.shown)) or name in others, text
        for name in (*sights - set(query.shown), *query.meals, query.start_city, query.target_city):
            assert name in text, (name, text)
        assert query.start_date.isoformat() in text and query.end_date.isoformat() in text
        assert ("picture" in text) == bool(query.shown)


@EACH
def test_a_query_states_the_budget_once_with_its_currency_sign(country: str, difficulty: Difficulty) -> None:
    sign = {"china": "¥", "usa": "$"}[country]
    for query in sample_queries(country, difficulty):
        assert query.nature_language.count(f"{sign}{{budget}}") == query.nature_language.count("{") == 1


@EACH
def test_words_state_every_other_preference(country: str, difficulty: Difficulty) -> None:
    traffic = {"High-speed rail": "high-speed rail", "Airplane": "prefer to fly"}
    ride = {"Public transportation": "public transportation", "Taxi": "by taxi"}
    for query in sample_queries(country, difficulty):
        text = query.nature_language
        assert query.p_accommodation is None or query.p_accommodation.lower() in text
        assert query.p_interest is None or query.p_interest.lower() in text
        for wish, words in ((query.p_intercity_traffic, traffic), (query.p_innercity_traffic, ride)):
            for value, phrase in words.items():
                assert (phrase in text) == (wish == value), text
        assert bool(query.have_pet) == ("bring a pet" in text)


@pytest.mark.parametrize("country", COUNTRIES)
def test_a_solo_traveller_does_not_say_we(country: str) -> None:
    alone = [q for q in sample_queries(country, "Simple") if q.people_number == 1]
    assert alone
    for query in alone:
        text = query.nature_language
        for name in (*query.attractions, *query.meals):
            text = text.replace(name, "")
        assert not re.search(r"\b([Ww]e|us|[Oo]ur|one person)\b", text), text


@EACH
def test_each_draft_shows_a_sight_if_pictures_are_permitted(country: str, difficulty: Difficulty) -> None:
    for query in sample_queries(country, difficulty):
        assert query.shown and set(query.shown) <= set(query.attractions)
        assert "picture" in query.nature_language
    named = list(islice(draft_queries(BASES[country], difficulty, "9", pictures=False), 150))
    assert all(query.shown == () for query in named)
    assert any(not query.attractions for query in named)


def test_the_sight_that_a_picture_adds_takes_the_place_of_another_preference_if_there_are_too_many() -> None:
    query = sample_queries("china", "Simple")[0].model_copy(update={"p_attraction": None, "difficulty": "Simple"})
    single = {"p_accommodation": "Twin room", "p_intercity_traffic": "Airplane", "p_innercity_traffic": "Taxi"}
    most = QUERY_BOUNDS["Simple"].preferences[1]
    for wishes, key, value in (
        ({**single, "p_interest": "Family fun", "p_meal": None}, "p_interest", None),
        ({**single, "p_interest": None, "p_meal": "A"}, "p_meal", None),
        (
            {
                "p_accommodation": None,
                "p_interest": None,
                "p_meal": "A|B",
                "p_intercity_traffic": "Airplane",
                "p_innercity_traffic": "Taxi",
            },
            "p_meal",
            "B",
        ),
        ({**dict.fromkeys(single), "p_interest": "Family fun", "p_meal": None}, "p_interest", "Family fun"),
    ):
        before = query.model_copy(update=wishes)
        after, shown = _with_shown_sight(before, BASES["china"], True)
        assert shown == after.attractions and len(shown) == 1
        assert getattr(after, key) == value
        assert after.preferences == min(most, before.preferences + 1)


def test_a_name_is_replaced_by_a_picture() -> None:
    query = sample_queries("china", "Simple")[0].model_copy(update={"people_number": 2, "p_attraction": "A (1)|B|C"})
    text = "Hello. We hope to visit A (1), B and C. Bye."
    assert replace_name_by_picture(text, query, "C") == (
        "Hello. We hope to visit A (1) and B. We also want to visit the place in the picture. Bye."
    )
    alone = query.model_copy(update={"people_number": 1, "p_attraction": "A (1)"})
    assert replace_name_by_picture("I must see A (1).", alone, "A (1)") == "I want to visit the place in the picture."


@pytest.mark.parametrize(
    ("shown", "phrase"),
    [(1, "the place in the picture"), (2, "(the first and the second)"), (3, "(the first, the second and the third)")],
)
def test_pictures_are_mentioned_by_number(shown: int, phrase: str) -> None:
    query = next(q for q in sample_queries("china", "Complex") if len(q.attractions) == 3)
    text = wording(query, query.attractions[:shown], "CNY", Random(1))
    assert phrase in text
    assert not any(name in text for name in query.attractions[:shown])
    assert all(name in text for name in query.attractions[shown:])
