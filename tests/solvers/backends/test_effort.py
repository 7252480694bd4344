"""A limit on effort counts work, so that a search gives the same result under any load of the machine."""

from __future__ import annotations

from random import Random

import pytest

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BACKENDS, backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.questions.budget import TimeBudget


def pigeons(count: int) -> Problem:
    """Return a pigeonhole problem: more pigeons than holes.

    The constraints are on pairs, so that solvers do not detect infeasibility at once.
    """
    model = NodeBuilder()
    holes = [model.var(f"p{i}", Domain.interval(1, count - 1)) for i in range(count)]
    different = [
        model.negate(model.is_zero(model.minus(model.of(a), model.of(b))))
        for i, a in enumerate(holes)
        for b in holes[:i]
    ]
    return Problem(model, [Rooted(condition, "") for condition in different], [], (), [], {})


def market_split(rows: int, items: int) -> Problem:
    """Return a market split problem: choose items that have exactly half of each row's total. It is hard for all
    solvers.
    """
    model, random = NodeBuilder(), Random(1)
    chosen = [model.of(model.var(f"x{i}", Domain.interval(0, 1))) for i in range(items)]
    hard = []
    for _ in range(rows):
        sizes = [random.randint(0, 99) for _ in chosen]
        total = model.sum(model.scale(x, size) for x, size in zip(chosen, sizes, strict=True))
        hard.append(Rooted(model.is_zero(model.minus(total, model.constant(sum(sizes) // 2))), ""))
    return Problem(model, hard, [], (), [], {})


@pytest.mark.parametrize("name", BACKENDS)
def test_a_search_ends_at_its_limit_on_effort_and_names_it_as_the_reason(name: str) -> None:
    if name == "sat":
        pytest.importorskip("pysat", reason="the extra `proofs` is not installed")
    outcomes = [backend(name).open(market_split(4, 30), Limits(seconds=None, effort=0.02)).solve() for _ in range(2)]
    assert [(o.status, o.reason) for o in outcomes] == [(Status.UNKNOWN, "effort")] * 2
    assert outcomes[0].effort == pytest.approx(outcomes[1].effort, rel=0.01)
    assert outcomes[0].effort > 0


@pytest.mark.parametrize("name", BACKENDS)
def test_with_enough_effort_a_search_is_decided(name: str) -> None:
    if name == "sat":
        pytest.importorskip("pysat", reason="the extra `proofs` is not installed")
    outcome = backend(name).open(pigeons(5), Limits(seconds=None, effort=20.0)).solve()
    assert (outcome.status, outcome.reason) == (Status.INFEASIBLE, None)


def test_effort_spent_within_a_share_is_taken_from_the_whole_budget() -> None:
    clock = TimeBudget(Limits(seconds=None, effort=2.0))
    part = clock.share(4)
    assert part.limits.effort == 0.5
    outcome = part.ask(backend("brute").open(pigeons(4), part.limits))
    assert clock.effort == part.effort == outcome.effort > 0
    assert clock.effort_left == 2.0 - outcome.effort


def test_no_search_starts_once_the_effort_is_spent() -> None:
    clock = TimeBudget(Limits(seconds=None, effort=0.0001))
    session = backend("brute").open(pigeons(6), clock.limits)
    assert clock.ask(session).reason == "effort"
    assert clock.over == "effort"
    assert clock.ask(session).effort == 0.0
