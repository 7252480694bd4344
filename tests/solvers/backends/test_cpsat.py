from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import TRUE, Linear
from planspec.solvers.ir.problem import Interval, NoOverlap, Problem, Rooted
from tests.solvers.strategies import TreeBuilder, World, number, worlds

if TYPE_CHECKING:
    from ortools.sat.python import cp_model as cp


@pytest.fixture(scope="module", autouse=True)
def _end_stages_early() -> Iterator[None]:
    """Make every stage except the last give up at its first conflict, so that small problems reach all stages."""
    from planspec.solvers.backends.cpsat import backend as cpsat

    with pytest.MonkeyPatch.context() as patch:
        stages = [
            cpsat._Stage(presolve=False, linearization=0, effort=None, conflicts=1),
            cpsat._Stage(presolve=True, linearization=2, effort=None, conflicts=1),
            cpsat._Stage(presolve=True, linearization=1, effort=None),
        ]
        patch.setattr(cpsat, "_ALONE", stages)
        yield


def knapsack(items: int) -> tuple[Problem, Linear]:
    """Return a knapsack problem and its objective.

    Four different items are chosen, whose total weight is bounded. The objective is their negated total value.
    """
    model = NodeBuilder()
    places = [model.var(f"p{i}", Domain.interval(0, items - 1)) for i in range(4)]
    different = [
        model.negate(model.is_zero(model.minus(model.of(a), model.of(b))))
        for a in places
        for b in places
        if a.id < b.id
    ]
    weight = model.sum(model.tabled((p,), {(c,): 3 + c * c % 7 for c in range(items)}) for p in places)
    worth = model.sum(model.tabled((p,), {(c,): 2 + c * 5 % 11 for c in range(items)}) for p in places)
    light = model.at_most_zero(model.minus(weight, model.constant(17)))
    hard = [Rooted(condition, "") for condition in (*different, light)]
    return Problem(model, hard, [], (), [], {}), model.scale(worth, -1)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
@given(world=worlds())
def test_the_optimum_does_not_depend_on_the_stage_that_ends_the_search(world: World) -> None:
    builder = TreeBuilder(world.domains)
    session = backend("cpsat").open(builder.problem(*world.hard), Limits())
    outcome = session.solve(minimize=builder.number(world.objective))
    values = [number(world.objective, values) for values in world.solutions()]
    assert outcome.status is (Status.OPTIMAL if values else Status.INFEASIBLE)
    assert outcome.objective == outcome.bound == min(values, default=None)


def test_a_search_that_needs_all_stages_ends_with_the_optimum() -> None:
    problem, worth = knapsack(12)
    outcome = backend("cpsat").open(problem, Limits()).solve(minimize=worth)
    assert outcome.statistics["runs"] > 1
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, -maximum_value(12))


def test_several_workers_prove_the_same_optimum() -> None:
    problem, worth = knapsack(12)
    outcome = backend("cpsat").open(problem, Limits(workers=2)).solve(minimize=worth)
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, -maximum_value(12))


def schedule() -> tuple[Problem, Linear, list[Rooted]]:
    """Return a problem of ten intervals that must not overlap, the end of the last one, and a condition to assume."""
    model = NodeBuilder()
    starts = [model.of(model.var(f"s{i}", Domain.interval(0, 60))) for i in range(10)]
    ends = [model.plus(start, model.constant(2 + i % 4)) for i, start in enumerate(starts)]
    hard = [
        Rooted(
            model.disj(
                (
                    model.at_most_zero(model.minus(ends[i], starts[j])),
                    model.at_most_zero(model.minus(ends[j], starts[i])),
                )
            ),
            "",
        )
        for i in range(10)
        for j in range(i)
    ]
    intervals = [Interval(TRUE, start, model.constant(2 + i % 4)) for i, start in enumerate(starts)]
    problem = Problem(model, hard, [], (), [], {})
    problem.no_overlaps = [NoOverlap(tuple(intervals))]
    last = model.extreme(((TRUE, end) for end in ends), greatest=True)
    return problem, last, [Rooted(model.at_most_zero(model.minus(model.constant(4), starts[0])), "late")]


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[cp.CpSolver]:
    """Return a list that records each search. All stages except the last give up at once."""
    from planspec.solvers.backends.cpsat import backend as cpsat
    from planspec.solvers.backends.cpsat.solver import new_solver

    made: list[cp.CpSolver] = []

    def record(**options: Any) -> cp.CpSolver:
        made.append(new_solver(**options))
        return made[-1]

    monkeypatch.setattr(cpsat, "new_solver", record)
    early = [replace(stage, effort=1e-9, conflicts=1) for stage in cpsat._INTERVALS[:-1]]
    monkeypatch.setattr(cpsat, "_INTERVALS", (*early, cpsat._INTERVALS[-1]))
    return made


def test_a_long_search_of_a_schedule_is_the_same_each_time(searches: list[cp.CpSolver]) -> None:
    outcomes = []
    for _ in range(3):
        problem, last, _ = schedule()
        outcomes.append(backend("cpsat").open(problem, Limits()).solve(minimize=last))
    assert searches[-1].parameters.interleave_search
    assert {(outcome.status, outcome.objective) for outcome in outcomes} == {(Status.OPTIMAL, 33)}
    assert len({tuple(sorted(outcome.values.items())) for outcome in outcomes}) == 1


def test_interleaved_search_is_not_used_with_assumptions_since_it_may_ignore_them(searches: list[cp.CpSolver]) -> None:
    problem, last, assumed = schedule()
    outcome = backend("cpsat").open(problem, Limits()).solve(assumptions=assumed, minimize=last)
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, 33)
    assert not any(solver.parameters.interleave_search for solver in searches)


def maximum_value(items: int) -> int:
    """Return the maximum value of the knapsack problem, by enumeration."""
    return max(
        sum(2 + c * 5 % 11 for c in chosen)
        for chosen in combinations(range(items), 4)
        if sum(3 + c * c % 7 for c in chosen) <= 17
    )


def test_a_second_search_adds_nothing_but_new_conditions_to_the_model() -> None:
    model = NodeBuilder()
    x, y = model.var("x", Domain.interval(0, 9)), model.var("y", Domain.interval(0, 9))
    before = model.at_most_zero(model.minus(model.of(x), model.of(y)))
    session = backend("cpsat").open(Problem(model, [Rooted(before, "")], [], (), [], {}), Limits())
    first = session.solve().statistics
    assert session.solve().statistics["constraints"] == first["constraints"]
    session.add(model.member(x, Domain.interval(3, 9)))
    assert session.solve().statistics["constraints"] == first["constraints"] + 1
    assert session.solve().statistics["variables"] == first["variables"]


def test_one_literal_decides_between_two_comparisons() -> None:
    model = NodeBuilder()
    x, y = (model.of(model.var(c, Domain.interval(0, 9))) for c in "xy")
    disjunction = model.disj(
        model.at_most_zero(model.plus(model.minus(a, b), model.constant(3))) for a, b in ((x, y), (y, x))
    )
    session = backend("cpsat").open(Problem(model, [Rooted(disjunction, "")], [], (), [], {}), Limits())
    statistics = session.solve().statistics
    assert (statistics["variables"], statistics["constraints"]) == (3, 2)


def test_an_affine_function_needs_no_additional_variable() -> None:
    model = NodeBuilder()
    x, y = (model.var(c, Domain.interval(0, 9)) for c in "xy")
    start = model.tabled((x,), {(c,): 480 + 30 * c for c in range(10)})
    late = model.at_most_zero(model.plus(model.minus(model.of(y), start), model.constant(500)))
    session = backend("cpsat").open(Problem(model, [Rooted(late, "")], [], (), [], {}), Limits())
    assert session.solve().statistics["variables"] == 2


def test_a_maximum_that_is_only_bounded_above_needs_no_further_variables() -> None:
    model = NodeBuilder()
    row = [model.of(model.var(f"x{i}", Domain.interval(0, 9))) for i in range(3)]
    peak = model.extreme(((TRUE, x) for x in row), greatest=True)
    small = model.at_most_zero(model.plus(peak, model.minus(row[0], model.constant(9))))
    session = backend("cpsat").open(Problem(model, [Rooted(small, "")], [], (), [], {}), Limits())
    statistics = session.solve().statistics
    assert (statistics["variables"], statistics["constraints"]) == (4, 4)


class TestCores:
    """A core that CP-SAT returns may be wrong, since presolve may corrupt it. A wrong core is replaced."""

    @staticmethod
    def contradiction() -> tuple[Session, list[Rooted]]:
        """Return a new session and three conditions, two of which contradict each other."""
        model = NodeBuilder()
        x, y = (model.var(name, Domain.interval(0, 9)) for name in "xy")
        conditions = [model.member(v, Domain.of([n])) for v, n in ((x, 1), (y, 2), (x, 3))]
        session = backend("cpsat").open(Problem(model, [], [], (), [], {}), Limits())
        return session, [Rooted(c, f"c{i}") for i, c in enumerate(conditions)]

    @pytest.mark.parametrize("named", [[], [0], [4711]])
    def test_a_core_that_is_too_small_or_names_no_assumption_is_replaced(
        self, monkeypatch: pytest.MonkeyPatch, named: list[int]
    ) -> None:
        from ortools.sat.python import cp_model as cp

        from planspec.solvers.backends.cpsat import backend as cpsat

        session, conditions = self.contradiction()
        original = cp.CpSolver.sufficient_assumptions_for_infeasibility

        def name_wrong_core(solver: cp.CpSolver) -> list[int]:
            return named if solver.parameters.cp_model_presolve else list(original(solver))

        monkeypatch.setattr(cp.CpSolver, "sufficient_assumptions_for_infeasibility", name_wrong_core)
        monkeypatch.setattr(cpsat, "_ALONE", [cpsat._Stage(presolve=True, linearization=1, effort=None)])
        outcome = session.solve(assumptions=conditions)
        assert outcome.status is Status.INFEASIBLE
        assert {"c0", "c2"} <= set(outcome.core)

    def test_a_core_that_names_no_assumption_is_replaced_even_without_presolve(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from ortools.sat.python import cp_model as cp

        session, conditions = self.contradiction()
        monkeypatch.setattr(cp.CpSolver, "sufficient_assumptions_for_infeasibility", lambda _: [4711])
        assert set(session.solve(assumptions=conditions).core) == {"c0", "c1", "c2"}
