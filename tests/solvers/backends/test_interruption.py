"""Native code is stopped when a limit is reached. If it does not react, it is abandoned."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from planspec.dsl.resources.deadline import Deadline
from planspec.solvers.backends import interruption
from planspec.solvers.backends.interruption import AbandonedCallError, any_abandoned, interruptible
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import BackendName, backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.questions.budget import TimeBudget


@pytest.fixture(autouse=True)
def _shorten_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make waiting for native code short."""
    monkeypatch.setattr(interruption, "CHECK_INTERVAL_S", 0.001)
    monkeypatch.setattr(interruption, "PATIENCE_S", 0.001)


def test_a_result_in_time_is_returned() -> None:
    assert interruptible(lambda: 7, lambda: None, Deadline(60.0)) == (7, None)


def test_an_error_of_the_call_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0, lambda: None, Deadline())


@pytest.mark.parametrize(("deadline", "reason"), [(Deadline(0.0), "time"), (Deadline(memory_mb=-1000), "memory")])
def test_a_call_that_can_be_stopped_is_stopped_and_its_result_returned(deadline: Deadline, reason: str) -> None:
    stopped = Event()
    assert interruptible(stopped.wait, stopped.set, deadline) == (True, reason)


def test_a_call_that_does_not_stop_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruption, "GRACE_S", 0.01)
    done = Event()
    with pytest.raises(AbandonedCallError) as caught:
        interruptible(done.wait, lambda: None, Deadline(0.0))
    assert caught.value.reason == "time"
    assert any_abandoned()
    done.set()
    for call in interruption._abandoned:
        call.thread.join()
    assert not any_abandoned()


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate Python in a browser, which has no threads."""

    def refuse(thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(interruption, "THREADS", False)
    monkeypatch.setattr("planspec.solvers.backends.sat.cadical.THREADS", False)
    monkeypatch.setattr(Thread, "start", refuse)


def test_without_threads_a_call_is_made_directly(no_threads: None) -> None:
    assert interruptible(lambda: 7, lambda: None, Deadline(60.0)) == (7, None)
    assert interruptible(lambda: 7, lambda: None, Deadline(0.0)) == (7, "time")
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0, lambda: None, Deadline())


def test_without_threads_the_solvers_work(no_threads: None) -> None:
    problem, larger = different_numbers()
    for name in ("smt", "sat"):
        assert backend(name).open(problem, Limits()).solve(assumptions=[larger]).status is Status.FEASIBLE


def test_without_threads_cadical_checks_its_own_limit(no_threads: None) -> None:
    from planspec.solvers.backends.sat.cadical import Cadical

    solver = Cadical()
    pigeons, holes = range(10), range(9)
    for pigeon in pigeons:
        solver.add([10 * pigeon + hole + 1 for hole in holes])
    for hole in holes:
        for pigeon in pigeons:
            for other in range(pigeon):
                solver.add([-(10 * pigeon + hole + 1), -(10 * other + hole + 1)])
    assert solver.solve((), Deadline(0.02)) == (None, "time")


def different_numbers() -> tuple[Problem, Rooted]:
    """Return a problem of two different numbers, and the condition that the first is the greater one."""
    model = NodeBuilder()
    x, y = (model.var(name, Domain.interval(0, 9)) for name in "xy")
    difference = model.minus(model.of(y), model.of(x))
    hard = [Rooted(model.negate(model.is_zero(difference)), "differ")]
    return Problem(model, hard, [], (), [], {}), Rooted(model.at_most_zero(difference), "larger")


@pytest.mark.parametrize("name", ["cpsat", "smt"])
def test_a_session_with_an_interrupted_encoding_answers_unknown_from_then_on(name: BackendName) -> None:
    problem, larger = different_numbers()
    session = backend(name).open(problem, Limits(seconds=0.0))
    first = session.solve(assumptions=[larger])
    assert (first.status, first.reason) == (Status.UNKNOWN, "time")
    assert session.broken
    session.limits = Limits()
    assert session.solve().status is Status.UNKNOWN


@pytest.mark.parametrize("name", ["cpsat", "smt"])
def test_an_expired_budget_starts_no_search(name: BackendName) -> None:
    problem, _ = different_numbers()
    session = backend(name).open(problem, Limits())
    outcome = TimeBudget(Limits(seconds=0.0)).ask(session)
    assert (outcome.status, outcome.reason) == (Status.UNKNOWN, "time")
    assert not session.broken
