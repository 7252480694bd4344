"""Parser of queries.

It finds all meanings of a query in the grammar of a language, and tries each name in each slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any, assert_never

from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.grammar import (
    Choice,
    Condition,
    Hole,
    Node,
    Pair,
    Rule,
    StatedValue,
    Words,
)
from planspec.families.mobilitybench.wording import PLACES, WISHES, Moment, Wording

Meaning = frozenset[tuple[str, Any]]
"""Slots with their values. Wishes that are stated together form one entry with the names of their slots."""


def fold_text(text: str) -> str:
    """Return a text in lower case without blanks and punctuation."""
    return "".join(c for c in text.casefold() if c.isalnum())


class Reader:
    """Parser of a query, which finds its meanings for given names and values.

    Args:
        words: wording of the query's language.
        slots: slots of the query.
        query: the query.
        moment: time of the query.
    """

    def __init__(self, words: Wording, slots: Mapping[str, Any], query: str, moment: Moment) -> None:
        self._words, self._slots, self._moment = words, slots, moment
        self._traits = words.traits(slots, moment)
        self._query = fold_text(query)
        self._names = [v for s, v in slots.items() if s in PLACES and v not in words.kinds]
        self._readings: dict[tuple[Node, int], list[tuple[int, Meaning]]] = {}
        self._forms: dict[Hole, list[tuple[str, Any]]] = {}

    def meanings(self, scenario: Scenario) -> Iterator[dict[str, Any]]:
        """Yield each set of slot values that the query can express in a scenario."""
        for end, meaning in self._read(self._words.root(scenario), 0):
            if end == len(self._query):
                slots = self._slots_of(meaning)
                if slots is not None and slots_fit(scenario, slots):
                    yield slots

    def _slots_of(self, meaning: Meaning) -> dict[str, Any] | None:
        """Return the values by slot, or None if the meaning lacks a slot or states one twice."""
        values: dict[str, Any] = {}
        for slot, value in meaning:
            for name, one in [(w, self._slots[w]) for w in value] if slot == "wish" else [(slot, value)]:
                if name in values:
                    return None
                values[name] = one
        names = sorted(str(v) for s, v in values.items() if s in PLACES and v not in self._words.kinds)
        others = {s for s in self._slots if s not in PLACES or self._slots[s] in self._words.kinds}
        other_slots = {s for s in values if s not in PLACES or values[s] in self._words.kinds}
        return values if names == sorted(map(str, self._names)) and others == other_slots else None

    def _read(self, node: Node, at: int) -> list[tuple[int, Meaning]]:
        """Return each way to read a grammar node at a position: the position after it, and the slot values it states."""
        match node:
            case Words(text):
                word = fold_text(text)
                return [(at + len(word), frozenset())] if self._query.startswith(word, at) else []
            case StatedValue(token):
                slot, _, value = token.partition("=")
                slot_value = self._slots.get(slot)
                return [(at, frozenset({(slot, slot_value)}))] if str(slot_value) == value else []
            case Condition(trait):
                fits = trait.partition("~")[0] in PLACES or trait in self._traits
                return [(at, frozenset())] if fits else []
            case Hole():
                return [
                    (at + len(form), frozenset({(slot, value)}))
                    for form, (slot, value) in self._forms_of(node)
                    if self._query.startswith(form, at)
                ]
            case Rule() | Pair() | Choice():
                key = node, at
                if key not in self._readings:
                    self._readings[key] = list(dict.fromkeys(self._read_compound(node, at)))
                return self._readings[key]
            case _:
                assert_never(node)

    def _read_compound(self, node: Rule | Pair | Choice, at: int) -> Iterator[tuple[int, Meaning]]:
        """Yield each way to read a node that consists of other nodes, as `_read` returns it."""
        match node:
            case Rule(name):
                yield from self._read(self._words.grammar.rule(name), at)
            case Choice(options):
                for _, option in options:
                    yield from self._read(option, at)
            case Pair(first, rest):
                for middle, one in self._read(first, at):
                    for end, other in self._read(rest, middle):
                        if not {slot for slot, _ in one} & {slot for slot, _ in other}:
                            yield end, one | other
            case _:
                assert_never(node)

    def _forms_of(self, hole: Hole) -> list[tuple[str, tuple[str, Any]]]:
        """Return the texts with which a placeholder can be filled, each with the slot and value that it states."""
        if hole not in self._forms:
            self._forms[hole] = list(
                dict.fromkeys((fold_text(form), meaning) for form, meaning in self._all_forms(hole))
            )
        return self._forms[hole]

    def _all_forms(self, hole: Hole) -> Iterator[tuple[str, tuple[str, Any]]]:
        words, moment = self._words, self._moment
        slot = hole.slot
        if slot == "wish":
            wishes = [name for name in WISHES if name in self._slots]
            for size in range(1, len(wishes) + 1):
                for some in permutations(wishes, size):
                    for form in _joined_wishes(words, some, self._slots, moment, hole.role):
                        yield form, ("wish", tuple(sorted(some)))
        elif slot == "kind":
            if self._slots.get("place") in words.kinds:
                for form in words.forms("kind", self._slots["place"], moment, hole.role):
                    yield form, ("place", self._slots["place"])
        elif slot in PLACES:
            for name in self._names:
                for form in words.forms(slot, name, moment, hole.role):
                    yield form, (slot, name)
        elif slot in self._slots:
            value = self._slots[slot]
            for form in words.forms(slot, value, moment, hole.role):
                yield form, (slot, tuple(value) if isinstance(value, list) else value)


def _joined_wishes(
    words: Wording, names: tuple[str, ...], slots: Mapping[str, Any], moment: Moment, role: str
) -> Iterator[str]:
    """Yield the texts that state several wishes together, joined as in the language."""
    first, *others = names
    for form in words.forms(first, slots[first], moment, role):
        if not others:
            yield form
        else:
            for rest in _joined_wishes(words, tuple(others), slots, moment, role):
                yield form + words.words["also"][role] + rest


def slots_fit(scenario: Scenario, slots: Mapping[str, Any]) -> bool:
    """Return whether the slots fit a scenario.

    `MULTI_STOP` requires waypoints (`via`) and allows no other wish. `OPTIONS` requires a preference or a transfer
    limit, and allows neither waypoints, roads or lines nor the preference for fewest lights as the only wish.
    `CUSTOMIZED` requires one of these four, and another wish besides waypoints. All other scenarios allow no wish.
    """
    wishes = set(slots) & set(WISHES)
    own = set(slots) & {"avoid_roads", "avoid_lines", "use_line", "via"} or slots.get("preferences") == [
        "fewest_lights"
    ]
    match scenario:
        case Scenario.MULTI_STOP:
            return wishes == {"via"}
        case Scenario.OPTIONS:
            return bool(wishes) and not own
        case Scenario.CUSTOMIZED:
            return bool(own) and wishes != {"via"}
        case _:
            return not wishes


def readings(words: Wording, slots: Mapping[str, Any], query: str, moment: Moment) -> list[tuple[Scenario, Any]]:
    """Return the scenario and the slots of each meaning of a query, without repetitions."""
    reader = Reader(words, slots, query, moment)
    meanings: list[tuple[Scenario, Any]] = []
    for scenario in Scenario:
        for own_slots in reader.meanings(scenario):
            listed = {slot: list(v) if isinstance(v, tuple) else v for slot, v in own_slots.items()}
            if (scenario, listed) not in meanings:
                meanings.append((scenario, listed))
    return meanings
