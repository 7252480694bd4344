"""A task with turns: each turn consists of the common part of the task and of all turns up to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.api.checking import check
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.editing.formatter import format_text
from planspec.dsl.model.task import Task
from tests.dsl.small_talk import TALK, visits
from tests.dsl.small_trip import LIBRARY, WORLD
from tests.random_examples import examples


def task_at(turn: int | None, text: str = TALK) -> Task:
    """Return the task at a turn."""
    return task_from_text(text, turn=turn)


def ids(task: Task) -> list[str]:
    return [constraint.id for constraint in task.constraints]


def test_a_task_with_turns_stands_for_its_last_turn() -> None:
    whole, last = task_at(None), task_at(3)
    assert (whole.id, last.id) == ("talk", "talk@3")
    assert (whole.turn, whole.turns) == (last.turn, last.turns) == (3, 3)
    assert ids(whole) == ids(last)
    assert whole.givens == last.givens


def test_the_value_of_a_later_turn_replaces_an_earlier_one() -> None:
    assert [task_at(turn).givens["budget"] for turn in (1, 2, 3)] == [10000, 6000, 6500]


def test_a_constraint_is_in_force_from_its_turn_until_it_is_dropped() -> None:
    common = ["open", "different", "affordable"]
    assert [ids(task_at(turn)) for turn in (1, 2, 3)] == [common, [*common, "wish"], [*common, "first"]]


def test_a_dropped_constraint_may_be_declared_again_at_the_same_turn_or_later() -> None:
    again = """\
    drop: [wish]
    constraints:
      wish:
        hard: any(v.place == park for v in visits)
"""
    text = TALK.partition("  - query: No zoo")[0] + "  - query: The park.\n" + again
    old, new = task_at(2, text).constraints[-1], task_at(3, text).constraints[-1]
    assert (old.id, new.id) == ("wish", "wish")
    assert ("zoo" in old.span.text, "park" in new.span.text) == (True, True)
    later = text.replace("    drop: [wish]\n", "    drop: [wish]\n  - query: Now.\n")
    assert [len(task_at(turn, later).constraints) for turn in (2, 3, 4)] == [4, 3, 4]


def test_the_conversation_has_the_queries_so_far() -> None:
    second = task_at(2)
    assert second.query == "Not more than 60 euros, and the zoo."
    assert second.earlier == ("Three days, please.",)
    assert second.conversation == ("Three days, please.", second.query)


def test_a_turn_without_a_query_has_the_query_of_the_task() -> None:
    text = TALK.replace("id: talk\n", "id: talk\nquery: A trip.\n").replace("query: Three days, please.", "drop: []")
    assert task_at(2, text).conversation == ("A trip.", "Not more than 60 euros, and the zoo.")


def test_a_task_without_turns_has_one_query_and_no_turn() -> None:
    task = task_from_text(TALK.partition("turns:")[0] + "query: Where to?\n")
    assert (task.turn, task.turns, task.before) == (None, 0, None)
    assert task.conversation == ("Where to?",)


def test_a_turn_refers_to_the_previous_turn() -> None:
    last = task_at(None)
    assert last.before is not None
    second = last.before()
    assert second.turn == 2
    assert second.before is not None
    first = second.before()
    assert (first.turn, first.before) == (1, None)


def test_a_given_that_only_the_task_declares_has_the_type_of_its_literal_at_that_turn() -> None:
    text = TALK.replace("{budget: 60 EUR}", "{budget: 60 EUR, size: 3}").replace("65 EUR}", "65 EUR, size: 1.5}")
    types = [task_at(turn, text).given_declarations["size"].type for turn in (2, 3)]
    assert [str(type_) for type_ in types] == ["int", "decimal"]
    assert "size" not in task_at(1, text).givens


def test_the_reference_of_a_task_with_turns_belongs_to_the_last_turn() -> None:
    text = TALK + "reference: {visits: []}\n"
    assert [task_at(turn, text).reference for turn in (1, 2, 3)] == [None, None, {"visits": []}]


@pytest.mark.parametrize("turn", [0, 4, -1])
def test_a_turn_out_of_range_is_refused(turn: int) -> None:
    with pytest.raises(LookupError, match=f"the task `talk` has 3 turns, so there is no `talk@{turn}`"):
        task_at(turn)


def test_a_task_without_turns_has_no_first_turn() -> None:
    with pytest.raises(LookupError, match="the task `talk` has no turns"):
        task_at(1, TALK.partition("turns:")[0] + "query: Where to?\n")


# -- with a library and a world -------------------------------------------------------------------------

TRIP = """\
planspec: task/1
id: weekend
world: oldtown
given: {trip: [2026-07-01]}
scope: {}
turns:
  - query: To the old town.
  - query: I walk a lot.
    drop: [in-order, open]
    constraints:
      open:
        hard: all(v.start >= 12:00 for v in visits)
  - query: With some money.
    given: {budget: 90 EUR}
  - query: Money is no matter.
    given: {budget: none}
  - query: Well, it is.
    given: {budget: 80 EUR}
"""


@pytest.fixture
def trip(tmp_path: Path) -> Path:
    for name, text in (("trips.library", LIBRARY), ("oldtown.world", WORLD), ("weekend.task", TRIP)):
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    return tmp_path / "weekend.task.yaml"


def test_a_turn_may_drop_a_library_s_constraint_and_declare_its_id(trip: Path) -> None:
    first, second = load(f"{trip}@1"), load(f"{trip}@2")
    assert {"in-order", "open"} <= set(ids(first))
    assert "in-order" not in ids(second)
    assert ids(second).count("open") == 1
    assert second.constraints[-1].span.source.name.endswith("weekend.task.yaml")


def test_the_turns_share_the_rows_of_their_world(trip: Path) -> None:
    last = load(trip)
    assert last.before is not None
    assert last.tables["Place"] is last.before().tables["Place"]


def first_turns(path: str) -> dict[str, int | None]:
    return {f.constraint: f.since for f in Judge(load(path)).decoded({}).findings if f.level != "shape"}


def test_a_finding_names_the_first_turn_at_which_its_rule_applies(trip: Path) -> None:
    third, fourth, last = first_turns(f"{trip}@3"), first_turns(f"{trip}@4"), first_turns(str(trip))
    assert (third["affordable"], fourth["affordable"], last["affordable"]) == (3, None, 5)
    assert third["eats[2026-07-01, lunch]"] == 1
    assert third["open"] == last["open"] == 2


def test_a_rule_declared_again_applies_from_that_turn_on() -> None:
    text = TALK.partition("  - query: No zoo")[0] + (
        "  - query: Once more.\n    drop: [wish]\n    constraints:\n"
        "      wish:\n        hard: any(v.place == zoo for v in visits)\n"
    )
    findings = Judge(task_at(None, text)).decoded(visits("zoo", "park", "tower")).findings
    assert {f.constraint: f.since for f in findings} == {
        "open": 1,
        "different": 1,
        "affordable": 1,
        "wish": 3,
    }


def test_findings_of_a_task_without_turns_name_no_turn() -> None:
    task = task_from_text(TALK.partition("turns:")[0] + "query: Where to?\n")
    assert {f.since for f in Judge(task).decoded(visits("zoo", "park", "tower")).findings} == {None}


def test_the_compiled_verifier_also_names_the_turn() -> None:
    judge = Judge(task_at(None))
    first, second = (judge.decoded(visits("zoo", "park", "zoo")) for _ in range(2))
    assert first == second
    assert {f.since for f in first.findings} == {1, 3}


# -- mistakes -------------------------------------------------------------------------------------------


def test_a_turn_without_mistakes_can_be_loaded_beside_one_with_mistakes() -> None:
    text = TALK.replace("any(v.place == zoo", "any(v.palce == zoo")
    assert task_at(1, text).turn == 1
    assert task_at(3, text).turn == 3


def test_loading_a_turn_with_mistakes_reports_those_of_all_turns() -> None:
    text = TALK.replace("any(v.place == zoo", "any(v.palce == zoo").replace("visits[mon].place", "visits[sun].place")
    with pytest.raises(DiagnosticError) as raised:
        task_at(2, text)
    assert [(d.code, d.span.text) for d in raised.value.diagnostics] == [("PS204", "palce"), ("PS201", "sun")]


def test_check_grounds_every_turn_and_reports_each_mistake_once(tmp_path: Path) -> None:
    (tmp_path / "talk.task.yaml").write_text(
        TALK.replace("place: Place\ndefine", "place: Place\ndefine")
        .replace("    place: Place\nconstraints", "    place: (p for p in Place if p.price <= budget)\nconstraints")
        .replace("{budget: 60 EUR}", "{budget: 1 EUR}")
    )
    checked = check([tmp_path])
    assert [(d.code, d.message) for d in checked] == [("PS401", "`visits.place` has no value to take (at turn 2)")]


def test_turns_are_formatted() -> None:
    untidy = TALK.replace("visits[mon].place == tower", "visits[ mon ].place==tower")
    assert format_text(untidy) == format_text(TALK)
    assert format_text(TALK) == TALK


# -- turns and equivalent tasks without turns -----------------------------------------------------------

RULES = {
    "a": "hard: visits[mon].place == tower",
    "b": "hard: any(v.place == zoo for v in visits)",
    "c": "soft: total <= budget - 20 EUR",
    "d": "{for: p in Place, when: p.price > budget // 2, hard: all(v.place != p for v in visits)}",
}
PLACES = ("zoo", "museum", "park", "tower")


@st.composite
def talks(draw: st.DrawFn) -> list[tuple[int | None, tuple[str, ...], tuple[str, ...]]]:
    """Draw valid turns: a budget, ids to drop, and ids to declare."""
    standing: set[str] = set()
    turns = []
    for _ in range(draw(st.integers(1, 4))):
        drop = draw(st.sets(st.sampled_from(sorted(standing)))) if standing else set()
        standing -= drop
        free = sorted(RULES.keys() - standing)
        new = draw(st.sets(st.sampled_from(free))) if free else set()
        standing |= new
        turns.append((draw(st.none() | st.integers(1, 120)), tuple(sorted(drop)), tuple(sorted(new))))
    return turns


def declarations(names: Iterable[str]) -> str:
    return "".join(
        f"{name}: {RULES[name]}\n" if RULES[name].startswith("{") else f"{name}:\n  {RULES[name]}\n" for name in names
    )


@settings(max_examples=examples(30), deadline=None)
@given(talk=talks(), answer=st.tuples(*[st.sampled_from(PLACES)] * 3))
def test_a_turn_judges_like_the_equivalent_task_without_turns(
    talk: list[tuple[int | None, tuple[str, ...], tuple[str, ...]]], answer: tuple[str, str, str]
) -> None:
    head = TALK.partition("turns:")[0]
    text = head + "turns:\n"
    budget, standing = 100, dict[str, None]()
    for number, (money, drop, new) in enumerate(talk, 1):
        text += f"  - query: Turn {number}.\n    drop: [{', '.join(drop)}]\n"
        text += "" if money is None else f"    given: {{budget: {money} EUR}}\n"
        text += "    constraints:\n" + indent(declarations(new), "      ") if new else ""
        budget = budget if money is None else money
        standing = dict.fromkeys((*(n for n in standing if n not in drop), *new))
        written = re.sub("budget: 100 EUR", f"budget: {budget} EUR", head) + indent(declarations(standing), "  ")
        plain = Judge(task_from_text(f"{written}query: Turn {number}.\n")).decoded(visits(*answer))
        turn = Judge(task_from_text(text, turn=number)).decoded(visits(*answer))
        assert (turn.status, turn.hard, turn.soft, turn.in_scope) == (
            plain.status,
            plain.hard,
            plain.soft,
            plain.in_scope,
        )
        assert [(f.constraint, f.status, f.message, f.margin) for f in turn.findings] == [
            (f.constraint, f.status, f.message, f.margin) for f in plain.findings
        ]
