"""The calls of a model's role: what the request says, a split of the trip, a day's plan and its cost, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError
from planspec.families.travelplanner.himap.coordinator import WEIGHTS
from planspec.families.travelplanner.himap.goals import (
    DayDraft,
    Feedback,
    Goal,
    Mode,
    Role,
    Violation,
    money,
)
from planspec.families.travelplanner.himap.ledger import said as action_of
from planspec.families.travelplanner.himap.ledger import venues
from planspec.verifiers.answers.names import folded

Amount = Annotated[Decimal, Field(ge=0, le=10**9)]
_Text = Annotated[str, Field(max_length=2000)]


House = Literal["-", "smoking", "parties", "children", "visitors", "pets"]
Room = Literal["-", "entire room", "private room", "shared room", "not shared room"]
Transport = Literal["-", "no flight", "no self-driving"]


class Request(Arguments):
    """What the request asks for (section A.4)."""

    origin: _Text
    destination: Annotated[_Text, Field(description="a city or a state, as the request names it")]
    days: Annotated[int, Field(ge=1, le=30)]
    start_date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="YYYY-MM-DD")]
    visiting_city_number: Annotated[int, Field(ge=1, le=30)] = 1
    people_number: Annotated[int, Field(ge=1, le=1000)] = 1
    budget: Amount | None = Field(
        default=None, description="of the whole trip; null if the request names none"
    )
    house_requirement: Annotated[House, Field(description="what the house has to allow")] = "-"
    cuisine_requirement: Annotated[list[_Text], Field(max_length=50, default_factory=list)]
    room_requirement: Room = "-"
    transportation_requirement: Transport = "-"


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
    cost: Annotated[Amount | None, Field(description="what the day costs for everyone, if you say it")] = None


class Rejection(Arguments):
    """Why a day cannot be done."""

    status: Literal["infeasible"] = "infeasible"
    deficit: Amount | None = None
    violation_type: Violation


BLANK = "-"
TEXTS = tuple(name for name in DayPlan.model_fields if name != "cost")


def _unanswered(_: Any) -> JsonResult:
    return {"status": "accepted"}


EXTRACT = ModelTool("information_extractor", "Takes down what the request asks for.", Request, _unanswered)
ENQUIRE = ModelTool(
    "cost_enquiry",
    "The cost of a plan of your day by the tables, what is left of the budget, and whether it could be committed now.",
    DayPlan,
    _unanswered,
)
DISTRIBUTE = ModelTool(
    "distribute_task", "Gives each day of the trip to its planner.", Distribution, _unanswered
)
FINISH = ModelTool("finish", "Commits the plan of your day.", DayPlan, _unanswered)
REJECT = ModelTool("reject_task", "Says that your day cannot be done as it is asked.", Rejection, _unanswered)


def cents(amount: Decimal | None) -> int | None:
    """An amount in cents; parts of a cent count as one."""
    return None if amount is None else int((amount * 100).to_integral_value(ROUND_CEILING))


def goals_of(said: Distribution, request: Request | None = None) -> tuple[Goal, ...]:
    """The sub-goals of a split. Where it has no hint at all, the budget is spread by the roles of the days (section A.4).

    Args:
        said: the split.
        request: as it was taken down; None where it was not.

    Raises:
        RefusedCallError: the hints are more than the budget, or the split is none of this request.
    """
    faults = [] if request is None else _strayed(said, request)
    if faults:
        raise RefusedCallError("invalid-arguments", "; ".join(faults))
    budget = budget_of(said, request)
    hints = [cents(day.budget_hint) for day in said.days]
    known = [hint for hint in hints if hint is not None]
    if budget is not None and sum(known) > budget:
        raise RefusedCallError(
            "invalid-arguments",
            f"the hints make {money(sum(known))}, which is more than the budget of {money(budget)}",
        )
    if budget is not None and not known:
        whole = sum(WEIGHTS[day.role] for day in said.days)
        hints = [budget * WEIGHTS[day.role] // whole for day in said.days]
    return tuple(
        Goal(
            number, day.date, day.role, day.origin, day.city, day.nights, day.mode, hint, note=day.note,
            request={} if request is None else _bearing(day, request),
        )
        for number, (day, hint) in enumerate(zip(said.days, hints, strict=True), 1)
    )  # fmt: skip


def budget_of(said: Distribution, request: Request | None) -> int | None:
    """The budget of the trip in cents: of the request as it was taken down, else that of the split."""
    return cents(said.budget if request is None else request.budget)


def _strayed(said: Distribution, request: Request) -> list[str]:
    """How a split strays from the request."""
    faults = []
    if len(said.days) != request.days:
        faults.append(f"the request is for {request.days} days, and the split has {len(said.days)}")
    try:
        first = date.fromisoformat(request.start_date)
        dates = [str(first + timedelta(day)) for day in range(len(said.days))]
    except (ValueError, OverflowError):
        faults.append(f"`{request.start_date}` is no date")
        dates = [day.date for day in said.days]
    if [day.date for day in said.days] != dates:
        faults.append(f"the days have to follow one another from {request.start_date}")
    if said.days[0].origin is None or folded(said.days[0].origin) != folded(request.origin):
        faults.append(f"the first day has to set out from {request.origin}")
    if folded(said.days[-1].city) != folded(request.origin):
        faults.append(f"the last day has to end in {request.origin}")
    cities = {folded(day.city) for day in said.days[:-1]}
    if len(cities) != request.visiting_city_number:
        faults.append(
            f"the request is for {request.visiting_city_number} cities, and the split has {len(cities)}"
        )
    if said.budget is not None and said.budget != request.budget:
        faults.append(f"the budget of the request is {request.budget}")
    return faults


def _bearing(day: DayTask, request: Request) -> dict[str, Any]:
    """What of a request bears on a day: rooms and houses where nights are booked, means of travel where there is a ride."""
    made: dict[str, Any] = {"people": request.people_number}
    if day.nights:
        made |= {"house": request.house_requirement, "room": request.room_requirement}
    if request.cuisine_requirement:
        made["cuisines"] = sorted(request.cuisine_requirement)
    if day.origin is not None:
        made["transportation"] = request.transportation_requirement
    return {name: value for name, value in made.items() if value != BLANK}


def task_of(goal: Goal) -> dict[str, Any]:
    """A sub-goal as its planner gets it."""
    return {
        "day": goal.day, "date": goal.date, "role": goal.role, "origin": goal.origin, "city": goal.city,
        "nights": goal.nights, "mode": goal.mode,
        "budget_hint": None if goal.hint is None else money(goal.hint), "note": goal.note, "request": dict(goal.request),
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


def drafted(goal: Goal, plan: DayPlan, cost: int | None) -> DayDraft:
    """A model's plan of a day as a draft.

    Args:
        goal: of the day.
        plan: as the model wrote it.
        cost: by the tables, in cents; None where it is not known.
    """
    entry = {name: getattr(plan, name) for name in TEXTS}
    action = action_of(goal.day, entry, cost or 0)
    return DayDraft(action, cost or 0, tuple(venues(entry)), plan, cents(plan.cost))
