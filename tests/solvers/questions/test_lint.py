"""`check --deep` reports the expected warnings, and no warning about a sensible task."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

from planspec.api.loading import load
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.disagreement import ContestedPlan
from planspec.solvers.questions.effect import Effect
from planspec.solvers.questions.lint import lint_task
from planspec.verifiers.environment.watching import RecordedWorld
from planspec.verifiers.meaning.ground import ground
from tests.lengths import try_few

WORKSPACE = Workspace()
"""Shared workspace of the shipped tasks, so that their library is checked once."""
TASK = """planspec: task/1
id: deep
query: Where to?
types: {Mode: bus | taxi}
environment: {shows: {Slot: all}}
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


def deep_warnings(rules: str = "", extra: str = "") -> list[tuple[str, str]]:
    """Return the codes and headlines of the warnings about the task with these rules."""
    text = TASK.replace("EXTRA\n", extra).replace("RULES\n", rules)
    report = lint_task(ground(task_from_text(text)))
    assert report.finished
    return [(d.code, d.message) for d in report.diagnostics]


def rule_text(name: str, body: str, level: str = "hard") -> str:
    """Return the text of a constraint."""
    return f"  {name}:\n    {level}: {body}\n"


def test_a_sensible_task_has_no_warnings() -> None:
    assert deep_warnings(rule_text("late", "visits.start >= 10:30")) == [
        ("PS424", "no plan can use this row of `Slot`")
    ]
    assert (
        deep_warnings(rule_text("mode", "visits.mode == taxi") + rule_text("fun", "visits.start > 10:00", "soft")) == []
    )


@pytest.mark.parametrize(
    "body", ["visits.start >= 0:00 or visits.mode == taxi", "visits.mode == taxi or visits.mode == bus"]
)
def test_a_rule_that_no_plan_violates_is_reported(body: str) -> None:
    assert deep_warnings(rule_text("idle", body)) == [("PS422", "no plan violates `idle`")]


@pytest.mark.parametrize("body", ["visits.start >= 9:00", "visits.start >= 8:00 or visits.mode == taxi"])
def test_a_rule_that_no_plan_in_scope_violates_is_reported_unless_an_answer_outside_can_violate_it(body: str) -> None:
    """Answers may be outside the scope. In the scope, a visit can only begin at the times of slots."""
    assert deep_warnings(rule_text("idle", body)) == [("PS421", "`idle` follows from the other constraints")]


def test_a_rule_that_follows_from_the_others_is_reported() -> None:
    assert deep_warnings(rule_text("late", "visits.start >= 9:30")) == [
        ("PS421", "`late` follows from the other constraints")
    ]


def test_two_equal_rules_each_follow_from_the_other() -> None:
    report = deep_warnings(rule_text("a", "visits.mode == bus") + rule_text("b", "not visits.mode == taxi"))
    assert [code for code, _ in report] == ["PS421", "PS421"]


def test_rules_that_cannot_hold_alone_or_together_are_reported() -> None:
    assert deep_warnings(rule_text("dawn", "visits.start < 9:00")) == [("PS423", "no plan in scope satisfies `dawn`")]
    report = deep_warnings(rule_text("a", "visits.mode == bus") + rule_text("b", "visits.mode == taxi"))
    assert report == [("PS423", "`a` and `b` cannot both hold")]


def test_three_rules_of_which_only_two_can_hold_are_reported() -> None:
    report = deep_warnings(
        rule_text("a", "visits.start == 10:00 or visits.mode == bus")
        + rule_text("b", "visits.start == 11:00 or visits.mode == bus")
        + rule_text("c", "visits.mode == taxi")
    )
    assert report == [("PS427", "no plan satisfies all hard constraints")]


def test_useless_rows_and_days_without_a_plan_are_reported() -> None:
    extra = (
        "      - {day: 2026-07-01, at: 12:00, left: 0}\n"
        "      - {day: 2026-07-01, at: 23:00, left: 1}\n"
        "      - {day: 2026-07-02, at: 10:00, left: 1}\n"
    )
    assert deep_warnings(extra=extra) == [
        ("PS424", "no plan can use this row of `Slot`"),
        ("PS424", "no plan can use this row of `Slot`"),
        ("PS425", "the plan has no rows on 2026-07-02"),
    ]


def test_a_soft_constraint_that_contradicts_the_hard_ones_is_reported() -> None:
    assert deep_warnings(rule_text("siesta", "visits.start >= 13:00", "soft")) == [
        ("PS426", "no plan meets the soft `siesta`")
    ]


def test_a_lint_that_runs_out_of_time_is_reported_as_unfinished() -> None:
    text = TASK.replace("EXTRA\n", "").replace("RULES\n", rule_text("late", "visits.start >= 9:30"))
    report = lint_task(ground(task_from_text(text)), limits=Limits(seconds=1e-9))
    assert not report.finished
    assert report.diagnostics == ()


def shipped_tasks() -> list[Any]:
    """Return ids of shipped tasks. `make deep` adds a trip in each city, since cities have their own rules."""
    tasks = ["delivery", "roster", "berlin-021", "rome-029", "vienna-001", "barcelona-024", "florence-003"]
    assert settings.default is not None
    return try_few(tasks if settings.default.max_examples > 100 else tasks[:3], tasks[:2])


@pytest.mark.slow
@pytest.mark.parametrize("task", shipped_tasks())
def test_shipped_tasks_have_no_warnings(task: str) -> None:
    report = lint_task(ground(load(task, workspace=WORKSPACE)), limits=Limits(seconds=600))
    assert report.finished  # takes a twentieth of this limit on an idle machine
    assert [(d.code, d.message) for d in report.diagnostics] == []


@pytest.mark.parametrize(("closed", "codes"), [("", ["PS428"]), ("closed: true\n", [])])
def test_rows_of_the_scope_that_no_rule_requires_are_reported(closed: str, codes: list[str]) -> None:
    text = (
        "planspec: task/1\nid: t\nquery: All three.\ntypes: {P: a | b | c}\nplan: {visits: {p: key P, n: int}}\n"
        "scope: {visits: [{for: q in P, p: q, n: 1..3}]}\n"
        "constraints:\n  sum:\n    hard: sum(v.n for v in visits) >= 6\n" + closed
    )
    report = lint_task(ground(task_from_text(text)))
    assert [d.code for d in report.diagnostics] == codes


def test_a_row_is_useful_if_any_lookup_finds_it() -> None:
    text = """planspec: task/1
id: fly
query: Out and home.
environment: {shows: {Fare: all}}
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
    report = lint_task(ground(task_from_text(text)))
    assert [(d.code, d.span.text) for d in report.diagnostics] == [
        ("PS424", "{to: c, price: 90 EUR}"),
        ("PS429", "{a, c}"),  # beyond the scope, `b` is also cheap enough
    ]
    counted = text.replace("cheap-home:", "some:\n    hard: count(f for f in Fare) > 2\n  cheap-home:")
    assert "PS424" not in [d.code for d in lint_task(ground(task_from_text(counted))).diagnostics]


def test_impossible_rows_of_the_scope_are_reported_instead_of_rules() -> None:
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
    (only,) = lint_task(ground(task_from_text(text))).diagnostics
    assert (only.code, only.message) == ("PS427", "the scope's rows allow no plan")
    assert only.span.text == "{leg: 1..2, n: 1..3}"
    assert only.primary.text == "the rows of `legs` in the scope have different keys"


class TestDependenceOnTheScope:
    """The uniqueness of a plan should not depend on the scope, since answers may be outside it."""

    @staticmethod
    def scope_warnings(text: str) -> list[tuple[str, str, str, str]]:
        report = lint_task(ground(task_from_text(text)))
        assert report.finished
        return [
            (d.code, d.message, d.primary.span.text, d.primary.text) for d in report.diagnostics if d.code == "PS429"
        ]

    def test_a_warning_names_the_bound_and_another_plan(self) -> None:
        text = TASK.replace("EXTRA\n", "").replace(
            "RULES\n", rule_text("late", "visits.start >= 10:30 and visits.mode == taxi")
        )
        assert self.scope_warnings(text) == []
        grid = (
            TASK.replace("EXTRA\n", "")
            .replace("RULES\n", "")
            .replace("Slot[visits.day, visits.start].left > 0", "visits.mode == taxi and visits.start < 9:30")
        )
        assert self.scope_warnings(grid) == [
            (
                "PS429",
                "uniqueness leans on `scope:visits.start`",
                "9:00..18:00 step 30min",
                "without it also visits.start 09:00 -> 00:00",
            ),
        ]

    def test_a_task_with_several_plans_has_no_warning_about_the_scope(self) -> None:
        assert self.scope_warnings(TASK.replace("EXTRA\n", "").replace("RULES\n", "")) == []


def test_decisive_facts_of_a_task_without_an_environment_are_reported() -> None:
    text = TASK.replace("environment: {shows: {Slot: all}}\n", "").replace("EXTRA\n", "").replace("RULES\n", "")
    (only,) = lint_task(ground(task_from_text(text))).diagnostics
    assert (only.code, only.message) == ("PS430", "nothing tells agents `Slot`, `Slot.left`")


def test_a_changed_cell_is_compared_with_the_task_itself() -> None:
    task = task_from_text(TASK.replace("EXTRA\n", "").replace("RULES\n", ""))
    worlds = RecordedWorld(task)
    effect = Effect(worlds, ground(task))
    other = ground(worlds.with_cell(task.facts["Slot"].rows[0], "left", 0))
    result = effect.compare(other, TimeBudget(Limits()))
    assert isinstance(result, ContestedPlan)
    assert result.accepted_by == "first"


LAZY = """planspec: task/1
id: lazy
query: Three visits.
types: {Place: a | b}
plan: {visits: {place: key Place, start: time}}
scope:
  visits: {for: p in Place, place: p, start: 09:00..12:00 step 30min, optional: true}
constraints:
  late: {hard: all(v.start >= 10:00 for v in visits)}
MORE"""


@pytest.mark.parametrize(
    ("more", "codes"),
    [
        ("", ["PS440"]),
        ("  some: {hard: count(v for v in visits) >= 1}\n", []),
        ("  none: {hard: 'count(v for v in visits) == 0'}\nexpects: infeasible\n", ["PS436"]),
    ],
)
def test_a_passing_plan_without_rows_is_reported(more: str, codes: list[str]) -> None:
    report = lint_task(ground(task_from_text(LAZY.replace("MORE", more.replace("'", "")))))
    assert [d.code for d in report.diagnostics if d.code in ("PS436", "PS440")] == codes
