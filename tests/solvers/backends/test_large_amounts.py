"""Sums past 2^31: CP-SAT's presolve got them wrong (google/or-tools issue 5293), and so a version or a parameter may again.

Each model has an assignment that is known to be allowed, or a second solver that says what is possible: nothing here rests on CP-SAT's
own word. CP-SAT searches with presolve alone, as it does on models that its first, quick stage does not settle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest
from ortools.sat.python import cp_model as cp

from planspec.solvers.backends.cpsat import backend as cpsat
from planspec.solvers.backends.cpsat.solver import new_solver
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.smt import Smt
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import Problem, Rooted
from tests.lengths import few

pytestmark = pytest.mark.slow
MODELS = 1_000
SHARDS = 20


@pytest.fixture(autouse=True)
def _presolve_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "_ALONE", (cpsat._Stage(presolve=True, linearization=1, effort=None),))


class Knapsack:
    """Items to pack for a card: what they cost is bounded under a condition on the card, and so is their size."""

    def __init__(self, random: Random) -> None:
        model = self.model = NodeBuilder()
        count = random.randint(6, 10)
        high = 2 ** random.choice((29, 31, 33, 36))
        self.items = [model.var(f"item{i}", Domain.interval(0, 1)) for i in range(count)]
        self.card = model.var("card", Domain.interval(0, random.randint(1, 3)))
        packed = [model.of(item) for item in self.items]
        prices = [random.randint(high // 2, high) for _ in range(count)]
        self.price = model.sum(model.scale(x, p) for x, p in zip(packed, prices, strict=True))
        self.cap = model.constant(sum(prices) * random.randint(1, 4) // 10)
        sizes = [random.randint(50, 100) for _ in range(count)]
        self.size = model.sum(model.scale(x, s) for x, s in zip(packed, sizes, strict=True))
        joys = [random.randint(30, 120) for _ in range(count)]
        fees: dict[tuple[int, ...], int] = {(card,): random.randint(0, 30) for card in self.card.domain}
        joy = model.sum(model.scale(x, j) for x, j in zip(packed, joys, strict=True))
        self.loss = model.minus(model.tabled((self.card,), fees), joy)
        self.golden = model.member(self.card, Domain.of([0]))
        self.roomy = model.at_most_zero(
            model.minus(self.size, model.constant(sum(sizes) * random.randint(4, 8) // 10))
        )
        self.cheap = model.at_most_zero(model.minus(self.price, self.cap))

    def problem(self, *conditions: Bool) -> Problem:
        hard = [Rooted(condition, f"c{i}") for i, condition in enumerate((self.roomy, *conditions))]
        return Problem(self.model, hard, [], (), [], {})


def either(made: Knapsack) -> Bool:
    return made.model.disj((made.golden, made.cheap))


def exactly_if(made: Knapsack) -> Bool:
    """The price is bounded if and only if the card is not the golden one."""
    model = made.model
    return model.conj(
        (
            model.disj((made.golden, made.cheap)),
            model.disj((model.negate(made.golden), model.negate(made.cheap))),
        )
    )


def without_first(made: Knapsack) -> Bool:
    """With the first item the bound does not count."""
    first = made.model.member(made.items[0], Domain.of([1]))
    return made.model.disj((first, made.golden, made.cheap))


def by_card(made: Knapsack) -> Bool:
    """Each card has a bound of its own."""
    model = made.model
    return model.conj(
        model.disj(
            (
                model.negate(model.member(made.card, Domain.of([card]))),
                model.at_most_zero(model.minus(made.price, model.scale(made.cap, card + 1))),
            )
        )
        for card in list(made.card.domain)[1:]
    )


def selected(made: Knapsack) -> Bool:
    """What counts as the price depends on the card."""
    model = made.model
    counted = model.select(((made.golden, model.constant(0)), (model.negate(made.golden), made.price)))
    return model.at_most_zero(model.minus(counted, made.cap))


FORMS: tuple[Callable[[Knapsack], Bool], ...] = (either, exactly_if, without_first, by_card, selected)


@pytest.mark.parametrize("shard", few(range(SHARDS), range(len(FORMS))))
def test_of_drawn_models_with_amounts_past_2_to_the_31_no_optimum_is_refuted_by_z3(shard: int) -> None:
    for number in range(shard, MODELS, SHARDS):
        made = Knapsack(Random(number))
        condition = FORMS[number % len(FORMS)](made)
        problem = made.problem(condition)
        outcome = cpsat.CpSat().open(problem, Limits()).solve(minimize=made.loss)
        assert outcome.reason is None
        if outcome.status is Status.OPTIMAL:
            assert all(evaluate(rooted.condition, outcome.values) for rooted in problem.hard)
            assert outcome.objective is not None
            better = made.model.minus(made.loss, made.model.constant(outcome.objective - 1))
            problem = made.problem(condition, made.model.at_most_zero(better))
        else:
            assert outcome.status is Status.INFEASIBLE
        assert Smt().open(problem, Limits()).solve().status is Status.INFEASIBLE, f"model {number}"


def enforced_sum(random: Random) -> tuple[cp.CpModel, list[cp.IntVar], Callable[[list[int]], int | None]]:
    """A model of the upstream report's kind, and what an assignment of its Booleans is worth: None if it is not allowed."""
    model = cp.CpModel()
    count, cards = random.randint(7, 9), random.randint(2, 3)
    prices = [random.randint(2**28, 2**32) for _ in range(count)]
    sizes = [random.randint(1, 30) for _ in range(count)]
    joys = [random.randint(1, 100) for _ in range(count)]
    fees = [random.randint(0, 150) for _ in range(cards)]
    cap, room = sum(prices) * random.randint(1, 4) // 10, sum(sizes) * random.randint(4, 9) // 10
    items = [model.new_bool_var(f"item{i}") for i in range(count)]
    card = [model.new_bool_var(f"card{i}") for i in range(cards)]
    model.add_exactly_one(card)
    model.add(cp.LinearExpr.weighted_sum(items, prices) <= cap).only_enforce_if(card[0].negated())
    model.add(cp.LinearExpr.weighted_sum(items, sizes) <= room)
    model.maximize(cp.LinearExpr.weighted_sum(items, joys) - cp.LinearExpr.weighted_sum(card, fees))

    def worth(values: list[int]) -> int | None:
        packed, chosen = values[:count], values[count:]
        if sum(chosen) != 1 or sum(x * s for x, s in zip(packed, sizes, strict=True)) > room:
            return None
        if not chosen[0] and sum(x * p for x, p in zip(packed, prices, strict=True)) > cap:
            return None
        return sum(x * j for x, j in zip(packed, joys, strict=True)) - sum(
            x * f for x, f in zip(chosen, fees, strict=True)
        )

    return model, [*items, *card], worth


def assignments(count: int) -> Iterator[list[int]]:
    return ([number >> place & 1 for place in range(count)] for number in range(2**count))


@pytest.mark.parametrize("number", range(30))
def test_the_models_of_the_upstream_report_have_the_optimum_that_an_enumeration_finds(number: int) -> None:
    model, variables, worth = enforced_sum(Random(number))
    solver = new_solver()
    assert solver.solve(model) == cp.OPTIMAL
    best = max(value for values in assignments(len(variables)) if (value := worth(values)) is not None)
    assert worth([int(solver.boolean_value(variable)) for variable in variables]) == best


def linear(model: NodeBuilder, value: int) -> tuple[Problem, Linear]:
    var = model.var("x", Domain.interval(0, 10))
    return Problem(model, [], [], (), [], {}), model.plus(model.of(var), model.constant(value))


@pytest.mark.parametrize("status", [cp.OPTIMAL, cp.INFEASIBLE])
def test_a_stage_that_is_refuted_by_an_earlier_assignment_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, status: cp.CpSolverStatus
) -> None:
    problem, loss = linear(NodeBuilder(), 0)
    monkeypatch.setattr(
        cpsat, "_ALONE",
        (cpsat._Stage(presolve=True, linearization=1, effort=None),) * 2,
    )  # fmt: skip
    solvers = [Said(cp.FEASIBLE, 3, -5), Said(status, 7, 7)]
    monkeypatch.setattr(cpsat, "new_solver", lambda **_: solvers.pop(0))
    outcome = cpsat.CpSat().open(problem, Limits()).solve(minimize=loss)
    assert (outcome.status, outcome.objective, outcome.bound) == (Status.FEASIBLE, 3, 0)
    assert outcome.reason == "contradiction"


class Said:
    """A solver that says what it is told to."""

    num_booleans = num_conflicts = num_branches = 0

    def __init__(self, status: cp.CpSolverStatus, value: int, bound: float) -> None:
        self.parameters = cp.CpSolver().parameters
        self.best_objective_bound = bound
        self.response_proto = self
        self.status, self.solution, self.deterministic_time = status, [value], 0.0

    def solve(self, model: cp.CpModel, callback: object = None) -> cp.CpSolverStatus:
        return self.status

    def stop_search(self) -> None:
        pass
