"""Each query says each slot of its gold set, and can be read in no other way."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import FAMILIES, Scenario
from planspec.families.mobilitybench.program import programs
from planspec.families.mobilitybench.spoken import Language
from planspec.families.mobilitybench.wording import (
    HERE,
    KINDS,
    WISHES,
    Hole,
    Sentence,
    Unsayable,
    Wording,
    wording,
)
from tests.families.mobilitybench.drawing.towns import CITIES, drafts

TODAY = "2026-05-11"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
NAMES = ("place", "near", "origin", "destination")
"""Slots that are said by the name of a place alone: no road, district or city has it."""
Drawn = tuple[Scenario, Mapping[str, Any]]


@cache
def drawn() -> tuple[Drawn, ...]:
    return tuple(
        (scenario, draft.slots)
        for scenario in Scenario
        for name in CITIES
        for _, draft in drafts(scenario, name, 6)
    )


@pytest.fixture(scope="module", params=LANGUAGES)
def said(request: pytest.FixtureRequest) -> tuple[Wording, list[tuple[Drawn, str]]]:
    """Queries with their gold sets; kinds of places are as the language calls them."""
    words = wording(request.param)
    other = wording("zh" if request.param == "en" else "en")
    chance = Random(5)
    made: list[tuple[Drawn, str]] = []
    for scenario, slots in drawn():
        own = dict(slots)
        if own.get("place") in other.kinds:
            category = other.kinds[own["place"]]
            own["place"] = next(word for word, its in words.kinds.items() if its == category)
        made.append(((scenario, own), words.query(scenario, own, TODAY, chance)))
    return words, made


# ------------------------------------------------------------------ what there is


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("scenario", list(Scenario))
def test_each_scenario_has_eight_paraphrases(language: Language, scenario: Scenario) -> None:
    texts = wording(language).texts[scenario]
    assert len(set(texts)) == len(texts) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_drawn_can_be_said_in_several_ways(language: Language) -> None:
    words = wording(language)
    for scenario, slots in drawn():
        if slots.get("place") in wording("zh" if language == "en" else "en").kinds:
            continue
        assert len({sentence.text for sentence in words.fitting(scenario, slots)}) >= 3, (scenario, slots)


@pytest.mark.parametrize("language", LANGUAGES)
def test_paraphrases_say_slots_of_their_scenario(language: Language) -> None:
    for scenario, sentences in wording(language).sentences.items():
        known = set(programs()[scenario].slots)
        for sentence in sentences:
            own = {*sentence.slots, *(name for name, _ in sentence.fixed)} - {"wish"}
            assert own <= known, (scenario, sentence.text)
            assert "wish" not in sentence.slots or known & set(WISHES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_paraphrase_says_a_slot_twice(language: Language) -> None:
    for sentences in wording(language).sentences.values():
        for sentence in sentences:
            own = [*sentence.slots, *(name for name, _ in sentence.fixed)]
            assert len(own) == len(set(own)), sentence.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_words_are_those_of_labels_and_values(language: Language) -> None:
    slots = {name for program in programs().values() for name in program.slots}
    labels = {scenario.value.casefold() for scenario in Scenario} | {
        family.value.casefold() for family in FAMILIES.values()
    }
    for sentences in wording(language).sentences.values():
        for sentence in sentences:
            plain = "".join(part for part in sentence.parts if isinstance(part, str)).casefold()
            assert not any(label in plain for label in labels)
            assert not re.search(r"_|\bhh:mm\b|\d{4}-\d\d", plain)
            assert not {name for name in slots if "_" in name and name in plain}
    forms = [str(form) for form in _leaves(wording(language).words)]
    assert not [form for form in forms if "_" in form]


def _leaves(value: Any) -> Iterator[Any]:
    match value:
        case dict():
            for one in value.values():
                yield from _leaves(one)
        case list():
            for one in value:
                yield from _leaves(one)
        case _:
            yield value


def test_chinese_words_hold_no_english_ones() -> None:
    words = wording("zh")
    for sentences in words.sentences.values():
        for sentence in sentences:
            assert not re.search(r"[A-Za-z,?!]", "".join(p for p in sentence.parts if isinstance(p, str)))


# ------------------------------------------------------------------ what is said


@pytest.mark.slow
def test_each_slot_is_said(said: tuple[Wording, list[tuple[Drawn, str]]]) -> None:
    words, queries = said
    for (scenario, slots), query in queries:
        by_words = {name for s in words.fitting(scenario, slots) for name, _ in s.fixed}
        for slot, value in slots.items():
            if slot in by_words:
                continue
            forms = set(words.forms(slot, value, TODAY))
            if str(value) in words.kinds:
                forms = {form for role in KINDS for form in words.forms(slot, value, TODAY, role)}
            if slot in {"via", "avoid_roads", "avoid_lines"}:
                at = [query.find(name) for name in value]
                assert -1 not in at and at == sorted(at), (query, slot)
            assert any(form.casefold() in query.casefold() for form in forms), (query, slot, value)


@pytest.mark.slow
def test_no_query_can_be_read_in_two_ways(said: tuple[Wording, list[tuple[Drawn, str]]]) -> None:
    """A query is read with every sentence of every scenario, each name in each place."""
    words, queries = said
    for (scenario, slots), query in queries:
        read = list(readings(words, slots, query))
        assert (scenario, dict(slots)) in read, (query, slots)
        assert all(one == (scenario, dict(slots)) for one in read), (query, read)


def readings(
    words: Wording, slots: Mapping[str, Any], query: str
) -> Iterator[tuple[Scenario, dict[str, Any]]]:
    """What a query can mean of what is made of the same names and values."""
    for scenario, sentences in words.sentences.items():
        for sentence in sentences:
            for meant in _assignments(words, sentence, slots):
                if _may_say(scenario, meant) and sentence.says(meant, frozenset(words.kinds)):
                    pattern = "".join(
                        re.escape(part)
                        if isinstance(part, str)
                        else _alternatives(words, sentence, part, meant)
                        for part in sentence.parts
                    )
                    if re.fullmatch(pattern, query, re.IGNORECASE):
                        yield scenario, meant


def _assignments(words: Wording, sentence: Sentence, slots: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The slots that a sentence says, each name of the query in each place for a name."""
    fixed = dict(sentence.fixed)
    own = set(sentence.slots)
    names = [value for slot, value in slots.items() if slot in NAMES]
    holes = [slot for slot in sentence.slots if slot in NAMES]
    others = {slot: value for slot, value in slots.items() if slot not in NAMES}
    asked = {k: v for k, v in others.items() if k in own or ("wish" in own and k in WISHES)}
    if len(names) != len(holes) or len(asked) != len(set(others) - set(fixed)):
        return
    for order in permutations(names):
        yield {**fixed, **asked, **dict(zip(holes, order, strict=True))}


def _may_say(scenario: Scenario, slots: Mapping[str, Any]) -> bool:
    """Wishes for options alone are no demands of the user's own, and the other way round."""
    if not set(slots) & set(WISHES) or scenario is Scenario.MULTI_STOP:
        return True
    own = set(slots) & {"avoid_roads", "avoid_lines", "use_line", "via"} or slots.get("preferences") == [
        "fewest_lights"
    ]
    return bool(own) == (scenario is Scenario.CUSTOMIZED)


def _alternatives(words: Wording, sentence: Sentence, hole: Hole, slots: Mapping[str, Any]) -> str:
    if hole.slot != "wish":
        forms = list(words.forms(hole.slot, slots[hole.slot], TODAY, hole.role))
    else:
        wishes = [slot for slot in WISHES if slot in slots and slot not in sentence.slots]
        each = [words.forms(slot, slots[slot], TODAY, hole.role) for slot in wishes]
        forms = [words.words["also"][hole.role].join(some) for some in product(*each)]
    return f"(?:{'|'.join(map(re.escape, forms))})"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_values_of_a_slot_are_said_alike(language: Language) -> None:
    words = wording(language)
    for slot in ("mode", "preferences", "max_transfers"):
        for role in ("do", "by", "way", "as"):
            meant: dict[str, Any] = {}
            for value, roles in words.words[slot].items():
                for form in roles.get(role, ()):
                    assert meant.setdefault(form, value) == value
    kinds = [form for forms in words.words["category"].values() for form in forms]
    assert len(kinds) == len(set(kinds))


def test_the_map_knows_the_kinds_of_places_that_are_said() -> None:
    from planspec.families.mobilitybench.map.categories import category_of

    for language in LANGUAGES:
        for word, category in wording(language).kinds.items():
            assert category_of(word) == category


# ------------------------------------------------------------------ details


@pytest.mark.slow
def test_demands_and_options_never_say_the_same() -> None:
    for scenario in (Scenario.OPTIONS, Scenario.CUSTOMIZED):
        for name in CITIES:
            for _, draft in drafts(scenario, name, 12):
                assert _may_say(scenario, draft.slots)


def test_a_sentence_with_a_full_stop_begins_with_a_capital_letter() -> None:
    words = wording("en")
    slots: dict[str, Any] = {"destination": "X", "mode": "drive", "avoid_roads": ["the Ring"]}
    queries = [words.query(Scenario.CUSTOMIZED, slots, TODAY, Random(n)) for n in range(60)]
    assert {query[0].isupper() for query in queries if query[-1] in ".?"} == {True}
    assert {query[0].isupper() for query in queries if query[-1] not in ".?"} == {False}


def test_where_one_is_is_not_a_pair_of_coordinates() -> None:
    for language in LANGUAGES:
        sentences = wording(language).fitting(Scenario.GEOLOCATION, {"location": HERE})
        assert sentences and not any("location" in sentence.slots for sentence in sentences)


def test_the_nearest_is_not_one_of_several() -> None:
    slots: dict[str, Any] = {"place": "pharmacy", "near": HERE, "limit": 1}
    sentences = wording("en").fitting(Scenario.NEARBY_SEARCH, slots)
    assert sentences and not any("limit" in sentence.slots for sentence in sentences)


def test_places_on_the_way_are_said_in_their_order() -> None:
    slots: dict[str, Any] = {"destination": "D", "via": ["B", "A"], "mode": "drive"}
    for n in range(20):
        query = wording("en").query(Scenario.MULTI_STOP, slots, TODAY, Random(n))
        assert "B and then A" in query


def test_coordinates_are_said_with_their_names() -> None:
    forms = wording("en").forms("location", "-0.127800,51.507400", TODAY)
    assert forms == ("longitude -0.127800, latitude 51.507400", "latitude 51.507400, longitude -0.127800")


def test_slots_that_no_sentence_says_are_refused() -> None:
    with pytest.raises(Unsayable, match="Weather Query: nothing says radius"):
        wording("en").query(Scenario.WEATHER, {"radius": 500}, TODAY, Random(1))
