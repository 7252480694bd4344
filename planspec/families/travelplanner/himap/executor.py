"""A day executor: plans one day in isolation, and learns of other days only through refusals of the shared state."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    DayDraft,
    ExecutorCounts,
    Feedback,
    Goal,
    Outcome,
    Rejected,
    Violation,
)
from planspec.families.travelplanner.himap.market import Market
from planspec.families.travelplanner.himap.policies import DayPolicy
from planspec.families.travelplanner.himap.slots import OfferChoice, Selection, cost, draft, slots
from planspec.monitor import Accepted, Refusal, Reply
from planspec.monitor.replies import BUDGET_EXCEEDED, DUPLICATE_VENUE, MODE_CONFLICT

MOST_COMMITS = 15
"""Largest number of attempts to commit a day (section 4.7: 15 calls for each day)."""


class State(Protocol):
    """The shared state of executors: the monitor, or a substitute."""

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Apply an action as a whole, or refuse it and change nothing."""

    def checkpoint(self) -> int | Refusal:
        """Save the state and return its token."""

    def rollback(self, token: int | None = None) -> Reply:
        """Return to a checkpoint."""


class Executor(Protocol):
    """Plans the day of a goal."""

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """Return the outcome of the day; `Cancelled` soon after `cancelled` is set."""


class CancelledError(Exception):
    """Another day was rejected."""


@dataclass(slots=True)
class ExecutorSteps:
    """Steps of one executor: counted, optionally delayed, and stopped by a cancellation.

    Attributes:
        latency: delay of each call in seconds, to simulate a remote service.
        check: raises when the attempt's time is over.
    """

    tally: ExecutorCounts
    cancelled: threading.Event
    latency: float
    check: Callable[[], None]

    def call(self, kind: str) -> None:
        """Count a call that is about to be made.

        Raises:
            CancelledError: another day was rejected.
        """
        if self.cancelled.is_set() or (self.latency and self.cancelled.wait(self.latency)):
            raise CancelledError
        self.check()
        self.tally.call(kind)


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Plans a day from the day's own offers with a policy.

    The hint is advice: the day is planned within it if possible, and otherwise as cheaply as possible. A
    refused choice is replaced: without the refused venue, with another mode of transport, or for less money.

    Attributes:
        market: offers of the trip.
        policy: chooses among the offers.
        latency: delay of each call, in seconds.
        check: raises when the attempt's time is over.
    """

    market: Market
    policy: DayPolicy
    latency: float
    check: Callable[[], None]

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        start = time.monotonic()
        steps = ExecutorSteps(ExecutorCounts(), cancelled, self.latency, self.check)
        try:
            return self._planned(goal, state, steps)
        except CancelledError:
            return Cancelled(goal, steps.tally)
        finally:
            steps.tally.seconds = time.monotonic() - start

    def _planned(self, goal: Goal, state: State, steps: ExecutorSteps) -> Outcome:
        choices = list(slots(goal, self.market))
        for _ in choices:
            steps.call("search")
        left: int | None = None
        proposed: DayDraft | None = None
        while True:
            steps.call("choose")
            least = self.policy.cheapest(choices, goal.tastes)
            if least is None:
                return _rejected(goal, _violation(choices), None, proposed, steps.tally)
            floor = cost(least)
            if left is not None and floor > left:
                short = floor - (left if goal.hint is None else goal.hint)
                return _rejected(goal, "budget", short, draft(goal, least), steps.tally)
            chosen = self._preferred(goal, choices, floor, left, steps) or least
            proposed = draft(goal, chosen)
            steps.call("commit")
            reply = state.commit(proposed.action)
            if isinstance(reply, Accepted):
                spare = None if goal.hint is None else floor - goal.hint
                return Committed(goal, Feedback(goal.day, "feasible", spare), proposed, steps.tally)
            steps.tally.refused(reply.code)
            if reply.code == BUDGET_EXCEEDED:
                left = max(-1, cost(chosen) - _over(reply))
            else:
                rest = _without(choices, chosen, proposed, reply)
                if rest is None:
                    return _rejected(goal, "availability", None, proposed, steps.tally)
                choices = rest
            if steps.tally.calls["commit"] >= MOST_COMMITS:
                return _rejected(goal, "availability", None, proposed, steps.tally)

    def _preferred(
        self, goal: Goal, choices: Sequence[OfferChoice], floor: int, left: int | None, steps: ExecutorSteps
    ) -> Selection | None:
        cap = min((bound for bound in (goal.hint, left) if bound is not None), default=None)
        if cap is not None and floor > cap:
            return None
        steps.call("choose")
        return self.policy.preferred(choices, goal.tastes, cap)


def _without(
    choices: Sequence[OfferChoice], chosen: Selection, proposed: DayDraft, reply: Refusal
) -> list[OfferChoice] | None:
    """Return the slots without the refused offers; None if nothing can be left out."""
    if reply.code == MODE_CONFLICT and "ride" in chosen:
        mode = chosen["ride"].mode
        return [slot.without((), mode) if slot.name == "ride" else slot for slot in choices]
    taken = [name for name in proposed.names if name in reply.message]
    return [slot.without(taken) for slot in choices] if taken and reply.code == DUPLICATE_VENUE else None


def _over(reply: Refusal) -> int:
    """Return the cents by which a sum of money exceeds its bound; at least one."""
    return max(1, -reply.margin) if isinstance(reply.margin, int) else 1


def _violation(choices: Sequence[OfferChoice]) -> Violation:
    """Return "time" if no ride arrives in time, or else "availability"."""
    rides = [slot for slot in choices if slot.name == "ride"]
    return "time" if rides and not rides[0].offers else "availability"


def _rejected(
    goal: Goal, violation: Violation, deficit: int | None, proposed: DayDraft | None, tally: ExecutorCounts
) -> Rejected:
    return Rejected(goal, Feedback(goal.day, "infeasible", deficit, violation), proposed, tally)
