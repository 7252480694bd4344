"""Writer of plans as VeriTrip answers, which cite documents on the attractions."""

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

CITED_FIELDS = ("ticket", "opens", "closes", "visit", "existence", "closed_on")
"""Facts of an attraction that the cited documents should state."""
RIDE_NOTES = {"public": "By public transportation.", "taxi": "By taxi.", None: "On foot."}


def write_answer(tables: VeriTripTables, plan: Plan, *, cite: bool = True) -> dict[str, Any]:
    """Return the answer in the form that the prompt asks for.

    Args:
        tables: tables of the task.
        plan: plan to write.
        cite: whether to cite documents on the attractions.
    """
    legs: list[Any] = sorted(plan.tables["transportation"], key=_by_key)
    stays: list[Any] = sorted(plan.tables["accommodation"], key=_by_key)
    activities: list[Any] = list(plan.tables["itinerary"])
    written = {
        TRANSPORTATION: [_transportation_row(tables, leg) for leg in legs],
        ACCOMMODATION: [_accommodation_row(tables, stay) for stay in stays],
        ITINERARY: [_itinerary_row(tables, activities, index, legs, cite=cite) for index in range(len(activities))],
    }
    return {WRAPPER: written}


def _by_key(row: Row) -> tuple[bool, Any]:
    value = row._key[0]
    return value is None, value or 0


def _transportation_row(tables: VeriTripTables, leg: Any) -> dict[str, Any]:
    return {
        "transportationID": leg.service.number if leg.service is not None else _unknown_name(leg, "service"),
        "date": _format_date(leg.date),
        "departureStation": _name_of(leg, "origin"),
        "arriveStation": _name_of(leg, "to"),
        "begin_time": _format_time(leg.begin),
        "end_time": _format_time(leg.end),
        "price_per_person": _format_price(leg.price, tables),
    }


def _accommodation_row(tables: VeriTripTables, stay: Any) -> dict[str, Any]:
    return {
        "city": _name_of(stay, "city"),
        "name": _name_of(stay, "hotel"),
        "check_in": _format_date(stay.check_in),
        "check_out": _format_date(stay.check_out),
        "price_per_night": _format_price(stay.price, tables),
        "room_type": _name_of(stay, "room"),
        "room_number": stay.rooms,
        "breakfast_included": None if stay.board is None else stay.board == BOARDS[True],
    }


def _itinerary_row(
    tables: VeriTripTables, activities: list[Any], index: int, legs: list[Any], *, cite: bool
) -> dict[str, Any]:
    activity = activities[index]
    notes = ""
    match activity.activity:
        case "attraction":
            name = bare_name(activity.attraction) if activity.attraction is not None else activity.stranger
            notes = _cite_documents(tables, activity) if cite else ""
        case "meal":
            venue = activity.restaurant if activity.restaurant is not None else activity.hotel
            name = bare_name(venue) if venue is not None else activity.stranger
            notes = _recommendation(activity)
        case "inter_city_transportation":
            name, notes = _journey_name(activity, legs)
        case _:
            begin, end = (_ride_endpoint(activities, index, step) for step in (-1, 1))
            name = f"{begin} and back" if begin == end else f"{begin} to {end}"
            notes = RIDE_NOTES[activity.ride]
    return {
        "Date": _format_date(activity.date),
        "active_item_number": activity.number,
        "active_type": activity.activity if activity.activity is not None else _unknown_name(activity, "activity"),
        "start_time": _format_time(activity.start),
        "end_time": _format_time(activity.end),
        "name": name,
        "price_per_person": _format_price(activity.price, tables),
        "notes": notes,
    }


def _ride_endpoint(activities: list[Any], index: int, step: int) -> str:
    """Return the place where the ride at an index begins (if `step` is -1) or ends (if `step` is 1).

    It is the place of the nearest activity before or after the ride on the same day. It is the station if a journey
    between cities comes first, and the hotel if another ride or no activity does.
    """
    position = index + step
    while 0 <= position < len(activities) and activities[position].date == activities[index].date:
        other = activities[position]
        visited = other.attraction or other.restaurant or other.hotel
        if visited is not None:
            return bare_name(visited)
        if other.activity == "inter_city_transportation":
            return "station"
        if other.activity == "inner_city_transportation":
            return "hotel"
        position += step
    return "hotel"


def _journey_name(activity: Any, legs: list[Any]) -> tuple[str, str]:
    for leg in legs:
        if (leg.date, leg.begin, leg.end) == (activity.date, activity.start, activity.end) and leg.service is not None:
            return f"{leg.service.number} from {_name_of(leg, 'origin')} to {_name_of(leg, 'to')}", ""
    return "Journey between cities", ""


def _recommendation(activity: Any) -> str:
    tags = sorted(activity.restaurant.tags) if activity.restaurant is not None else []
    liked = [tag for tag in tags if tag != bare_name(activity.restaurant)]
    return f"Recommended: {', '.join(liked)}." if liked else ""


def _cite_documents(tables: VeriTripTables, activity: Any) -> str:
    """Return citations, such as `[20, 31]`, of documents that together state all facts of an attraction correctly.

    The set is small but not always smallest, since it is chosen greedily. On a tie, the smaller id is chosen.
    """
    if activity.attraction is None:
        return ""
    name = bare_name(activity.attraction)
    fields_by_document: dict[int, set[str]] = {}
    for statement in statements_on(tables, name):
        if statement.field in CITED_FIELDS:
            fields_by_document.setdefault(statement.document, set()).add(
                statement.field if statement.right else "wrong"
            )
    fields_by_document = {document: fields for document, fields in fields_by_document.items() if "wrong" not in fields}
    missing = {field for fields in fields_by_document.values() for field in fields}
    cited: list[int] = []
    while missing:
        best = max(sorted(fields_by_document), key=lambda document: len(fields_by_document[document] & missing))
        cited.append(best)
        missing -= fields_by_document[best]
    return "".join(f"[{document}]" for document in sorted(cited))


def statements_on(tables: VeriTripTables, subject: str) -> Iterable[Any]:
    """Return the statements of documents on a place at the destination."""
    return (row for row in tables.task.facts["Statement"].rows if row.subject == subject)  # type: ignore[attr-defined]


def _name_of(row: Any, column: str) -> str | None:
    index = getattr(row, column)
    return bare_name(index) if index is not None else _unknown_name(row, column)


def _unknown_name(row: Row, column: str) -> str | None:
    unknown = row._unknown
    return None if isinstance(unknown, frozenset) else unknown.get(column)


def _format_date(ordinal: int | None) -> str | None:
    return None if ordinal is None else date.fromordinal(ordinal).isoformat()


def _format_time(minutes: int | None) -> str | None:
    if minutes is None:
        return None
    minutes -= MINUTES_A_DAY if minutes > MINUTES_A_DAY else 0
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _format_price(minor: int | None, tables: VeriTripTables) -> int | float | str | None:
    return None if minor is None else write_cost(minor, tables.currency)
