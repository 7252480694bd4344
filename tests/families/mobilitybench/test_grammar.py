"""A grammar says exactly what is wanted, counts in how many ways, and tells what is wrong with it."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from planspec.families.mobilitybench.grammar import Grammar, Hole, InvalidGrammarError, Words

NONE: frozenset[str] = frozenset()


def said(grammar: Grammar, wanted: set[str], facts: frozenset[str] = NONE, seed: int = 0) -> str:
    leaves = grammar.draw(grammar.rule("ask"), frozenset(wanted), facts, Random(seed))
    return "".join(leaf.text if isinstance(leaf, Words) else f"{leaf.slot}.{leaf.role}" for leaf in leaves)


def ways(grammar: Grammar, *wanted: str, facts: frozenset[str] = NONE) -> int:
    return grammar.ways(grammar.rule("ask"), frozenset(wanted), facts)


def test_an_optional_part_is_said_exactly_with_its_slots() -> None:
    grammar = Grammar({"ask": ["go to {to}[ from {from}]"]})
    assert said(grammar, {"to"}) == "go to to."
    assert said(grammar, {"to", "from"}) == "go to to. from from."
    assert ways(grammar, "from") == 0 and ways(grammar, "to", "by") == 0


def test_a_slot_with_two_places_is_said_once() -> None:
    grammar = Grammar({"ask": ["[from {a}, ]go[ from {a}]"]})
    assert ways(grammar, "a") == 2
    assert {said(grammar, {"a"}, seed=n) for n in range(20)} == {"from a., go", "go from a."}


def test_words_without_a_slot_may_be_left_out() -> None:
    grammar = Grammar({"ask": ["[please ]go(| now| at once)"]})
    assert ways(grammar) == 6
    assert len({said(grammar, set(), seed=n) for n in range(99)}) == 6


def test_rules_stand_within_others() -> None:
    grammar = Grammar({"ask": ["<how> {x.by}"], "how": ["how", "why"]})
    assert ways(grammar, "x") == 2
    assert {said(grammar, {"x"}, seed=n) for n in range(9)} == {"how x.by", "why x.by"}


def test_a_mark_says_a_value_by_words() -> None:
    grammar = Grammar({"ask": ["{asked=time}how long", "{asked=length}how far"]})
    assert said(grammar, {"asked=length"}) == "how far"
    assert ways(grammar, "asked") == 0


def test_a_guard_keeps_words_for_its_fact() -> None:
    grammar = Grammar({"ask": ["go to {to}", "{to~station}my train leaves {to}"]})
    assert ways(grammar, "to") == 1
    assert ways(grammar, "to", facts=frozenset({"to~station"})) == 2


def test_shares_say_how_often() -> None:
    grammar = Grammar({"ask": ["9* often", "(1* seldom|1* seldom)"]})
    found = Counter(said(grammar, set(), seed=n) for n in range(400))
    assert 320 < found["often"] < 390


def test_the_number_of_ways_is_the_number_of_sentences() -> None:
    grammar = Grammar(
        {"ask": ["[{b} ](x|y)[ {a}][ {b}]", "<z>{a}[, {b}]"], "z": ["z", "zz", "[{b}]zzz"]}
    )  # fmt: skip
    for wanted in (set(), {"a"}, {"b"}, {"a", "b"}):
        if ways(grammar, *wanted):
            assert len({said(grammar, wanted, seed=n) for n in range(300)}) == ways(grammar, *wanted)
        else:
            assert wanted == {"c"}
    assert ways(grammar, "a", "b") == 2 * 2 + 3 + 1


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"ask": ["<more>"]}, "there is no rule `more`, which `ask` names"),
        ({"ask": ["<b>"], "b": ["<ask>"]}, "rule `ask` stands for itself"),
        ({"ask": ["a (b"]}, "`a \\(b` has a `\\(` that is not closed"),
        ({"ask": ["a ]b"]}, "`a \\]b` has a `\\]` too many"),
        ({"ask": ["{A b}"]}, "`\\{A b\\}` has `\\{A b\\}`, which is no slot"),
        ({"ask": ["a {b"]}, "`a \\{b` has a brace that is not closed"),
    ],
)
def test_what_is_wrong_is_told(texts: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InvalidGrammarError, match=message):
        Grammar(texts)


def test_holes_have_roles() -> None:
    grammar = Grammar({"ask": ["{mode.by}"]})
    assert list(grammar.draw(grammar.rule("ask"), frozenset({"mode"}), NONE, Random(1))) == [
        Hole("mode", "by")
    ]
