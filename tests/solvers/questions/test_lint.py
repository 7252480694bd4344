"""The warnings of `check --deep`, and tasks without any."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

from planspec.api.loading import load
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.lint import sense
from planspec.verifiers.meaning.ground import ground
from tests.lengths import few

WORKSPACE = Workspace()
"""Shared workspace of the shipped tasks, so that their library is checked once."""
TASK = """planspec: task/1
id: deep
query: Where to?
types: {Mode: bus | taxi}
tables:
  Slot:
    columns: {day: key date, at: key time, left: int}
    rows:
      - {day: 2026-07-01, at: 10:00, left: 3}
      - {day: 2026-07-01, at: 11:00, left: 3}
EXTRA
plan:
  visits: {one: true, day: date, start: time, mode: Mode}
scope:
  visits: {day: 2026-07-01, start: 9:00..18:00 step 30min, mode: Mode}
constraints:
  slot:
    hard: Slot[visits.day, visits.start].left > 0
RULES
"""


def warnings(rules: str = "", extra: str = "") -> list[tuple[str, str]]:
    """Return the codes and headlines of the warnings."""
    text = TASK.replace("EXTRA\n", extra).replace("RULES\n", rules)
    report = sense(ground(task_from_text(text)))
    assert report.finished
    return [(d.code, d.message) for d in report.diagnostics]


def rule(name: str, body: str, level: str = "hard") -> str:
    return f"  {name}:\n    {level}: {body}\n"


def test_a_sensible_task_has_no_warnings() -> None:
    assert warnings(rule("late", "visits.start >= 10:30")) == [
        ("PS424", "no plan can use this row of `Slot`")
    ]
    assert warnings(rule("mode", "visits.mode == taxi") + rule("fun", "visits.start > 10:00", "soft")) == []


@pytest.mark.parametrize(
    "body", ["visits.start >= 0:00 or visits.mode == taxi", "visits.mode == taxi or visits.mode == bus"]
)
def test_a_rule_that_no_plan_violates_is_reported(body: str) -> None:
    assert warnings(rule("idle", body)) == [("PS422", "no plan violates `idle`")]


@pytest.mark.parametrize("body", ["visits.start >= 9:00", "visits.start >= 8:00 or visits.mode == taxi"])
def test_a_rule_that_only_the_scope_keeps_from_being_violated_is_meant_for_answers(body: str) -> None:
    """The scope never judges; here the slots keep a visit from beginning at another time."""
    assert warnings(rule("idle", body)) == [("PS421", "`idle` follows from the other constraints")]


def test_a_rule_that_follows_from_the_others_is_reported() -> None:
    assert warnings(rule("late", "visits.start >= 9:30")) == [
        ("PS421", "`late` follows from the other constraints")
    ]


def test_two_equal_rules_each_follow_from_the_other() -> None:
    report = warnings(rule("a", "visits.mode == bus") + rule("b", "not visits.mode == taxi"))
    assert [code for code, _ in report] == ["PS421", "PS421"]


def test_rules_that_cannot_hold_alone_or_together_are_reported() -> None:
    assert warnings(rule("dawn", "visits.start < 9:00")) == [("PS423", "no plan in scope satisfies `dawn`")]
    report = warnings(rule("a", "visits.mode == bus") + rule("b", "visits.mode == taxi"))
    assert report == [("PS423", "`a` and `b` cannot both hold")]


def test_three_rules_of_which_only_two_can_hold_are_reported() -> None:
    report = warnings(
        rule("a", "visits.start == 10:00 or visits.mode == bus")
        + rule("b", "visits.start == 11:00 or visits.mode == bus")
        + rule("c", "visits.mode == taxi")
    )
    assert report == [("PS427", "no plan satisfies all hard constraints")]


def test_useless_rows_and_days_without_a_plan_are_reported() -> None:
    extra = (
        "      - {day: 2026-07-01, at: 12:00, left: 0}\n"
        "      - {day: 2026-07-01, at: 23:00, left: 1}\n"
        "      - {day: 2026-07-02, at: 10:00, left: 1}\n"
    )
    assert warnings(extra=extra) == [
        ("PS424", "no plan can use this row of `Slot`"),
        ("PS424", "no plan can use this row of `Slot`"),
        ("PS425", "the plan has no rows on 2026-07-02"),
    ]


def test_a_soft_constraint_that_contradicts_the_hard_ones_is_reported() -> None:
    assert warnings(rule("siesta", "visits.start >= 13:00", "soft")) == [
        ("PS426", "no plan meets the soft `siesta`")
    ]


def test_a_lint_cut_short_by_time_is_reported_as_unfinished() -> None:
    text = TASK.replace("EXTRA\n", "").replace("RULES\n", rule("late", "visits.start >= 9:30"))
    report = sense(ground(task_from_text(text)), limits=Limits(seconds=1e-9))
    assert not report.finished
    assert report.diagnostics == ()


def shipped() -> list[Any]:
    """Return two examples.

    With the examples of `make deep`, return one trip per city too, since each city has rules of its own.
    """
    tasks = ["delivery", "roster", "berlin-021", "rome-029", "vienna-001", "barcelona-024", "florence-003"]
    assert settings.default is not None
    return few(tasks if settings.default.max_examples > 100 else tasks[:3], tasks[:2])


@pytest.mark.slow
@pytest.mark.parametrize("task", shipped())
def test_the_shipped_tasks_make_sense(task: str) -> None:
    report = sense(ground(load(task, workspace=WORKSPACE)), limits=Limits(seconds=600))
    assert report.finished  # in a twentieth of that time if the machine is idle
    assert [(d.code, d.message) for d in report.diagnostics] == []


@pytest.mark.parametrize(("closed", "codes"), [("", ["PS428"]), ("closed: true\n", [])])
def test_rows_of_the_scope_that_no_rule_requires_are_reported(closed: str, codes: list[str]) -> None:
    text = (
        "planspec: task/1\nid: t\nquery: All three.\ntypes: {P: a | b | c}\nplan: {visits: {p: key P, n: int}}\n"
        "scope: {visits: [{for: q in P, p: q, n: 1..3}]}\n"
        "constraints:\n  sum:\n    hard: sum(v.n for v in visits) >= 6\n" + closed
    )
    report = sense(ground(task_from_text(text)))
    assert [d.code for d in report.diagnostics] == codes


def test_a_row_is_useful_if_any_lookup_finds_it() -> None:
    text = """planspec: task/1
id: fly
query: Out and home.
currency: EUR
types: {City: a | b | c}
tables:
  Fare:
    columns: {to: key City, price: money}
    rows:
      - {to: b, price: 10 EUR}
      - {to: a, price: 20 EUR}
      - {to: c, price: 90 EUR}
plan: {trip: {one: true, out: City, home: City}}
scope:
  trip: {out: {b, c}, home: {a, c}}
constraints:
  cheap-out:
    hard: Fare[trip.out].price <= 15 EUR
  cheap-home:
    hard: Fare[trip.home].price <= 25 EUR
"""
    report = sense(ground(task_from_text(text)))
    assert [(d.code, d.span.text) for d in report.diagnostics] == [
        ("PS424", "{to: c, price: 90 EUR}"),
        ("PS429", "{a, c}"),  # beyond the scope b is cheap enough, too
    ]
    counted = text.replace("cheap-home:", "some:\n    hard: count(f for f in Fare) > 2\n  cheap-home:")
    assert "PS424" not in [d.code for d in sense(ground(task_from_text(counted))).diagnostics]


def test_no_rule_is_blamed_for_impossible_rows_of_the_scope() -> None:
    text = """planspec: task/1
id: twice
query: Three legs.
plan: {legs: {leg: key int, n: int}}
scope:
  legs:
    - {leg: 1..2, n: 1..3}
    - {leg: 1..2, n: 2..4}
    - {leg: 1..2, n: 2..4}
constraints:
  one:
    hard: legs[1].n == 1
"""
    (only,) = sense(ground(task_from_text(text))).diagnostics
    assert (only.code, only.message) == ("PS427", "the scope's rows allow no plan")
    assert only.span.text == "{leg: 1..2, n: 1..3}"
    assert only.primary.text == "the rows of `legs` in the scope have different keys"


class TestLeaningOnTheScope:
    """A bound of the scope is no reason why another answer is wrong."""

    @staticmethod
    def scope_warnings(text: str) -> list[tuple[str, str, str, str]]:
        report = sense(ground(task_from_text(text)))
        assert report.finished
        return [
            (d.code, d.message, d.primary.span.text, d.primary.text)
            for d in report.diagnostics
            if d.code == "PS429"
        ]

    def test_the_bound_and_another_plan_are_shown(self) -> None:
        text = TASK.replace("EXTRA\n", "").replace(
            "RULES\n", rule("late", "visits.start >= 10:30 and visits.mode == taxi")
        )
        assert self.scope_warnings(text) == []
        grid = (
            TASK.replace("EXTRA\n", "")
            .replace("RULES\n", "")
            .replace("Slot[visits.day, visits.start].left > 0", "visits.mode == taxi and visits.start < 9:30")
        )
        assert self.scope_warnings(grid) == [
            (
                "PS429", "uniqueness leans on `scope:visits.start`", "9:00..18:00 step 30min",
                "without it also visits.start 09:00 -> 00:00",
            ),
        ]  # fmt: skip

    def test_several_plans_lean_on_nothing(self) -> None:
        assert self.scope_warnings(TASK.replace("EXTRA\n", "").replace("RULES\n", "")) == []
