"""Sentences in results of the map are in the city's language. Their words are also accepted in answers."""

from __future__ import annotations

import re
from string import Formatter
from typing import get_args

import pytest

from planspec.families.mobilitybench.format.cells import read_level
from planspec.families.mobilitybench.map import NoRoute, cycle, drive, grow_city, transit
from planspec.families.mobilitybench.map.days import PERIODS, SKIES, SNOW
from planspec.families.mobilitybench.map.phrases import phrases
from planspec.families.mobilitybench.map.records import Language, TrafficLevel
from planspec.families.mobilitybench.weather import weather_words

LANGUAGES: tuple[Language, ...] = get_args(Language)
SAME = {"free": "smooth", "slow": "slow", "congested": "congested", "blocked": "severe"}
CITIES: dict[Language, tuple[str, str, str]] = {
    "en": ("Boston", r"(Walk|Drive|Cycle|Take) ", r"traffic is|traffic flows"),
    "zh": ("Chengdu", r"步行|沿|在", r"平均时速约\d+公里"),
    "de": ("Munich", r"\d+ m (auf|zu Fuß)|.+ ab .+ nehmen, ", r"etwa \d+ km/h"),
    "ja": ("Tokyo", r".*(歩|進|降りる)", r"時速約\d+km"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_phrases(language: Language) -> None:
    own, english = phrases(language), phrases("en")
    for name in ("afoot", "along", "ride", "sail", "weather", "traffic", "accident"):
        assert _parts(getattr(own, name)) == _parts(getattr(english, name)), name
    assert set(own.verbs) == set(english.verbs) and len(own.periods) == len(PERIODS)
    assert len(set(own.ways)) == len(set(own.winds)) == 8
    assert set(own.skies) == {name for name, _ in (*SKIES, SNOW)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_may_use_the_words_of_the_tools(language: Language) -> None:
    own = phrases(language)
    for sky, word in own.skies.items():
        assert weather_words(word) == weather_words(sky) and len(weather_words(sky)) > 1, word
    for level in get_args(TrafficLevel):
        assert read_level(own.levels[level]) == SAME[level]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tools_use_the_language_of_the_city(language: Language) -> None:
    name, steps, traffic = CITIES[language]
    city = grow_city(name, 3, 200)
    start, end = city.pois[0].point, city.pois[70].point
    for answer in (drive(city, start, end), cycle(city, start, end), transit(city, start, end, depart=600)):
        assert not isinstance(answer, NoRoute)
        for step in answer[0].steps:
            assert re.match(steps, step.instruction), step.instruction
    assert all(re.search(traffic, traffic_entry.description) for traffic_entry in city.traffic)


def _parts(text: str) -> set[str | None]:
    """Return the names of the placeholders in a format string."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
