from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from planspec.agents.failures import AttemptFailedError
from planspec.families.travelplanner.himap.bargaining import bargain
from planspec.families.travelplanner.himap.executor import State
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    ExecutorCounts,
    Feedback,
    Goal,
    Outcome,
    Rejected,
)
from planspec.monitor import Refusal
from tests.families.travelplanner.himap.small_trips import Memory, Played, done, goal

DAYS = tuple(goal(day) for day in range(1, 6))


class Coordinator:
    """A coordinator that always gives the same days, stores the feedback, and gives up after `most` splits."""

    def __init__(self, most: int = 99) -> None:
        self.feedbacks: list[tuple[Feedback, ...]] = []
        self.most = most

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        self.feedbacks.append(tuple(feedback))
        return DAYS if len(self.feedbacks) <= self.most else None


def test_days_that_agree_need_one_round_and_stay_committed() -> None:
    state, coordinator = Memory(), Coordinator()
    result = bargain(coordinator, Played(lambda goal: "done"), state, rounds=3, workers=3)
    assert [one.is_agreed for one in result] == [True]
    assert coordinator.feedbacks == [()]
    assert sorted(action["day"] for action in state.held) == [1, 2, 3, 4, 5]
    assert state.rollbacks == 0


def test_a_rejection_cancels_the_others_and_rolls_back() -> None:
    state = Memory()
    plays = {1: "done", 2: "rejected"}
    result = bargain(
        Coordinator(1), Played(lambda goal: plays.get(goal.day, "wait")), state, rounds=2, workers=5
    )
    kinds = [type(outcome) for outcome in result[0].outcomes]
    assert kinds == [Committed, Rejected, Cancelled, Cancelled, Cancelled]
    assert state.held == [] and state.rollbacks == 1


def test_days_that_had_not_begun_are_told_of_the_cancellation() -> None:
    begun: list[int] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        begun.append(goal.day)
        if goal.day == 1:
            return Played(lambda _: "rejected")(goal, state, cancelled)
        assert cancelled.wait(20)
        return Cancelled(goal, ExecutorCounts())

    result = bargain(Coordinator(1), executor, Memory(), rounds=2, workers=2)
    assert sorted(begun) == [1, 2, 3, 4, 5]
    assert sum(isinstance(outcome, Cancelled) for outcome in result[0].outcomes) == 4


def test_feedback_of_a_round_reaches_the_coordinator_without_the_cancelled() -> None:
    coordinator = Coordinator()
    rounds: list[int] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        if len(coordinator.feedbacks) == 1:
            return Played(lambda goal: "rejected" if goal.day == 1 else "wait")(goal, state, cancelled)
        rounds.append(goal.day)
        return done(goal)

    result = bargain(coordinator, executor, Memory(), rounds=3, workers=5)
    assert [one.is_agreed for one in result] == [False, True]
    assert coordinator.feedbacks[1] == (Feedback(1, "infeasible", 100, "budget"),)


def test_the_last_round_cancels_nothing() -> None:
    plays = {1: "rejected"}
    result = bargain(
        Coordinator(), Played(lambda goal: plays.get(goal.day, "done")), Memory(), rounds=1, workers=1
    )
    assert [type(outcome) for outcome in result[0].outcomes] == [
        Rejected,
        Committed,
        Committed,
        Committed,
        Committed,
    ]


def test_there_are_no_more_rounds_than_asked_for() -> None:
    state = Memory()
    result = bargain(Coordinator(), Played(lambda goal: "rejected"), state, rounds=3, workers=3)
    assert len(result) == 3 and state.rollbacks == 3


def test_a_worker_that_rejects_a_day_begins_no_other_as_if_nothing_were() -> None:
    seen: list[tuple[int, bool]] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        seen.append((goal.day, cancelled.is_set()))
        return Played(lambda _: "rejected")(goal, state, cancelled)

    bargain(Coordinator(1), executor, Memory(), rounds=2, workers=1)
    assert seen == [(1, False), (2, True), (3, True), (4, True), (5, True)]


def test_a_coordinator_without_another_idea_ends_it() -> None:
    assert len(bargain(Coordinator(2), Played(lambda goal: "rejected"), Memory(), rounds=9, workers=3)) == 2


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_days_are_planned_at_once_than_there_are_workers(workers: int) -> None:
    lock, gate = threading.Lock(), threading.Semaphore(workers)
    most: list[int] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        assert gate.acquire(blocking=False), "one too many"
        with lock:
            most.append(goal.day)
        threading.Event().wait(0.01)
        gate.release()
        return done(goal)

    bargain(Coordinator(), executor, Memory(), rounds=1, workers=workers)
    assert sorted(most) == [1, 2, 3, 4, 5]


def test_days_run_at_once_where_there_are_workers() -> None:
    together = threading.Barrier(3, timeout=20)

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        if goal.day <= 3:
            together.wait()
        return done(goal)

    assert bargain(Coordinator(), executor, Memory(), rounds=1, workers=3)[0].is_agreed


def test_what_an_executor_raises_cancels_the_others_and_comes_out() -> None:
    plays = {1: "boom"}
    with pytest.raises(RuntimeError, match="boom"):
        bargain(
            Coordinator(), Played(lambda goal: plays.get(goal.day, "wait")), Memory(), rounds=1, workers=5
        )


def test_a_state_that_cannot_be_had_fails_at_a_boundary() -> None:
    class Held(Memory):
        def checkpoint(self) -> int | Refusal:
            return Refusal("LOCK_TIMEOUT", None, "others hold it")

    with pytest.raises(AttemptFailedError) as caught:
        bargain(Coordinator(), Played(lambda goal: "done"), Held(), rounds=1, workers=1)
    assert caught.value.boundary == "adapter"
