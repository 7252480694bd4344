"""For each rule the quirks that a plan may meet in it, each with what makes the evaluator do without.

Where all of them are mended the evaluator reads the plan as the strict profile does. The order is that of preference:
what is more telling comes first.
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


def cost(of: RewriteRequest) -> Iterator[Mend]:
    """The budget; what has no price for the strict profile exceeds every budget."""

    def dear(draft: PlanDraft) -> str:
        draft.query = replace(draft.query, budget=-1.0)
        return "-"

    yield from places(of, (*MEALS, "accommodation"), dear, quirk="costs-nothing")
    for day in of.days:
        row = day.row
        if row is None or row.mode is None:
            if "transportation" not in day.texts:
                yield put("stops", day, "transportation", "-")
            continue
        free = row.mode == "other" or (
            row.flight is None if row.mode == "flight" else None in (row.origin, row.to)
        )
        quirk = ride_quirk(of.facts, day)
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


def cuisine(of: RewriteRequest) -> Iterator[Mend]:
    """Mend the meals."""
    yield from places(of, MEALS, "-")
    for day in of.days:
        for meal, cell in day.meals.items():
            if not cell.blank and (cell.row is None or name(cell.row.city) == of.query.org):
                yield put("meal-at-home", day, meal, "-")


def room_rule(of: RewriteRequest) -> Iterator[Mend]:
    """House rules; what is not found allows nothing."""
    yield from places(of, ["accommodation"], _worst("Shared room"), quirk="breaks-nothing")


def room_type(of: RewriteRequest) -> Iterator[Mend]:
    """Rooms; what is not found is the wrong one."""
    wrong = "Private room" if of.query.constraints["room type"] == "shared room" else "Shared room"
    yield from places(of, ["accommodation"], _worst(wrong), quirk="breaks-nothing")


def _worst(room: str) -> Callable[[PlanDraft], str]:
    return lambda draft: draft.listing(Accommodation(NOWHERE, NOWHERE, room, 0, 0, ALL_BANS, 1))


def means(of: RewriteRequest) -> Iterator[Mend]:
    """Vehicles that are not wanted."""
    words = {**WORDS, "flight": "Flight"}
    yield from rides(of, lambda day: words[day.row.mode], quirk=None)


def later_days(of: RewriteRequest) -> Iterator[Mend]:
    """Days past the asked number, which the evaluator does not read."""
    more = [day for day in of.days[of.query.days :] if day.row is not None]
    if not more:
        return

    def read(draft: PlanDraft) -> None:
        draft.days += [dict(day.texts) for day in of.days[of.query.days :]]
        draft.left_out |= {day.number for day in of.days[of.query.days :] if day.row is None}
        draft.query = replace(draft.query, days=len(draft.days))

    def counted(draft: PlanDraft) -> None:
        draft.query = replace(draft.query, days=-1)

    yield Mend("later-days", read, more[0].number, "current_city", text(more[0].texts, "current_city"))
    if of.rule == "is_not_absent":
        yield Mend("later-days", counted, more[0].number, "current_city", text(more[0].texts, "current_city"))


def mends(of: RewriteRequest) -> list[Mend]:
    """The quirks that a plan may meet in a rule, in the order in which they are mended."""
    return [*later_days(of), *no_texts(of), *MENDS[of.rule](of)] if of.days else []


def no_texts(of: RewriteRequest) -> Iterator[Mend]:
    """Values that are no texts, blanks, and padding: they say nothing to the strict profile."""
    for day in of.days:
        for field in ("current_city", *FIELDS):
            said = day.texts.get(field, "-")
            if not isinstance(said, str):
                yield put("no-text", day, field, "-")
            elif day.row is None and field in FIELDS and said != "-":
                yield put("padded-day", day, field, "-")
            elif said != said.strip() and said.strip() in ("", "-"):
                yield put("raw-texts", day, field, "-")


MENDS: Mapping[str, Callable[[RewriteRequest], Iterator[Mend]]] = {
    "is_reasonable_visiting_city": commonsense.visiting_city, "is_valid_restaurants": commonsense.restaurants,
    "is_valid_attractions": commonsense.attractions, "is_valid_accommodation": commonsense.accommodation,
    "is_valid_transportation": commonsense.transportation, "is_valid_information_in_current_city": commonsense.current_city,
    "is_valid_information_in_sandbox": commonsense.sandbox, "is_not_absent": commonsense.absent, "valid_cuisine": cuisine,
    "valid_room_rule": room_rule, "valid_transportation": means, "valid_room_type": room_type, "valid_cost": cost,
}  # fmt: skip
