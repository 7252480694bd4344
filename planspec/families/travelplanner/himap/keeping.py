"""The days of an earlier turn that still hold: they are booked again before anything else, and nobody plans them anew.

A day is kept if its sub-goal is the one that it was planned for, but for the hint; if it costs no more than a new hint; and if the
shared state takes it at what it costs now. What bears on a day of the request is part of its sub-goal, so a wish for rooms moves
only the days that book nights.
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
from planspec.families.travelplanner.himap.wishes import DayPlan, drafted
from planspec.monitor import Accepted

PLAN = "plan"


def plan_of(one: Round) -> list[dict[str, Any]]:
    """The committed days of a round, as the note of a turn keeps them."""
    return [
        {
            "goal": asdict(outcome.goal) | {"tastes": list(outcome.goal.tastes)},
            "plan": outcome.draft.plan.model_dump(mode="json"),
        }
        for outcome in one.outcomes
        if isinstance(outcome, Committed)
    ]


@dataclass(slots=True)
class KeptDays:
    """What was planned at the turn before, and which of it stands in this round.

    Attributes:
        before: the days of the turn before, each with its plan.
        price: what a day costs.
        watched: a day whose price nobody knows is not kept.
    """

    before: Mapping[int, tuple[Goal, DayPlan]]
    price: Pricing
    watched: bool
    _goals: Sequence[Goal] = ()
    _stand: dict[int, Committed] = field(default_factory=dict)
    _booked: bool = True
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def expect(self, goals: Sequence[Goal]) -> None:
        """A round with these sub-goals begins."""
        with self._lock:
            self._goals, self._stand, self._booked = goals, {}, False

    def standing(self, goal: Goal, state: State) -> Committed | None:
        """The day as it stands; None where it has to be planned.

        The first who asks books all that stand: what others plan has to fit to them.
        """
        with self._lock:
            if not self._booked:
                self._booked = True
                for each in self._goals:
                    kept = self._kept(each, state)
                    if kept is not None:
                        self._stand[each.day] = kept
            return self._stand.get(goal.day)

    def _kept(self, goal: Goal, state: State) -> Committed | None:
        if goal.day not in self.before:
            return None
        was, plan = self.before[goal.day]
        if replace(was, hint=None) != replace(goal, hint=None):
            return None
        cost = self.price(goal, plan).cost
        if cost is None and self.watched:
            return None
        draft = drafted(goal, plan, cost)
        lower = goal.hint is not None and (was.hint is None or goal.hint < was.hint)
        if lower and goal.hint is not None and draft.cost > goal.hint:
            return None
        if not isinstance(state.commit(draft.action), Accepted):
            return None
        over = None if goal.hint is None else draft.cost - goal.hint
        return Committed(goal, Feedback(goal.day, "feasible", over), draft, ExecutorCounts(kept=True))


def days_before(desk: Desk) -> dict[int, tuple[Goal, DayPlan]]:
    """The days of the turn before, as the desk has noted them; none at the first turn."""
    turns = desk.notes.get(NOTE, ())
    if not turns:
        return {}
    made = {}
    for entry in turns[-1].get(PLAN, ()):
        goal = Goal(**{**entry["goal"], "tastes": tuple(entry["goal"]["tastes"])})
        made[goal.day] = goal, DayPlan(**entry["plan"])
    return made
