"""For each rule of common sense the quirks that a plan may meet in it."""

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
"""A text that no city stands in, not even one that is not known."""


def visiting_city(of: RewriteRequest) -> Iterator[Mend]:
    """The route."""
    for day in of.days:
        if day.row is None:
            yield _left_out(day)
    yield from wheres(of)
    first = of.days[0]
    start = where(first)
    if not start.startswith("from "):
        yield put("origin-unasked", first, "current_city", f"from {start} to {start}")
    for day in of.days:
        city = day.row.city if day.row is not None else None
        if city is not None and day.number != of.query.days and not _there(of, city):
            yield put("destination-unasked", day, "current_city", NOWHERE)
    for before, day in zip(of.days, of.days[1:], strict=False):
        if not _goes_on(before, day):
            yield put("stays-unasked", day, "current_city", NOWHERE)
    last = of.days[: of.query.days][-1]
    if last.number < of.query.days or last.row is None:
        yield put("too-few-days", last, "current_city", NOWHERE)


def _left_out(day: ReadDay) -> Mend:
    """The strict profile goes past a day that says nothing."""
    quirk = "raw-texts" if "current_city" in day.texts else "stops"
    said = None if not day.texts else str(day.texts.get("current_city"))
    return Mend(quirk, lambda draft: draft.left_out.add(day.number), day.number, "current_city", said)


def _there(of: RewriteRequest, city: Any) -> bool:
    """A city is one of those that the task asks for."""
    asked = of.town is not None and name(city) == of.town
    return name(city) != of.query.org and (
        asked or (city.state is not None and name(city.state) == of.query.dest)
    )


def _goes_on(before: ReadDay, day: ReadDay) -> bool:
    if before.row is None or day.row is None:
        return True
    start = getattr(day.row, "from")
    stays = start is None and "from" not in day.row._unknown
    return before.row.city is not None and (day.row.city if stays else start) is before.row.city


def restaurants(of: RewriteRequest) -> Iterator[Mend]:
    """Meals in the same place."""
    yield from places(of, MEALS, "-", quirk="raw-texts")


def attractions(of: RewriteRequest) -> Iterator[Mend]:
    """The same sight twice."""
    yield from sights(of, None)


def accommodation(of: RewriteRequest) -> Iterator[Mend]:
    """Minimum nights."""
    yield from places(of, ["accommodation"], "-", alone=True)


def transportation(of: RewriteRequest) -> Iterator[Mend]:
    """Vehicles that do not go together."""
    yield from rides(of, lambda day: WORDS[day.row.mode])


def current_city(of: RewriteRequest) -> Iterator[Mend]:
    """Mend places that are not in their day's city."""
    yield from wheres(of)
    for day in of.days:
        if not day.travels and day.row is not None:

            def whole(draft: PlanDraft, day: ReadDay = day) -> str:
                city = before_paren(draft.days[day.number - 1]["current_city"])
                return f"from {city} to {city}"

            yield put("letters-of-city", day, "current_city", whole)
    yield from sights(of, None, "city-in-text")
    for day in of.days:
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
        yield from _judged(day, "attraction", DayItem(text(day.texts, "attraction"), None, known=False), good)
        named = day.row.origin is not None or day.row.to is not None
        good = not named or (day.row.origin is not None and day.row.to is not None
                             and day.row.origin is (ends[1] or ends[0]) and day.row.to is ends[0])  # fmt: skip
        ride = DayItem(text(day.texts, "transportation"), None, known=False)
        untold = "city-in-text" if from_to(ride.said) != (None, None) else "ends-untold"
        yield from _judged(day, "transportation", ride, good, untold)


def _judged(
    day: ReadDay, field: str, cell: DayItem, good: bool, quirk: str = "city-in-text"
) -> Iterator[Mend]:
    """The strict profile's own word on a cell, where the evaluator only looks for letters."""
    if cell.blank or empty(day.texts.get(field)):
        return
    quirk = quirk if day.travels else "letters-of-city"
    end = ";" if field == "attraction" else ""
    yield put(quirk, day, field, "-" if good else ELSEWHERE + end)


def sandbox(of: RewriteRequest) -> Iterator[Mend]:
    """Mend names that the tables do not have."""
    yield from places(of, (*MEALS, "accommodation"), NOWHERE)
    yield from sights(of, NOWHERE)
    yield from _table_rides(of)


def _table_rides(of: RewriteRequest) -> Iterator[Mend]:
    """Rides as the strict profile finds them in the tables."""
    for day in of.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts:
                yield put("stops", day, "transportation", "-")
            continue
        quirk = ride_quirk(of.facts, day)
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


def absent(of: RewriteRequest) -> Iterator[Mend]:
    """Mend parts that are left out."""
    yield from wheres(of)
    start = of.days[0].row and getattr(of.days[0].row, "from")
    if where(of.days[0]).startswith("from") and (start is None or name(start) != of.query.org):
        yield put("origin-asked-again", of.days[0], "current_city", _from_home(of))
    told = sum(bool(v) and v != "-" for day in of.days for v in day.texts.values())
    if told < 3 * of.query.days:

        def more(draft: PlanDraft) -> None:
            draft.days[0].update({f"{NOWHERE}{n}": "x" for n in range(3 * of.query.days)})

        yield Mend("share-of-cells", more)
    for day in of.days:
        for field in FIELDS:
            filled = _filled(day, field)
            if field not in day.texts:
                yield put("missing-field", day, field, "-")
            elif filled == empty(day.texts[field]) or day.texts[field] in (None, " "):
                yield put("exact-names", day, field, "x" if filled else "-")
    counted = {
        day.row.city
        for day in of.days
        if day.number != of.query.days and day.row is not None and day.row.city is not None
    }
    counted = {city for city in counted if name(city) != of.query.org}
    enough = len(counted) == of.query.visiting_city_number

    def count(draft: PlanDraft) -> None:
        visited = _visited(draft) if enough else -1
        draft.query = replace(draft.query, visiting_city_number=visited)

    yield Mend("cities-counted", count)


def _visited(draft: PlanDraft) -> int:
    """The number of cities that the evaluator counts."""
    named: set[str] = set()
    for day in draft.days:
        where = text(day, "current_city")
        ends = from_to(where) if "from" in where else (where,)
        named |= {before_paren(city) for city in ends if city is not None}
    return len(named - {draft.query.org})


def _from_home(of: RewriteRequest) -> str:
    return f"from {of.query.org} to {city_in(of.days[0], 'city')}"


def _filled(day: ReadDay, field: str) -> bool:
    if field == "attraction":
        return bool(day.sights)
    if field in MEALS:
        return not day.meals[field].blank
    if field == "accommodation":
        return not day.hotel.blank
    return day.row is not None and day.row.mode is not None
