"""A small grammar that generates sentences with exactly the required content.

A sentence states slots, such as `origin`. A rule is a list of templates, one of which is drawn. The notation of a
template:

    {slot} {slot.role}   the slot's value, in the form of the role;
    {slot=value}         the words around it imply that the slot has this value;
    {slot~trait}         the template is allowed only if the slot has the trait;
    <rule>               one of the rule's templates;
    (a|b)                one of the alternatives;
    [a|b]                one of the alternatives, or nothing.

`3* ` before a template multiplies its weight by three. An optional part with slots is drawn if and only if all of
its slots are required and no other part states them. One template therefore serves requests with and without each
slot. If a slot occurs at several places in a template, only one of them is used.
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
    """Error if a template violates the notation of rules, or refers to a rule that does not exist."""


@dataclass(frozen=True, slots=True)
class Words:
    """Literal words."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole:
    """Placeholder for a slot's value. `role` selects the form of the value, such as the dative."""

    slot: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """The marker `slot=value`. The words around it state that the slot has the value."""

    token: str


@dataclass(frozen=True, slots=True)
class Condition:
    """The marker `slot~trait`. The words around it may be used only if the slot has the trait."""

    trait: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Reference to a rule, which expands to one of the rule's templates."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A sequence of nodes, as its first node and the rest."""

    first: Node
    rest: Node


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Alternatives, each with the weight with which it is drawn."""

    options: tuple[tuple[int, Node], ...]


Leaf: TypeAlias = Words | Hole
Node: TypeAlias = Words | Hole | StatedValue | Condition | Rule | Pair | Choice
Tokens: TypeAlias = frozenset[str]
"""Content that a sentence states: names of slots, and `slot=value` for values that words imply."""
NOTHING = Words("")


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """Tokens that a node can state, and the traits, as `slot~trait`, on which its wordings depend."""

    tokens: Tokens
    traits: frozenset[str]


@dataclass(slots=True)
class Grammar:
    """A grammar of rules.

    Attributes:
        texts: templates of each rule, by name.

    Raises:
        InvalidGrammarError: a template violates the notation, or refers to a rule that does not exist.
    """

    texts: Mapping[str, Sequence[str]]
    _rules: dict[str, Node] = field(init=False, default_factory=dict)
    _summaries: dict[Node, NodeSummary] = field(init=False, default_factory=dict)
    _wording_counts: dict[tuple[Node, Tokens, frozenset[str]], int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name, texts in self.texts.items():
            self._rules[name] = _parse_texts(texts)
        checked: set[str] = set()
        for name in self.texts:
            self._check_rule(name, (), checked)

    def _check_rule(self, name: str, within: tuple[str, ...], checked: set[str]) -> None:
        if name in within:
            raise InvalidGrammarError(f"rule `{name}` stands for itself")
        if name not in self._rules:
            raise InvalidGrammarError(f"there is no rule `{name}`, which `{within[-1]}` names")
        if name not in checked:
            for node in nodes(self._rules[name]):
                if isinstance(node, Rule):
                    self._check_rule(node.name, (*within, name), checked)
            checked.add(name)

    def rule(self, name: str) -> Node:
        """Return the syntax tree of a rule, which its templates form."""
        return self._rules[name]

    def summary(self, node: Node) -> NodeSummary:
        """Return the tokens that a node can state, and the traits on which its wording depends."""
        summary = self._summaries.get(node)
        if summary is None:
            tokens: set[str] = set()
            traits: set[str] = set()
            for part in nodes(node):
                match part:
                    case Hole(slot):
                        tokens.add(slot)
                    case StatedValue(token):
                        tokens.add(token)
                    case Condition(trait):
                        traits.add(trait)
                    case Rule(name):
                        below = self.summary(self._rules[name])
                        tokens |= below.tokens
                        traits |= below.traits
                    case Words() | Pair() | Choice():
                        pass
                    case _:
                        assert_never(part)
            summary = self._summaries[node] = NodeSummary(frozenset(tokens), frozenset(traits))
        return summary

    def count_wordings(self, node: Node, required: Tokens, traits: frozenset[str]) -> int:
        """Return the number of wordings with which a node states exactly the required tokens.

        Args:
            node: node of a rule, or a part of it.
            required: tokens that the node has to state.
            traits: traits that the slots have, each as `slot~trait`.
        """
        match node:
            case Words():
                return not required
            case Hole(slot):
                return required == {slot}
            case StatedValue(token):
                return required == {token}
            case Condition(trait):
                return not required and trait in traits
            case Rule(name):
                return self.count_wordings(self._rules[name], required, traits)
            case Pair() | Choice():
                summary = self.summary(node)
                if not required <= summary.tokens:
                    return 0
                own = traits & summary.traits
                key = node, required, own
                if key not in self._wording_counts:
                    self._wording_counts[key] = (
                        sum(before * after for _, before, after in self._splits(node, required, own))
                        if isinstance(node, Pair)
                        else sum(self.count_wordings(option, required, own) for _, option in node.options)
                    )
                return self._wording_counts[key]
            case _:
                assert_never(node)

    def _splits(self, pair: Pair, required: Tokens, traits: frozenset[str]) -> Iterator[tuple[Tokens, int, int]]:
        """Yield the possible divisions of the required tokens between the first part and the rest.

        Each is a triple: the tokens of the first part, its number of wordings, and the rest's number of wordings.
        """
        shared = sorted(required & self.summary(pair.first).tokens)
        for chosen in chain.from_iterable(combinations(shared, size) for size in range(len(shared) + 1)):
            own = frozenset(chosen)
            after = self.count_wordings(pair.rest, required - own, traits)
            before = self.count_wordings(pair.first, own, traits) if after else 0
            if before:
                yield own, before, after

    def draw(self, node: Node, required: Tokens, traits: frozenset[str], rng: Random) -> Iterator[Leaf]:
        """Draw a wording, and yield its words and placeholders in order. `count_wordings` must not be 0."""
        match node:
            case Words() | Hole():
                yield node
            case StatedValue() | Condition():
                pass
            case Rule(name):
                yield from self.draw(self._rules[name], required, traits, rng)
            case Choice(options):
                fit = [(share, option) for share, option in options if self.count_wordings(option, required, traits)]
                (drawn,) = rng.choices([alternative for _, alternative in fit], [share for share, _ in fit])
                yield from self.draw(drawn, required, traits, rng)
            case Pair(first, rest):
                own = rng.choice([own for own, *_ in self._splits(node, required, traits)])
                yield from self.draw(first, own, traits, rng)
                yield from self.draw(rest, required - own, traits, rng)
            case _:
                assert_never(node)


def nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all its descendants. References to rules are not followed."""
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


def _parse_texts(texts: Sequence[str]) -> Node:
    options = []
    for text in texts:
        share = _SHARE.match(text)
        tokens = _TOKEN.findall(text[share.end() :] if share else text)
        if "".join(tokens) != (text[share.end() :] if share else text):
            raise InvalidGrammarError(f"`{text}` has a brace that is not closed")
        tokens.reverse()
        node = _parse_sequence(tokens, text)
        if tokens:
            raise InvalidGrammarError(f"`{text}` has a `{tokens[-1]}` too many")
        options.append((int(share[1]) if share else 1, node))
    return Choice(tuple(options)) if len(options) != 1 else options[0][1]


def _parse_sequence(tokens: list[str], text: str) -> Node:
    """Parse tokens up to the end or a closing token. `tokens` is in reverse order; parsed tokens are removed."""
    parts: list[Node] = []
    while tokens and tokens[-1] not in "|)]":
        token = tokens.pop()
        if token in _CLOSING:
            parts.append(_parse_options(tokens, token, text))
        elif token[0] == "<":
            parts.append(Rule(token[1:-1]))
        elif token[0] == "{":
            parts.append(_parse_hole(token, text))
        else:
            parts.append(Words(token))
    node: Node = NOTHING
    for part in reversed(parts):
        node = part if node is NOTHING else Pair(part, node)
    return node


def _parse_options(tokens: list[str], opening: str, text: str) -> Node:
    options: list[tuple[int, Node]] = [(1, NOTHING)] if opening == "[" else []
    while True:
        share = _SHARE.match(tokens[-1]) if tokens else None
        if share:
            after = tokens.pop()[share.end() :]
            tokens += [after] if after else []
        options.append((int(share[1]) if share else 1, _parse_sequence(tokens, text)))
        ending = tokens.pop() if tokens else ""
        if ending == "|":
            continue
        if ending != _CLOSING[opening]:
            raise InvalidGrammarError(f"`{text}` has a `{opening}` that is not closed")
        return Choice(tuple(options))


def _parse_hole(token: str, text: str) -> Node:
    match = _HOLE.fullmatch(token)
    if match is None:
        raise InvalidGrammarError(f"`{text}` has `{token}`, which is no slot")
    slot, kind, detail = match.groups()
    match kind:
        case "=":
            return StatedValue(f"{slot}={detail}")
        case "~":
            return Condition(f"{slot}~{detail}")
        case _:
            return Hole(slot, detail or "")
