"""Encoding of the rows of a plan as a WorldTravel itinerary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.errors import InexpressiblePlanError
from planspec.families.worldtravel.format.cells import write_times
from planspec.families.worldtravel.format.tables import WorldTravelTables
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.meaning.plan_rows import Plan

MORNING = "8:00-8:00"
"""Time of the first item of every day, which is a hotel item."""
LATEST = 99 * 60 + 59

_BOOKING = {"attraction": "ticket", "restaurant": "reservation"}


@dataclass(frozen=True, slots=True)
class _UnwrittenItem:
    """An item of an itinerary before it is converted to JSON.

    Attributes:
        order: sort key among the items of a day.
        start: minutes after midnight.
        end: minutes after midnight.
        row: row of `visits` or `moves`. Its columns depend on the task.
    """

    order: tuple[int, int, int]
    start: int
    end: int
    row: Any


def write_itinerary(tables: WorldTravelTables, plan: Plan) -> dict[str, Any]:
    """Return the itinerary of a plan.

    The itinerary has all days of the trip. The items of a day are between two hotel items, in the order of
    time. The first hotel item of the trip has the cost of the whole stay.

    Raises:
        InexpressiblePlanError: a required value is None, a time is not a clock time, or there are several stays.
    """
    visits, moves, lodging = (plan.tables[table.name] for table in (tables.visits, tables.moves, tables.lodging))
    for row in (*visits, *moves, *lodging):
        _require_values(row)
    if len(lodging) > 1:
        raise InexpressiblePlanError("an itinerary has one stay")
    stay: Any = lodging[0] if lodging else None
    days = sorted(
        {
            *tables.trip,
            *(row.day for row in _dynamic_rows(visits)),
            *(row.day for row in _dynamic_rows(moves)),
        }
    )
    days_ = []
    for number, day in enumerate(days):
        items = _ordered_items(
            tables,
            [v for v in _dynamic_rows(visits) if v.day == day],
            [m for m in _dynamic_rows(moves) if m.day == day],
        )
        schedule = [_item_json(tables, item) for item in _without_implied_moves(tables, items)]
        if stay is not None:
            cost = stay.cost if number == 0 else 0
            last = max((item.end for item in items), default=None)
            evening = MORNING if last is None else write_times(last, last)
            schedule = [
                _hotel_json(tables, stay, MORNING, cost),
                *schedule,
                _hotel_json(tables, stay, evening, 0),
            ]
        calendar_day = _date(day)
        days_.append({"date": f"{calendar_day.month}.{calendar_day.day}", "schedule": schedule})
    return {"itinerary": days_}


def _dynamic_rows(rows: Sequence[Row]) -> Sequence[Any]:
    return rows


def _require_values(row: Row) -> None:
    for column in row._table.columns.values():
        if getattr(row, column.name) is None and not column.optional:
            raise InexpressiblePlanError(f"an itinerary cannot leave out `{row._table.name}.{column.name}`")


def _date(day: int) -> date:
    if not 1 <= day <= date.max.toordinal():
        raise InexpressiblePlanError("an itinerary has days of the calendar only")
    return date.fromordinal(day)


def _ordered_items(tables: WorldTravelTables, visits: Sequence[Any], moves: Sequence[Any]) -> list[_UnwrittenItem]:
    """Return the items of a day's visits and moves in order.

    A move comes before the visit to which it leads, even if it departs after the visit's start.
    """
    starts = {(tables.spots.get(visit.place), visit.session): visit.start for visit in visits}
    items = [_UnwrittenItem((visit.start, 1, visit.end), visit.start, visit.end, visit) for visit in visits]
    for move in moves:
        time = min(move.depart, starts.get((move.to, move.session), move.depart))
        items.append(_UnwrittenItem((time, 0, move.arrive), move.depart, move.arrive, move))
    for item in items:
        if not 0 <= item.start <= item.end <= LATEST:
            raise InexpressiblePlanError(
                f"an itinerary cannot say a time from minute {item.start} to minute {item.end}"
            )
    return sorted(items, key=lambda item: item.order)


def _without_implied_moves(tables: WorldTravelTables, items: Sequence[_UnwrittenItem]) -> list[_UnwrittenItem]:
    """Leave out moves between two visits of one place. They are implied, and the reader adds them again."""
    explicit = []
    for i, item in enumerate(items):
        row = item.row
        if row._table is tables.moves and 0 < i < len(items) - 1 and row.to is row.origin:
            before, after = items[i - 1].row, items[i + 1].row
            if (
                before._table is after._table is tables.visits
                and tables.spots.get(before.place) is tables.spots.get(after.place) is row.to
                and (row.depart, row.arrive, row.cost, row.mode) == (before.end, before.end, 0, tables.default_mode)
            ):
                continue
        explicit.append(item)
    return explicit


def _item_json(tables: WorldTravelTables, item: _UnwrittenItem) -> dict[str, Any]:
    row, time = item.row, write_times(item.start, item.end)
    if row._table is tables.moves:
        departure, destination = tables.name(row.origin), tables.name(row.to)
        image = f"route_{departure}_{destination}.png"
        return _entry_json(tables, "transportation", time, departure, destination, row.cost, row.mode, image)
    name, kind = tables.name(row.place), row.place.kind
    if kind not in _BOOKING:
        raise InexpressiblePlanError(f"an itinerary has no items of the kind {kind}")
    image = f"{name}_guide.png,{name}_{_BOOKING[kind]}.png"
    entry = _entry_json(tables, kind, time, name, name, row.cost, "none", image)
    ticket = getattr(row, "ticket", None)
    return entry if ticket is None else entry | {"ticket": tables.name(ticket)}


def _hotel_json(tables: WorldTravelTables, stay: Any, time: str, cost: int) -> dict[str, Any]:
    name = tables.name(stay.hotel)
    return _entry_json(tables, "hotel", time, name, name, cost, "none", "hotel_list.png")


def _entry_json(
    tables: WorldTravelTables,
    item: str,
    time: str,
    departure: str,
    destination: str,
    cost: int,
    transportation: str,
    image: str,
) -> dict[str, Any]:
    return {
        "item": item,
        "time": time,
        "departure": departure,
        "destination": destination,
        "cost": write_cost(cost, tables.currency),
        "transportation": transportation,
        "referenceImage": image,
    }
