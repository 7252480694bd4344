"""The calls of a model's role: a split of the trip, a day's plan, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from planspec.agents.tools import Arguments, JsonResult, ModelTool, Refused
from planspec.families.travelplanner.himap.goals import Feedback, Goal, Mode, Role, Violation, money

Amount = Annotated[Decimal, Field(ge=0, le=10**9)]
_Text = Annotated[str, Field(max_length=2000)]


class DayTask(Arguments):
    """The task of one day."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="YYYY-MM-DD")]
    role: Role
    origin: _Text | None = None
    city: _Text
    nights: Annotated[int, Field(ge=0, le=30)] = 0
    mode: Mode | None = None
    budget_hint: Amount | None = None
    note: _Text = ""


class Distribution(Arguments):
    """The trip, split into days."""

    budget: Amount | None = Field(
        default=None, description="of the whole trip; null if the request names none"
    )
    days: Annotated[list[DayTask], Field(min_length=1, max_length=30)]


class DayPlan(Arguments):
    """The plan of one day."""

    current_city: _Text
    transportation: _Text = "-"
    breakfast: _Text = "-"
    attraction: _Text = "-"
    lunch: _Text = "-"
    dinner: _Text = "-"
    accommodation: _Text = "-"
    cost: Amount


class Rejection(Arguments):
    """Why a day cannot be done."""

    status: Literal["infeasible"] = "infeasible"
    deficit: Amount | None = None
    violation_type: Violation


BLANK = "-"
TEXTS = tuple(name for name in DayPlan.model_fields if name != "cost")


def _unanswered(_: Any) -> JsonResult:
    return {"status": "accepted"}


DISTRIBUTE = ModelTool(
    "distribute_task", "Gives each day of the trip to its planner.", Distribution, _unanswered
)
FINISH = ModelTool("finish", "Commits the plan of your day.", DayPlan, _unanswered)
REJECT = ModelTool("reject_task", "Says that your day cannot be done as it is asked.", Rejection, _unanswered)


def cents(amount: Decimal | None) -> int | None:
    """An amount in cents; parts of a cent count as one."""
    return None if amount is None else int((amount * 100).to_integral_value(ROUND_CEILING))


def goals_of(said: Distribution) -> tuple[Goal, ...]:
    """The sub-goals of a split.

    Raises:
        Refused: the hints are more than the budget.
    """
    hints = [day.budget_hint for day in said.days if day.budget_hint is not None]
    if said.budget is not None and sum(hints) > said.budget:
        raise Refused(
            "invalid-arguments",
            f"the hints make {sum(hints)}, which is more than the budget of {said.budget}",
        )
    return tuple(
        Goal(
            number, day.date, day.role, day.origin, day.city, day.nights, day.mode, cents(day.budget_hint), note=day.note
        )
        for number, day in enumerate(said.days, 1)
    )  # fmt: skip


def task_of(goal: Goal) -> dict[str, Any]:
    """A sub-goal as its planner gets it."""
    return {
        "day": goal.day, "date": goal.date, "role": goal.role, "origin": goal.origin, "city": goal.city,
        "nights": goal.nights, "mode": goal.mode,
        "budget_hint": None if goal.hint is None else money(goal.hint), "note": goal.note,
    }  # fmt: skip


def feedback_of(day: int, said: Rejection) -> Feedback:
    """The typed feedback of a rejection."""
    return Feedback(day, "infeasible", cents(said.deficit), said.violation_type)


def answer_of(days: Sequence[tuple[Goal, DayPlan | None]]) -> list[dict[str, Any]]:
    """The days as TravelPlanner's answers have them; a day without a plan says nothing.

    Each night is said by the day that it follows, whoever booked it.
    """
    made: list[dict[str, Any]] = []
    booked, left = BLANK, 0
    for goal, plan in days:
        entry = {name: BLANK if plan is None else getattr(plan, name) for name in TEXTS}
        if goal.nights:
            booked, left = entry["accommodation"], goal.nights
        if left and entry["accommodation"] == BLANK:
            entry["accommodation"] = booked
        left = max(0, left - 1)
        made.append({"days": goal.day, **entry})
    return made
