"""Plans prepared for a page. They have a map if the facts include coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import RowType, ScalarType
from planspec.dsl.model.value_text import show
from planspec.report.itinerary import Itinerary
from planspec.report.record import Day, MapPoint, ShownPlan
from planspec.report.schedules import schedules
from planspec.report.texts import line
from planspec.scores.plan_places import NoCoordinatesError, plan_places
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan

NamedPoint = tuple[str, float, float]
_MICRO = 1_000_000


def shown_plan(itinerary: Itinerary, plan: Plan, ground: Ground) -> ShownPlan:
    """Return a plan in three forms: as days with items, as lanes and loads, and as places on a map."""
    lanes, loads = schedules(ground, plan)
    days = itinerary.days(plan)
    way = _places_in_order(itinerary, plan)
    seen = {name for name, _, _ in way}
    others = []
    for table in itinerary.task.plan_tables:
        for place in _places_in_table(plan, itinerary.task.currency, table.name):
            if place[0] not in seen:
                seen.add(place[0])
                others.append(place)
    return ShownPlan(
        days=days, schedules=lanes, loads=loads, way=_map_points(way, days), others=_map_points(others, days)
    )


def _places_in_order(itinerary: Itinerary, plan: Plan) -> list[NamedPoint]:
    currency = itinerary.task.currency
    try:
        return plan_places(plan, currency)
    except NoCoordinatesError:
        return list({place[0]: place for place in _places_on_routes(itinerary, plan)}.values())


def _places_in_table(plan: Plan, currency: str | None, table: str) -> list[NamedPoint]:
    try:
        return plan_places(plan, currency, table)
    except NoCoordinatesError:
        return []


def _places_on_routes(itinerary: Itinerary, plan: Plan) -> Iterator[NamedPoint]:
    """Yield the places to which a plan refers, and the places on its routes.

    Their columns `x` and `y` are longitude and latitude in millionths of a degree.
    """
    for rows in plan.tables.values():
        for row in rows:
            for ref in _referenced_rows(row):
                yield from _place_in_microdegrees(ref, itinerary.task.currency)
                for _, parts in itinerary.parts(ref):
                    for part in parts:
                        for place in _referenced_rows(part):
                            yield from _place_in_microdegrees(place, itinerary.task.currency)


def _referenced_rows(row: Row) -> Iterator[Row]:
    for column in row._table.columns.values():
        value = getattr(row, column.name)
        if isinstance(column.type, RowType) and isinstance(value, Row):
            yield value


def _place_in_microdegrees(row: Row, currency: str | None) -> Iterator[NamedPoint]:
    columns = row._table.columns
    if all(name in columns and columns[name].type is ScalarType.INT for name in ("x", "y")):
        x, y = getattr(row, "x"), getattr(row, "y")  # noqa: B009 columns are attributes that no type knows
        if x is not None and y is not None:
            yield show(row, row._table.type, currency), y / _MICRO, x / _MICRO


def _map_points(places: Sequence[NamedPoint], days: Sequence[Day]) -> tuple[MapPoint, ...]:
    first: dict[str, int] = {}
    for day_index, day in enumerate(days):
        for item in day.items:
            if day.name:
                first.setdefault(item.title, day_index)
                for _, text in item.cells:
                    first.setdefault(text, day_index)
    return tuple(
        MapPoint(name=line(name), lat=round(lat, 6), lon=round(lon, 6), day=first.get(line(name)))
        for name, lat, lon in places
        if isfinite(lat) and isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180
    )
