"""Cost of a day as planned by a model, computed from the task's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeAlias

from planspec.api.judging import Judge
from planspec.families.travelplanner.himap.goals import Goal
from planspec.families.travelplanner.himap.role_tools import DayPlan, answer_of, to_cents

UNKNOWN = "unknown-name"
PARTS = {"rides": "rides_total", "meals": "meals_total", "accommodation": "hotels_total"}
"""Parts of a plan's cost, each with the definition in the constraint library that computes it."""


@dataclass(frozen=True, slots=True)
class Price:
    """Cost of a day for all travellers.

    Attributes:
        cost: total in cents, with the accommodation of all nights that the day books; None if a price is unknown.
        faults: a message for each name that no table has.
        parts: parts of the total in cents: `rides`, `meals`, `accommodation`; empty if a price is unknown.
    """

    cost: int | None
    faults: tuple[str, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)


Pricing: TypeAlias = Callable[[Goal, DayPlan], Price]


def claimed_price(_: Goal, plan: DayPlan) -> Price:
    """Return the cost that an executor claims for its day."""
    return Price(to_cents(plan.cost))


def pricing_by_request(judge: Judge) -> Pricing:
    """Return a function that prices days for the number of people in the request that the coordinator extracted.

    Args:
        judge: judge of a task of the family `travelplanner`.
    """

    @cache
    def pricing_for(people: int) -> Pricing:
        return pricing_by_task(Judge(replace(judge.task, givens={**judge.task.givens, "party": people})))

    def price_day(goal: Goal, plan: DayPlan) -> Price:
        people = goal.request.get("people", judge.task.givens["party"])
        return pricing_for(people)(goal, plan)

    return price_day


def pricing_by_task(judge: Judge) -> Pricing:
    """Return a function that prices days by the definitions and the number of people of a task.

    Args:
        judge: judge of a task of the family `travelplanner`.
    """

    def price_day(goal: Goal, plan: DayPlan) -> Price:
        before = [(replace(goal, day=day, nights=0), None) for day in range(1, goal.day)]
        nights = [(replace(goal, day=goal.day + k, nights=0), None) for k in range(1, goal.nights)]
        decoded, findings = judge.format.decode(judge.task, answer_of([*before, (goal, plan), *nights]))
        interpreter, definitions = judge.ground.interpreter.on(decoded), judge.task.definitions
        is_priced = interpreter.defined(definitions["all_priced"])
        cost = interpreter.defined(definitions["spent"]) if is_priced else None
        parts = {part: interpreter.defined(definitions[name]) for part, name in PARTS.items()} if is_priced else {}
        return Price(cost, tuple(finding.message for finding in findings if finding.kind == UNKNOWN), parts)

    return price_day
