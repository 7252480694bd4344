"""Places that a plan visits, with coordinates from the facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import RowType, ScalarType, Table
from planspec.dsl.model.value_text import show
from planspec.errors import PlanspecError
from planspec.verifiers.meaning.plan_rows import Plan

LATITUDE, LONGITUDE = ("latitude", "lat"), ("longitude", "lon", "lng", "long")


class NoCoordinatesError(PlanspecError, ValueError):
    """No row of the plan refers to facts with a latitude and a longitude."""


def plan_places(
    plan: Plan, currency: str | None, table: str | None = None, beds: str | None = None
) -> list[tuple[str, float, float]]:
    """Return the name, latitude and longitude of each place, in degrees, in the order of first visits.

    A place is a row of facts with columns `lat` and `lon` (or `latitude` and `longitude`, `lng`, `long`), even if the
    table does not declare these columns. The places come from the plan table that refers to the most places, or from
    the first of several. Rows are ordered by day and time.

    Args:
        plan: rows of the plan.
        currency: currency of the task; None without one.
        table: plan table to use; None for the table with the most places.
        beds: plan table of lodgings, each of which counts as visited at the end of its first day. None for no such
            table.

    Raises:
        NoCoordinatesError: no row refers to a place with coordinates.
    """
    largest: dict[tuple[str, str], tuple[str, float, float]] = {}
    for rows in plan.tables.values() if table is None else (plan.tables[table],):
        places: dict[tuple[str, str], tuple[str, float, float]] = {}
        ordered = sorted(rows, key=_time_key)
        if beds is not None:
            ordered = sorted(
                [*ordered, *plan.tables[beds]],
                key=lambda row: _evening_key(row) if row._table.name == beds else _time_key(row),
            )
        for row in ordered:
            for fact in _referenced_facts(row):
                coordinates = _coordinates(fact)
                if coordinates is not None:
                    name = show(fact, fact._table.type, currency)
                    places.setdefault((fact._table.name, name), (name, *coordinates))
                    break
        largest = max(largest, places, key=len)
    if largest:
        return list(largest.values())
    raise NoCoordinatesError("no row of the plan refers to facts with `lat` and `lon`")


def _time_key(row: Row) -> list[tuple[bool, Any]]:
    columns = row._table.columns.values()
    values = [
        getattr(row, c.name)
        for type_ in (ScalarType.MOMENT, ScalarType.DATE, ScalarType.TIME)
        for c in columns
        if c.type is type_
    ]
    return [(value is None, value or 0) for value in values]


def _evening_key(row: Row) -> list[tuple[bool, Any]]:
    """Return a sort key that puts a row at the end of its first day."""
    return [*_time_key(row)[:1], (True, 0)]


def _referenced_facts(row: Row) -> Iterator[Row]:
    for column in row._table.columns.values():
        value = getattr(row, column.name)
        if isinstance(column.type, RowType) and isinstance(value, Row):
            yield value


def _coordinates(row: Row) -> tuple[float, float] | None:
    degrees = []
    for names in (LATITUDE, LONGITUDE):
        cell = next((value for name in names if (value := _cell(row, row._table, name)) is not None), None)
        try:
            degrees.append(float(cell))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return None
    return degrees[0], degrees[1]


def _cell(row: Row, table: Table, name: str) -> Any:
    return getattr(row, name) if name in table.columns else row._extra.get(name)
