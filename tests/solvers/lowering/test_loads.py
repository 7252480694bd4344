"""Constraints on loads along routes hold in every plan. They are added only if a hard constraint limits every group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.cpsat.backend import CpSatSession
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.ir.problem import Load, Routes
from planspec.solvers.lowering import loads as module
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import plans_found, scope_verdicts

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
    - {for: p in Place if p.size == 2, place: p, van: Van, when: WHEN, note: NOTE, optional: OPTIONAL}
    - {for: p in Place if p.size == 1, place: p, van: VAN, when: WHEN, note: NOTE}
define:
  way(a Place, b Place): abs(a.at - b.at)
constraints:
  drive:
    hard: DRIVE
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
THREE = {"VANS": "red | blue | green", "WHEN": "0..1"}


@pytest.fixture(autouse=True)
def _keep_rules_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep rules from being folded into tables of values, as happens only in small tasks."""
    monkeypatch.setattr("planspec.solvers.lowering.context.SMALL", 0)


def lower_round(load: str, **scope: str) -> Lowered:
    """Return the lowered task of a round of vans with this limit on loads."""
    chosen = {"VANS": "red | blue", "VAN": "Van", "WHEN": "0..2", "NOTE": "0", "OPTIONAL": "false"}
    text = TASK
    for name, value in (chosen | {"DRIVE": DRIVE, "LEVEL": "hard"} | scope | {"LOAD": load}).items():
        text = text.replace(name, value)
    return lower(ground(task_from_text(text)))


def plans(problem: Lowered) -> set[Any]:
    """Return the plans that CP-SAT finds with loads. It searches for the cheapest first."""
    return plans_found(problem.ground, problem, "cpsat", problem.problem.objectives[0].linear)


def accepted(problem: Lowered) -> set[Any]:
    """Return the plans that the reference accepts."""
    return scope_verdicts(problem.ground).accepted


def contents(loads: tuple[Load, ...]) -> set[tuple[tuple[int, ...], int, int]]:
    """Return amounts, capacity and minimum number of routes of each load."""
    return {(load.amounts, load.capacity, load.fewest) for load in loads}


CASES = [
    pytest.param(LIMIT, {}, {((1, 2, 3), 4, 2)}, id="two vans"),
    pytest.param(LIMIT, THREE, {((1, 2, 3), 4, 2)}, id="three vans"),
    pytest.param(LIMIT, {"OPTIONAL": "true"}, {((1, 2, 3), 4, 2)}, id="stops may be absent"),
    pytest.param(LIMIT, {**THREE, "OPTIONAL": "true"}, {((1, 2, 3), 4, 2)}, id="three vans, stops may be absent"),
    pytest.param(f"{LIMIT} + (1 if v == red else -2)", {}, {((1, 2, 3), 5, 2)}, id="each van has its own limit"),
    pytest.param(f"{LIMIT} + (-3 if v == red else 1)", THREE, {((1, 2, 3), 5, 2)}, id="three vans with their own"),
    pytest.param(f"{LIMIT} and {SIZES}", {}, {((1, 2, 3), 4, 2), ((2, 1, 1), 3, 2)}, id="weights and sizes"),
    pytest.param(
        "sum(s.place.load for s in stops if s.van == v) + sum(s.note for s in stops) <= 5",
        {"NOTE": "{0, 2}", "WHEN": "0..1"},
        {((1, 2, 3), 5, 2)},
        id="something else counts",
    ),
    pytest.param(
        "sum(s.place.load if v == red else s.place.size for s in stops if s.van == v) <= 2",
        {},
        {((1, 1, 1), 2, 2)},
        id="vans count in different ways",
    ),
    pytest.param("not (sum(s.place.load for s in stops if s.van == v) >= 5)", {}, {((1, 2, 3), 4, 2)}, id="negated"),
    pytest.param(LIMIT, {**THREE, "VAN": "{red, blue}"}, {((1, 2, 3), 4, 2)}, id="two stops have fewer vans"),
    pytest.param(
        "sum(s.place.size for s in stops if s.van == v) <= 1",
        {**THREE, "OPTIONAL": "true"},
        {((2, 1, 1), 1, 2)},
        id="a stop that no van can visit",
    ),
]


@pytest.mark.parametrize(("load", "scope", "expected"), CASES)
def test_loads_follow_from_limits(load: str, scope: dict[str, str], expected: Any) -> None:
    (routes,) = lower_round(load, **scope).problem.routes
    assert contents(routes.loads) == expected


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(("load", "scope", "expected"), CASES)
def test_plans_found_with_loads_are_those_that_the_reference_accepts(
    load: str, scope: dict[str, str], expected: Any
) -> None:
    problem = lower_round(load, **scope)
    assert problem.problem.routes[0].loads and expected
    assert plans(problem) == accepted(problem) != set()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("load", "scope", "expected"), CASES)
def test_back_ends_with_loads_find_the_same_optimum(load: str, scope: dict[str, str], expected: Any) -> None:
    problem = lower_round(load, **scope)
    found = [solve(problem.ground, backend=name) for name in BACKENDS]
    assert {each.status for each in found} == {Status.OPTIMAL} and expected
    assert len({each.objective for each in found}) == 1


SUMS = (
    "s.place.load",
    "s.place.size",
    "s.place.load + s.note",
    "s.place.load - 1",
    "2 - s.place.load",
    "s.place.load if v == red else s.place.size",
)
OTHERS = ("", " + sum(s.note for s in stops)", " - sum(s.place.size for s in stops if s.van != v)")
FILTERS = ("s.van == v", "s.van == v", "s.van != v", "s.van == v and s.when > 0")


def random_limit(source: Random) -> str:
    """Return a random limit on a sum over stops."""
    value, other, rows = source.choice(SUMS), source.choice(OTHERS), source.choice(FILTERS)
    limit = f"{source.choice(('<=', '<=', '<', '>='))} {source.randint(0, 6)}"
    return f"sum({value} for s in stops if {rows}){other} {limit}{source.choice(('', ' + (1 if v == red else 0)'))}"


@pytest.mark.slow
def test_the_plans_are_the_same_if_random_limits_become_loads_of_routes() -> None:
    recognised = 0
    for seed in range(60):
        source = Random(seed)
        limits = " and ".join(random_limit(source) for _ in range(source.choice((1, 1, 2))))
        problem = lower_round(
            limits,
            OPTIONAL=source.choice(("true", "false")),
            NOTE=source.choice(("0", "0..1")),
            WHEN="0..1",
            VANS=source.choice(("red | blue", "red | blue | green")),
            VAN=source.choice(("Van", "{red, blue}")),
        )
        if any(routes.loads for routes in problem.problem.routes):
            recognised += 1
            assert plans(problem) == accepted(problem), (seed, limits)
    assert recognised >= 5


def test_loads_that_no_vans_can_carry_are_infeasible() -> None:
    for limit in ("<= 2", "<= -1"):
        problem = lower_round(LIMIT.replace("<= 4", limit), **THREE)
        assert {solve(problem.ground, backend=name).status for name in BACKENDS} == {Status.INFEASIBLE}


@pytest.mark.parametrize(
    ("load", "scope"),
    [
        pytest.param(LIMIT, {"LEVEL": "soft"}, id="soft"),
        pytest.param(f"{LIMIT} or v == red", {}, id="only one van is limited"),
        pytest.param(f"{LIMIT} or stops[a].note == 1", {"NOTE": "0..1"}, id="under a condition"),
        pytest.param(LIMIT.replace("<=", ">="), THREE, id="at least"),
        pytest.param(LIMIT.replace("<= 4", "<= 6"), {}, id="all fit into one van"),
        pytest.param(LIMIT.replace("<= 4", "<= 5"), {"OPTIONAL": "true"}, id="all stops that must be visited fit"),
        pytest.param(LIMIT.replace("s.place.load", "s.place.load * s.note"), {"NOTE": "0..1"}, id="planned loads"),
        pytest.param(LIMIT, {"DRIVE": DRIVE.replace(", per=s.van", "")}, id="routes through all vans"),
    ],
)
def test_without_a_limit_on_every_van_there_are_no_loads(load: str, scope: dict[str, str]) -> None:
    assert not [load for routes in lower_round(load, **scope).problem.routes for load in routes.loads]


def test_loads_are_passed_to_cp_sat_if_routes_have_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    from planspec.solvers.backends.cpsat.encoder import Encoder

    posted: list[Routes] = []
    monkeypatch.setattr(Encoder, "require_loads", lambda _, routes: posted.append(routes))
    problem = lower_round(LIMIT).problem
    session = CpSatSession(problem, Limits(seconds=20))
    session.solve()
    session.solve(minimize=problem.model.of(problem.model.vars[0]))
    assert posted == []
    for _ in range(2):
        session.solve(minimize=problem.objectives[0].linear)
    assert posted == list(problem.routes)


# -- rows of one stop share its van ------------------------------------------------------------------------------------

PARTS = """planspec: task/1
id: parts
query: Two parts for each stop.
types: {Van: red | blue | green}
tables:
  Place: {columns: {load: int}, rows: [{id: a, load: 1}, {id: b, load: 2}]}
  Part:
    columns: {place: Place}
    rows: [{id: a1, place: a}, {id: a2, place: a}, {id: b1, place: b}, {id: b2, place: b}]
plan:
  stops: {place: key Place, van: Van}
  parts: {part: key Part, at: int}
scope:
  stops: [{for: p in Place, place: p, van: Van}]
  parts: [{for: p in Part, part: p, at: 0..1}]
constraints:
  drive:
    hard: all(a.at < b.at for a, b in steps(p for p in parts, by=p.at, per=stops[p.part.place].van))
  load:
    for: v in Van
    hard: sum(p.part.place.load for p in parts if stops[p.part.place].van == v) <= 4
minimize: sum(1 for a, b in steps(p for p in parts, by=p.at, per=stops[p.part.place].van) if a.part.place == b.part.place)
"""


def lower_parts() -> Lowered:
    """Return the lowered task in which several rows share a stop."""
    return lower(ground(task_from_text(PARTS)))


@pytest.mark.slow
def test_a_condition_that_depends_on_two_rows_is_a_load_of_neither() -> None:
    problem = lower_parts()
    (routes,) = problem.problem.routes
    assert len({arc.start for arc in routes.arcs}) == 5 and not routes.loads
    assert plans(problem) == accepted(problem)


# -- mutants of the side conditions ------------------------------------------------------------------------------------


def limits_of_others(members: Mapping[Any, Any], hard: Iterable[Any]) -> Mapping[Any, Any]:
    """Return the limits of each group, wrongly with the limits of all other groups if a group has none."""
    found = LIMITS(members, hard)
    names = {member.group for each in members.values() for member in each}
    return {name: found.get(name) or [limit for each in found.values() for limit in each] for name in names}


LIMITS = module._limits
ONE_VAN = pytest.param(f"{LIMIT} or v == red", {}, None, id="only one van is limited")
MUTANTS = {
    "a stop counts with the greatest of its amounts": ("_least_amount", max, "vans count in different ways"),
    "all vans have the smallest capacity": ("_largest_first", sorted, "each van has its own limit"),
    "absent stops need vans": ("_is_sure", lambda _: True, "a stop that no van can visit"),
    "every van is needed": ("_fewest", lambda _, capacities: len(capacities), "three vans"),
    "vans without a limit have that of others": ("_limits", limits_of_others, "only one van is limited"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_plans_are_lost_without_a_side_condition(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, replacement, case = MUTANTS[mutant]
    monkeypatch.setattr(module, name, replacement)
    (values,) = (each.values for each in [*CASES, ONE_VAN] if each.id == case)
    problem = lower_round(values[0], **values[1])  # type: ignore[arg-type]
    assert plans(problem) < accepted(problem)


@pytest.mark.slow
def test_plans_are_lost_if_a_condition_counts_for_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_of_one_element", lambda _: True)
    problem = lower_parts()
    assert plans(problem) < accepted(problem)
