"""Encoding of a plan's rows as TravelPlanner's days, in the form that the public evaluator reads."""

from __future__ import annotations

from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.families.travelplanner.format.reading import MEALS
from planspec.families.travelplanner.format.tables import TravelPlannerTables
from planspec.verifiers.meaning.plan_rows import Plan

MODE_WORDS = {"self_driving": "Self-driving", "taxi": "Taxi"}


def write_days(tables: TravelPlannerTables, plan: Plan) -> list[dict[str, Any]]:
    """Write a plan as days, one for each date of the trip. Fields that the plan leaves out are `-`."""
    by_day: dict[int, Any] = {row.day: row for row in plan.tables["days"]}  # type: ignore[attr-defined]
    meals: dict[tuple[int, str], Any] = {(m.day, m.meal): m.restaurant for m in plan.tables["meals"]}  # type: ignore[attr-defined]
    sights: dict[int, list[Any]] = {}
    for sight in plan.tables["sights"]:
        sights.setdefault(sight.day, []).append(sight.attraction)  # type: ignore[attr-defined]
    days = []
    for number, day in enumerate(tables.trip, 1):
        row = by_day.get(day)
        attractions = "".join(f"{_name_or_dash(sight)};" for sight in sights.get(day, ()) if sight is not None)
        entry = {
            "days": number,
            "current_city": _current_city(row),
            "transportation": _transportation(tables, row),
            **{meal: _name_or_dash(meals.get((day, meal))) for meal in MEALS},
            "attraction": attractions or "-",
            "accommodation": _name_or_dash(row.hotel) if row else "-",
        }
        order = (
            "days",
            "current_city",
            "transportation",
            "breakfast",
            "attraction",
            "lunch",
            "dinner",
            "accommodation",
        )
        days.append({name: entry[name] for name in order})
    return days


def _name_or_dash(row: Row | None) -> str:
    return "-" if row is None else str(row._key[0])


def _current_city(row: Any) -> str:
    if row is None or row.city is None:
        return "-"
    city = _name_or_dash(row.city)
    return city if getattr(row, "from") is None else f"from {_name_or_dash(getattr(row, 'from'))} to {city}"


def _transportation(tables: TravelPlannerTables, row: Any) -> str:
    if row is None or row.mode is None:
        return "-"
    ends = (
        f"from {_name_or_dash(row.origin)} to {_name_or_dash(row.to)}"
        if row.origin is not None and row.to is not None
        else ""
    )
    if row.mode == "flight" and row.flight is not None:
        times = [show(getattr(row.flight, name), ScalarType.TIME, None) for name in ("depart", "arrive")]
        parts = [
            f"Flight Number: {_name_or_dash(row.flight)}",
            ends,
            f"Departure Time: {times[0]}",
            f"Arrival Time: {times[1]}",
        ]
    elif row.mode in MODE_WORDS:
        parts = [MODE_WORDS[row.mode], ends]
        way: Any = tables.roads.by_key.get((row.origin, row.to))
        if way is not None and way.length is not None and way.time is not None:
            parts += [
                f"Duration: {show(way.time, ScalarType.DURATION, None)}",
                f"Distance: {show(way.length, ScalarType.DISTANCE, None)}",
            ]
    else:
        parts = ["-"]
    return ", ".join(part for part in parts if part)
