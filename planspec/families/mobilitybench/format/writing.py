"""Writer of a plan as a MobilityBench answer."""

from __future__ import annotations

from datetime import date
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import InexpressiblePlanError
from planspec.families.mobilitybench.format.places import location_text
from planspec.families.mobilitybench.format.reading import ANSWER, OUTCOMES
from planspec.families.mobilitybench.format.tables import point_of
from planspec.verifiers.meaning.plan_rows import Plan

SAME_DAY = "same day"


def write_answer(plan: Plan) -> dict[str, Any]:
    """Convert a plan to an answer with durations in seconds, lengths in metres, and money in minor units.

    Raises:
        InexpressiblePlanError: the plan does not have exactly one row of `answer`.
    """
    rows = plan.tables["answer"]
    if len(rows) != 1:
        raise InexpressiblePlanError(f"an answer has one row of `answer`, the plan {len(rows)}")
    answer: Any = rows[0]
    possible = {outcome: given for given, outcome in OUTCOMES.items()}
    written: dict[str, Any] = {
        "place": _cell_name(answer, "place"),
        "location": _location_text(answer.where),
        "address": answer.address,
        "level": answer.level,
        "weather": [_day_object(day) for day in plan.tables["days"]] or None,
        "depart": _clock_text(answer.depart),
        "arrive": _arrival_text(answer),
        "duration": None if answer.time is None else answer.time * 60,
        "distance": answer.length,
        "transfers": answer.transfers,
        "traffic_lights": answer.lights,
        "tolls": answer.tolls,
        "fare": answer.fare,
        "possible": None if answer.possible is None else possible[answer.possible],
        "route": [_cell_name(leg, "route") for leg in _rows_in_order(plan.tables["legs"])] or None,
        "places": [_cell_name(row, "place") for row in _rows_in_order(plan.tables["places"])] or None,
    }
    given = {name: value for name, value in written.items() if value is not None}
    return {ANSWER: given or {"places": []}}


def _rows_in_order(rows: tuple[Row, ...]) -> list[Row]:
    return sorted(rows, key=lambda row: (row._key[0] is None, row._key[0] or 0))


def _cell_name(row: Any, column: str) -> str | None:
    row_value = getattr(row, column)
    if row_value is not None:
        return str(row_value._key[0])
    unknown = row._unknown
    return None if isinstance(unknown, frozenset) else unknown.get(column)


def _location_text(where: Row | None) -> str | None:
    point = None if where is None else point_of(where)
    return None if point is None else location_text(point)


def _clock_text(minutes: int | None) -> str | None:
    return None if minutes is None else f"{minutes // 60:02}:{minutes % 60:02}"


def _arrival_text(answer: Any) -> str | None:
    """Return the arrival as HH:MM, with `same day` if it is before the next midnight.

    Without these words, a reader would place an arrival earlier than the departure on the next day.
    """
    written = _clock_text(answer.arrive)
    early = answer.arrive is not None and answer.arrive < MINUTES_A_DAY
    return f"{written} {SAME_DAY}" if early else written


def _day_object(day: Any) -> dict[str, Any]:
    values = {
        "day": None if day.day is None else date.fromordinal(day.day).isoformat(),
        "weather": day.weather,
        "temperature": day.temperature,
        "low": day.low,
        "high": day.high,
    }
    return {name: value for name, value in values.items() if value is not None}
