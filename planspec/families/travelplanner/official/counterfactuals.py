"""Fixes of quirks in how the evaluator applies its rules to a plan.

A quirk is a point in which the public evaluator differs from the strict profile. A fix rewrites a draft of the plan so
that the quirk has no effect. With all quirks fixed, the evaluator reads the plan as the strict profile does. Fixes are
ordered such that more informative quirks come first, since the search for causes prefers earlier fixes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from planspec.families.travelplanner.official import commonsense_counterfactuals as commonsense
from planspec.families.travelplanner.official.diagnosis import ride_quirk
from planspec.families.travelplanner.official.draft import (
    NOWHERE,
    PlanDraft,
    QuirkFix,
    ReadDay,
    field_text,
    replace_text,
)
from planspec.families.travelplanner.official.facts import Accommodation
from planspec.families.travelplanner.official.query import name_of
from planspec.families.travelplanner.official.reading import FIELDS, MEALS
from planspec.families.travelplanner.official.rewriting import (
    WORDS,
    RewriteRequest,
    place_text_fixes,
    ride_text_fixes,
)

ALL_BANS = "No smoking & No parties & No children under 10 & No visitors & No pets"


def cost_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks that affect the rule that the plan is within the budget.

    If an item has no price in the strict profile, its fix makes the plan exceed the budget.
    """

    def exceed_budget(draft: PlanDraft) -> str:
        draft.query = replace(draft.query, budget=-1.0)
        return "-"

    yield from place_text_fixes(request, (*MEALS, "accommodation"), exceed_budget, quirk="costs-nothing")
    for day in request.days:
        row = day.row
        if row is None or row.mode is None:
            if "transportation" not in day.texts:
                yield replace_text("stops", day, "transportation", "-")
            continue
        free = row.mode == "other" or (row.flight is None if row.mode == "flight" else None in (row.origin, row.to))
        quirk = ride_quirk(request.facts, day)
        if free and quirk in ("exact-names", "before-parenthesis", "after-semicolon", "letter-case"):
            quirk = "costs-nothing"

        def priced_ride(draft: PlanDraft, day: ReadDay = day, free: bool = free) -> str:
            if free:
                return exceed_budget(draft)
            row = day.row
            if row.mode == "flight":
                return draft.add_flight(row.flight, name_of(row.flight.origin), name_of(row.flight.to))
            return f"{WORDS[row.mode]}, from {name_of(row.origin)} to {name_of(row.to)}"

        yield replace_text(quirk, day, "transportation", priced_ride)


def cuisine_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of meals, for the rule that the requested cuisines are covered."""
    yield from place_text_fixes(request, MEALS, "-")
    for day in request.days:
        for meal, item in day.meals.items():
            if not item.is_blank and (item.row is None or name_of(item.row.city) == request.query.org):
                yield replace_text("meal-at-home", day, meal, "-")


def house_rule_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of accommodations, for the house rule.

    An unknown accommodation is replaced by a listing that prohibits everything.
    """
    yield from place_text_fixes(request, ["accommodation"], _worst_listing("Shared room"), quirk="breaks-nothing")


def room_type_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of accommodations, for the room type.

    An unknown accommodation is replaced by a listing of the wrong type.
    """
    wrong = "Private room" if request.query.constraints["room type"] == "shared room" else "Shared room"
    yield from place_text_fixes(request, ["accommodation"], _worst_listing(wrong), quirk="breaks-nothing")


def _worst_listing(room: str) -> Callable[[PlanDraft], str]:
    return lambda draft: draft.add_listing(Accommodation(NOWHERE, NOWHERE, room, 0, 0, ALL_BANS, 1))


def excluded_mode_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of rides, for the rule that excluded modes of transport are not used."""
    words = {**WORDS, "flight": "Flight"}
    yield from ride_text_fixes(request, lambda day: words[day.row.mode], quirk=None)


def later_day_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of a quirk: the evaluator does not read days after the last requested day."""
    later = [day for day in request.days[request.query.days :] if day.row is not None]
    if not later:
        return

    def add_later_days(draft: PlanDraft) -> None:
        draft.days += [dict(day.texts) for day in request.days[request.query.days :]]
        draft.left_out |= {day.number for day in request.days[request.query.days :] if day.row is None}
        draft.query = replace(draft.query, days=len(draft.days))

    def break_day_count(draft: PlanDraft) -> None:
        draft.query = replace(draft.query, days=-1)  # no plan has this many days

    yield QuirkFix(
        "later-days",
        add_later_days,
        later[0].number,
        "current_city",
        field_text(later[0].texts, "current_city"),
    )
    if request.rule == "is_not_absent":
        yield QuirkFix(
            "later-days",
            break_day_count,
            later[0].number,
            "current_city",
            field_text(later[0].texts, "current_city"),
        )


def fixes_for(request: RewriteRequest) -> list[QuirkFix]:
    """Return the fixes of all quirks that may affect a rule, in the order in which they are applied."""
    return (
        [*later_day_fixes(request), *ignored_value_fixes(request), *FIXES[request.rule](request)]
        if request.days
        else []
    )


def ignored_value_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes that remove what the evaluator reads and the strict profile ignores.

    The strict profile ignores values that are not strings, values of days without content, and blanks around an empty
    value.
    """
    for day in request.days:
        for field in ("current_city", *FIELDS):
            value = day.texts.get(field, "-")
            if not isinstance(value, str):
                yield replace_text("no-text", day, field, "-")
            elif day.row is None and field in FIELDS and value != "-":
                yield replace_text("padded-day", day, field, "-")
            elif value != value.strip() and value.strip() in ("", "-"):
                yield replace_text("raw-texts", day, field, "-")


FIXES: Mapping[str, Callable[[RewriteRequest], Iterator[QuirkFix]]] = {
    "is_reasonable_visiting_city": commonsense.route_fixes,
    "is_valid_restaurants": commonsense.restaurant_fixes,
    "is_valid_attractions": commonsense.attraction_fixes,
    "is_valid_accommodation": commonsense.accommodation_fixes,
    "is_valid_transportation": commonsense.transportation_fixes,
    "is_valid_information_in_current_city": commonsense.current_city_fixes,
    "is_valid_information_in_sandbox": commonsense.sandbox_fixes,
    "is_not_absent": commonsense.absence_fixes,
    "valid_cuisine": cuisine_fixes,
    "valid_room_rule": house_rule_fixes,
    "valid_transportation": excluded_mode_fixes,
    "valid_room_type": room_type_fixes,
    "valid_cost": cost_fixes,
}
