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
from tests.families.travelplanner.himap.small_trips import (
    RecordingState,
    ScriptedExecutor,
    committed_outcome,
    goal,
)

DAYS = tuple(goal(day) for day in range(1, 6))


class RepeatingCoordinator:
    """A coordinator that returns the same split up to `max_splits` times, and records the feedback that it gets."""

    def __init__(self, max_splits: int = 99) -> None:
        self.feedbacks: list[tuple[Feedback, ...]] = []
        self.max_splits = max_splits

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        self.feedbacks.append(tuple(feedback))
        return DAYS if len(self.feedbacks) <= self.max_splits else None


def test_days_that_agree_need_one_round_and_remain_committed() -> None:
    state, coordinator = RecordingState(), RepeatingCoordinator()
    result = bargain(coordinator, ScriptedExecutor(lambda goal: "done"), state, rounds=3, workers=3)
    assert [one.is_agreed for one in result] == [True]
    assert coordinator.feedbacks == [()]
    assert sorted(action["day"] for action in state.actions) == [1, 2, 3, 4, 5]
    assert state.rollbacks == 0


def test_the_rejection_of_a_day_cancels_the_other_days_and_rolls_back() -> None:
    state = RecordingState()
    plays = {1: "done", 2: "rejected"}
    result = bargain(
        RepeatingCoordinator(1),
        ScriptedExecutor(lambda goal: plays.get(goal.day, "wait")),
        state,
        rounds=2,
        workers=5,
    )
    kinds = [type(outcome) for outcome in result[0].outcomes]
    assert kinds == [Committed, Rejected, Cancelled, Cancelled, Cancelled]
    assert state.actions == [] and state.rollbacks == 1


def test_days_that_have_not_begun_see_the_cancellation() -> None:
    begun: list[int] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        begun.append(goal.day)
        if goal.day == 1:
            return ScriptedExecutor(lambda _: "rejected")(goal, state, cancelled)
        assert cancelled.wait(20)
        return Cancelled(goal, ExecutorCounts())

    result = bargain(RepeatingCoordinator(1), executor, RecordingState(), rounds=2, workers=2)
    assert sorted(begun) == [1, 2, 3, 4, 5]
    assert sum(isinstance(outcome, Cancelled) for outcome in result[0].outcomes) == 4


def test_the_coordinator_gets_feedback_on_all_days_but_the_cancelled_ones() -> None:
    coordinator = RepeatingCoordinator()
    rounds: list[int] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        if len(coordinator.feedbacks) == 1:
            return ScriptedExecutor(lambda goal: "rejected" if goal.day == 1 else "wait")(goal, state, cancelled)
        rounds.append(goal.day)
        return committed_outcome(goal)

    result = bargain(coordinator, executor, RecordingState(), rounds=3, workers=5)
    assert [one.is_agreed for one in result] == [False, True]
    assert coordinator.feedbacks[1] == (Feedback(1, "infeasible", 100, "budget"),)


def test_the_last_round_cancels_nothing() -> None:
    plays = {1: "rejected"}
    result = bargain(
        RepeatingCoordinator(),
        ScriptedExecutor(lambda goal: plays.get(goal.day, "done")),
        RecordingState(),
        rounds=1,
        workers=1,
    )
    assert [type(outcome) for outcome in result[0].outcomes] == [
        Rejected,
        Committed,
        Committed,
        Committed,
        Committed,
    ]


def test_there_are_no_more_rounds_than_requested() -> None:
    state = RecordingState()
    result = bargain(RepeatingCoordinator(), ScriptedExecutor(lambda goal: "rejected"), state, rounds=3, workers=3)
    assert len(result) == 3 and state.rollbacks == 3


def test_after_a_worker_rejects_a_day_its_next_days_are_already_cancelled() -> None:
    seen: list[tuple[int, bool]] = []

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        seen.append((goal.day, cancelled.is_set()))
        return ScriptedExecutor(lambda _: "rejected")(goal, state, cancelled)

    bargain(RepeatingCoordinator(1), executor, RecordingState(), rounds=2, workers=1)
    assert seen == [(1, False), (2, True), (3, True), (4, True), (5, True)]


def test_bargaining_ends_if_the_coordinator_has_no_further_split() -> None:
    assert (
        len(
            bargain(
                RepeatingCoordinator(2),
                ScriptedExecutor(lambda goal: "rejected"),
                RecordingState(),
                rounds=9,
                workers=3,
            )
        )
        == 2
    )


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
        return committed_outcome(goal)

    bargain(RepeatingCoordinator(), executor, RecordingState(), rounds=1, workers=workers)
    assert sorted(most) == [1, 2, 3, 4, 5]


def test_days_run_in_parallel_if_there_are_enough_workers() -> None:
    together = threading.Barrier(3, timeout=20)

    def executor(goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        if goal.day <= 3:
            together.wait()
        return committed_outcome(goal)

    assert bargain(RepeatingCoordinator(), executor, RecordingState(), rounds=1, workers=3)[0].is_agreed


def test_an_exception_of_an_executor_cancels_other_days_and_is_raised() -> None:
    plays = {1: "boom"}
    with pytest.raises(RuntimeError, match="boom"):
        bargain(
            RepeatingCoordinator(),
            ScriptedExecutor(lambda goal: plays.get(goal.day, "wait")),
            RecordingState(),
            rounds=1,
            workers=5,
        )


def test_an_attempt_fails_at_the_adapter_if_the_shared_state_is_locked() -> None:
    class LockedState(RecordingState):
        def checkpoint(self) -> int | Refusal:
            return Refusal("LOCK_TIMEOUT", None, "others hold it")

    with pytest.raises(AttemptFailedError) as caught:
        bargain(RepeatingCoordinator(), ScriptedExecutor(lambda goal: "done"), LockedState(), rounds=1, workers=1)
    assert caught.value.boundary == "adapter"
