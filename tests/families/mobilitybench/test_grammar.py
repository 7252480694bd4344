"""A grammar draws sentences that state exactly the required slots, counts them, and reports its faults."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from planspec.families.mobilitybench.grammar import Grammar, Hole, InvalidGrammarError, Words

NONE: frozenset[str] = frozenset()


def sentence(grammar: Grammar, required: set[str], traits: frozenset[str] = NONE, seed: int = 0) -> str:
    """Draw a sentence that states the required slots, which appear as `<slot>`."""
    leaves = grammar.draw(grammar.rule("ask"), frozenset(required), traits, Random(seed))
    return "".join(leaf.text if isinstance(leaf, Words) else f"{leaf.slot}.{leaf.role}" for leaf in leaves)


def count_wordings(grammar: Grammar, *required: str, traits: frozenset[str] = NONE) -> int:
    """Return the number of sentences that state the required slots."""
    return grammar.count_wordings(grammar.rule("ask"), frozenset(required), traits)


def test_an_optional_part_appears_exactly_if_its_slots_are_given() -> None:
    grammar = Grammar({"ask": ["go to {to}[ from {from}]"]})
    assert sentence(grammar, {"to"}) == "go to to."
    assert sentence(grammar, {"to", "from"}) == "go to to. from from."
    assert count_wordings(grammar, "from") == 0 and count_wordings(grammar, "to", "by") == 0


def test_a_slot_with_two_possible_positions_is_stated_once() -> None:
    grammar = Grammar({"ask": ["[from {a}, ]go[ from {a}]"]})
    assert count_wordings(grammar, "a") == 2
    assert {sentence(grammar, {"a"}, seed=n) for n in range(20)} == {"from a., go", "go from a."}


def test_an_optional_part_without_a_slot_is_drawn_at_random() -> None:
    grammar = Grammar({"ask": ["[please ]go(| now| at once)"]})
    assert count_wordings(grammar) == 6
    assert len({sentence(grammar, set(), seed=n) for n in range(99)}) == 6


def test_a_rule_may_refer_to_other_rules() -> None:
    grammar = Grammar({"ask": ["<how> {x.by}"], "how": ["how", "why"]})
    assert count_wordings(grammar, "x") == 2
    assert {sentence(grammar, {"x"}, seed=n) for n in range(9)} == {"how x.by", "why x.by"}


def test_marked_words_state_the_value_of_a_slot() -> None:
    grammar = Grammar({"ask": ["{asked=time}how long", "{asked=length}how far"]})
    assert sentence(grammar, {"asked=length"}) == "how far"
    assert count_wordings(grammar, "asked") == 0


def test_a_guard_restricts_words_to_requests_with_a_trait() -> None:
    grammar = Grammar({"ask": ["go to {to}", "{to~station}my train leaves {to}"]})
    assert count_wordings(grammar, "to") == 1
    assert count_wordings(grammar, "to", traits=frozenset({"to~station"})) == 2


def test_alternatives_are_drawn_as_often_as_their_shares_say() -> None:
    grammar = Grammar({"ask": ["9* often", "(1* seldom|1* seldom)"]})
    counts = Counter(sentence(grammar, set(), seed=n) for n in range(400))
    assert 320 < counts["often"] < 390


def test_the_count_of_wordings_equals_the_number_of_sentences() -> None:
    grammar = Grammar({"ask": ["[{b} ](x|y)[ {a}][ {b}]", "<z>{a}[, {b}]"], "z": ["z", "zz", "[{b}]zzz"]})
    for required in (set(), {"a"}, {"b"}, {"a", "b"}):
        if count_wordings(grammar, *required):
            assert len({sentence(grammar, required, seed=n) for n in range(300)}) == count_wordings(grammar, *required)
        else:
            assert required == {"c"}
    assert count_wordings(grammar, "a", "b") == 2 * 2 + 3 + 1


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
def test_faults_of_a_grammar_are_reported(texts: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InvalidGrammarError, match=message):
        Grammar(texts)


def test_placeholders_have_roles() -> None:
    grammar = Grammar({"ask": ["{mode.by}"]})
    assert list(grammar.draw(grammar.rule("ask"), frozenset({"mode"}), NONE, Random(1))) == [Hole("mode", "by")]
