"""Bargaining in rounds: days are planned in parallel, a rejected day cancels the others, and the trip is split again.

This is algorithm 1 of HiMAP-Travel, with one departure: the last round cancels no day. Its days form the answer, and
there is no later round that could use the saved time. A rejected day enters the answer with its executor's last
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
        coordinator: counts of the coordinator's calls.
        seconds: time from the start of the first executor to the end of the last.
    """

    goals: tuple[Goal, ...]
    outcomes: tuple[Outcome, ...]
    coordinator: ExecutorCounts
    seconds: float

    @property
    def is_agreed(self) -> bool:
        """Whether a plan for every day has been accepted."""
        return all(isinstance(outcome, Committed) for outcome in self.outcomes)


def bargain(
    coordinator: Coordinator,
    executor: Executor,
    state: State,
    *,
    rounds: int,
    workers: int,
    ends_early: bool = True,
) -> tuple[Round, ...]:
    """Run rounds until all days are committed, the coordinator has no further split, or the limit is reached.

    After a round in which not all days are committed, the state is rolled back.

    Args:
        coordinator: function that splits the trip.
        executor: function that plans a day. It is called from several threads at once.
        state: shared state of the days.
        rounds: maximum number of rounds.
        workers: maximum number of days planned in parallel.
        ends_early: whether a rejected day cancels the other days of its round.

    Raises:
        AttemptFailedError: the state is unavailable, or an executor raises this error.
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
        outcomes = _plan_days(goals, executor, state, workers, is_cancelling=ends_early and number < rounds)
        results.append(Round(goals, outcomes, tally, time.monotonic() - start))
        if results[-1].is_agreed:
            break
        state.rollback(token)
    return tuple(results)


def _plan_days(
    goals: Sequence[Goal], executor: Executor, state: State, workers: int, *, is_cancelling: bool
) -> tuple[Outcome, ...]:
    """Plan up to `workers` days in parallel, and return the outcomes of all days in the order of the goals.

    If `is_cancelling`, a rejected day cancels the others.
    """
    cancelled = threading.Event()

    def plan_day(goal: Goal) -> Outcome:
        try:
            outcome = executor(goal, state, cancelled)
        except BaseException:
            cancelled.set()
            raise
        if is_cancelling and isinstance(outcome, Rejected):
            cancelled.set()  # set in this thread, before it starts another day
        return outcome

    with ThreadPoolExecutor(workers, thread_name_prefix="day") as pool:
        futures = [pool.submit(plan_day, goal) for goal in goals]
        try:
            wait(futures)
        finally:
            cancelled.set()  # an interruption must also stop the days in progress
    return tuple(future.result() for future in futures)
