"""Fixes of quirks in how the evaluator applies its commonsense rules; see `counterfactuals` for these terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from planspec.families.travelplanner.official.diagnosis import ride_quirk
from planspec.families.travelplanner.official.draft import (
    NOWHERE,
    DayItem,
    PlanDraft,
    QuirkFix,
    ReadDay,
    field_text,
    replace_text,
)
from planspec.families.travelplanner.official.query import name_of
from planspec.families.travelplanner.official.reading import (
    FIELDS,
    MEALS,
    cut_parenthesis,
    is_empty,
    travel_ends,
)
from planspec.families.travelplanner.official.rewriting import (
    WORDS,
    RewriteRequest,
    attraction_text_fixes,
    city_name,
    city_text_fixes,
    current_city_text,
    place_text_fixes,
    ride_text_fixes,
)

ELSEWHERE = "⟪⟫"
"""A string that contains neither the name of a city nor the string `NOWHERE`."""


def route_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks that affect the rule that the route is reasonable."""
    for day in request.days:
        if day.row is None:
            yield _omission_fix(day)
    yield from city_text_fixes(request)
    first = request.days[0]
    start = current_city_text(first)
    if not start.startswith("from "):
        yield replace_text("origin-unasked", first, "current_city", f"from {start} to {start}")
    for day in request.days:
        city = day.row.city if day.row is not None else None
        if city is not None and day.number != request.query.days and not _is_destination(request, city):
            yield replace_text("destination-unasked", day, "current_city", NOWHERE)
    for previous, day in zip(request.days, request.days[1:], strict=False):
        if not _begins_where_previous_ended(previous, day):
            yield replace_text("stays-unasked", day, "current_city", NOWHERE)
    last = request.days[: request.query.days][-1]
    if last.number < request.query.days or last.row is None:
        yield replace_text("too-few-days", last, "current_city", NOWHERE)


def _omission_fix(day: ReadDay) -> QuirkFix:
    """Return the fix that leaves out a day without content. The strict profile ignores such days."""
    quirk = "raw-texts" if "current_city" in day.texts else "stops"
    original = None if not day.texts else str(day.texts.get("current_city"))
    return QuirkFix(quirk, lambda draft: draft.left_out.add(day.number), day.number, "current_city", original)


def _is_destination(request: RewriteRequest, city: Any) -> bool:
    """Return whether a city is one of the task's destinations."""
    is_requested = request.town is not None and name_of(city) == request.town
    return name_of(city) != request.query.org and (
        is_requested or (city.state is not None and name_of(city.state) == request.query.dest)
    )


def _begins_where_previous_ended(previous: ReadDay, day: ReadDay) -> bool:
    if previous.row is None or day.row is None:
        return True
    start = getattr(day.row, "from")
    stays = start is None and "from" not in day.row._unknown
    return previous.row.city is not None and (day.row.city if stays else start) is previous.row.city


def restaurant_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of meals, for the rule that restaurants are not repeated."""
    yield from place_text_fixes(request, MEALS, "-", quirk="raw-texts")


def attraction_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of attractions, for the rule that attractions are not repeated."""
    yield from attraction_text_fixes(request, None)


def accommodation_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of accommodations, for the rule that minimum stays are observed."""
    yield from place_text_fixes(request, ["accommodation"], "-", needs_single_match=True)


def transportation_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks in the reading of rides, for the rule that modes of transport do not conflict."""
    yield from ride_text_fixes(request, lambda day: WORDS[day.row.mode])


def current_city_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks that affect the rule that places are in the city of their day."""
    yield from city_text_fixes(request)
    for day in request.days:
        if not day.is_travel_day and day.row is not None:

            def journey_text(draft: PlanDraft, day: ReadDay = day) -> str:
                city = cut_parenthesis(draft.days[day.number - 1]["current_city"])
                return f"from {city} to {city}"

            yield replace_text("letters-of-city", day, "current_city", journey_text)
    yield from attraction_text_fixes(request, None, "city-in-text")
    for day in request.days:
        if day.row is None:
            continue
        ends = day.row.city, getattr(day.row, "from")
        for meal, item in day.meals.items():
            yield from _item_fixes(
                day, meal, item, item.row is None or (item.row.city in ends and item.row.city is not None)
            )
        hotel = day.hotel
        yield from _item_fixes(day, "accommodation", hotel, hotel.row is None or hotel.row.city is ends[0])
        is_valid = all(item.row.city in ends for item in day.sights if item.row is not None)
        yield from _item_fixes(
            day, "attraction", DayItem(field_text(day.texts, "attraction"), None, is_known=False), is_valid
        )
        named = day.row.origin is not None or day.row.to is not None
        is_valid = not named or (
            day.row.origin is not None
            and day.row.to is not None
            and day.row.origin is (ends[1] or ends[0])
            and day.row.to is ends[0]
        )
        ride = DayItem(field_text(day.texts, "transportation"), None, is_known=False)
        ride_quirk_name = "city-in-text" if travel_ends(ride.text) != (None, None) else "ends-untold"
        yield from _item_fixes(day, "transportation", ride, is_valid, ride_quirk_name)


def _item_fixes(
    day: ReadDay, field: str, item: DayItem, is_valid: bool, quirk: str = "city-in-text"
) -> Iterator[QuirkFix]:
    """Yield a fix that makes the evaluator judge an item as the strict profile does.

    Args:
        day: day of the item.
        field: field of the day that holds the item.
        item: the item.
        is_valid: whether the item is right in the strict profile.
        quirk: quirk to report.
    """
    # the evaluator only searches for the city's name in the text
    if item.is_blank or is_empty(day.texts.get(field)):
        return
    quirk = quirk if day.is_travel_day else "letters-of-city"
    end = ";" if field == "attraction" else ""
    yield replace_text(quirk, day, field, "-" if is_valid else ELSEWHERE + end)


def sandbox_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks that affect the rule that all names are in the tables."""
    yield from place_text_fixes(request, (*MEALS, "accommodation"), NOWHERE)
    yield from attraction_text_fixes(request, NOWHERE)
    yield from _ride_existence_fixes(request)


def _ride_existence_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes after which the evaluator finds the same rides in its tables as the strict profile."""
    for day in request.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts:
                yield replace_text("stops", day, "transportation", "-")
            continue
        quirk = ride_quirk(request.facts, day)
        yield replace_text(quirk, day, "transportation", partial(_rewritten_transportation, day))


def _rewritten_transportation(day: ReadDay, draft: PlanDraft) -> str:
    """Return a string for the day's ride that the evaluator reads as the strict profile does.

    If the ride is a flight, add the flight to the draft.
    """
    row = day.row
    ends = [NOWHERE if end is None else name_of(end) for end in (row.origin, row.to)]
    if row.mode in ("taxi", "self_driving"):
        return f"{WORDS[row.mode]}, from {ends[0]} to {ends[1]}"
    flight = row.flight
    flies = row.mode == "flight" and flight is not None and flight.day == row.day
    if flies and flight.origin is row.origin and flight.to is row.to:
        return draft.add_flight(flight, *ends)
    return f"Taxi, from {NOWHERE} to {NOWHERE}"


def absence_fixes(request: RewriteRequest) -> Iterator[QuirkFix]:
    """Yield fixes of quirks that affect the rule that no part of a plan may be missing."""
    yield from city_text_fixes(request)
    start = request.days[0].row and getattr(request.days[0].row, "from")
    if current_city_text(request.days[0]).startswith("from") and (start is None or name_of(start) != request.query.org):
        yield replace_text("origin-asked-again", request.days[0], "current_city", _journey_from_home(request))
    filled_cells = sum(bool(v) and v != "-" for day in request.days for v in day.texts.values())
    if filled_cells < 3 * request.query.days:

        def fill_cells(draft: PlanDraft) -> None:
            draft.days[0].update({f"{NOWHERE}{n}": "x" for n in range(3 * request.query.days)})

        yield QuirkFix("share-of-cells", fill_cells)
    for day in request.days:
        for field in FIELDS:
            filled = _is_filled(day, field)
            if field not in day.texts:
                yield replace_text("missing-field", day, field, "-")
            elif filled == is_empty(day.texts[field]) or day.texts[field] in (None, " "):
                yield replace_text("exact-names", day, field, "x" if filled else "-")
    cities = {
        day.row.city
        for day in request.days
        if day.number != request.query.days and day.row is not None and day.row.city is not None
    }
    cities = {city for city in cities if name_of(city) != request.query.org}
    is_city_count_right = len(cities) == request.query.visiting_city_number

    def set_city_count(draft: PlanDraft) -> None:
        visited = _counted_cities(draft) if is_city_count_right else -1
        draft.query = replace(draft.query, visiting_city_number=visited)

    yield QuirkFix("cities-counted", set_city_count)


def _counted_cities(draft: PlanDraft) -> int:
    """Return the number of visited cities as the evaluator counts them."""
    named: set[str] = set()
    for day in draft.days:
        where = field_text(day, "current_city")
        ends = travel_ends(where) if "from" in where else (where,)
        named |= {cut_parenthesis(city) for city in ends if city is not None}
    return len(named - {draft.query.org})


def _journey_from_home(request: RewriteRequest) -> str:
    return f"from {request.query.org} to {city_name(request.days[0], 'city')}"


def _is_filled(day: ReadDay, field: str) -> bool:
    if field == "attraction":
        return bool(day.sights)
    if field in MEALS:
        return not day.meals[field].is_blank
    if field == "accommodation":
        return not day.hotel.is_blank
    return day.row is not None and day.row.mode is not None
