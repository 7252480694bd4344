"""Route constraints that follow from hard constraints are added to the problem. Every accepted plan satisfies them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.errors import InternalError
from planspec.solvers.backends.cpsat import backend as cpsat
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE
from planspec.solvers.ir.problem import Arc, Routes
from planspec.solvers.lowering import routes as module
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.prove import solve
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.ground import ground
from tests.differential.agreement import assert_lowering_agrees, assignments, plans_found, scope_verdicts

TASK = """planspec: task/1
id: round
query: A round, or two.
types: {Van: red | blue}
tables:
  Place:
    columns: {at: int}
    rows: [{id: a, at: 1}, {id: b, at: 3}, {id: c, at: -2}]
plan:
  stops: {place: key Place, van: Van, when: int?, note: int}
scope:
  stops:
    - for: p in Place
      place: p
      van: VAN
      when: WHEN
      note: NOTE
      optional: OPTIONAL
define:
  way(a Place, b Place): abs(a.at - b.at)
constraints:
  drive:
    LEVEL: BODY
OBJECTIVE
"""
DRIVE = "all(b.when >= a.when + way(a.place, b.place) for a, b in steps(s for s in stops, by=s.when, per=s.van))"
STRICT = "all(a.when < b.when for a, b in steps(s for s in stops, by=s.when, per=s.van))"
ALONE = "all(a.when + 1 <= b.when for a, b in steps(s for s in stops, by=s.when))"
BETWEEN = "sum(way(a.place, b.place) for a, b in steps(s for s in stops, by=s.when, per=s.van))"
ENDS = "(abs(first(s.place for s in stops if s.van == {van}, by=s.when).at) ?? 0) + (abs(last(s.place for s in stops if s.van == {van}, by=s.when).at) ?? 0)"
BOTH = f"minimize: {BETWEEN} + {ENDS.format(van='red')} + {ENDS.format(van='blue')}"
ONE = f"minimize: {BETWEEN} + {ENDS.format(van='red')}"
WHOLE = (
    "minimize: sum(way(a.place, b.place) for a, b in steps(s for s in stops, by=s.when))"
    " + (first(s.place for s in stops, by=s.when).at ?? 0)"
)


@pytest.fixture(autouse=True)
def _keep_rules_unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep rules from being folded into tables of values, as happens only in small tasks."""
    monkeypatch.setattr("planspec.solvers.lowering.context.SMALL", 0)


def lower_round(body: str, objective: str = "", *, level: str = "hard", **scope: str) -> Lowered:
    """Return the lowered task of a round of vans with this constraint."""
    chosen = {"VAN": "{red, blue}", "WHEN": "0..4", "NOTE": "0", "OPTIONAL": "false"} | scope
    text = TASK.replace("BODY", body).replace("OBJECTIVE", objective).replace("LEVEL", level)
    for name, value in chosen.items():
        text = text.replace(name, value)
    return lower(ground(task_from_text(text)))


def are_routes(routes: Routes, values: Mapping[int, int]) -> bool:
    """Return whether the used arcs form routes through the depot, which is node 0.

    Each other node has one incoming and one outgoing arc, and every route contains the depot. The conditions that used
    arcs imply must hold, and at most one arc of each exclusive group may be used.
    """
    nodes = {arc.start for arc in routes.arcs} | {arc.end for arc in routes.arcs}
    conditional = [arc for arc in routes.arcs if arc.condition is not None and evaluate(arc.condition, values)]
    if not all(evaluate(arc.implies, values) for arc in conditional):
        return False
    if any(len([arc for arc in conditional if arc in group]) > 1 for group in routes.exclusive):
        return False
    used = [(arc.start, arc.end) for arc in conditional]
    free = [(arc.start, arc.end) for arc in routes.arcs if arc.condition is None and evaluate(arc.implies, values)]
    for node in nodes - {0}:  # an unconditional arc is used if the node has no other arc
        used += [arc for arc in free if arc[1] == node and not any(b == node for _, b in used)]
        used += [arc for arc in free if arc[0] == node and not any(a == node for a, _ in used)]
    for node in nodes - {0}:
        if [a for a, _ in used].count(node) != 1 or [b for _, b in used].count(node) != 1:
            return False
    successors = {a: b for a, b in used if a != 0}
    for node in nodes - {0}:
        visited = {node}
        while successors[node] not in (0, node):
            node = successors[node]
            if node in visited:
                return False
            visited.add(node)
    return True


CASES = [
    pytest.param(DRIVE, BOTH, {}, id="two vans"),
    pytest.param(DRIVE, BOTH, {"OPTIONAL": "true"}, id="stops may be absent"),
    pytest.param(DRIVE, ONE, {}, id="the ends of one van do not count"),
    pytest.param(DRIVE, "", {"WHEN": "({1, 2, 4})?"}, id="stops may have no time"),
    pytest.param(STRICT, BOTH, {"VAN": "red"}, id="one van"),
    pytest.param(ALONE, WHOLE, {}, id="whatever the van"),
    pytest.param(STRICT, BOTH, {"WHEN": "0..8 step 2"}, id="on a grid"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("body", "objective", "scope"), CASES)
def test_implied_routes_exist_in_every_assignment(body: str, objective: str, scope: dict[str, str]) -> None:
    problem = lower_round(body, objective, **scope)
    (routes,) = problem.problem.routes
    hard = [root.condition for root in problem.problem.hard]
    satisfying = [v for v in assignments(problem) if all(evaluate(condition, v) for condition in hard)]
    assert satisfying
    assert all(are_routes(routes, values) for values in satisfying)
    assert_lowering_agrees(problem.ground, presolve=True)


@pytest.mark.parametrize(("body", "objective", "scope"), CASES)
def test_the_optimum_is_the_same_with_and_without_routes(body: str, objective: str, scope: dict[str, str]) -> None:
    problem = lower_round(body, objective, **scope)
    values = {
        name: (solution.status, solution.objective)
        for name in BACKENDS
        for solution in [solve(problem.ground, backend=name, limits=Limits(seconds=60))]
    }
    assert len(set(values.values())) == 1
    assert values["cpsat"][0] is Status.OPTIMAL
    assert {claim.status for claim in validate(problem.ground).unique.backends.values()} == {"multiple"}


def test_arcs_at_the_depot_have_conditions_for_each_van_that_the_objective_names() -> None:
    (both,), (one,) = (lower_round(DRIVE, objective).problem.routes for objective in (BOTH, ONE))
    assert all(arc.condition is not None for arc in both.arcs)
    assert sum(arc.condition is None for arc in one.arcs) == 6


@pytest.mark.parametrize(
    ("body", "level"),
    [
        (DRIVE.replace(">=", "<="), "hard"),
        (STRICT.replace("<", "<="), "hard"),
        (DRIVE.replace("+ way(a.place, b.place)", "+ way(a.place, b.place) - 2"), "hard"),
        (DRIVE, "soft"),
        (f"not ({DRIVE})", "hard"),
        (f"{DRIVE} or stops[a].when == 0", "hard"),
        (STRICT.replace("per=s.van))", "per=s.van) if a.note == b.when)"), "hard"),
    ],
)
def test_without_a_rule_that_makes_time_grow_there_are_no_routes(body: str, level: str) -> None:
    assert not lower_round(body, BOTH, level=level).problem.routes


def test_a_rule_over_some_stops_implies_no_route_of_all_stops() -> None:
    late = STRICT.replace("s for s in stops,", "s for s in stops if s.when > 1,")
    assert len(lower_round(late, BOTH).problem.routes) <= 1  # at most a route through the late stops
    for routes in lower_round(late, BOTH).problem.routes:
        assert all(
            arc.start == arc.end or arc.condition is None or 0 not in (arc.start, arc.end) for arc in routes.arcs
        )


def test_without_presolve_no_routes_are_derived() -> None:
    task = lower_round(DRIVE, BOTH).ground
    assert not lower(task, presolve=False).problem.routes


def test_routes_are_passed_to_cp_sat_if_they_have_costs_or_rows_choose_among_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from planspec.solvers.backends.cpsat.encoder import Encoder

    required_routes: list[Routes] = []
    original = Encoder.require_routes

    def record(encoder: Encoder, routes: Routes) -> None:
        required_routes.append(routes)
        original(encoder, routes)

    monkeypatch.setattr(Encoder, "require_routes", record)
    latest = "minimize: max(s.when for s in stops)"
    solve(lower_round(STRICT, latest, VAN="red").ground)
    assert not required_routes
    solve(lower_round(STRICT, BOTH, VAN="red").ground)
    assert len(required_routes) == 1
    solve(lower_round(DRIVE, latest).ground)
    assert len(required_routes) == 2


# -- routes that define the conditions of their arcs -----------------------------------------------------------------

STATIC_ORDER = "all(a.note <= b.note for a, b in steps(s for s in stops, by=s.place.at, per=s.van))"
IN_ORDER = f"minimize: {BETWEEN}".replace("by=s.when", "by=s.place.at")
NO_STEP = (
    f"{STRICT} and all(a.place == c or a.place == b.place for a, b in steps(s for s in stops, by=s.when, per=s.van))"
)
NO_OVERLAP = "all(a.when + 1 <= b.when for a, b in steps(s for s in stops, by=s.when, per=s.van))"
DEFINING = [
    *CASES[:6],
    pytest.param(NO_OVERLAP, BOTH, {"WHEN": "0..3"}, id="pairs that do not overlap"),
    pytest.param(NO_STEP, BOTH, {"WHEN": "0..3"}, id="a step that is ruled out"),
    pytest.param(STRICT, BOTH, {"WHEN": "0..3", "OPTIONAL": "true"}, id="one van or two, or none"),
]


def plans_by_routes(problem: Lowered) -> set[Any]:
    """Return the plans that CP-SAT finds if the route constraint defines the conditions of its arcs."""
    return plans_found(problem.ground, problem, "cpsat")


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(("body", "objective", "scope"), DEFINING)
def test_the_plans_are_the_same_if_routes_define_the_conditions_of_their_arcs(
    body: str, objective: str, scope: dict[str, str]
) -> None:
    problem = lower_round(body, objective or BOTH, **scope)
    (routes,) = problem.problem.routes
    assert routes.defines
    assert plans_by_routes(problem) == scope_verdicts(problem.ground).accepted


def test_routes_whose_order_is_fixed_do_not_define_the_conditions_of_arcs() -> None:
    (routes,) = lower_round(STATIC_ORDER, IN_ORDER).problem.routes
    assert not routes.defines and not routes.exclusive


MUTANTS = {
    "rows of two groups follow one another": ("_same_group", lambda *_: TRUE),
    "a row follows an earlier one": ("_grows", lambda *_: TRUE),
    "a group has two first rows": ("_first_rows", lambda *_: []),
}


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_wrong_plans_are_found_if_a_condition_that_arcs_imply_is_missing(
    mutant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, *MUTANTS[mutant])

    def has_other_plans(body: str, objective: str, scope: dict[str, str]) -> bool:
        problem = lower_round(body, objective or BOTH, **scope)
        try:
            return plans_by_routes(problem) != scope_verdicts(problem.ground).accepted
        except InternalError:  # a plan that the verifier refuses
            return True

    assert any(has_other_plans(*cast("tuple[str, str, dict[str, str]]", each.values)) for each in DEFINING)


def test_a_condition_that_is_used_elsewhere_is_not_defined_by_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = NodeBuilder()
    one, other = (model.of(model.var(name, Domain.interval(0, 3))) for name in "ab")
    same = model.is_zero(model.minus(one, other))
    arcs = [Arc(0, 1, None), Arc(1, 2, same, same), Arc(2, 0, None)]
    assert module._routes(arcs, [], module._used_by_arcs([arcs])).defines == frozenset()
    assert module._routes(arcs, [], set()).defines == {id(same)}


def test_a_plan_without_any_stop_is_found_with_presolve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "_ALONE", (cpsat._Stage(presolve=True, linearization=1, effort=None),))
    rule = STRICT.replace("s for s in stops,", "s for s in stops if s.van == red and s.note == 1,")
    cost = BETWEEN.replace("s for s in stops,", "s for s in stops if s.van == red and s.note == 1,")
    nobody = "all(s.van == blue or s.note == 0 for s in stops)"
    problem = lower_round(f"{rule} and {nobody}", f"minimize: {cost}", NOTE="{0, 1}")
    assert len(problem.problem.routes) == 1
    best = solve(problem.ground)
    assert (best.status, best.objective) == (Status.OPTIMAL, 0)
