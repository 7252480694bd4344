"""The limits of CP-SAT's stage without presolve grow with the model, and on large models the stage can be stopped."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Problem, Rooted

CPSAT = "planspec.solvers.backends.cpsat.backend"
"""The module whose settings are changed. It is imported within tests, since collecting must stay quick."""


def pigeonhole(pigeons: int) -> Problem:
    """Return an infeasible pigeonhole problem: pigeons in pairwise different holes, with one hole too few."""
    model = NodeBuilder()
    xs = [model.var(f"x{i}", Domain.interval(0, pigeons - 2)) for i in range(pigeons)]
    hard = [
        Rooted(model.negate(model.is_zero(model.minus(model.of(a), model.of(b)))), "")
        for i, a in enumerate(xs)
        for b in xs[i + 1 :]
    ]
    return Problem(model, hard, [], (), [], {})


def rising_chain(length: int) -> Problem:
    """Return a problem of numbers, each of which is less than the next."""
    model = NodeBuilder()
    xs = [model.var(f"x{i}", Domain.interval(0, length)) for i in range(length)]
    rising = [
        model.at_most_zero(model.plus(model.minus(model.of(a), model.of(b)), model.constant(1)))
        for a, b in itertools.pairwise(xs)
    ]
    return Problem(model, [Rooted(c, "") for c in rising], [], (), [], {})


@pytest.fixture
def stoppable_searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each search that can be stopped appends an item."""
    calls: list[str] = []

    def record(work: Callable[[], Any], stop: Callable[[], None], deadline: Deadline) -> tuple[Any, None]:
        calls.append("search")
        assert callable(stop)
        assert deadline.reached is None
        return work(), None

    monkeypatch.setattr(f"{CPSAT}.interruptible", record)
    return calls


@pytest.mark.parametrize(("length", "stoppable"), [(20, 0), (100, 1)])
def test_cp_sats_first_stage_can_be_stopped_only_on_large_models(
    stoppable_searches: list[str], monkeypatch: pytest.MonkeyPatch, length: int, stoppable: int
) -> None:
    monkeypatch.setattr(f"{CPSAT}.SMALL_MODEL", 100)
    outcome = backend("cpsat").open(rising_chain(length), Limits()).solve()
    assert (outcome.status, outcome.statistics["runs"]) == (Status.FEASIBLE, 1)
    assert len(stoppable_searches) == stoppable


def test_later_stages_can_always_be_stopped(stoppable_searches: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from planspec.solvers.backends.cpsat import backend as cpsat

    short = cpsat._Stage(presolve=False, linearization=0, effort=0.0, conflicts=0)
    monkeypatch.setattr(f"{CPSAT}._QUICK", short)
    monkeypatch.setattr(f"{CPSAT}.EFFORT_OF_SIZE", 0.0)
    monkeypatch.setattr(f"{CPSAT}.CONFLICTS_OF_SIZE", 0.0)
    monkeypatch.setattr(f"{CPSAT}._ALONE", (short, cpsat._ALONE[-1]))
    outcome = backend("cpsat").open(pigeonhole(7), Limits()).solve()
    assert outcome.status is Status.INFEASIBLE
    assert len(stoppable_searches) == outcome.statistics["runs"] - 1


def test_an_interruption_of_a_large_model_stops_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception raised by a signal handler during the first stage reaches the caller."""

    def interrupt(work: Callable[[], Any], stop: Callable[[], None], deadline: Deadline) -> Any:
        assert deadline.reached is None
        stop()
        raise KeyboardInterrupt

    monkeypatch.setattr(f"{CPSAT}.interruptible", interrupt)
    monkeypatch.setattr(f"{CPSAT}.SMALL_MODEL", 5)
    session = backend("cpsat").open(pigeonhole(5), Limits())
    with pytest.raises(KeyboardInterrupt):
        session.solve()
    monkeypatch.undo()
    assert session.solve().status is Status.INFEASIBLE  # the session can still be used


@pytest.mark.slow
def test_the_limits_of_the_first_stage_grow_with_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from ortools.sat.python import cp_model as cp

    from planspec.solvers.backends.cpsat import backend as cpsat

    limits: list[tuple[Any, Any]] = []
    original = cp.CpSolver.solve

    def solve(self: Any, *arguments: Any, **options: Any) -> Any:
        limits.append((self.parameters.max_deterministic_time, self.parameters.max_number_of_conflicts))
        return original(self, *arguments, **options)

    monkeypatch.setattr(cp.CpSolver, "solve", solve)
    sizes = []
    for length in (10, 100, 500):
        outcome = backend("cpsat").open(rising_chain(length), Limits()).solve()
        sizes.append(outcome.statistics["variables"] + outcome.statistics["constraints"])
    assert limits == [
        (pytest.approx(0.1 + cpsat.EFFORT_OF_SIZE * size), 200 + int(cpsat.CONFLICTS_OF_SIZE * size)) for size in sizes
    ]
