"""Slots -> what a user says: paraphrases in English and Chinese, each of which says every slot, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product
from random import Random
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.spoken import Language, said_clock, said_count, said_days, said_length
from planspec.families.mobilitybench.yaml_text import parsed

WISHES = ("via", "use_line", "avoid_roads", "avoid_lines", "preferences", "max_transfers")
"""Slots that `{wish}` says one after the other, in this order."""
KINDS = ("kind", "a", "many")
"""Roles of a place of which only the kind is said."""
HERE = "here"
_PIECE = re.compile(r"(\[.*?\])")
_BEGIN = re.compile(r"(?:^|(?<=[.?!] ))\w")
_HOLE = re.compile(r"\{([a-z_]+)(?:\.([a-z]+))?\}")
Slots: TypeAlias = Mapping[str, JsonValue]


class Unsayable(ValueError):
    """No paraphrase says these slots and no other."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole in a sentence for a slot's value; `role` picks the form."""

    slot: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paraphrase with its optional parts settled.

    Attributes:
        text: as it was written, with its optional parts.
        parts: words and holes in order.
        fixed: slots that the words themselves say.
    """

    text: str
    parts: tuple[str | Hole, ...]
    fixed: tuple[tuple[str, JsonValue], ...]

    @property
    def slots(self) -> tuple[str, ...]:
        """Those with a hole; `wish` stands for all of `WISHES` that have none of their own."""
        return tuple(part.slot for part in self.parts if isinstance(part, Hole))

    def says(self, slots: Slots, kinds: frozenset[str]) -> bool:
        """The sentence has a place for each slot, and all of its places are filled."""
        own = set(self.slots)
        if dict(self.fixed) != {name: slots.get(name) for name, _ in self.fixed}:
            return False
        wanted = set(slots) - {name for name, _ in self.fixed}
        if "wish" in own:
            wished = {name for name in wanted if name in WISHES and name not in own}
            wanted = (wanted - wished) | ({"wish"} if wished else set())
        # where one is, and that the nearest is meant, is said in other words
        if any(
            name in own and slots.get(name) == value for name, value in (("location", HERE), ("limit", 1))
        ):
            return False
        kind = any(isinstance(p, Hole) and p.slot == "place" and p.role in KINDS for p in self.parts)
        return wanted == own and ("place" not in own or kind == (slots["place"] in kinds))


class Wording:
    """The words of a language.

    Args:
        language: of the words.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        text = files("planspec.families.mobilitybench").joinpath("data").joinpath(f"wording.{language}.yaml")
        read = parsed(text.read_text(encoding="utf-8"))
        self.words: Mapping[str, Any] = read["say"]
        self.texts: Mapping[Scenario, tuple[str, ...]] = {
            Scenario(name): tuple(text for group in groups for text in group["texts"])
            for name, groups in read["ask"].items()
        }
        self.sentences: Mapping[Scenario, tuple[Sentence, ...]] = {
            Scenario(name): tuple(
                sentence
                for group in groups
                for text in group["texts"]
                for sentence in _settled(text, tuple(group.get("slots", {}).items()))
            )
            for name, groups in read["ask"].items()
        }
        self.kinds = {forms[0]: category for category, forms in self.words["category"].items()}

    def fitting(self, scenario: Scenario, slots: Slots) -> tuple[Sentence, ...]:
        """The sentences that say these slots and no other."""
        kinds = frozenset(self.kinds)
        return tuple(s for s in self.sentences[scenario] if s.says(slots, kinds))

    def query(self, scenario: Scenario, slots: Slots, today: str, chance: Random) -> str:
        """A query in the user's words.

        Args:
            scenario: in which it is said.
            slots: all that is said.
            today: ISO 8601.
            chance: another one says it otherwise.

        Raises:
            Unsayable: there is no sentence for these slots.
        """
        fitting = self.fitting(scenario, slots)
        if not fitting:
            raise Unsayable(f"{scenario.value}: nothing says {', '.join(slots)}")
        return self.said(chance.choice(fitting), slots, today, chance)

    def said(self, sentence: Sentence, slots: Slots, today: str, chance: Random) -> str:
        """A sentence with the slots in their places."""
        own = set(sentence.slots)
        made = []
        for part in sentence.parts:
            match part:
                case str():
                    made.append(part)
                case Hole(slot="wish", role=role):
                    wishes = [name for name in WISHES if name in slots and name not in own]
                    forms = [chance.choice(self.forms(name, slots[name], today, role)) for name in wishes]
                    made.append(self.words["also"][role].join(forms))
                case Hole(slot=slot, role=role):
                    made.append(chance.choice(self.forms(slot, slots[slot], today, role)))
        text = "".join(made).strip()
        if self.language == "en" and text[-1] in ".?":  # who types without a full stop types small letters
            return _BEGIN.sub(lambda found: found[0].upper(), text)
        return text

    def forms(self, slot: str, value: JsonValue, today: str, role: str = "") -> tuple[str, ...]:  # noqa: C901 one case for each slot
        """All that may be said for a value, in one role or, if none is named, in any."""
        words = self.words
        match slot, value:
            case "mode", str():
                return _role(words["mode"][value], role)
            case "preferences", [*wanted]:
                return tuple(
                    words["also"][one].join(some)
                    for one in ((role,) if role else ("do", "as"))
                    for some in product(*(_role(words["preferences"][str(w)], one) for w in wanted))
                )
            case "max_transfers", int():
                return _role(words["max_transfers"][value], role)
            case (("avoid_roads" | "avoid_lines"), [*names]):
                return _filled(_role(words[slot], role), words["and"].join(map(str, names)))
            case "use_line", str():
                return _filled(_role(words[slot], role), value)
            case "via", [*names]:
                joined = words["then"].join(map(str, names))
                return _filled(_role(words[slot], role), joined) if role else (joined,)
            case (("depart_at" | "arrive_by" | "at"), str()):
                return said_clock(self.language, value)
            case "radius", int():
                return said_length(self.language, value)
            case "limit", int():
                return said_count(self.language, value)
            case "days", [*days]:
                return said_days(words["days"], [str(day) for day in days], today)
            case "location", str() if value != HERE:
                x, y = value.split(",")
                return tuple(pattern.format(x=x, y=y) for pattern in words["location"])
            case "place", str() if role in KINDS:
                return self._kind(value, role)
            case "near", "here":
                return tuple(words["near_here"])
            case _, "here":
                return tuple(words["here"])
            case _, str():
                return (value,)
            case _:
                raise Unsayable(f"slot `{slot}` cannot say {value!r}")

    def _kind(self, word: str, role: str) -> tuple[str, ...]:
        forms = self.words["category"][self.kinds[word]]
        match role:
            case "a":
                return (f"{'an' if word[0] in 'aeiouE' else 'a'} {word}",)
            case "many":
                return (forms[-1],)
            case _:
                return (word,)


@cache
def wording(language: Language) -> Wording:
    """The words of a language, read once."""
    return Wording(language)


def _role(forms: Any, role: str) -> tuple[str, ...]:
    if role:
        return tuple(forms[role])
    return tuple(form for some in forms.values() for form in some)


def _filled(patterns: Sequence[str], name: str) -> tuple[str, ...]:
    return tuple(pattern.replace("{}", name) for pattern in patterns)


def _settled(text: str, fixed: tuple[tuple[str, JsonValue], ...]) -> Iterator[Sentence]:
    """A sentence with and without each of its optional parts."""
    pieces = _PIECE.split(text)
    choices = [("", piece[1:-1]) if piece.startswith("[") else (piece,) for piece in pieces]
    for chosen in product(*choices):
        yield Sentence(text, tuple(_parts("".join(chosen))), fixed)


def _parts(text: str) -> Iterator[str | Hole]:
    at = 0
    for found in _HOLE.finditer(text):
        if found.start() > at:
            yield text[at : found.start()]
        yield Hole(found[1], found[2] or "")
        at = found.end()
    if at < len(text):
        yield text[at:]
