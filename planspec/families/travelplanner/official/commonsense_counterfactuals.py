"""Quirks that a plan may meet in the commonsense rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from planspec.families.travelplanner.official.diagnosis import ride_quirk
from planspec.families.travelplanner.official.draft import (
    NOWHERE,
    DayItem,
    Mend,
    PlanDraft,
    ReadDay,
    put,
    text,
)
from planspec.families.travelplanner.official.query import name
from planspec.families.travelplanner.official.reading import FIELDS, MEALS, before_paren, empty, from_to
from planspec.families.travelplanner.official.rewriting import (
    WORDS,
    RewriteRequest,
    city_in,
    places,
    rides,
    sights,
    where,
    wheres,
)

ELSEWHERE = "⟪⟫"
"""A text that contains no city's name, not even an unknown one."""


def visiting_city(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of the route."""
    for day in request.days:
        if day.row is None:
            yield _left_out(day)
    yield from wheres(request)
    first = request.days[0]
    start = where(first)
    if not start.startswith("from "):
        yield put("origin-unasked", first, "current_city", f"from {start} to {start}")
    for day in request.days:
        city = day.row.city if day.row is not None else None
        if city is not None and day.number != request.query.days and not _is_destination(request, city):
            yield put("destination-unasked", day, "current_city", NOWHERE)
    for before, day in zip(request.days, request.days[1:], strict=False):
        if not _goes_on(before, day):
            yield put("stays-unasked", day, "current_city", NOWHERE)
    last = request.days[: request.query.days][-1]
    if last.number < request.query.days or last.row is None:
        yield put("too-few-days", last, "current_city", NOWHERE)


def _left_out(day: ReadDay) -> Mend:
    """Return the mend for a day without content, which the strict profile skips."""
    quirk = "raw-texts" if "current_city" in day.texts else "stops"
    original = None if not day.texts else str(day.texts.get("current_city"))
    return Mend(quirk, lambda draft: draft.left_out.add(day.number), day.number, "current_city", original)


def _is_destination(request: RewriteRequest, city: Any) -> bool:
    """Return whether a city is a destination that the task asks for."""
    is_requested = request.town is not None and name(city) == request.town
    return name(city) != request.query.org and (
        is_requested or (city.state is not None and name(city.state) == request.query.dest)
    )


def _goes_on(before: ReadDay, day: ReadDay) -> bool:
    if before.row is None or day.row is None:
        return True
    start = getattr(day.row, "from")
    stays = start is None and "from" not in day.row._unknown
    return before.row.city is not None and (day.row.city if stays else start) is before.row.city


def restaurants(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of meals in a place visited before."""
    yield from places(request, MEALS, "-", quirk="raw-texts")


def attractions(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of repeated attractions."""
    yield from sights(request, None)


def accommodation(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of minimum nights."""
    yield from places(request, ["accommodation"], "-", alone=True)


def transportation(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of combinations of vehicles."""
    yield from rides(request, lambda day: WORDS[day.row.mode])


def current_city(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of places outside their day's city."""
    yield from wheres(request)
    for day in request.days:
        if not day.travels and day.row is not None:

            def whole(draft: PlanDraft, day: ReadDay = day) -> str:
                city = before_paren(draft.days[day.number - 1]["current_city"])
                return f"from {city} to {city}"

            yield put("letters-of-city", day, "current_city", whole)
    yield from sights(request, None, "city-in-text")
    for day in request.days:
        if day.row is None:
            continue
        ends = day.row.city, getattr(day.row, "from")
        for meal, cell in day.meals.items():
            yield from _judged(
                day, meal, cell, cell.row is None or (cell.row.city in ends and cell.row.city is not None)
            )
        hotel = day.hotel
        yield from _judged(day, "accommodation", hotel, hotel.row is None or hotel.row.city is ends[0])
        good = all(cell.row.city in ends for cell in day.sights if cell.row is not None)
        yield from _judged(
            day, "attraction", DayItem(text(day.texts, "attraction"), None, is_known=False), good
        )
        named = day.row.origin is not None or day.row.to is not None
        good = not named or (day.row.origin is not None and day.row.to is not None
                             and day.row.origin is (ends[1] or ends[0]) and day.row.to is ends[0])  # fmt: skip
        ride = DayItem(text(day.texts, "transportation"), None, is_known=False)
        ride_quirk_name = "city-in-text" if from_to(ride.text) != (None, None) else "ends-untold"
        yield from _judged(day, "transportation", ride, good, ride_quirk_name)


def _judged(
    day: ReadDay, field: str, cell: DayItem, good: bool, quirk: str = "city-in-text"
) -> Iterator[Mend]:
    """Yield a mend with the strict profile's judgement of a cell, for which the evaluator only compares letters."""
    if cell.blank or empty(day.texts.get(field)):
        return
    quirk = quirk if day.travels else "letters-of-city"
    end = ";" if field == "attraction" else ""
    yield put(quirk, day, field, "-" if good else ELSEWHERE + end)


def sandbox(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of names that the tables lack."""
    yield from places(request, (*MEALS, "accommodation"), NOWHERE)
    yield from sights(request, NOWHERE)
    yield from _table_rides(request)


def _table_rides(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of rides, as the strict profile finds them in the tables."""
    for day in request.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts:
                yield put("stops", day, "transportation", "-")
            continue
        quirk = ride_quirk(request.facts, day)
        yield put(quirk, day, "transportation", partial(_table_ride, day))


def _table_ride(day: ReadDay, draft: PlanDraft) -> str:
    row = day.row
    ends = [NOWHERE if end is None else name(end) for end in (row.origin, row.to)]
    if row.mode in ("taxi", "self_driving"):
        return f"{WORDS[row.mode]}, from {ends[0]} to {ends[1]}"
    flight = row.flight
    flies = row.mode == "flight" and flight is not None and flight.day == row.day
    if flies and flight.origin is row.origin and flight.to is row.to:
        return draft.flight(flight, *ends)
    return f"Taxi, from {NOWHERE} to {NOWHERE}"


def absent(request: RewriteRequest) -> Iterator[Mend]:
    """Yield mends of missing parts."""
    yield from wheres(request)
    start = request.days[0].row and getattr(request.days[0].row, "from")
    if where(request.days[0]).startswith("from") and (start is None or name(start) != request.query.org):
        yield put("origin-asked-again", request.days[0], "current_city", _from_home(request))
    filled_cells = sum(bool(v) and v != "-" for day in request.days for v in day.texts.values())
    if filled_cells < 3 * request.query.days:

        def more(draft: PlanDraft) -> None:
            draft.days[0].update({f"{NOWHERE}{n}": "x" for n in range(3 * request.query.days)})

        yield Mend("share-of-cells", more)
    for day in request.days:
        for field in FIELDS:
            filled = _filled(day, field)
            if field not in day.texts:
                yield put("missing-field", day, field, "-")
            elif filled == empty(day.texts[field]) or day.texts[field] in (None, " "):
                yield put("exact-names", day, field, "x" if filled else "-")
    cities = {
        day.row.city
        for day in request.days
        if day.number != request.query.days and day.row is not None and day.row.city is not None
    }
    cities = {city for city in cities if name(city) != request.query.org}
    enough = len(cities) == request.query.visiting_city_number

    def count(draft: PlanDraft) -> None:
        visited = _visited(draft) if enough else -1
        draft.query = replace(draft.query, visiting_city_number=visited)

    yield Mend("cities-counted", count)


def _visited(draft: PlanDraft) -> int:
    """Return the number of cities that the evaluator counts."""
    named: set[str] = set()
    for day in draft.days:
        where = text(day, "current_city")
        ends = from_to(where) if "from" in where else (where,)
        named |= {before_paren(city) for city in ends if city is not None}
    return len(named - {draft.query.org})


def _from_home(request: RewriteRequest) -> str:
    return f"from {request.query.org} to {city_in(request.days[0], 'city')}"


def _filled(day: ReadDay, field: str) -> bool:
    if field == "attraction":
        return bool(day.sights)
    if field in MEALS:
        return not day.meals[field].blank
    if field == "accommodation":
        return not day.hotel.blank
    return day.row is not None and day.row.mode is not None
