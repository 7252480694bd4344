"""The words for weather conditions are unambiguous and complete."""

from __future__ import annotations

from planspec.families.mobilitybench.calls import folded
from planspec.families.mobilitybench.map.days import SKIES
from planspec.families.mobilitybench.weather import SYNONYMS, weather_words


def test_no_synonym_stands_for_two_weather_conditions() -> None:
    words = [word for words in SYNONYMS for word in words]
    assert len(words) == len(set(words))
    assert words == [folded(word) for word in words]


def test_conditions_of_the_map_are_recognised_in_any_letter_case() -> None:
    for condition, _ in SKIES:
        assert condition in weather_words(condition)
        assert weather_words(condition) == weather_words(condition.title())


def test_an_unknown_condition_is_stored_as_its_own_word() -> None:
    assert weather_words("Frog rain") == ("Frog rain",)
