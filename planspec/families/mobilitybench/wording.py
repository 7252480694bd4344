"""Generator of queries in natural language, from a grammar for each language.

A query states all slots of an episode, such as origin and destination, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby, product
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
from planspec.families.mobilitybench.yaml_text import parse_yaml

WISHES = ("via", "use_line", "avoid_roads", "avoid_lines", "preferences", "max_transfers")
"""Slots of wishes about a route. The placeholder `{wish}` states several of them together, in this order."""
PLACES = ("near", "origin", "destination", "place")
HERE = "here"
DRIVING = "drive"
WISH = "wish"
"""Placeholder for wishes. There is never a pause before it, since its wordings continue a clause."""
MODE = "mode"
"""Slot of the travel mode. Its wordings may be verbs, and no pause separates such a verb from a word such as `to`."""
MASKED = (
    "place",
    "near",
    "origin",
    "destination",
    "via",
    "city",
    "district",
    "road",
    "address",
    "location",
    "avoid_roads",
    "avoid_lines",
    "use_line",
    "depart_at",
    "arrive_by",
    "at",
    "radius",
    "limit",
)
"""Slots with names or numbers as values. The pattern of a query hides these values."""
TOWN = "o"
"""Pseudo-gender for names of towns, which take no article and a different preposition in German."""
TRIES = 40
"""Maximum number of sentences drawn until one is unambiguous."""
TIDY_LIMIT, LOOSE_LIMIT = 62, 94
"""Limits, in percent, between three styles of queries.

Below the first limit, a query has capitals and punctuation. From the first to the second, it lacks capitals and the
final mark. From the second on, it is also split by a misplaced full stop.
"""
_BEGIN = re.compile(r"(?:^|(?<=[.?!] ))[^\W\d_]")
_CLAUSE = re.compile(r"[.?!;:,。？！；：，、]")
_FILL = re.compile(r"\{(\w*)\}")
_AFTER_MARK = re.compile(r"(?<=[.?!]),")
"""A superfluous comma, left after a complete sentence by a phrase for the end of a query."""
_MARKS = ".?!。？！"
_JOINED = f"{_MARKS},，、;；:：()（）"
"""Characters after which no misplaced full stop is inserted."""
Slots: TypeAlias = Mapping[str, JsonValue]


class NoWordingError(ValueError):
    """Error if no sentence states exactly the slots of a request."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Day and time of a query, and how the user travels.

    Attributes:
        today: the day as ISO 8601.
        now: the time as HH:MM; None if times are not worded relative to now.
        travel_tool: the user's usual travel mode, used if the slots state no mode; None if unknown.
    """

    today: str
    now: str | None = None
    travel_tool: str | None = None


@dataclass(frozen=True, slots=True)
class QueryPiece:
    """Piece of a query: fixed words, or the wording of a slot's value.

    Attributes:
        text: the text.
        slot: the slot; None for fixed words.
    """

    text: str
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Pauses:
    """Patterns of possible pauses in a sentence. A speaker may pause before the phrase of a slot.

    Attributes:
        after: matches the end of the words before a pause.
        link: matches words that belong to the slot after them, such as a preposition.
        phrase: matches the beginning of a slot's wording that needs no such words.
    """

    after: re.Pattern[str]
    link: re.Pattern[str]
    phrase: re.Pattern[str]

    def position(self, before: str, fixed: str, piece: QueryPiece) -> int | None:
        """Return the index in `fixed` at which a speaker may pause; None if there is no possible pause.

        Args:
            before: text before the fixed words. It ends with a slot, or is empty.
            fixed: fixed words before a slot; may be empty.
            piece: wording of the slot.
        """
        link = self.link.search(fixed)
        at = len(fixed) if link is None else link.start()
        needs_phrase = link is None or piece.slot == MODE
        if piece.slot == WISH or (needs_phrase and not self.phrase.match(piece.text)):
            return None
        words = (before + fixed[:at]).rstrip()
        if not words or words[-1] in _JOINED:
            return None
        follows_a_slot = bool(before) and not fixed[:at].strip()
        return at if follows_a_slot or self.after.search(words) else None


class Wording:
    """Grammar and words of one language, for wording queries.

    Args:
        language: the language.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        text = files("planspec.families.mobilitybench").joinpath("data").joinpath(f"wording.{language}.yaml")
        data = parse_yaml(text.read_text(encoding="utf-8"))
        self.words: Mapping[str, Any] = data["say"]
        self.clear: Mapping[str, str] = data["clear"]
        self.names = {kind: re.compile(pattern) for kind, pattern in data["names"].items()}
        self.pauses = Pauses(**{name: re.compile(pattern) for name, pattern in data["pauses"].items()})
        self.kinds: Mapping[str, str] = {forms[0]: category for category, forms in self.words["category"].items()}
        questions = {_rule_name(Scenario(name)): texts for name, texts in data["ask"].items()}
        frames = {f"say-{name}": [text.replace("<ask>", f"<{name}>") for text in data["frame"]] for name in questions}
        self.grammar = Grammar({**data["rules"], **questions, **frames})
        self._genders = [(re.compile(p), gender) for p, gender in self.words.get("genders", {}).items()]
        self._cases: Mapping[str, Mapping[str, str]] = self.words.get("cases", {})

    # ------------------------------------------------------------------ content

    def root(self, scenario: Scenario) -> Node:
        """Return the grammar's root node for queries of a scenario."""
        return self.grammar.rule(f"say-{_rule_name(scenario)}")

    def required_tokens(self, scenario: Scenario, slots: Slots) -> Iterator[Tokens]:
        """Yield the sets of tokens that a sentence may need to state these slots.

        The sets differ in which wishes have their own phrase. The token `wish` states the other wishes together.
        """
        tokens = self.grammar.summary(self.root(scenario)).tokens
        plain = {self._token(tokens, slot, value) for slot, value in slots.items() if slot not in WISHES}
        wishes = [slot for slot in WISHES if slot in slots]
        own = [((True, False) if slot in tokens else (False,)) for slot in wishes]
        for chosen in product(*own):
            alone = {slot for slot, by_itself in zip(wishes, chosen, strict=True) if by_itself}
            yield frozenset(plain | alone | ({WISH} if len(alone) < len(wishes) else set()))

    def _token(self, tokens: Tokens, slot: str, value: JsonValue) -> str:
        if slot == "place" and value in self.kinds:
            return "kind"
        token = f"{slot}={value}"
        return token if token in tokens else slot

    def traits(self, slots: Slots, moment: Moment) -> frozenset[str]:
        """Return the traits of the slots that the grammar's conditions use, each as `slot~trait`.

        For example, `vehicle~car` holds if the user drives or does not name a mode. Templates that only a driver would
        use require it.
        """
        traits = set()
        for slot, value in slots.items():
            for item in value if isinstance(value, list) else [value]:
                if slot == "place" and item in self.kinds:
                    traits.add(f"kind~{self.kinds[str(item)]}")
                elif slot in (*PLACES, "via") and isinstance(item, str):
                    traits.add(f"{slot}~{HERE if item == HERE else 'named'}")
                    traits |= {f"{slot}~{kind}" for kind, name in self.names.items() if name.search(item)}
                elif slot in {"mode", "preferences", "max_transfers", "asked"}:
                    traits.add(f"{slot}~{item}")
            if isinstance(value, list):
                traits.add(f"{slot}~{'item' if len(value) == 1 else 'many'}")
        if slots.get("mode", moment.travel_tool) in {None, DRIVING}:
            traits.add("vehicle~car")
        if slots.get("days") == [moment.today]:
            traits.add("days~today")
        elif "days" in slots:
            traits.add("days~later")
        if moment.now is not None:
            parts = ("morning", "12:00"), ("afternoon", "18:00"), ("evening", "24:00")
            traits.add(f"now~{next(part for part, end in parts if moment.now < end)}")
        return frozenset(traits)

    def count_sentences(self, scenario: Scenario, slots: Slots, moment: Moment) -> int:
        """Count the sentences that state exactly these slots, without counting different wordings of a value."""
        traits, root = self.traits(slots, moment), self.root(scenario)
        return sum(
            self.grammar.count_wordings(root, required, traits) for required in self.required_tokens(scenario, slots)
        )

    # ------------------------------------------------------------------ queries

    def query(
        self,
        scenario: Scenario,
        slots: Slots,
        today: str,
        rng: Random,
        now: str | None = None,
        travel_tool: str | None = None,
    ) -> str:
        """Draw an unambiguous query in the user's words.

        Args:
            scenario: the scenario.
            slots: values by slot; the query states all of them.
            today: day of the query as ISO 8601.
            rng: random generator.
            now: time of the query as HH:MM, for times relative to now; None to avoid these.
            travel_tool: the user's usual travel mode, used if the slots state no mode; None if unknown.

        Raises:
            NoWordingError: the grammar has no sentence for these slots, or all drawn sentences were ambiguous.
        """
        moment = Moment(today, now, travel_tool)
        traits, root = self.traits(slots, moment), self.root(scenario)
        fitting = [
            required
            for required in self.required_tokens(scenario, slots)
            if self.grammar.count_wordings(root, required, traits)
        ]
        if not fitting:
            raise NoWordingError(f"{scenario.value}: nothing says {', '.join(slots)}")
        for _ in range(TRIES):
            required = rng.choice(fitting)
            leaves = list(self.grammar.draw(root, required, traits, rng))
            pieces = [piece for leaf in leaves for piece in self._pieces(leaf, required, slots, moment, rng)]
            query = self._apply_style(pieces, rng)
            if self.is_clear(slots, query, today, now):
                return query
        raise NoWordingError(f"{scenario.value}: nothing says {', '.join(slots)} clearly")

    def _pieces(self, leaf: Leaf, required: Tokens, slots: Slots, moment: Moment, rng: Random) -> Iterator[QueryPiece]:
        match leaf:
            case Hole("wish", role):
                wishes = [name for name in WISHES if name in slots and name not in required]
                forms = [rng.choice(self.forms(name, slots[name], moment, role)) for name in wishes]
                yield QueryPiece(self.words["also"][role].join(forms), WISH)
            case Hole("kind", role):
                yield QueryPiece(rng.choice(self.forms("kind", slots["place"], moment, role)), "kind")
            case Hole(slot, role):
                yield QueryPiece(rng.choice(self.forms(slot, slots[slot], moment, role)), slot)
            case _:
                if leaf.text:
                    yield QueryPiece(leaf.text)

    def is_clear(self, slots: Slots, query: str, today: str, now: str | None = None) -> bool:
        """Return whether the clause of each time makes clear whether it is a departure or an arrival."""
        times = [slot for slot in self.clear if slot in slots]
        if not times:
            return True
        for clause in _CLAUSE.split(self.query_pattern(slots, query, today, now)):
            for slot in times:
                if f"<{slot}>" in clause and not re.search(self.clear[slot], clause):
                    return False
        return True

    def _apply_style(self, pieces: Sequence[QueryPiece], rng: Random) -> str:
        percent = rng.randrange(100)
        if percent >= LOOSE_LIMIT:
            pieces = self._insert_full_stop(pieces, rng)
        text = _AFTER_MARK.sub("", "".join(piece.text for piece in pieces)).strip()
        if percent < TIDY_LIMIT:
            return _BEGIN.sub(lambda match: match[0].upper(), text)
        return text.rstrip(_MARKS)

    def _insert_full_stop(self, pieces: Sequence[QueryPiece], rng: Random) -> list[QueryPiece]:
        """Insert a misplaced full stop where a speaker may pause. Return the pieces unchanged if there is no pause."""
        stop = "。" if self.language in {"zh", "ja"} else ". "
        joined = _joined_words(pieces)
        places = []
        for n, piece in enumerate(joined):
            if piece.slot is not None and n:
                fixed = "" if joined[n - 1].slot is not None else joined[n - 1].text
                before = "".join(one.text for one in joined[: n - bool(fixed)])
                at = self.pauses.position(before, fixed, piece)
                if at is not None:
                    places.append((n, fixed, at))
        if not places:
            return list(pieces)
        n, fixed, at = rng.choice(places)
        cut = QueryPiece(fixed[:at].rstrip() + stop + fixed[at:].lstrip())
        return [*joined[: n - bool(fixed)], cut, *joined[n:]]

    # ------------------------------------------------------------------ forms

    def forms(self, slot: str, value: JsonValue, moment: Moment, role: str = "") -> tuple[str, ...]:  # noqa: C901 one case for each slot
        """Return the wordings of a slot's value in one grammatical role, or in all roles if `role` is empty."""
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
                return self._fill_patterns(_role_forms(words[slot], role), list(map(str, names)), words["and"])
            case "use_line", str():
                return self._fill_patterns(_role_forms(words[slot], role), [value], "")
            case "via", [*names]:
                patterns = words[slot].get(role, (f"{{{role}}}",))
                join = words["then"].get(role, words["then"][""])
                return self._fill_patterns(patterns, list(map(str, names)), join)
            case (("depart_at" | "arrive_by" | "at"), str()):
                return self._clock_forms(value, moment, role)
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
                return self._kind_forms(value, role)
            case "near", "here":
                return _here_forms(words["near_here"], role)
            case _, "here":
                return _here_forms(words["here"], role)
            case _, str():
                return (self._with_article(value, role),)
            case _:
                raise NoWordingError(f"slot `{slot}` cannot say {value!r}")

    def _clock_forms(self, clock: str, moment: Moment, role: str) -> tuple[str, ...]:
        plain = clock_wordings(self.language, clock)
        if role != "when":
            return plain
        later = wait_wordings(self.language, moment.now, clock)
        return (
            *(pattern.replace("{}", form) for pattern in self.words["when"] for form in plain),
            *(pattern.replace("{}", form) for pattern in self.words["later"] for form in later),
        )

    def _kind_forms(self, word: str, role: str) -> tuple[str, ...]:
        forms = self.words["category"][self.kinds[word]]
        match role:
            case "a" if self.language == "en":
                return (f"{'an' if word[0] in 'aeiouE' else 'a'} {word}",)
            case "many":
                return (forms[-1],)
            case "":
                return (word,)
            case _:
                return (self._with_article(word, role),)

    def _with_article(self, name: str, role: str) -> str:
        """Return a name with the article and the preposition that its role requires."""
        if role not in self._cases:
            return name
        patterns = self._cases[role]
        gender = next((gender for pattern, gender in self._genders if pattern.search(name)), None)
        if gender is None:
            gender = TOWN if find_spec(name) is not None else "none"
        return patterns[gender if gender in patterns else "none"].replace("{}", name)

    def _fill_patterns(self, patterns: Sequence[str], names: Sequence[str], join: str) -> tuple[str, ...]:
        return tuple(
            _FILL.sub(lambda match: join.join(self._with_article(name, match[1]) for name in names), pattern)
            for pattern in patterns
        )

    # ------------------------------------------------------------------ comparing

    def query_pattern(self, slots: Slots, query: str, today: str, now: str | None = None) -> str:
        """Return the pattern of a query: its text in lower case, with names and numbers hidden."""
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


def _joined_words(pieces: Sequence[QueryPiece]) -> list[QueryPiece]:
    """Join consecutive pieces of fixed words."""
    joined: list[QueryPiece] = []
    for is_fixed, group in groupby(pieces, key=lambda piece: piece.slot is None):
        texts = list(group)
        joined += [QueryPiece("".join(piece.text for piece in texts))] if is_fixed else texts
    return joined


def _rule_name(scenario: Scenario) -> str:
    return f"ask-{scenario.name.lower().replace('_', '-')}"


@cache
def wording(language: Language) -> Wording:
    """Return the cached wording of a language."""
    return Wording(language)


def _here_forms(forms: Mapping[str, Sequence[str]], role: str) -> tuple[str, ...]:
    return tuple(forms.get(role, forms["any"])) if role else tuple(f for some in forms.values() for f in some)


def _role_forms(forms: Any, role: str) -> tuple[str, ...]:
    if role:
        return tuple(forms[role])
    return tuple(form for some in forms.values() for form in some)
