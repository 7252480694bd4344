"""A small grammar of sentences: rules of words, slots and choices -> a sentence that says exactly what is to be said.

A rule is a list of texts, one of which is said. In a text

    {slot} {slot.role}   stand for the slot's value, in the form of the role;
    {slot=value}         means that the words around it say that the slot has this value;
    {slot~fact}          lets the text be said only where this is so of the slot;
    <rule>               stands for one of the rule's texts;
    (a|b)                for one of them;
    [a|b]                for one of them, or for nothing.

`3* ` before a text gives it three times the share of the others. An optional part with slots is said exactly where all of
them are to be said and no other part says them. So one text serves with and without each slot, and a slot may have several
places of which one is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from random import Random
from typing import TypeAlias, assert_never

_TOKEN = re.compile(r"\{[^{}]*\}|<[^<>]*>|[(\[|)\]]|[^({\[|)\]<]+")
_HOLE = re.compile(r"\{([a-z_]+)(?:([.=~])([a-z_0-9]+))?\}")
_SHARE = re.compile(r"(\d+)\* ")
_CLOSING = {"(": ")", "[": "]"}


class InvalidGrammarError(ValueError):
    """A text is not written as a rule's, or names a rule that there is not."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words that are said as they stand."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole in a sentence for a slot's value; `role` picks the form."""

    slot: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the words around it say: `slot=value`."""

    token: str


@dataclass(frozen=True, slots=True)
class Guard:
    """A fact, `slot~fact`, without which the words around it are not said."""

    fact: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One of the texts of a rule."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A part, and the parts after it."""

    first: Node
    rest: Node


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of several, each with its share."""

    options: tuple[tuple[int, Node], ...]


Leaf: TypeAlias = Words | Hole
Node: TypeAlias = Words | Hole | Mark | Guard | Rule | Pair | Choice
Tokens: TypeAlias = frozenset[str]
"""What is to be said: slots, and `slot=value` for those that words say."""
NOTHING = Words("")


@dataclass(frozen=True, slots=True)
class Reach:
    """All that a node may say, and all facts on which it depends."""

    tokens: Tokens
    facts: frozenset[str]


@dataclass(slots=True)
class Grammar:
    """Rules, and what can be said by them.

    Attributes:
        texts: of the rules, by their names.

    Raises:
        InvalidGrammarError: one is not written as a rule, or names one that there is not.
    """

    texts: Mapping[str, Sequence[str]]
    _rules: dict[str, Node] = field(init=False, default_factory=dict)
    _reach: dict[Node, Reach] = field(init=False, default_factory=dict)
    _ways: dict[tuple[Node, Tokens, frozenset[str]], int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name, texts in self.texts.items():
            self._rules[name] = _choice(texts)
        sound: set[str] = set()
        for name in self.texts:
            self._check(name, (), sound)

    def _check(self, name: str, within: tuple[str, ...], sound: set[str]) -> None:
        if name in within:
            raise InvalidGrammarError(f"rule `{name}` stands for itself")
        if name not in self._rules:
            raise InvalidGrammarError(f"there is no rule `{name}`, which `{within[-1]}` names")
        if name not in sound:
            for node in nodes(self._rules[name]):
                if isinstance(node, Rule):
                    self._check(node.name, (*within, name), sound)
            sound.add(name)

    def rule(self, name: str) -> Node:
        """The texts of a rule."""
        return self._rules[name]

    def reach(self, node: Node) -> Reach:
        """All that a node may say, and all facts on which it depends."""
        found = self._reach.get(node)
        if found is None:
            tokens: set[str] = set()
            facts: set[str] = set()
            for part in nodes(node):
                match part:
                    case Hole(slot):
                        tokens.add(slot)
                    case Mark(token):
                        tokens.add(token)
                    case Guard(fact):
                        facts.add(fact)
                    case Rule(name):
                        below = self.reach(self._rules[name])
                        tokens |= below.tokens
                        facts |= below.facts
                    case Words() | Pair() | Choice():
                        pass
                    case _:
                        assert_never(part)
            found = self._reach[node] = Reach(frozenset(tokens), frozenset(facts))
        return found

    def ways(self, node: Node, wanted: Tokens, facts: frozenset[str]) -> int:
        """The number of ways in which a node says exactly that; 0 if it cannot.

        Args:
            node: a rule's, or a part of it.
            wanted: all that it is to say.
            facts: all that is so of the slots.
        """
        match node:
            case Words():
                return not wanted
            case Hole(slot):
                return wanted == {slot}
            case Mark(token):
                return wanted == {token}
            case Guard(fact):
                return not wanted and fact in facts
            case Rule(name):
                return self.ways(self._rules[name], wanted, facts)
            case Pair() | Choice():
                reach = self.reach(node)
                if not wanted <= reach.tokens:
                    return 0
                own = facts & reach.facts
                key = node, wanted, own
                if key not in self._ways:
                    self._ways[key] = (
                        sum(before * after for _, before, after in self._splits(node, wanted, own))
                        if isinstance(node, Pair)
                        else sum(self.ways(option, wanted, own) for _, option in node.options)
                    )
                return self._ways[key]
            case _:
                assert_never(node)

    def _splits(self, pair: Pair, wanted: Tokens, facts: frozenset[str]) -> Iterator[tuple[Tokens, int, int]]:
        """What the first part may say: with its ways, and those of the rest to say all else."""
        shared = sorted(wanted & self.reach(pair.first).tokens)
        for some in chain.from_iterable(combinations(shared, size) for size in range(len(shared) + 1)):
            own = frozenset(some)
            after = self.ways(pair.rest, wanted - own, facts)
            before = self.ways(pair.first, own, facts) if after else 0
            if before:
                yield own, before, after

    def draw(self, node: Node, wanted: Tokens, facts: frozenset[str], chance: Random) -> Iterator[Leaf]:
        """Words and holes in order. The node can say what is wanted."""
        match node:
            case Words() | Hole():
                yield node
            case Mark() | Guard():
                pass
            case Rule(name):
                yield from self.draw(self._rules[name], wanted, facts, chance)
            case Choice(options):
                fit = [(share, option) for share, option in options if self.ways(option, wanted, facts)]
                (drawn,) = chance.choices([one for _, one in fit], [share for share, _ in fit])
                yield from self.draw(drawn, wanted, facts, chance)
            case Pair(first, rest):
                own = chance.choice([own for own, *_ in self._splits(node, wanted, facts)])
                yield from self.draw(first, own, facts, chance)
                yield from self.draw(rest, wanted - own, facts, chance)
            case _:
                assert_never(node)


def nodes(node: Node) -> Iterator[Node]:
    """A node and all within it, but for those of the rules that it names."""
    yield node
    match node:
        case Pair(first, rest):
            yield from nodes(first)
            yield from nodes(rest)
        case Choice(options):
            for _, option in options:
                yield from nodes(option)
        case _:
            pass


# ------------------------------------------------------------------ reading


def _choice(texts: Sequence[str]) -> Node:
    options = []
    for text in texts:
        share = _SHARE.match(text)
        tokens = _TOKEN.findall(text[share.end() :] if share else text)
        if "".join(tokens) != (text[share.end() :] if share else text):
            raise InvalidGrammarError(f"`{text}` has a brace that is not closed")
        tokens.reverse()
        node = _sequence(tokens, text)
        if tokens:
            raise InvalidGrammarError(f"`{text}` has a `{tokens[-1]}` too many")
        options.append((int(share[1]) if share else 1, node))
    return Choice(tuple(options)) if len(options) != 1 else options[0][1]


def _sequence(tokens: list[str], text: str) -> Node:
    """The parts up to the end of the tokens, or to what ends them; the first token is the last."""
    parts: list[Node] = []
    while tokens and tokens[-1] not in "|)]":
        token = tokens.pop()
        if token in _CLOSING:
            parts.append(_options(tokens, token, text))
        elif token[0] == "<":
            parts.append(Rule(token[1:-1]))
        elif token[0] == "{":
            parts.append(_hole(token, text))
        else:
            parts.append(Words(token))
    made: Node = NOTHING
    for part in reversed(parts):
        made = part if made is NOTHING else Pair(part, made)
    return made


def _options(tokens: list[str], opening: str, text: str) -> Node:
    options: list[tuple[int, Node]] = [(1, NOTHING)] if opening == "[" else []
    while True:
        share = _SHARE.match(tokens[-1]) if tokens else None
        if share:
            after = tokens.pop()[share.end() :]
            tokens += [after] if after else []
        options.append((int(share[1]) if share else 1, _sequence(tokens, text)))
        ending = tokens.pop() if tokens else ""
        if ending == "|":
            continue
        if ending != _CLOSING[opening]:
            raise InvalidGrammarError(f"`{text}` has a `{opening}` that is not closed")
        return Choice(tuple(options))


def _hole(token: str, text: str) -> Node:
    found = _HOLE.fullmatch(token)
    if found is None:
        raise InvalidGrammarError(f"`{text}` has `{token}`, which is no slot")
    slot, kind, more = found.groups()
    match kind:
        case "=":
            return Mark(f"{slot}={more}")
        case "~":
            return Guard(f"{slot}~{more}")
        case _:
            return Hole(slot, more or "")
