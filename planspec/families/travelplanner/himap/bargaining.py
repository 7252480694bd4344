"""Bargaining in rounds: days run in parallel, a rejection cancels the others, and the trip is split anew.

After HiMAP-Travel's algorithm 1. The last round cancels nothing: no later round would gain from the time
saved, and the answer consists of what is planned by then. The plan of a rejected day is its executor's last
proposal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from planspec.agents.failures import AttemptFailedError
from planspec.families.travelplanner.himap.coordinator import Coordinator
from planspec.families.travelplanner.himap.executor import Executor, State
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    ExecutorCounts,
    Goal,
    Outcome,
    Rejected,
)
from planspec.monitor import Refusal


@dataclass(frozen=True, slots=True)
class Round:
    """One round of bargaining.

    Attributes:
        goals: sub-goals of the days.
        outcomes: outcome of each day, in the order of the goals.
        coordinator: counts of the coordinator.
        seconds: time from the first day's start to the last day's end.
    """

    goals: tuple[Goal, ...]
    outcomes: tuple[Outcome, ...]
    coordinator: ExecutorCounts
    seconds: float

    @property
    def agreed(self) -> bool:
        """Return whether every day is committed."""
        return all(isinstance(outcome, Committed) for outcome in self.outcomes)


def bargain(
    coordinator: Coordinator, executor: Executor, state: State, *, rounds: int, workers: int
) -> tuple[Round, ...]:
    """Run rounds until all days agree, the coordinator has no further split, or the limit is reached.

    After a round without agreement the state is rolled back.

    Args:
        coordinator: splits the trip.
        executor: plans a day; called from several threads at once.
        state: shared state of the days.
        rounds: largest number of rounds.
        workers: number of days planned at once.

    Raises:
        AttemptFailedError: the state is unavailable, or an executor raises it.
    """
    results: list[Round] = []
    for number in range(1, rounds + 1):
        tally, start = ExecutorCounts(), time.monotonic()
        feedback = [
            outcome.feedback
            for outcome in (results[-1].outcomes if results else ())
            if not isinstance(outcome, Cancelled)
        ]
        goals = coordinator(feedback, tally)
        tally.seconds = time.monotonic() - start
        if goals is None:
            break
        token = state.checkpoint()
        if isinstance(token, Refusal):
            raise AttemptFailedError("adapter", f"the shared state: {token.message}")
        start = time.monotonic()
        outcomes = _executed(goals, executor, state, workers, is_cancelling=number < rounds)
        results.append(Round(goals, outcomes, tally, time.monotonic() - start))
        if results[-1].agreed:
            break
        state.rollback(token)
    return tuple(results)


def _executed(
    goals: Sequence[Goal], executor: Executor, state: State, workers: int, *, is_cancelling: bool
) -> tuple[Outcome, ...]:
    """Return the outcome of every day, after all its threads have ended."""
    cancelled = threading.Event()

    def execute(goal: Goal) -> Outcome:
        try:
            outcome = executor(goal, state, cancelled)
        except BaseException:
            cancelled.set()
            raise
        if is_cancelling and isinstance(outcome, Rejected):
            cancelled.set()  # set here, before this thread takes another day
        return outcome

    with ThreadPoolExecutor(workers, thread_name_prefix="day") as pool:
        futures = [pool.submit(execute, goal) for goal in goals]
        try:
            wait(futures)
        finally:
            cancelled.set()  # an interruption also ends the days
    return tuple(future.result() for future in futures)
