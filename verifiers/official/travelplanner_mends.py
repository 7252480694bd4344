"""For each rule the quirks that a plan may meet in it, each with what makes the evaluator do without.

Where all of them are mended the evaluator reads the plan as the strict profile does. The order is that of preference:
what is more telling comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planspec.verifiers.official.travelplanner_diagnosis import place_quirk, ride_quirk, text_quirk, where_quirk
from planspec.verifiers.official.travelplanner_draft import NOWHERE, Cell, Draft, Mend, ReadDay, asking, put, text
from planspec.verifiers.official.travelplanner_facts import Accommodation, Facts
from planspec.verifiers.official.travelplanner_query import name
from planspec.verifiers.official.travelplanner_reading import FIELDS, MEALS, Query, before_paren, empty, from_to

TABLES = {**dict.fromkeys(MEALS, "restaurants"), "accommodation": "accommodations", "attraction": "attractions"}
WORDS = {"flight": "Flight Number", "self_driving": "Self-driving", "taxi": "Taxi", "other": "x"}
ELSEWHERE = "⟪⟫"
"""A text that no city stands in, not even one that is not known."""
ALL_BANS = "No smoking & No parties & No children under 10 & No visitors & No pets"


@dataclass(frozen=True, slots=True)
class Asked:
    """What mends are made for.

    Attributes:
        rule: its public name.
        query: the task's.
        facts: the evaluator's tables.
        days: the plan's, beside what the strict profile reads in them; the evaluator reads the first of them.
        town: the city that a task asks for, if it asks for one.
    """

    rule: str
    query: Query
    facts: Facts
    days: Sequence[ReadDay]
    town: str | None


# -- texts as the strict profile reads them --------------------------------------------------------


def _where(day: ReadDay) -> str:
    """Where a day is spent."""
    if day.row is None:
        return text(day.texts, "current_city")
    city = _city(day, "city")
    start = getattr(day.row, "from")
    return city if start is None and "from" not in day.row._unknown else f"from {_city(day, 'from')} to {city}"


def _city(day: ReadDay, column: str) -> str:
    row = getattr(day.row, column)
    return name(row) if row is not None else NOWHERE if column in day.row._unknown else "-"


def _wheres(of: Asked) -> Iterator[Mend]:
    for day in of.days:
        if _where(day) != text(day.texts, "current_city") or "current_city" not in day.texts:
            yield put(where_quirk(day), day, "current_city", lambda _, day=day: _where(day))  # type: ignore[misc]


def _places(
    of: Asked,
    names: Iterable[str],
    unknown: Callable[[Draft], str],
    *,
    quirk: str | None = None,
    alone: bool = False,
) -> Iterator[Mend]:
    """Meals and accommodations: a listing of its own for each that is known."""
    for day in of.days:
        for field in names:
            cell = day.hotel if field == "accommodation" else day.meals[field]
            if cell.blank:
                if not empty(day.texts.get(field)):
                    yield put("exact-names", day, field, lambda _: "-")
                elif field not in day.texts:
                    yield put("missing-field", day, field, lambda _: "-")
                continue
            yield put(
                quirk if quirk and not cell.known else place_quirk(of.facts, TABLES[field], cell, alone=alone),
                day, field, _listed(field, cell) if cell.known else unknown,
            )  # fmt: skip


def _listed(field: str, cell: Cell) -> Callable[[Draft], str]:
    return lambda draft: (
        draft.hotel(cell.row) if field == "accommodation" else draft.restaurant(cell.row)
    )


def _sights(of: Asked, unknown: str | None, quirk: str | None = None) -> Iterator[Mend]:
    """Attractions: all are read; each is one of its own, those that are unknown are `unknown`, or left out."""
    for day in of.days:
        said = text(day.texts, "attraction")
        if not day.sights or empty(said):
            continue
        quirks = [place_quirk(of.facts, "attractions", Cell(part.strip(), cell.row, cell.known))
                  for part, cell in zip(_parts(said), day.sights, strict=False)]  # fmt: skip

        def end(draft: Draft, day: ReadDay = day) -> str:
            return str(draft.days[day.number - 1]["attraction"]).rstrip("; ") + ";"

        def rewrite(draft: Draft, day: ReadDay = day) -> str:
            cells = [
                draft.attraction(cell.row) if cell.row is not None else unknown
                for cell in day.sights
                if cell.row is not None or unknown is not None
            ]
            ended = not _last(text(day.texts, "attraction"))
            return ";".join(cell for cell in cells if cell is not None) + (";" if ended and cells else "")

        telling = [told for told in quirks if told != "raw-texts"]
        yield put(telling[0] if telling else quirk or "raw-texts", day, "attraction", rewrite)
        if _last(said):
            yield put("last-attraction", day, "attraction", end)


def _parts(said: str) -> list[str]:
    return [part for part in said.split(";") if part.strip() not in ("", "-")]


def _last(said: str) -> bool:
    """Something stands behind the last semicolon."""
    return bool(said.rpartition(";")[2].strip())


# -- common sense ----------------------------------------------------------------------------------


def visiting_city(of: Asked) -> Iterator[Mend]:
    """The route."""
    for day in of.days:
        if day.row is None:
            yield _left_out(day)
    yield from _wheres(of)
    first = of.days[0]
    if "from" not in text(first.texts, "current_city"):
        where = before_paren(text(first.texts, "current_city"))
        yield put("origin-unasked", first, "current_city", lambda _: f"from {where} to {where}")
    for day in of.days:
        city = day.row.city if day.row is not None else None
        if city is not None and day.number != of.query.days and not _there(of, city):
            yield put("destination-unasked", day, "current_city", lambda _: NOWHERE)
    for before, day in zip(of.days, of.days[1:], strict=False):
        if not _goes_on(before, day):
            yield put("stays-unasked", day, "current_city", lambda _: NOWHERE)
    last = of.days[: of.query.days][-1]
    if last.number < of.query.days or last.row is None:
        yield put("too-few-days", last, "current_city", lambda _: NOWHERE)


def _left_out(day: ReadDay) -> Mend:
    """The strict profile goes past a day that says nothing."""
    quirk = "raw-texts" if "current_city" in day.texts else "stops"
    said = None if not day.texts else str(day.texts.get("current_city"))
    return Mend(quirk, lambda draft: draft.left_out.add(day.number), day.number, "current_city", said)


def _there(of: Asked, city: Any) -> bool:
    """A city is one of those that the task asks for."""
    asked = of.town is not None and name(city) == of.town
    return name(city) != of.query.org and (asked or (city.state is not None and name(city.state) == of.query.dest))


def _goes_on(before: ReadDay, day: ReadDay) -> bool:
    if before.row is None or day.row is None:
        return True
    start = getattr(day.row, "from")
    stays = start is None and "from" not in day.row._unknown
    return before.row.city is not None and (day.row.city if stays else start) is before.row.city


def restaurants(of: Asked) -> Iterator[Mend]:
    """Meals in the same place."""
    yield from _places(of, MEALS, lambda _: "-", quirk="raw-texts")


def attractions(of: Asked) -> Iterator[Mend]:
    """The same sight twice."""
    yield from _sights(of, None)


def accommodation(of: Asked) -> Iterator[Mend]:
    """Minimum nights."""
    yield from _places(of, ["accommodation"], lambda _: "-", alone=True)


def transportation(of: Asked) -> Iterator[Mend]:
    """Vehicles that do not go together."""
    yield from _rides(of, lambda day: WORDS[day.row.mode])


def _rides(of: Asked, made: Callable[[ReadDay], str], quirk: str | None = None) -> Iterator[Mend]:
    for day in of.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts or not empty(day.texts["transportation"]):
                yield put(quirk or ride_quirk(of.facts, day), day, "transportation", lambda _: "-")
            continue
        yield put(quirk or ride_quirk(of.facts, day), day, "transportation", lambda _, day=day: made(day))  # type: ignore[misc]


def current_city(of: Asked) -> Iterator[Mend]:
    """What is elsewhere than its day."""
    yield from _wheres(of)
    for day in of.days:
        if not day.travels and day.row is not None:

            def whole(draft: Draft, day: ReadDay = day) -> str:
                city = before_paren(draft.days[day.number - 1]["current_city"])
                return f"from {city} to {city}"

            yield put("letters-of-city", day, "current_city", whole)
    yield from _sights(of, None, "city-in-text")
    for day in of.days:
        if day.row is None:
            continue
        ends = day.row.city, getattr(day.row, "from")
        for meal, cell in day.meals.items():
            yield from _judged(day, meal, cell, cell.row is None or (cell.row.city in ends and cell.row.city is not None))
        hotel = day.hotel
        yield from _judged(day, "accommodation", hotel, hotel.row is None or hotel.row.city is ends[0])
        sights = [cell.row for cell in day.sights if cell.row is not None]
        good = all(sight.city in ends for sight in sights)
        yield from _judged(day, "attraction", Cell(text(day.texts, "attraction"), None, known=False), good)
        named = day.row.origin is not None or day.row.to is not None
        good = not named or (day.row.origin is not None and day.row.to is not None
                             and day.row.origin is ends[1] and day.row.to is ends[0])  # fmt: skip
        ride = Cell(text(day.texts, "transportation"), None, known=False)
        untold = "city-in-text" if from_to(ride.said) != (None, None) else "ends-untold"
        yield from _judged(day, "transportation", ride, good, untold)


def _judged(
    day: ReadDay, field: str, cell: Cell, good: bool, quirk: str = "city-in-text"
) -> Iterator[Mend]:
    """The strict profile's own word on a cell, where the evaluator only looks for letters."""
    if cell.blank or empty(day.texts.get(field)):
        return
    quirk = quirk if day.travels else "letters-of-city"
    end = ";" if field == "attraction" else ""
    yield put(quirk, day, field, lambda _: "-" if good else ELSEWHERE + end)


def sandbox(of: Asked) -> Iterator[Mend]:
    """What the tables do not have."""
    yield from _places(of, (*MEALS, "accommodation"), lambda _: NOWHERE)
    yield from _sights(of, NOWHERE)
    yield from _table_rides(of)


def _table_rides(of: Asked) -> Iterator[Mend]:
    """Rides as the strict profile finds them in the tables."""
    for day in of.days:
        if day.row is None or day.row.mode is None:
            if "transportation" not in day.texts:
                yield put("stops", day, "transportation", lambda _: "-")
            continue
        yield put(ride_quirk(of.facts, day), day, "transportation", lambda draft, day=day: _table_ride(draft, day))  # type: ignore[misc]


def _table_ride(draft: Draft, day: ReadDay) -> str:
    row = day.row
    ends = [NOWHERE if end is None else name(end) for end in (row.origin, row.to)]
    if row.mode in ("taxi", "self_driving"):
        return f"{WORDS[row.mode]}, from {ends[0]} to {ends[1]}"
    flight = row.flight
    if row.mode == "flight" and flight is not None and flight.day == row.day:
        if flight.origin is row.origin and flight.to is row.to:
            return draft.flight(flight, *ends)
    return f"Taxi, from {NOWHERE} to {NOWHERE}"


def absent(of: Asked) -> Iterator[Mend]:
    """What is left out."""
    yield from _wheres(of)
    start = of.days[0].row and getattr(of.days[0].row, "from")
    if _where(of.days[0]).startswith("from") and (start is None or name(start) != of.query.org):
        yield put("origin-asked-again", of.days[0], "current_city", lambda _: _from_home(of))
    told = sum(bool(v) and v != "-" for day in of.days for v in day.texts.values())
    if told < 3 * of.query.days:

        def more(draft: Draft) -> None:
            draft.days[0].update({f"{NOWHERE}{n}": "x" for n in range(3 * of.query.days)})

        yield Mend("share-of-cells", more)
    for day in of.days:
        for field in FIELDS:
            filled = _filled(day, field)
            if field not in day.texts:
                yield put("missing-field", day, field, lambda _: "-")
            elif filled == empty(day.texts[field]) or day.texts[field] in (None, " "):
                yield put("exact-names", day, field, lambda _, filled=filled: "x" if filled else "-")  # type: ignore[misc]
    counted = {
        day.row.city
        for day in of.days
        if day.number != of.query.days and day.row is not None and day.row.city is not None
    }
    enough = len(counted) == of.query.visiting_city_number

    def count(draft: Draft) -> None:
        visited = _visited(draft) if enough else -1
        draft.query = replace(draft.query, visiting_city_number=visited)

    yield Mend("cities-counted", count)


def _visited(draft: Draft) -> int:
    """How many cities the evaluator counts."""
    named: set[str] = set()
    for day in draft.days:
        where = text(day, "current_city")
        ends = from_to(where) if "from" in where else (where,)
        named |= {before_paren(city) for city in ends if city is not None}
    return len(named - {draft.query.org})


def _from_home(of: Asked) -> str:
    return f"from {of.query.org} to {_city(of.days[0], 'city')}"


def _filled(day: ReadDay, field: str) -> bool:
    if field == "attraction":
        return bool(day.sights)
    if field in MEALS:
        return not day.meals[field].blank
    if field == "accommodation":
        return not day.hotel.blank
    return day.row is not None and day.row.mode is not None


# -- requests --------------------------------------------------------------------------------------


def cost(of: Asked) -> Iterator[Mend]:
    """The budget; what has no price for the strict profile exceeds every budget."""

    def dear(draft: Draft) -> str:
        draft.query = replace(draft.query, budget=-1.0)
        return "-"

    yield from _places(of, (*MEALS, "accommodation"), dear, quirk="costs-nothing")
    for day in of.days:
        row = day.row
        if row is None or row.mode is None:
            if "transportation" not in day.texts:
                yield put("stops", day, "transportation", lambda _: "-")
            continue
        free = row.mode == "other" or (row.flight is None if row.mode == "flight" else None in (row.origin, row.to))
        quirk = ride_quirk(of.facts, day)
        if free and quirk in ("exact-names", "before-parenthesis", "after-semicolon", "letter-case"):
            quirk = "costs-nothing"

        def priced(draft: Draft, day: ReadDay = day, free: bool = free) -> str:
            if free:
                return dear(draft)
            row = day.row
            if row.mode == "flight":
                return draft.flight(row.flight, name(row.flight.origin), name(row.flight.to))
            return f"{WORDS[row.mode]}, from {name(row.origin)} to {name(row.to)}"

        yield put(quirk, day, "transportation", priced)


def cuisine(of: Asked) -> Iterator[Mend]:
    """What is eaten."""
    yield from _places(of, MEALS, lambda _: "-")
    for day in of.days:
        for meal, cell in day.meals.items():
            if not cell.blank and (cell.row is None or name(cell.row.city) == of.query.org):
                yield put("meal-at-home", day, meal, lambda _: "-")


def room_rule(of: Asked) -> Iterator[Mend]:
    """House rules; what is not found allows nothing."""
    yield from _places(of, ["accommodation"], _worst("Shared room"), quirk="breaks-nothing")


def room_type(of: Asked) -> Iterator[Mend]:
    """Rooms; what is not found is the wrong one."""
    wrong = "Private room" if of.query.constraints["room type"] == "shared room" else "Shared room"
    yield from _places(of, ["accommodation"], _worst(wrong), quirk="breaks-nothing")


def _worst(room: str) -> Callable[[Draft], str]:
    return lambda draft: draft.listing(Accommodation(NOWHERE, NOWHERE, room, 0, 0, ALL_BANS, 1))


def means(of: Asked) -> Iterator[Mend]:
    """Vehicles that are not wanted."""
    words = {**WORDS, "flight": "Flight"}
    yield from _rides(of, lambda day: words[day.row.mode], quirk=None)


def later_days(of: Asked) -> Iterator[Mend]:
    """Days past the asked number, which the evaluator does not read."""
    more = [day for day in of.days[of.query.days :] if day.row is not None]
    if not more:
        return

    def read(draft: Draft) -> None:
        draft.days += [dict(day.texts) for day in of.days[of.query.days :]]
        draft.left_out |= {day.number for day in of.days[of.query.days :] if day.row is None}
        draft.query = replace(draft.query, days=len(draft.days))

    def counted(draft: Draft) -> None:
        draft.query = replace(draft.query, days=-1)

    yield Mend("later-days", read, more[0].number, "current_city", text(more[0].texts, "current_city"))
    if of.rule == "is_not_absent":
        yield Mend("later-days", counted, more[0].number, "current_city", text(more[0].texts, "current_city"))


def mends(of: Asked) -> list[Mend]:
    """The quirks that a plan may meet in a rule, in the order in which they are mended."""
    return [*later_days(of), *MENDS[of.rule](of)] if of.days else []


MENDS: Mapping[str, Callable[[Asked], Iterator[Mend]]] = {
    "is_reasonable_visiting_city": visiting_city, "is_valid_restaurants": restaurants,
    "is_valid_attractions": attractions, "is_valid_accommodation": accommodation,
    "is_valid_transportation": transportation, "is_valid_information_in_current_city": current_city,
    "is_valid_information_in_sandbox": sandbox, "is_not_absent": absent, "valid_cuisine": cuisine,
    "valid_room_rule": room_rule, "valid_transportation": means, "valid_room_type": room_type, "valid_cost": cost,
}  # fmt: skip
