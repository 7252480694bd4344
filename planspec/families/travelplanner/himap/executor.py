"""A day executor: plans one day in isolation, and learns of the others only what the shared state refuses."""

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
"""The most attempts of an executor to commit a day (section 4.7: 15 calls for each day)."""


class State(Protocol):
    """The shared state of executors: the monitor, or something in its place."""

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Do an action as a whole, or refuse it and change nothing."""

    def checkpoint(self) -> int | Refusal:
        """Remember how it is."""

    def rollback(self, token: int | None = None) -> Reply:
        """Go back to a checkpoint."""


class Executor(Protocol):
    """Plans the day of a goal."""

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """The outcome of the day; soon after `cancelled` is set, `Cancelled`."""


class CancelledError(Exception):
    """Another day was rejected."""


@dataclass(slots=True)
class ExecutorSteps:
    """The steps of one executor: counted, slowed down on request, and broken off by a cancellation.

    Attributes:
        latency: what each call takes, in seconds, as if something far away answered it.
        check: raises when the attempt's time is over.
    """

    tally: ExecutorCounts
    cancelled: threading.Event
    latency: float
    check: Callable[[], None]

    def call(self, kind: str) -> None:
        """One call is about to be made.

        Raises:
            CancelledError: another day was rejected.
        """
        if self.cancelled.is_set() or (self.latency and self.cancelled.wait(self.latency)):
            raise CancelledError
        self.check()
        self.tally.call(kind)


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Plans a day from the day's own offers by a policy.

    The hint is advice: the day is planned within it if that can be, and else as cheaply as can be. What the state refuses is
    chosen again: without a venue that others have, with another means of transport, or for less money.

    Attributes:
        market: where the day's offers are looked up.
        policy: chooses among them.
        latency: of each call, in seconds.
        check: raises when the attempt's time is over.
    """

    market: Market
    policy: DayPolicy
    latency: float
    check: Callable[[], None]

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        begun = time.monotonic()
        steps = ExecutorSteps(ExecutorCounts(), cancelled, self.latency, self.check)
        try:
            return self._planned(goal, state, steps)
        except CancelledError:
            return Cancelled(goal, steps.tally)
        finally:
            steps.tally.seconds = time.monotonic() - begun

    def _planned(self, goal: Goal, state: State, steps: ExecutorSteps) -> Outcome:
        asked = list(slots(goal, self.market))
        for _ in asked:
            steps.call("search")
        left: int | None = None
        proposed: DayDraft | None = None
        while True:
            steps.call("choose")
            least = self.policy.cheapest(asked, goal.tastes)
            if least is None:
                return _rejected(goal, _why(asked), None, proposed, steps.tally)
            floor = cost(least)
            if left is not None and floor > left:
                short = floor - (left if goal.hint is None else goal.hint)
                return _rejected(goal, "budget", short, draft(goal, least), steps.tally)
            chosen = self._liked(goal, asked, floor, left, steps) or least
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
                rest = _without(asked, chosen, proposed, reply)
                if rest is None:
                    return _rejected(goal, "availability", None, proposed, steps.tally)
                asked = rest
            if steps.tally.calls["commit"] >= MOST_COMMITS:
                return _rejected(goal, "availability", None, proposed, steps.tally)

    def _liked(
        self, goal: Goal, asked: Sequence[OfferChoice], floor: int, left: int | None, steps: ExecutorSteps
    ) -> Selection | None:
        cap = min((bound for bound in (goal.hint, left) if bound is not None), default=None)
        if cap is not None and floor > cap:
            return None
        steps.call("choose")
        return self.policy.liked(asked, goal.tastes, cap)


def _without(
    asked: Sequence[OfferChoice], chosen: Selection, proposed: DayDraft, reply: Refusal
) -> list[OfferChoice] | None:
    """The slots without what a refusal blames; None where it blames nothing that could be left out."""
    if reply.code == MODE_CONFLICT and "ride" in chosen:
        mode = chosen["ride"].mode
        return [slot.without((), mode) if slot.name == "ride" else slot for slot in asked]
    taken = [name for name in proposed.names if name in reply.message]
    return [slot.without(taken) for slot in asked] if taken and reply.code == DUPLICATE_VENUE else None


def _over(reply: Refusal) -> int:
    """The cents by which a sum of money passes its bound; at least one."""
    return max(1, -reply.margin) if isinstance(reply.margin, int) else 1


def _why(asked: Sequence[OfferChoice]) -> Violation:
    """Nothing goes there in time, or something else is not to be had."""
    rides = [slot for slot in asked if slot.name == "ride"]
    return "time" if rides and not rides[0].offers else "availability"


def _rejected(
    goal: Goal, why: Violation, deficit: int | None, proposed: DayDraft | None, tally: ExecutorCounts
) -> Rejected:
    return Rejected(goal, Feedback(goal.day, "infeasible", deficit, why), proposed, tally)
