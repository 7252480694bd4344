"""Rounds of bargaining: days are executed in parallel, a rejection cancels the others, and the trip is split anew.

After HiMAP-Travel's algorithm 1. In the last round nothing is cancelled, since there is no other for which time could be
saved and what was planned by then is all there is to answer with; the plan of a rejected day is what its executor proposed
last.
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
    """One round.

    Attributes:
        goals: of its days.
        outcomes: of each day, in the order of the goals.
        coordinator: what the coordinator did.
        seconds: of the days, from the first begun to the last ended.
    """

    goals: tuple[Goal, ...]
    outcomes: tuple[Outcome, ...]
    coordinator: ExecutorCounts
    seconds: float

    @property
    def agreed(self) -> bool:
        """Every day is done as it was asked."""
        return all(isinstance(outcome, Committed) for outcome in self.outcomes)


def bargain(
    coordinator: Coordinator, executor: Executor, state: State, *, rounds: int, workers: int
) -> tuple[Round, ...]:
    """Rounds until all days agree, there is nothing else to try, or there are no more.

    After a round without agreement the state is as it was before.

    Args:
        coordinator: splits the trip.
        executor: plans a day; called by several threads at once.
        state: what the days share.
        rounds: at most.
        workers: how many days are planned at once.

    Raises:
        AttemptFailedError: the state cannot be had, or what an executor raises.
    """
    made: list[Round] = []
    for number in range(1, rounds + 1):
        tally, begun = ExecutorCounts(), time.monotonic()
        feedback = [
            outcome.feedback
            for outcome in (made[-1].outcomes if made else ())
            if not isinstance(outcome, Cancelled)
        ]
        goals = coordinator(feedback, tally)
        tally.seconds = time.monotonic() - begun
        if goals is None:
            break
        token = state.checkpoint()
        if isinstance(token, Refusal):
            raise AttemptFailedError("adapter", f"the shared state: {token.message}")
        begun = time.monotonic()
        outcomes = _executed(goals, executor, state, workers, cancels=number < rounds)
        made.append(Round(goals, outcomes, tally, time.monotonic() - begun))
        if made[-1].agreed:
            break
        state.rollback(token)
    return tuple(made)


def _executed(
    goals: Sequence[Goal], executor: Executor, state: State, workers: int, *, cancels: bool
) -> tuple[Outcome, ...]:
    """The outcome of every day; none of its threads runs any more."""
    cancelled = threading.Event()

    def one(goal: Goal) -> Outcome:
        try:
            outcome = executor(goal, state, cancelled)
        except BaseException:
            cancelled.set()
            raise
        if cancels and isinstance(outcome, Rejected):
            cancelled.set()  # here, before this thread takes another day
        return outcome

    with ThreadPoolExecutor(workers, thread_name_prefix="day") as pool:
        futures = [pool.submit(one, goal) for goal in goals]
        try:
            wait(futures)
        finally:
            cancelled.set()  # an interruption ends the days too
    return tuple(future.result() for future in futures)
