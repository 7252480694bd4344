"""Executor of one day.

An executor plans its day in isolation. It learns about other days only from refusals of the shared state.
"""

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
from planspec.families.travelplanner.himap.slots import OfferSlot, Selection, draft_day, selection_cost, slots
from planspec.monitor import Accepted, Refusal, Reply
from planspec.monitor.replies import BUDGET_EXCEEDED, DUPLICATE_VENUE, MODE_CONFLICT

MOST_COMMITS = 15
"""Maximum number of attempts to commit a day (section 4.7 allows 15 calls for each day)."""


class State(Protocol):
    """Interface of the plan state that executors share: a monitor of the rules, or a substitute without rules."""

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Apply all rows of an action, or refuse the action without any change."""

    def checkpoint(self) -> int | Refusal:
        """Save the state and return a token for `rollback`, or a refusal if the state is unavailable."""

    def rollback(self, token: int | None = None) -> Reply:
        """Restore the state of a checkpoint."""


class Executor(Protocol):
    """Interface of the role that plans one day."""

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """Plan the day of a sub-goal. Return `Cancelled` soon after the event `cancelled` is set."""


class CancelledError(Exception):
    """Raised in an executor if its day is cancelled, because another day was rejected."""


@dataclass(slots=True)
class CallCounter:
    """Counter of an executor's calls. It also delays the calls, and stops the executor at a cancellation.

    Attributes:
        tally: counts of the calls.
        cancelled: event that is set when another day is rejected.
        latency: delay of each call in seconds, to simulate a remote service.
        check: function that raises an exception if the attempt's time is over.
    """

    tally: ExecutorCounts
    cancelled: threading.Event
    latency: float
    check: Callable[[], None]

    def count_call(self, kind: str) -> None:
        """Wait for the simulated delay of a call, and count the call.

        Raises:
            CancelledError: another day was rejected.
            AttemptFailedError: the attempt's time is over.
        """
        if self.cancelled.is_set() or (self.latency and self.cancelled.wait(self.latency)):
            raise CancelledError
        self.check()
        self.tally.count_call(kind)


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Executor without a model. A policy chooses among the offers of the day.

    The hint is not a hard limit: the day costs at most the hint if possible, otherwise as little as possible. After a
    refusal, the policy chooses again: without the refused venue, with another mode of transport, or for less money.

    Attributes:
        market: offers of the trip.
        policy: policy that chooses among the offers.
        latency: delay of each call, in seconds.
        check: function that raises an exception if the attempt's time is over.
    """

    market: Market
    policy: DayPolicy
    latency: float
    check: Callable[[], None]

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        start = time.monotonic()
        counter = CallCounter(ExecutorCounts(), cancelled, self.latency, self.check)
        try:
            return self._plan_day(goal, state, counter)
        except CancelledError:
            return Cancelled(goal, counter.tally)
        finally:
            counter.tally.seconds = time.monotonic() - start

    def _plan_day(self, goal: Goal, state: State, counter: CallCounter) -> Outcome:
        choices = list(slots(goal, self.market))
        for _ in choices:
            counter.count_call("search")
        left: int | None = None
        proposed: DayDraft | None = None
        while True:
            counter.count_call("choose")
            least = self.policy.cheapest(choices, goal.tastes)
            if least is None:
                return _reject(goal, _violation_type(choices), None, proposed, counter.tally)
            floor = selection_cost(least)
            if left is not None and floor > left:
                short = floor - (left if goal.hint is None else goal.hint)
                return _reject(goal, "budget", short, draft_day(goal, least), counter.tally)
            selection = self._preferred_selection(goal, choices, floor, left, counter) or least
            proposed = draft_day(goal, selection)
            counter.count_call("commit")
            reply = state.commit(proposed.action)
            if isinstance(reply, Accepted):
                spare = None if goal.hint is None else floor - goal.hint
                return Committed(goal, Feedback(goal.day, "feasible", spare), proposed, counter.tally)
            counter.tally.count_refusal(reply.code)
            if reply.code == BUDGET_EXCEEDED:
                left = max(-1, selection_cost(selection) - _excess_cents(reply))
            else:
                rest = _remove_refused(choices, selection, proposed, reply)
                if rest is None:
                    return _reject(goal, "availability", None, proposed, counter.tally)
                choices = rest
            if counter.tally.calls["commit"] >= MOST_COMMITS:
                return _reject(goal, "availability", None, proposed, counter.tally)

    def _preferred_selection(
        self, goal: Goal, choices: Sequence[OfferSlot], floor: int, left: int | None, counter: CallCounter
    ) -> Selection | None:
        cap = min((bound for bound in (goal.hint, left) if bound is not None), default=None)
        if cap is not None and floor > cap:
            return None
        counter.count_call("choose")
        return self.policy.preferred(choices, goal.tastes, cap)


def _remove_refused(
    choices: Sequence[OfferSlot], selection: Selection, proposed: DayDraft, reply: Refusal
) -> list[OfferSlot] | None:
    """Return the slots without the refused offers, or None if the refusal concerns no offer.

    Args:
        choices: slots of the day with their offers.
        selection: offers that were selected.
        proposed: plan of the day that was refused.
        reply: the refusal.
    """
    if reply.code == MODE_CONFLICT and "ride" in selection:
        mode = selection["ride"].mode
        return [slot.without_offers((), mode) if slot.name == "ride" else slot for slot in choices]
    taken = [name for name in proposed.names if name in reply.message]
    return [slot.without_offers(taken) for slot in choices] if taken and reply.code == DUPLICATE_VENUE else None


def _excess_cents(reply: Refusal) -> int:
    """Return the amount in cents by which a refused action exceeds the budget, at least 1."""
    return max(1, -reply.margin) if isinstance(reply.margin, int) else 1


def _violation_type(choices: Sequence[OfferSlot]) -> Violation:
    """Return why not all required slots can be filled: "time" if there is no ride, otherwise "availability"."""
    rides = [slot for slot in choices if slot.name == "ride"]
    return "time" if rides and not rides[0].offers else "availability"


def _reject(
    goal: Goal, violation: Violation, deficit: int | None, proposed: DayDraft | None, tally: ExecutorCounts
) -> Rejected:
    return Rejected(goal, Feedback(goal.day, "infeasible", deficit, violation), proposed, tally)
