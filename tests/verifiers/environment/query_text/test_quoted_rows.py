"""Rows and givens are reported if the words quoted for them contradict or do not mention them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import TypeAlias

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.verifiers.environment.query_text.findings import query_findings

Outing: TypeAlias = Callable[[str, str, str], list[str]]
LIBRARY = """\
planspec: library/1
id: outings
types: {Meal: lunch | dinner}
tables:
  Place: {name: text}
  Extra: {place: Place, name: text}
  Wish: {place: key Place, meal: Meal?, sessions: int = 1, photographs: bool = false}
  WishExtra: {extra: key Extra}
  Before: {earlier: key Place, later: key Place}
given: {depth: decimal?, most: int?}
plan: {calls: {place: key Place}}
constraints:
  some:
    hard: count(c for c in calls) >= 1
"""
WORLD = """\
planspec: world/1
id: town
uses: [outings]
tables:
  Place:
    rows: [{id: mill, name: Mill}, {id: abbey, name: Abbey}, {id: inn, name: Swan}, {id: bistro, name: Lark}]
  Extra:
    rows:
      - {id: mill_audio, place: mill, name: Audio guide}
      - {id: abbey_audio, place: abbey, name: Audio guide}
"""


@pytest.fixture
def outing(tmp_path: Path) -> Outing:
    """Return a function that takes a query and a table or given with its value, and returns the findings.

    The whole query is quoted for the table or given.
    """
    (tmp_path / "outings.library.yaml").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "town.world.yaml").write_text(WORLD, encoding="utf-8")

    def compare(query: str, name: str, value: str) -> list[str]:
        text = f'planspec: task/1\nid: t\nworld: town.world.yaml\nuses: [outings]\nquery: "{query}"\ntells: {{{name}: "{query}"}}\n'
        if name[0].isupper():
            text += f"tables:\n  {name}:\n    rows:\n{indent(value, '      ')}\n"
        else:
            text += f"given: {{{name}: {value}}}\n"
        return [each.message for each in query_findings(task_from_text(text, path=tmp_path / "t.task.yaml"))]

    return compare


MEALS = "- {place: inn, meal: dinner}\n- {place: bistro, meal: lunch}"


def test_a_meal_belongs_to_the_sentence_that_names_its_place(outing: Outing) -> None:
    assert outing("Dinner at the Swan. The Lark is for lunch.", "Wish", MEALS) == []
    assert outing("Dinner at the Swan; the Lark is for lunch.", "Wish", MEALS) == []
    assert outing("We eat at the Swan and the Lark, lunch here. And dinner there.", "Wish", MEALS) == []
    assert outing("Lunch at the Swan. The Lark is for dinner.", "Wish", MEALS) == [
        "the query does not state `Wish[inn].meal`, dinner",
        "the query does not state `Wish[bistro].meal`, lunch",
    ]


@pytest.mark.parametrize(
    "query",
    ["The Mill in two visits.", "The Mill, and we go there twice.", "We see the Mill in a first and a second session."],
)
def test_a_quotation_can_state_the_number_of_visits_in_several_ways(outing: Outing, query: str) -> None:
    assert outing(query, "Wish", "- {place: mill, sessions: 2}") == []


def test_a_number_of_visits_that_the_quotation_lacks_is_reported(outing: Outing) -> None:
    assert outing("We see all of the Mill.", "Wish", "- {place: mill, sessions: 2}") == [
        "the query does not state `Wish[mill].sessions`, 2"
    ]


def test_a_true_boolean_with_everyday_words_must_be_in_english_quotations(outing: Outing) -> None:
    row = "- {place: mill, photographs: true}"
    assert outing("The Mill, when our camera likes it best.", "Wish", row) == []
    assert outing("Die Mill, wenn es uns am besten passt.", "Wish", row) == []
    assert outing("The Mill, when we like it best.", "Wish", row) == [
        "the query does not state `Wish[mill].photographs`, true"
    ]


def test_words_after_without_do_not_state_a_row(outing: Outing) -> None:
    row = "- {extra: mill_audio}"
    assert outing("The Mill with an audio guide, the Abbey without a guide.", "WishExtra", row) == []
    assert outing("The Mill as usual, the Abbey without a guide.", "WishExtra", row) != []


ORDER = "- {earlier: mill, later: abbey}"


@pytest.mark.parametrize(
    "query",
    [
        "The Mill before the Abbey.",
        "We see the Abbey after the Mill.",
        "The Abbey has to be later than the Mill.",
        "The Mill is not to come after the Abbey.",
        "Once the Mill is behind us, we walk to the Abbey.",
        "The Mill, and when that is over, the Abbey.",
        "Before it closes, we see the Mill; the Abbey follows.",
        "Erst die Mill, nachher die Abbey.",
    ],
)
def test_a_quotation_may_state_the_order_of_two_places_in_many_forms(outing: Outing, query: str) -> None:
    assert outing(query, "Before", ORDER) == []


@pytest.mark.parametrize(
    "query",
    ["The Abbey before the Mill.", "We see the Mill after the Abbey.", "That has to be done before the Mill."],
)
def test_the_opposite_order_is_reported(outing: Outing, query: str) -> None:
    (finding,) = outing(query, "Before", ORDER)
    assert finding == "the query has `Mill` and `Abbey` in the other order"


def test_a_place_may_come_after_one_place_and_before_another(outing: Outing) -> None:
    rows = "- {earlier: mill, later: abbey}\n- {earlier: abbey, later: inn}"
    assert outing("The Mill before the Abbey, and the Abbey before the Swan.", "Before", rows) == []


def test_a_quotation_that_states_no_order_is_reported(outing: Outing) -> None:
    (finding,) = outing("We see the Mill and the Abbey.", "Before", ORDER)
    assert finding == "the query does not say that `Mill` comes before `Abbey`"


@pytest.mark.parametrize(("words", "is_right"), [("12 metres", True), ("12.5 metres", False), ("one metre", False)])
def test_a_length_states_a_number_without_a_unit(outing: Outing, words: str, is_right: bool) -> None:
    findings = outing(f"It is at most {words} deep.", "depth", "12.0")
    assert ("the query does not state `depth`, 12" not in findings) == is_right
