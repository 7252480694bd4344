"""Rows that an evaluation does not read can be removed without a change of its result."""

from __future__ import annotations

import random

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.reliance import RelianceInterpreter
from tests.differential.plans import all_plans

HEAD = """planspec: task/1
id: relies
query: q
types: {Place: m | t}
tables:
  Slot:
    columns: {place: key Place, at: key int, left: int, tags: set of Place}
    rows:
      - {place: m, at: 1, left: 1, tags: [m]}
      - {place: m, at: 2, left: 0, tags: [m, t]}
      - {place: m, at: 3, left: 2, tags: []}
      - {place: t, at: 1, left: 1, tags: [t]}
      - {place: t, at: 2, left: 2, tags: [m]}
define:
  open(p Place, n int): Slot[p, n].left > 0
  early: (s.at for s in Slot if s.left > 0 and s.at < 3)
  busy: count(s for s in Slot if s.left == 0) > 0
plan: {v: {who: key Place, n: int}}
scope:
  v: [{for: p in Place, who: p, n: 1..3}]
constraints:
  rule:
    hard: >-
      """
RULES = (
    "all(Slot[x.who, x.n].left > 0 for x in v)",
    "any(s.left > x.n for s in Slot for x in v if s.place == x.who)",
    "all(s.left < x.n for s in Slot for x in v if s.place == x.who)",
    "all(x.n in early for x in v)",
    "all(x.n not in (s.at for s in Slot if s.place == x.who) for x in v)",
    "open(m, v[m].n) implies not open(t, v[t].n)",
    "(Slot[m, v[m].n].left ?? 1) == (Slot[t, v[t].n].left ?? 1)",
    "sum(s.left for s in Slot if s.at <= v[m].n) > 2",
    "first(s.left for s in Slot if s.place == t, by=s.at) == v[t].n",
    "Slot[m].at is none or Slot[t].at == v[t].n",
    "busy and v[m].n < v[t].n or open(t, v[t].n)",
    "all_different(s.left for s in Slot if s.at == v[m].n)",
    "(1 if m in Slot[m, v[m].n].tags else 2) == v[t].n",
    "all(a.at + 1 == b.at for a, b in steps(s for s in Slot if s.place == t, by=s.at))",
    "the(s.left for s in Slot if s.left == v[m].n) == 2",
    "v[m].n in 1..max(s.at for s in Slot if s.left > 0)",
)


def remove_rows(task: Task, removed: set[Row], rows: tuple[Row, ...]) -> None:
    """Remove rows from the table `Slot` of a task."""
    facts = task.facts["Slot"]
    left = [row for row in rows if row not in removed]
    facts.__init__(facts.table, left, {row._key: row for row in left})  # type: ignore[misc] # also clears its groups


@pytest.mark.parametrize("rule", RULES)
def test_rows_that_are_not_recorded_can_be_removed(rule: str) -> None:
    task = task_from_text(HEAD + rule + "\n")
    body, rows = task.constraints[0].body, tuple(task.facts["Slot"].rows)
    draw = random.Random(rule)
    for plan in all_plans(ground(task)):
        first = {row for row in rows if draw.random() < 0.3}
        remove_rows(task, first, rows)
        noting = RelianceInterpreter(task, plan, ["Slot"])
        holds = noting.holds(body, {})
        assert holds == Interpreter(task, Plan(plan.tables)).holds(body, {})
        assert not noting.recorded_rows & first
        others = [row for row in rows if row not in noting.recorded_rows and row not in first]
        for _ in range(8):
            remove_rows(task, first | {row for row in others if draw.random() < 0.5}, rows)
            assert Interpreter(task, Plan(plan.tables)).holds(body, {}) == holds
        remove_rows(task, set(), rows)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("all(Slot[x.who, x.n].left > 0 for x in v)", {("m", 1), ("t", 2)}),
        ("any(s.place == x.who and s.at == x.n for s in Slot for x in v)", {("m", 1)}),
        ("v[m].n in early", {("m", 1)}),
        ("v[m].n == 1 or open(t, v[t].n)", set()),
        ("not open(t, 3)", set()),
        ("all(s.left < 3 for s in Slot)", set()),
    ],
)
def test_only_rows_that_matter_are_recorded(rule: str, expected: set[tuple[str, int]]) -> None:
    task = task_from_text(HEAD + rule + "\n")
    plan = next(p for p in all_plans(ground(task)) if [row.n for row in p.tables["v"]] == [1, 2])  # type: ignore[attr-defined]
    noting = RelianceInterpreter(task, plan, ["Slot"])
    assert noting.holds(task.constraints[0].body, {})
    assert {row._key for row in noting.recorded_rows} == expected
