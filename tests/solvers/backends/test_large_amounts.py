"""Sums beyond 2^31 are computed correctly. CP-SAT's presolve had an error there (google/or-tools issue 5293).

The expected results come from enumeration or from a second solver, never from CP-SAT itself. CP-SAT searches only with
presolve here, as it does on models that its first, quick stage does not decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING

import pytest

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import Problem, Rooted
from tests.lengths import try_one_in

if TYPE_CHECKING:
    from ortools.sat.python import cp_model as cp

pytestmark = pytest.mark.slow
MODELS = 1_000
SHARDS = 20


@pytest.fixture(autouse=True)
def _use_only_presolve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the stages of CP-SAT by a single one, with presolve."""
    from planspec.solvers.backends.cpsat import backend as cpsat

    monkeypatch.setattr(cpsat, "_ALONE", (cpsat._Stage(presolve=True, linearization=1, effort=None),))


class Knapsack:
    """A knapsack problem with the choice of a payment card.

    The total size is bounded. Tests add conditions that bound the price, depending on the card.
    """

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
        self.roomy = model.at_most_zero(model.minus(self.size, model.constant(sum(sizes) * random.randint(4, 8) // 10)))
        self.cheap = model.at_most_zero(model.minus(self.price, self.cap))

    def problem(self, *conditions: Bool) -> Problem:
        """Return the problem with additional conditions."""
        hard = [Rooted(condition, f"c{i}") for i, condition in enumerate((self.roomy, *conditions))]
        return Problem(self.model, hard, [], (), [], {})


def bounded_without_golden_card(knapsack: Knapsack) -> Bool:
    """Return the condition that the price is bounded unless the card is golden."""
    return knapsack.model.disj((knapsack.golden, knapsack.cheap))


def bounded_exactly_without_golden_card(knapsack: Knapsack) -> Bool:
    """Return the condition that the price is within its bound if and only if the card is not golden."""
    model = knapsack.model
    return model.conj(
        (
            model.disj((knapsack.golden, knapsack.cheap)),
            model.disj((model.negate(knapsack.golden), model.negate(knapsack.cheap))),
        )
    )


def bounded_without_first_item(knapsack: Knapsack) -> Bool:
    """Return the condition that the price is bounded unless the first item or the golden card is chosen."""
    first = knapsack.model.member(knapsack.items[0], Domain.of([1]))
    return knapsack.model.disj((first, knapsack.golden, knapsack.cheap))


def bounded_by_card(knapsack: Knapsack) -> Bool:
    """Return the condition that the price is within the bound of the chosen card."""
    model = knapsack.model
    return model.conj(
        model.disj(
            (
                model.negate(model.member(knapsack.card, Domain.of([card]))),
                model.at_most_zero(model.minus(knapsack.price, model.scale(knapsack.cap, card + 1))),
            )
        )
        for card in list(knapsack.card.domain)[1:]
    )


def bounded_selection(knapsack: Knapsack) -> Bool:
    """Return a bound on an expression: its value is 0 with the golden card, and the price with any other card."""
    model = knapsack.model
    counted = model.select(((knapsack.golden, model.constant(0)), (model.negate(knapsack.golden), knapsack.price)))
    return model.at_most_zero(model.minus(counted, knapsack.cap))


FORMS: tuple[Callable[[Knapsack], Bool], ...] = (
    bounded_without_golden_card,
    bounded_exactly_without_golden_card,
    bounded_without_first_item,
    bounded_by_card,
    bounded_selection,
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shard", try_one_in(4, range(SHARDS)))
def test_z3_confirms_optima_of_random_models_with_amounts_beyond_2_to_the_31(shard: int) -> None:
    for number in range(shard, MODELS, SHARDS):
        knapsack = Knapsack(Random(number))
        condition = FORMS[number % len(FORMS)](knapsack)
        problem = knapsack.problem(condition)
        outcome = backend("cpsat").open(problem, Limits()).solve(minimize=knapsack.loss)
        assert outcome.reason is None
        if outcome.status is Status.OPTIMAL:
            assert all(evaluate(rooted.condition, outcome.values) for rooted in problem.hard)
            assert outcome.objective is not None
            better = knapsack.model.minus(knapsack.loss, knapsack.model.constant(outcome.objective - 1))
            problem = knapsack.problem(condition, knapsack.model.at_most_zero(better))
        else:
            assert outcome.status is Status.INFEASIBLE
        assert backend("smt").open(problem, Limits()).solve().status is Status.INFEASIBLE, f"model {number}"


def enforced_sum(random: Random) -> tuple[cp.CpModel, list[cp.IntVar], Callable[[list[int]], int | None]]:
    """Return a model like the one in CP-SAT's issue, its Booleans, and a function that computes an assignment's objective.

    The function returns None if the assignment is not allowed.
    """
    from ortools.sat.python import cp_model as cp

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
    """Yield all assignments of `count` Booleans."""
    return ([number >> place & 1 for place in range(count)] for number in range(2**count))


@pytest.mark.parametrize("number", range(30))
def test_models_like_the_reported_one_have_the_optimum_of_an_enumeration(number: int) -> None:
    from ortools.sat.python import cp_model as cp

    from planspec.solvers.backends.cpsat.solver import new_solver

    model, variables, worth = enforced_sum(Random(number))
    solver = new_solver()
    assert solver.solve(model) == cp.OPTIMAL
    best = max(value for values in assignments(len(variables)) if (value := worth(values)) is not None)
    assert worth([int(solver.boolean_value(variable)) for variable in variables]) == best


def problem_and_objective(model: NodeBuilder, value: int) -> tuple[Problem, Linear]:
    """Return a problem with one variable, and an objective."""
    var = model.var("x", Domain.interval(0, 10))
    return Problem(model, [], [], (), [], {}), model.plus(model.of(var), model.constant(value))


@pytest.mark.parametrize("status", ["OPTIMAL", "INFEASIBLE"])
def test_a_stage_that_contradicts_an_earlier_assignment_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    from ortools.sat.python import cp_model as cp

    from planspec.solvers.backends.cpsat import backend as cpsat

    problem, loss = problem_and_objective(NodeBuilder(), 0)
    monkeypatch.setattr(
        cpsat,
        "_ALONE",
        (cpsat._Stage(presolve=True, linearization=1, effort=None),) * 2,
    )
    solvers = [ScriptedSolver(cp.FEASIBLE, 3, -5), ScriptedSolver(getattr(cp, status), 7, 7)]
    monkeypatch.setattr(cpsat, "new_solver", lambda **_: solvers.pop(0))
    outcome = backend("cpsat").open(problem, Limits()).solve(minimize=loss)
    assert (outcome.status, outcome.objective, outcome.bound) == (Status.FEASIBLE, 3, 0)
    assert outcome.reason == "contradiction"


class ScriptedSolver:
    """A solver that returns given results."""

    num_booleans = num_conflicts = num_branches = 0

    def __init__(self, status: cp.CpSolverStatus, value: int, bound: float) -> None:
        from ortools.sat.python import cp_model as cp

        self.parameters = cp.CpSolver().parameters
        self.best_objective_bound = bound
        self.response_proto = self
        self.status, self.solution, self.deterministic_time = status, [value], 0.0

    def solve(self, model: cp.CpModel, callback: object = None) -> cp.CpSolverStatus:
        return self.status

    def stop_search(self) -> None:
        pass
