"""Quirks that a plan may meet in each rule, each with the change that keeps it from the evaluator.

With all of them mended, the evaluator reads the plan as the strict profile does. The order is one of
preference: the more informative quirks come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from planspec.families.travelplanner.official import commonsense_counterfactuals as commonsense
from planspec.families.travelplanner.official.diagnosis import ride_quirk
from planspec.families.travelplanner.official.draft import NOWHERE, Mend, PlanDraft, ReadDay, put, text
from planspec.families.travelplanner.official.facts import Accommodation
from planspec.families.travelplanner.official.query import name
from planspec.families.travelplanner.official.reading import FIELDS, MEALS
from planspec.families.travelplanner.official.rewriting import WORDS, RewriteRequest, places, rides

ALL_BANS = "No smoking & No parties & No children under 10 & No visitors & No pets"


def cost(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of the cost. Items without a price in the strict profile exceed every budget."""

    def dear(draft: PlanDraft) -> str:
        draft.query = replace(draft.query, budget=-1.0)
        return "-"

    yield from places(request, (*MEALS, "accommodation"), dear, quirk="costs-nothing")
    for day in request.days:
        row = day.row
        if row is None or row.mode is None:
            if "transportation" not in day.texts:
                yield put("stops", day, "transportation", "-")
            continue
        free = row.mode == "other" or (
            row.flight is None if row.mode == "flight" else None in (row.origin, row.to)
        )
        quirk = ride_quirk(request.facts, day)
        if free and quirk in ("exact-names", "before-parenthesis", "after-semicolon", "letter-case"):
            quirk = "costs-nothing"

        def priced(draft: PlanDraft, day: ReadDay = day, free: bool = free) -> str:
            if free:
                return dear(draft)
            row = day.row
            if row.mode == "flight":
                return draft.flight(row.flight, name(row.flight.origin), name(row.flight.to))
            return f"{WORDS[row.mode]}, from {name(row.origin)} to {name(row.to)}"

        yield put(quirk, day, "transportation", priced)


def cuisine(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of the meals."""
    yield from places(request, MEALS, "-")
    for day in request.days:
        for meal, cell in day.meals.items():
            if not cell.blank and (cell.row is None or name(cell.row.city) == request.query.org):
                yield put("meal-at-home", day, meal, "-")


def room_rule(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of house rules. An unknown listing allows nothing."""
    yield from places(request, ["accommodation"], _worst("Shared room"), quirk="breaks-nothing")


def room_type(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of room types. An unknown listing has the wrong one."""
    wrong = "Private room" if request.query.constraints["room type"] == "shared room" else "Shared room"
    yield from places(request, ["accommodation"], _worst(wrong), quirk="breaks-nothing")


def _worst(room: str) -> Callable[[PlanDraft], str]:
    return lambda draft: draft.listing(Accommodation(NOWHERE, NOWHERE, room, 0, 0, ALL_BANS, 1))


def means(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of unwanted vehicles."""
    words = {**WORDS, "flight": "Flight"}
    yield from rides(request, lambda day: words[day.row.mode], quirk=None)


def later_days(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of days after the last requested one, which the evaluator does not read."""
    more = [day for day in request.days[request.query.days :] if day.row is not None]
    if not more:
        return

    def read(draft: PlanDraft) -> None:
        draft.days += [dict(day.texts) for day in request.days[request.query.days :]]
        draft.left_out |= {day.number for day in request.days[request.query.days :] if day.row is None}
        draft.query = replace(draft.query, days=len(draft.days))

    def counted(draft: PlanDraft) -> None:
        draft.query = replace(draft.query, days=-1)

    yield Mend("later-days", read, more[0].number, "current_city", text(more[0].texts, "current_city"))
    if request.rule == "is_not_absent":
        yield Mend("later-days", counted, more[0].number, "current_city", text(more[0].texts, "current_city"))


def mends(request: RewriteRequest) -> list[Mend]:
    """Return the quirks that a plan may meet in a rule, in the order in which they are mended."""
    return [*later_days(request), *no_texts(request), *MENDS[request.rule](request)] if request.days else []


def no_texts(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of values that are no texts, blanks, and padding, which the strict profile ignores."""
    for day in request.days:
        for field in ("current_city", *FIELDS):
            value = day.texts.get(field, "-")
            if not isinstance(value, str):
                yield put("no-text", day, field, "-")
            elif day.row is None and field in FIELDS and value != "-":
                yield put("padded-day", day, field, "-")
            elif value != value.strip() and value.strip() in ("", "-"):
                yield put("raw-texts", day, field, "-")


MENDS: Mapping[str, Callable[[RewriteRequest], Iterator[Mend]]] = {
    "is_reasonable_visiting_city": commonsense.visiting_city, "is_valid_restaurants": commonsense.restaurants,
    "is_valid_attractions": commonsense.attractions, "is_valid_accommodation": commonsense.accommodation,
    "is_valid_transportation": commonsense.transportation, "is_valid_information_in_current_city": commonsense.current_city,
    "is_valid_information_in_sandbox": commonsense.sandbox, "is_not_absent": commonsense.absent, "valid_cuisine": cuisine,
    "valid_room_rule": room_rule, "valid_transportation": means, "valid_room_type": room_type, "valid_cost": cost,
}  # fmt: skip
