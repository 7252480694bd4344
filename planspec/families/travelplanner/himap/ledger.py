"""Shared state of executors played by a model: a monitor of money, venues and modes of transport.

It does not use the task's constraints. Costs come from the task's tables, venues and modes of transport from the
executors' plans, and the budget from the request that the coordinator extracted. HiMAP-Travel's global state consists
of the same three parts (section A.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.families.travelplanner.himap.goals import Mode, money
from planspec.monitor import Monitor
from planspec.verifiers.answers.names import folded_name

_TEXT = """\
planspec: task/1
id: ledger
query: What the days of a trip share.
currency: USD
types: {Mode: car | public}
given: {budget: BUDGET}
plan:
  days: {day: key int, cost: money, mode: Mode?}
  venues: {day: int, name: text}
constraints:
  budget_exceeded:
    hard: sum(abs(d.cost) for d in days) <= budget
    message: "the days together would cost more than {budget}"
  duplicate_venue:
    hard: all_different(v.name for v in venues)
    message: "another day has this restaurant or sight already, or this day has it twice"
  mode_conflict:
    hard: >-
      all(d.mode != car for d in days if d.mode is not none) or all(d.mode == car for d in days if d.mode is not none)
    message: "one's own car goes with neither flights nor taxis"
"""
_UNBOUNDED = 10**12
"""Substitute for an absent budget, in cents. No trip costs as much."""


@lru_cache(maxsize=256)
def _task(budget: int) -> Task:
    """Return the small task with which the ledger monitors days, for a budget in cents."""
    return task_from_text(_TEXT.replace("BUDGET", f"{money(budget)} USD"))


class Ledger(Monitor):
    """Monitor of the money spent, the venues visited and the modes of transport used. Initially, it has no days.

    Args:
        budget: budget in cents; None for no limit.
    """

    def __init__(self, budget: int | None) -> None:
        bound = _UNBOUNDED if budget is None else budget
        super().__init__(_task(bound), timeout_s=60.0)
        self.budget = budget

    @property
    def remaining(self) -> int | None:
        """Part of the budget that is not yet spent, in cents; None without a budget."""
        if self.budget is None:
            return None
        days: tuple[Any, ...] = self.plan().tables["days"]
        spent: int = sum(row.cost for row in days)
        return self.budget - spent


def day_action(day: int, entry: Mapping[str, str], cost: int) -> dict[str, Any]:
    """Return a planned day as an action that can be committed to the ledger.

    Args:
        day: number of the day, from 1.
        entry: fields of the day in TravelPlanner's answer format.
        cost: cost in cents.
    """
    return {
        "days": [{"day": day, "cost": f"{money(cost)} USD", "mode": mode_of(entry.get("transportation", "-"))}],
        "venues": [{"day": day, "name": name} for name in map(folded_name, venues(entry)) if name],
    }


def venues(entry: Mapping[str, str]) -> list[str]:
    """Return the restaurants and attractions of a day, as written. Only these venues must not be repeated."""
    meals = [entry.get(name, "-") for name in ("breakfast", "lunch", "dinner")]
    sights = entry.get("attraction", "-").split(";")
    return [name.strip() for name in (*meals, *sights) if name.strip() not in ("", "-")]


def mode_of(ride: str) -> Mode | None:
    """Return the mode of transport that the text of a ride names; None if it names none."""
    words = folded_name(ride)
    if "selfdriv" in words:
        return "car"
    return "public" if "flight" in words or "taxi" in words else None
