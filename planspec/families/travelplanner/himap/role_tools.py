"""Tools by which a model in the role of coordinator or executor reports, and the conversion of their arguments.

The coordinator reports the request, as extracted from the user's text, and a split into days. An executor reports a
plan of its day, or rejects the day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any, Literal

from pydantic import Field

from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError
from planspec.families.travelplanner.himap.coordinator import WEIGHTS
from planspec.families.travelplanner.himap.goals import (
    ClaimedViolation,
    DayDraft,
    Feedback,
    Goal,
    Mode,
    Role,
    money,
)
from planspec.families.travelplanner.himap.ledger import day_action, venues
from planspec.verifiers.answers.names import folded_name

Amount = Annotated[Decimal, Field(ge=0, le=10**9)]
_Text = Annotated[str, Field(max_length=2000)]


House = Literal["-", "smoking", "parties", "children", "visitors", "pets"]
Room = Literal["-", "entire room", "private room", "shared room", "not shared room"]
Transport = Literal["-", "no flight", "no self-driving"]


class Request(Arguments):
    """Requirements of a request (section A.4)."""

    origin: _Text
    destination: Annotated[_Text, Field(description="a city or a state, as the request names it")]
    days: Annotated[int, Field(ge=1, le=30)]
    start_date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="YYYY-MM-DD")]
    visiting_city_number: Annotated[int, Field(ge=1, le=30)] = 1
    people_number: Annotated[int, Field(ge=1, le=1000)] = 1
    budget: Amount | None = Field(default=None, description="of the whole trip; null if the request names none")
    house_requirement: Annotated[House, Field(description="what the house has to allow")] = "-"
    cuisine_requirement: Annotated[list[_Text], Field(max_length=50, default_factory=list)]
    room_requirement: Room = "-"
    transportation_requirement: Transport = "-"


class DayTask(Arguments):
    """The task of one day, as the coordinator reports it."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="YYYY-MM-DD")]
    role: Role
    origin: _Text | None = None
    city: _Text
    nights: Annotated[int, Field(ge=0, le=30)] = 0
    mode: Mode | None = None
    budget_hint: Amount | None = None
    note: _Text = ""


class Distribution(Arguments):
    """The trip, split into days, as the coordinator reports it."""

    budget: Amount | None = Field(default=None, description="of the whole trip; null if the request names none")
    days: Annotated[list[DayTask], Field(min_length=1, max_length=30)]


class DayPlan(Arguments):
    """The plan of one day, as an executor reports it."""

    current_city: _Text
    transportation: _Text = "-"
    breakfast: _Text = "-"
    attraction: _Text = "-"
    lunch: _Text = "-"
    dinner: _Text = "-"
    accommodation: _Text = "-"
    cost: Annotated[Amount | None, Field(description="what the day costs for everyone, if you say it")] = None


class Rejection(Arguments):
    """Reason why a day cannot be planned, as an executor reports it."""

    status: Literal["infeasible"] = "infeasible"
    deficit: Amount | None = None
    violation_type: ClaimedViolation


BLANK = "-"
TEXTS = tuple(name for name in DayPlan.model_fields if name != "cost")


def _accept_call(_: Any) -> JsonResult:
    return {"status": "accepted"}


EXTRACT = ModelTool("information_extractor", "Takes down what the request asks for.", Request, _accept_call)
ENQUIRE = ModelTool(
    "cost_enquiry",
    "The cost of a plan of your day by the tables, what is left of the budget, and whether it could be committed now.",
    DayPlan,
    _accept_call,
)
DISTRIBUTE = ModelTool("distribute_task", "Gives each day of the trip to its planner.", Distribution, _accept_call)
FINISH = ModelTool("finish", "Commits the plan of your day.", DayPlan, _accept_call)
REJECT = ModelTool("reject_task", "Says that your day cannot be done as it is asked.", Rejection, _accept_call)


def to_cents(amount: Decimal | None) -> int | None:
    """Convert an amount in the currency's main unit to cents, rounded up. Return None for None."""
    return None if amount is None else int((amount * 100).to_integral_value(ROUND_CEILING))


def goals_of(split: Distribution, request: Request | None = None) -> tuple[Goal, ...]:
    """Return the sub-goal of each day of a distribution.

    Without budget hints, the budget is divided among the days in proportion to the weights of their roles
    (section A.4).

    Args:
        split: split into days that the coordinator reports.
        request: request that the coordinator has extracted; None if it has extracted none.

    Raises:
        RefusedCallError: the hints exceed the budget, or the distribution contradicts the request.
    """
    faults = [] if request is None else _contradictions(split, request)
    if faults:
        raise RefusedCallError("invalid-arguments", "; ".join(faults))
    budget = budget_of(split, request)
    hints = [to_cents(day.budget_hint) for day in split.days]
    given_hints = [hint for hint in hints if hint is not None]
    if budget is not None and sum(given_hints) > budget:
        raise RefusedCallError(
            "invalid-arguments",
            f"the hints make {money(sum(given_hints))}, which is more than the budget of {money(budget)}",
        )
    if budget is not None and not given_hints:
        whole = sum(WEIGHTS[day.role] for day in split.days)
        hints = [budget * WEIGHTS[day.role] // whole for day in split.days]
    return tuple(
        Goal(
            number,
            day.date,
            day.role,
            day.origin,
            day.city,
            day.nights,
            day.mode,
            hint,
            note=day.note,
            request={} if request is None else _parts_for_day(day, request),
        )
        for number, (day, hint) in enumerate(zip(split.days, hints, strict=True), 1)
    )


def budget_of(split: Distribution, request: Request | None) -> int | None:
    """Return the budget of the trip in cents; None if there is none.

    It is read from the extracted request or, without a request, from the distribution.
    """
    return to_cents(split.budget if request is None else request.budget)


def _contradictions(split: Distribution, request: Request) -> list[str]:
    """Return a message for each contradiction between a distribution and the request."""
    faults = []
    if len(split.days) != request.days:
        faults.append(f"the request is for {request.days} days, and the split has {len(split.days)}")
    try:
        first = date.fromisoformat(request.start_date)
        dates = [str(first + timedelta(day)) for day in range(len(split.days))]
    except (ValueError, OverflowError):
        faults.append(f"`{request.start_date}` is no date")
        dates = [day.date for day in split.days]
    if [day.date for day in split.days] != dates:
        faults.append(f"the days have to follow one another from {request.start_date}")
    if split.days[0].origin is None or folded_name(split.days[0].origin) != folded_name(request.origin):
        faults.append(f"the first day has to set out from {request.origin}")
    if folded_name(split.days[-1].city) != folded_name(request.origin):
        faults.append(f"the last day has to end in {request.origin}")
    cities = {folded_name(day.city) for day in split.days[:-1]}
    if len(cities) != request.visiting_city_number:
        faults.append(f"the request is for {request.visiting_city_number} cities, and the split has {len(cities)}")
    if split.budget is not None and split.budget != request.budget:
        faults.append(f"the budget of the request is {request.budget}")
    return faults


def _parts_for_day(day: DayTask, request: Request) -> dict[str, Any]:
    """Return the parts of a request that concern a day.

    The room type and the house rule concern days that book nights. Transport concerns days with a ride.
    """
    parts: dict[str, Any] = {"people": request.people_number}
    if day.nights:
        parts |= {"house": request.house_requirement, "room": request.room_requirement}
    if request.cuisine_requirement:
        parts["cuisines"] = sorted(request.cuisine_requirement)
    if day.origin is not None:
        parts["transportation"] = request.transportation_requirement
    return {name: value for name, value in parts.items() if value != BLANK}


def goal_json(goal: Goal) -> dict[str, Any]:
    """Return a sub-goal as JSON, for the first message to an executor."""
    return {
        "day": goal.day,
        "date": goal.date,
        "role": goal.role,
        "origin": goal.origin,
        "city": goal.city,
        "nights": goal.nights,
        "mode": goal.mode,
        "budget_hint": None if goal.hint is None else money(goal.hint),
        "note": goal.note,
        "request": dict(goal.request),
    }


def feedback_of(day: int, rejection: Rejection) -> Feedback:
    """Convert an executor's rejection of a day to feedback for the coordinator."""
    return Feedback(day, "infeasible", to_cents(rejection.deficit), rejection.violation_type)


def answer_of(days: Sequence[tuple[Goal, DayPlan | None]]) -> list[dict[str, Any]]:
    """Return days in TravelPlanner's answer format. All fields of a day without a plan are blank.

    A day of a stay that names no accommodation gets the accommodation that the stay's first day booked.
    """
    entries: list[dict[str, Any]] = []
    booked, left = BLANK, 0
    for goal, plan in days:
        entry = {name: BLANK if plan is None else getattr(plan, name) for name in TEXTS}
        if goal.nights:
            booked, left = entry["accommodation"], goal.nights
        if left and entry["accommodation"] == BLANK:
            entry["accommodation"] = booked
        left = max(0, left - 1)
        entries.append({"days": goal.day, **entry})
    return entries


def draft_from_plan(goal: Goal, plan: DayPlan, cost: int | None) -> DayDraft:
    """Convert a model's plan of a day to a draft.

    Args:
        goal: sub-goal of the day.
        plan: plan of the model.
        cost: cost by the tables, in cents; None if unknown. The draft then has the cost 0.
    """
    entry = {name: getattr(plan, name) for name in TEXTS}
    action = day_action(goal.day, entry, cost or 0)
    return DayDraft(action, cost or 0, tuple(venues(entry)), plan, to_cents(plan.cost))
