"""The cost of a model's plan for a day: by the task's tables, whatever the model says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from planspec.api.judging import Judge
from planspec.families.travelplanner.himap.goals import Goal
from planspec.families.travelplanner.himap.wishes import DayPlan, answer_of

UNKNOWN = "unknown-name"
PARTS = {"rides": "rides_total", "meals": "meals_total", "accommodation": "hotels_total"}
"""The definitions of the family's library that add up to the cost of a plan."""


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a day for everyone.

    Attributes:
        cost: in cents, rides, meals, and the accommodation of all nights that the day books; None where a price is
            not known.
        faults: the names that no table has, each in a sentence.
        parts: of the cost, in cents: `rides`, `meals`, `accommodation`.
    """

    cost: int | None
    faults: tuple[str, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)


Pricing: TypeAlias = Callable[[Goal, DayPlan], Price]


def pricing(judge: Judge) -> Pricing:
    """Prices days as the task's own rules do.

    Args:
        judge: of a task of the family `travelplanner`.
    """

    def priced(goal: Goal, plan: DayPlan) -> Price:
        before = [(replace(goal, day=day, nights=0), None) for day in range(1, goal.day)]
        nights = [(replace(goal, day=goal.day + k, nights=0), None) for k in range(1, goal.nights)]
        read, wrong = judge.format.decode(judge.task, answer_of([*before, (goal, plan), *nights]))
        interpreter, definitions = judge.ground.interpreter.on(read), judge.task.definitions
        known = interpreter.defined(definitions["all_priced"])
        cost = interpreter.defined(definitions["spent"]) if known else None
        parts = (
            {part: interpreter.defined(definitions[name]) for part, name in PARTS.items()} if known else {}
        )
        return Price(cost, tuple(finding.message for finding in wrong if finding.kind == UNKNOWN), parts)

    return priced
