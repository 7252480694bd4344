"""Loads along routes hold in every plan, and are added only if hard constraints limit every group."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Status
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import Load
from planspec.solvers.lowering import loads as module
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import assignments, plans_found, scope_verdicts

TASK = """planspec: task/1
id: round
query: A round, or two, or three.
types: {Van: VANS}
tables:
  Place:
    columns: {at: int, load: int, size: int}
    rows: [{id: a, at: 1, load: 2, size: 1}, {id: b, at: 3, load: 3, size: 1}, {id: c, at: -2, load: 1, size: 2}]
plan:
  stops: {place: key Place, van: Van, when: int, note: int}
scope:
  stops:
    - {for: p in Place, place: p, van: "VAN", when: "WHEN", note: "NOTE", optional: "OPTIONAL"}
define:
  way(a Place, b Place): abs(a.at - b.at)
  count(v Van): sum(s.place.load for s in stops if s.van == v)
constraints:
  drive: {hard: "DRIVE"}
  load:
    for: v in Van
    LEVEL: >-
      LOAD
minimize: >-
  sum(way(a.place, b.place) for a, b in steps(s for s in stops, by=s.when, per=s.van))
  + sum(abs(first(s.place for s in stops if s.van == v, by=s.when).at) ?? 0 for v in Van)
"""
DRIVE = "all(a.when < b.when for a, b in steps(s for s in stops, by=s.when, per=s.van))"
LIMIT = "sum(s.place.load for s in stops if s.van == v) <= 4"
SIZES = "sum(s.place.size for s in stops if s.van == v) <= 3"
THREE = {"VANS": "red | blue | green", "WHEN": "0..2"}
FEW = "{red} if p.id == 'a' else {red, blue}"


@pytest.fixture(autouse=True)
def _keep_rules_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep rules with few combinations from being folded into tables, as larger tasks do."""
    monkeypatch.setattr("planspec.solvers.lowering.context.SMALL", 0)


def lower_round(load: str, **scope: str) -> Lowered:
    chosen = {"VANS": "red | blue", "VAN": "Van", "WHEN": "0..3", "NOTE": "0", "OPTIONAL": "false"}
    text = TASK
    for name, value in (chosen | {"DRIVE": DRIVE, "LEVEL": "hard"} | scope | {"LOAD": load}).items():
        text = text.replace(name, value)
    return lower(ground(task_from_text(text)))


def contents(loads: tuple[Load, ...]) -> set[tuple[tuple[int, ...], int, int]]:
    return {(load.amounts, load.capacity, load.fewest) for load in loads}


CASES = [
    pytest.param(LIMIT, {}, {((2, 3, 1), 4, 2)}, id="two vans"),
    pytest.param(LIMIT, THREE, {((2, 3, 1), 4, 2)}, id="three vans"),
    pytest.param(LIMIT, {"OPTIONAL": "true"}, {((2, 3, 1), 4, 0)}, id="stops may be absent"),
    pytest.param(LIMIT, {**THREE, "OPTIONAL": "true"}, {((2, 3, 1), 4, 0)}, id="three vans, stops may be absent"),
    pytest.param(f"{LIMIT} + (1 if v == red else -2)", {}, {((2, 3, 1), 5, 2)}, id="each van has its own limit"),
    pytest.param(f"{LIMIT} + (-3 if v == red else 1)", THREE, {((2, 3, 1), 5, 2)}, id="three vans with their own"),
    pytest.param(f"{LIMIT} and {SIZES}", {}, {((2, 3, 1), 4, 2), ((1, 1, 2), 3, 2)}, id="weights and sizes"),
    pytest.param(
        "sum(s.place.load for s in stops if s.van == v) + sum(s.note for s in stops) <= 5",
        {"NOTE": "0..1", "WHEN": "0..2"},
        {((2, 3, 1), 5, 2)},
        id="something else counts",
    ),
    pytest.param(
        "sum(s.place.load if v == red else s.place.size for s in stops if s.van == v) <= 3",
        {},
        {((1, 1, 1), 3, 1)} - {((1, 1, 1), 3, 1)},
        id="vans count in different ways",
    ),
    pytest.param("not (sum(s.place.load for s in stops if s.van == v) >= 5)", {}, {((2, 3, 1), 4, 2)}, id="negated"),
]


def satisfying(problem: Lowered) -> list[dict[int, int]]:
    hard = [root.condition for root in problem.problem.hard]
    found = [v for v in assignments(problem) if all(evaluate(condition, v) for condition in hard)]
    assert found
    return found


@pytest.mark.parametrize(("load", "scope", "expected"), CASES)
def test_loads_follow_from_limits(load: str, scope: dict[str, str], expected: Any) -> None:
    (routes,) = lower_round(load, **scope).problem.routes
    assert contents(routes.loads) == expected
