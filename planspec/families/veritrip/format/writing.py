"""Writer of a plan's rows as a VeriTrip answer, with the documents on its attractions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.veritrip.format.reading import (
    ACCOMMODATION,
    BOARDS,
    ITINERARY,
    TRANSPORTATION,
    WRAPPER,
)
from planspec.families.veritrip.format.tables import VeriTripTables, bare_name
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.meaning.plan_rows import Plan

CHECKED = ("ticket", "opens", "closes", "visit", "existence", "closed_on")
"""Facts of an attraction that a cited document should state, rarest first."""
WAYS = {"public": "By public transportation.", "taxi": "By taxi.", None: "On foot."}


def write_answer(tables: VeriTripTables, plan: Plan, *, cite: bool = True) -> dict[str, Any]:
    """Write the answer in the prompt's form.

    Args:
        tables: tables of the task.
        plan: plan to write.
        cite: whether documents on the attractions are cited.
    """
    legs: list[Any] = sorted(plan.tables["transportation"], key=_first)
    stays: list[Any] = sorted(plan.tables["accommodation"], key=_first)
    doings: list[Any] = list(plan.tables["itinerary"])
    written = {
        TRANSPORTATION: [_leg(tables, leg) for leg in legs],
        ACCOMMODATION: [_stay(tables, stay) for stay in stays],
        ITINERARY: [_doing(tables, doings, place, legs, cite=cite) for place in range(len(doings))],
    }
    return {WRAPPER: written}


def _first(row: Row) -> tuple[bool, Any]:
    value = row._key[0]
    return value is None, value or 0


def _leg(tables: VeriTripTables, leg: Any) -> dict[str, Any]:
    return {
        "transportationID": leg.service.number if leg.service is not None else _unknown(leg, "service"),
        "date": _date(leg.date),
        "departureStation": _name(leg, "origin"),
        "arriveStation": _name(leg, "to"),
        "begin_time": _time(leg.begin),
        "end_time": _time(leg.end),
        "price_per_person": _price(leg.price, tables),
    }


def _stay(tables: VeriTripTables, stay: Any) -> dict[str, Any]:
    return {
        "city": _name(stay, "city"),
        "name": _name(stay, "hotel"),
        "check_in": _date(stay.check_in),
        "check_out": _date(stay.check_out),
        "price_per_night": _price(stay.price, tables),
        "room_type": _name(stay, "room"),
        "room_number": stay.rooms,
        "breakfast_included": None if stay.board is None else stay.board == BOARDS[True],
    }


def _doing(
    tables: VeriTripTables, doings: list[Any], place: int, legs: list[Any], *, cite: bool
) -> dict[str, Any]:
    doing = doings[place]
    notes = ""
    match doing.activity:
        case "attraction":
            name = bare_name(doing.attraction) if doing.attraction is not None else doing.stranger
            notes = _evidence(tables, doing) if cite else ""
        case "meal":
            venue = doing.restaurant if doing.restaurant is not None else doing.hotel
            name = bare_name(venue) if venue is not None else doing.stranger
            notes = _recommended(doing)
        case "inter_city_transportation":
            name, notes = _journey(doing, legs)
        case _:
            begin, end = (_neighbour(doings, place, step) for step in (-1, 1))
            name = f"{begin} and back" if begin == end else f"{begin} to {end}"
            notes = WAYS[doing.ride]
    return {
        "Date": _date(doing.date),
        "active_item_number": doing.number,
        "active_type": doing.activity if doing.activity is not None else _unknown(doing, "activity"),
        "start_time": _time(doing.start),
        "end_time": _time(doing.end),
        "name": name,
        "price_per_person": _price(doing.price, tables),
        "notes": notes,
    }


def _neighbour(doings: list[Any], place: int, step: int) -> str:
    """Return the place before or after a ride on its day.

    It is the hotel if there is no such place, and between two rides.
    """
    at = place + step
    while 0 <= at < len(doings) and doings[at].date == doings[place].date:
        other = doings[at]
        visited = other.attraction or other.restaurant or other.hotel
        if visited is not None:
            return bare_name(visited)
        if other.activity == "inter_city_transportation":
            return "station"
        if other.activity == "inner_city_transportation":
            return "hotel"
        at += step
    return "hotel"


def _journey(doing: Any, legs: list[Any]) -> tuple[str, str]:
    for leg in legs:
        if (leg.date, leg.begin, leg.end) == (doing.date, doing.start, doing.end) and leg.service is not None:
            return f"{leg.service.number} from {_name(leg, 'origin')} to {_name(leg, 'to')}", ""
    return "Journey between cities", ""


def _recommended(doing: Any) -> str:
    tags = sorted(doing.restaurant.tags) if doing.restaurant is not None else []
    liked = [tag for tag in tags if tag != bare_name(doing.restaurant)]
    return f"Recommended: {', '.join(liked)}." if liked else ""


def _evidence(tables: VeriTripTables, doing: Any) -> str:
    """Return a small set of true documents that state all facts of the attraction.

    The set is chosen greedily, least ids first.
    """
    if doing.attraction is None:
        return ""
    name = bare_name(doing.attraction)
    fields_by_document: dict[int, set[str]] = {}
    for statement in statements_on(tables, name):
        if statement.field in CHECKED:
            fields_by_document.setdefault(statement.document, set()).add(
                statement.field if statement.right else "wrong"
            )
    fields_by_document = {
        document: fields for document, fields in fields_by_document.items() if "wrong" not in fields
    }
    missing = {field for fields in fields_by_document.values() for field in fields}
    cited: list[int] = []
    while missing:
        best = max(
            sorted(fields_by_document), key=lambda document: len(fields_by_document[document] & missing)
        )
        cited.append(best)
        missing -= fields_by_document[best]
    return "".join(f"[{document}]" for document in sorted(cited))


def statements_on(tables: VeriTripTables, subject: str) -> Iterable[Any]:
    """Return the documents' statements on a place of the target city."""
    return (row for row in tables.task.facts["Statement"].rows if row.subject == subject)  # type: ignore[attr-defined]


def _name(row: Any, column: str) -> str | None:
    place = getattr(row, column)
    return bare_name(place) if place is not None else _unknown(row, column)


def _unknown(row: Row, column: str) -> str | None:
    unknown = row._unknown
    return None if isinstance(unknown, frozenset) else unknown.get(column)


def _date(ordinal: int | None) -> str | None:
    return None if ordinal is None else date.fromordinal(ordinal).isoformat()


def _time(minutes: int | None) -> str | None:
    if minutes is None:
        return None
    minutes -= MINUTES_A_DAY if minutes > MINUTES_A_DAY else 0
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _price(minor: int | None, tables: VeriTripTables) -> int | float | str | None:
    return None if minor is None else write_cost(minor, tables.currency)
