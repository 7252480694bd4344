"""Days kept from the previous turn of a conversation. They are booked first and not planned again.

A day is kept if three conditions hold: its sub-goal is unchanged except for the hint; its cost does not exceed a
lowered hint; and the shared state accepts the day at its present cost. A sub-goal contains the parts of the request
that concern its day, so a new wish for rooms affects only the days that book nights.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from planspec.agents.desk import Desk
from planspec.families.travelplanner.himap.bargaining import Round
from planspec.families.travelplanner.himap.executor import State
from planspec.families.travelplanner.himap.goals import Committed, ExecutorCounts, Feedback, Goal
from planspec.families.travelplanner.himap.pricing import Pricing
from planspec.families.travelplanner.himap.recording import NOTE
from planspec.families.travelplanner.himap.role_tools import DayPlan, draft_from_plan
from planspec.monitor import Accepted

PLAN = "plan"


def committed_days(round_: Round) -> list[dict[str, Any]]:
    """Return the committed days of a round as JSON, for the note on a turn."""
    return [
        {
            "goal": asdict(outcome.goal) | {"tastes": list(outcome.goal.tastes)},
            "plan": outcome.draft.plan.model_dump(mode="json"),
        }
        for outcome in round_.outcomes
        if isinstance(outcome, Committed)
    ]


@dataclass(slots=True)
class KeptDays:
    """Days planned in the previous turn, some of which are kept in the current turn.

    Attributes:
        previous: sub-goals and plans of the previous turn, by number of the day.
        price: function that computes the cost of a day.
        is_monitored: whether there is a shared state. Days with an unknown price are then planned again.
    """

    previous: Mapping[int, tuple[Goal, DayPlan]]
    price: Pricing
    is_monitored: bool
    _goals: Sequence[Goal] = ()
    _kept_days: dict[int, Committed] = field(default_factory=dict)
    _booked: bool = True
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start_round(self, goals: Sequence[Goal]) -> None:
        """Start a round of bargaining with new sub-goals."""
        with self._lock:
            self._goals, self._kept_days, self._booked = goals, {}, False

    def kept_outcome(self, goal: Goal, state: State) -> Committed | None:
        """Return the outcome of a kept day, or None if the day must be planned.

        The first call in a round commits all kept days, so that other days are planned around them.
        """
        with self._lock:
            if not self._booked:
                self._booked = True
                for each in self._goals:
                    committed = self._book(each, state)
                    if committed is not None:
                        self._kept_days[each.day] = committed
            return self._kept_days.get(goal.day)

    def _book(self, goal: Goal, state: State) -> Committed | None:
        if goal.day not in self.previous:
            return None
        previous_goal, plan = self.previous[goal.day]
        if replace(previous_goal, hint=None) != replace(goal, hint=None):
            return None
        cost = self.price(goal, plan).cost
        if cost is None and self.is_monitored:
            return None
        draft = draft_from_plan(goal, plan, cost)
        is_lowered = goal.hint is not None and (previous_goal.hint is None or goal.hint < previous_goal.hint)
        if is_lowered and goal.hint is not None and draft.cost > goal.hint:
            return None
        if not isinstance(state.commit(draft.action), Accepted):
            return None
        over = None if goal.hint is None else draft.cost - goal.hint
        return Committed(goal, Feedback(goal.day, "feasible", over), draft, ExecutorCounts(kept=True))


def previous_days(desk: Desk) -> dict[int, tuple[Goal, DayPlan]]:
    """Return the days of the previous turn from the desk's notes, by number of the day; empty in the first turn."""
    turns = desk.notes.get(NOTE, ())
    if not turns:
        return {}
    days = {}
    for entry in turns[-1].get(PLAN, ()):
        goal = Goal(**{**entry["goal"], "tastes": tuple(entry["goal"]["tastes"])})
        days[goal.day] = goal, DayPlan(**entry["plan"])
    return days
