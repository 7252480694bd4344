"""Queries in the user's words, by a grammar of each language: a query states every slot and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise, product
from random import Random
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.grammar import Grammar, Hole, Leaf, Node, Tokens
from planspec.families.mobilitybench.map.specs import find_spec
from planspec.families.mobilitybench.spoken import (
    Language,
    clock_wordings,
    count_wordings,
    day_wordings,
    length_wordings,
    wait_wordings,
)
from planspec.families.mobilitybench.yaml_text import parsed

WISHES = ("via", "use_line", "avoid_roads", "avoid_lines", "preferences", "max_transfers")
"""Slots that `{wish}` states one after another, in this order."""
PLACES = ("near", "origin", "destination", "place")
HERE = "here"
MASKED = (
    "place", "near", "origin", "destination", "via", "city", "district", "road", "address", "location", "avoid_roads",
    "avoid_lines", "use_line", "depart_at", "arrive_by", "at", "radius", "limit",
)  # fmt: skip
"""Slots whose values are names and numbers."""
TOWN = "o"
"""Gender of town names, which have no article and a preposition of their own."""
TRIES = 40
"""Most sentences that are drawn to find a clear one."""
TIDY, LOOSE = 62, 94
"""Percentages of queries up to which they have capitals and all marks, and up to which they lack capitals and the
final mark; the others are also cut into sentences at a wrong place."""
_BEGIN = re.compile(r"(?:^|(?<=[.?!] ))[^\W\d_]")
_CLAUSE = re.compile(r"[.?!;:,。？！；：，、]")
_FILL = re.compile(r"\{(\w*)\}")
_AFTER_MARK = re.compile(r"(?<=[.?!]),")
"""A comma after the end of a sentence, left by a phrase that follows all sentences."""
_MARKS = ".?!。？！"
_JOINED = f"{_MARKS},，、;；:：()（）"
"""Characters after which a query is not cut."""
Slots: TypeAlias = Mapping[str, JsonValue]


class NoWordingError(ValueError):
    """No sentence states exactly these slots."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Time of a query.

    Attributes:
        today: today as ISO 8601.
        now: HH:MM; None if times are not relative to now.
    """

    today: str
    now: str | None = None


@dataclass(frozen=True, slots=True)
class QueryPiece:
    """Piece of a query: words, or the form of a slot's value."""

    text: str
    slot: str | None = None


class Wording:
    """The wording of queries in a language.

    Args:
        language: the language.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        text = files("planspec.families.mobilitybench").joinpath("data").joinpath(f"wording.{language}.yaml")
        data = parsed(text.read_text(encoding="utf-8"))
        self.words: Mapping[str, Any] = data["say"]
        self.clear: Mapping[str, str] = data["clear"]
        self.names = {kind: re.compile(pattern) for kind, pattern in data["names"].items()}
        self.kinds: Mapping[str, str] = {
            forms[0]: category for category, forms in self.words["category"].items()
        }
        questions = {_rule(Scenario(name)): texts for name, texts in data["ask"].items()}
        frames = {
            f"say-{name}": [text.replace("<ask>", f"<{name}>") for text in data["frame"]]
            for name in questions
        }
        self.grammar = Grammar({**data["rules"], **questions, **frames})
        self._genders = [(re.compile(p), gender) for p, gender in self.words.get("genders", {}).items()]
        self._cases: Mapping[str, Mapping[str, str]] = self.words.get("cases", {})

    # ------------------------------------------------------------------ content

    def root(self, scenario: Scenario) -> Node:
        """Return the node of all queries of a scenario."""
        return self.grammar.rule(f"say-{_rule(scenario)}")

    def required_tokens(self, scenario: Scenario, slots: Slots) -> Iterator[Tokens]:
        """Yield the required tokens for these slots: each wish alone or, with others, in `wish`."""
        tokens = self.grammar.reach(self.root(scenario)).tokens
        plain = {self._token(tokens, slot, value) for slot, value in slots.items() if slot not in WISHES}
        wishes = [slot for slot in WISHES if slot in slots]
        own = [((True, False) if slot in tokens else (False,)) for slot in wishes]
        for chosen in product(*own):
            alone = {slot for slot, by_itself in zip(wishes, chosen, strict=True) if by_itself}
            yield frozenset(plain | alone | ({"wish"} if len(alone) < len(wishes) else set()))

    def _token(self, tokens: Tokens, slot: str, value: JsonValue) -> str:
        if slot == "place" and value in self.kinds:
            return "kind"
        token = f"{slot}={value}"
        return token if token in tokens else slot

    def facts(self, slots: Slots, moment: Moment) -> frozenset[str]:
        """Return the facts about the slots: `slot~fact`."""
        facts = set()
        for slot, value in slots.items():
            for item in value if isinstance(value, list) else [value]:
                if slot == "place" and item in self.kinds:
                    facts.add(f"kind~{self.kinds[str(item)]}")
                elif slot in (*PLACES, "via") and isinstance(item, str):
                    facts.add(f"{slot}~{HERE if item == HERE else 'named'}")
                    facts |= {f"{slot}~{kind}" for kind, name in self.names.items() if name.search(item)}
                elif slot in {"mode", "preferences", "max_transfers", "asked"}:
                    facts.add(f"{slot}~{item}")
            if isinstance(value, list):
                facts.add(f"{slot}~{'item' if len(value) == 1 else 'many'}")
        if slots.get("days") == [moment.today]:
            facts.add("days~today")
        elif "days" in slots:
            facts.add("days~later")
        if moment.now is not None:
            parts = ("morning", "12:00"), ("afternoon", "18:00"), ("evening", "24:00")
            facts.add(f"now~{next(part for part, end in parts if moment.now < end)}")
        return frozenset(facts)

    def ways(self, scenario: Scenario, slots: Slots, moment: Moment) -> int:
        """Count the sentences that state exactly these slots, disregarding the forms of their values."""
        facts, root = self.facts(slots, moment), self.root(scenario)
        return sum(
            self.grammar.ways(root, required, facts) for required in self.required_tokens(scenario, slots)
        )

    # ------------------------------------------------------------------ queries

    def query(
        self, scenario: Scenario, slots: Slots, today: str, chance: Random, now: str | None = None
    ) -> str:
        """Draw a query in the user's words that has only one meaning.

        Args:
            scenario: the scenario.
            slots: everything that the query has to state.
            today: today as ISO 8601.
            chance: random generator.
            now: HH:MM, which allows times relative to now.

        Raises:
            NoWordingError: there is no sentence for these slots.
        """
        moment = Moment(today, now)
        facts, root = self.facts(slots, moment), self.root(scenario)
        fitting = [
            required
            for required in self.required_tokens(scenario, slots)
            if self.grammar.ways(root, required, facts)
        ]
        if not fitting:
            raise NoWordingError(f"{scenario.value}: nothing says {', '.join(slots)}")
        for _ in range(TRIES):
            required = chance.choice(fitting)
            leaves = list(self.grammar.draw(root, required, facts, chance))
            pieces = [
                piece for leaf in leaves for piece in self._pieces(leaf, required, slots, moment, chance)
            ]
            query = self._styled(pieces, chance)
            if self.is_clear(slots, query, today, now):
                return query
        raise NoWordingError(f"{scenario.value}: nothing says {', '.join(slots)} clearly")

    def _pieces(
        self, leaf: Leaf, required: Tokens, slots: Slots, moment: Moment, chance: Random
    ) -> Iterator[QueryPiece]:
        match leaf:
            case Hole("wish", role):
                wishes = [name for name in WISHES if name in slots and name not in required]
                forms = [chance.choice(self.forms(name, slots[name], moment, role)) for name in wishes]
                yield QueryPiece(self.words["also"][role].join(forms), "wish")
            case Hole("kind", role):
                yield QueryPiece(chance.choice(self.forms("kind", slots["place"], moment, role)), "kind")
            case Hole(slot, role):
                yield QueryPiece(chance.choice(self.forms(slot, slots[slot], moment, role)), slot)
            case _:
                if leaf.text:
                    yield QueryPiece(leaf.text)

    def is_clear(self, slots: Slots, query: str, today: str, now: str | None = None) -> bool:
        """Return whether each time is in a clause that states its meaning: departure or arrival."""
        times = [slot for slot in self.clear if slot in slots]
        if not times:
            return True
        for clause in _CLAUSE.split(self.masked(slots, query, today, now)):
            for slot in times:
                if f"<{slot}>" in clause and not re.search(self.clear[slot], clause):
                    return False
        return True

    def _styled(self, pieces: Sequence[QueryPiece], chance: Random) -> str:
        drawn = chance.randrange(100)
        if drawn >= LOOSE:
            pieces = self._cut(pieces, chance)
        text = _AFTER_MARK.sub("", "".join(piece.text for piece in pieces)).strip()
        if drawn < TIDY:
            return _BEGIN.sub(lambda match: match[0].upper(), text)
        return text.rstrip(_MARKS)

    def _cut(self, pieces: Sequence[QueryPiece], chance: Random) -> list[QueryPiece]:
        """Insert a full stop between words and the slot that follows them."""
        stop = "。" if self.language in {"zh", "ja"} else ". "
        places = [
            n
            for n, (one, other) in enumerate(pairwise(pieces))
            if one.slot is None
            and other.slot is not None
            and one.text.strip()
            and one.text.rstrip()[-1] not in _JOINED
        ]
        if not places:
            return list(pieces)
        at = chance.choice(places)
        return [*pieces[:at], QueryPiece(pieces[at].text.rstrip() + stop), *pieces[at + 1 :]]

    # ------------------------------------------------------------------ forms

    def forms(self, slot: str, value: JsonValue, moment: Moment, role: str = "") -> tuple[str, ...]:  # noqa: C901 one case for each slot
        """Return the wordings of a value in one role or, if `role` is empty, in all roles."""
        words = self.words
        match slot, value:
            case "mode", str():
                return _role_forms(words["mode"][value], role)
            case "preferences", [*preferences]:
                return tuple(
                    words["also"][each_role].join(combination)
                    for each_role in ((role,) if role else words["also"])
                    for combination in product(
                        *(_role_forms(words["preferences"][str(w)], each_role) for w in preferences)
                    )
                )
            case "max_transfers", int():
                return _role_forms(words["max_transfers"][value], role)
            case (("avoid_roads" | "avoid_lines"), [*names]):
                return self._filled(_role_forms(words[slot], role), list(map(str, names)), words["and"])
            case "use_line", str():
                return self._filled(_role_forms(words[slot], role), [value], "")
            case "via", [*names]:
                patterns = words[slot].get(role, (f"{{{role}}}",))
                join = words["then"].get(role, words["then"][""])
                return self._filled(patterns, list(map(str, names)), join)
            case (("depart_at" | "arrive_by" | "at"), str()):
                return self._times(value, moment, role)
            case "radius", int():
                return length_wordings(self.language, value)
            case "limit", int():
                return count_wordings(self.language, value, words.get("measures", {}).get(role, ""))
            case "days", [*days]:
                return day_wordings(words["days"], [str(day) for day in days], moment.today)
            case "location", str() if value != HERE:
                x, y = value.split(",")
                return tuple(pattern.format(x=x, y=y) for pattern in words["location"])
            case "kind", str():
                return self._kind(value, role)
            case "near", "here":
                return _here_forms(words["near_here"], role)
            case _, "here":
                return _here_forms(words["here"], role)
            case _, str():
                return (self._cased(value, role),)
            case _:
                raise NoWordingError(f"slot `{slot}` cannot say {value!r}")

    def _times(self, clock: str, moment: Moment, role: str) -> tuple[str, ...]:
        plain = clock_wordings(self.language, clock)
        if role != "when":
            return plain
        later = wait_wordings(self.language, moment.now, clock)
        return (
            *(pattern.replace("{}", form) for pattern in self.words["when"] for form in plain),
            *(pattern.replace("{}", form) for pattern in self.words["later"] for form in later),
        )

    def _kind(self, word: str, role: str) -> tuple[str, ...]:
        forms = self.words["category"][self.kinds[word]]
        match role:
            case "a" if self.language == "en":
                return (f"{'an' if word[0] in 'aeiouE' else 'a'} {word}",)
            case "many":
                return (forms[-1],)
            case "":
                return (word,)
            case _:
                return (self._cased(word, role),)

    def _cased(self, name: str, role: str) -> str:
        """Return a name with the article and preposition of the role."""
        if role not in self._cases:
            return name
        patterns = self._cases[role]
        gender = next((gender for pattern, gender in self._genders if pattern.search(name)), None)
        if gender is None:
            gender = TOWN if find_spec(name) is not None else "none"
        return patterns[gender if gender in patterns else "none"].replace("{}", name)

    def _filled(self, patterns: Sequence[str], names: Sequence[str], join: str) -> tuple[str, ...]:
        return tuple(
            _FILL.sub(lambda match: join.join(self._cased(name, match[1]) for name in names), pattern)
            for pattern in patterns
        )

    # ------------------------------------------------------------------ comparing

    def masked(self, slots: Slots, query: str, today: str, now: str | None = None) -> str:
        """Return a query's pattern: in lower case, without names, numbers and the final mark."""
        moment = Moment(today, now)
        forms = set()
        for slot in MASKED:
            value = slots.get(slot)
            if value is None or (slot == "place" and value in self.kinds) or value == HERE:
                continue
            if isinstance(value, list):
                forms |= {(slot, str(one)) for one in value}
            elif slot == "use_line":
                forms.add((slot, str(value)))
            else:
                roles = ("", "when") if slot in {"depart_at", "arrive_by", "at"} else ("",)
                forms |= {(slot, form) for role in roles for form in self.forms(slot, value, moment, role)}
        text = query.casefold()
        for slot, form in sorted(forms, key=lambda one: (-len(one[1]), one)):
            text = text.replace(form.casefold(), f"<{slot}>")
        return re.sub(r"\d+", "#", text).strip(_MARKS + " ")


def _rule(scenario: Scenario) -> str:
    return f"ask-{scenario.name.lower().replace('_', '-')}"


@cache
def wording(language: Language) -> Wording:
    """Return the wording of a language, loaded once."""
    return Wording(language)


def _here_forms(forms: Mapping[str, Sequence[str]], role: str) -> tuple[str, ...]:
    return tuple(forms.get(role, forms["any"])) if role else tuple(f for some in forms.values() for f in some)


def _role_forms(forms: Any, role: str) -> tuple[str, ...]:
    if role:
        return tuple(forms[role])
    return tuple(form for some in forms.values() for form in some)
