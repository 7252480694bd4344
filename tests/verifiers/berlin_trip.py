"""A small task with WorldTravel's tables, two days in Berlin, and helpers for its answers and plans."""

from __future__ import annotations

from typing import Any

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.plan_rows import Plan

TEXT = """\
planspec: task/1
id: berlin
family: worldtravel
query: Two days in Berlin
currency: EUR
types: {Kind: attraction | restaurant, Mode: foot | driving | bus | taxi}
tables:
  Place:
    columns: {kind: Kind}
    rows:
      - {id: pergamon, name: Pergamonmuseum, kind: attraction}
      - {id: rutz, name: Rutz, kind: restaurant}
      - {id: cafe, name: Café Einstein, kind: restaurant}
      - {id: adlon-kitchen, name: Adlon, kind: restaurant}
      - {id: dom, kind: attraction}
      - {id: far, name: Far Away, kind: attraction}
  Hotel:
    columns: {area: text}
    rows:
      - {id: adlon, name: Adlon, area: Mitte}
      - {id: hotel-1, name: Grand Hotel Berlin 1, area: Mitte}
      - {id: hotel-2, name: Grand Hotel Berlin 2, area: Mitte}
  Spot:
    columns: {place: Place?, hotel: Hotel?}
    rows:
      - {id: s1, place: pergamon}
      - {id: s2, place: rutz}
      - {id: s3, place: cafe}
      - {id: s4, place: adlon-kitchen}
      - {id: s5, place: dom}
      - {id: s6, hotel: adlon}
      - {id: s7, hotel: hotel-1}
      - {id: s8, hotel: hotel-2}
given:
  trip: [2026-07-01, 2026-07-02]
plan:
  visits: {place: key Place, day: key date, session: key int = 1, start: time, end: time, cost: money}
  moves:
    to: key Spot
    day: key date
    session: key int = 1
    origin: Spot
    mode: Mode
    depart: time
    arrive: time
    cost: money
  lodging: {one: true, hotel: Hotel, cost: money}
"""
FIRST = 739798
"""The first day of the trip, 2026-07-01."""


def berlin_task() -> Task:
    """Return the task of the trip."""
    return task_from_text(TEXT)


def entry(
    item: str, time: str, to: str, cost: Any = 0, *, origin: str | None = None, by: str = "none"
) -> dict[str, Any]:
    """Return an item of an itinerary. Without an origin it starts and ends at `to`."""
    return {
        "item": item,
        "time": time,
        "departure": origin or to,
        "destination": to,
        "cost": cost,
        "transportation": by,
        "referenceImage": "x.png",
    }


def itinerary(*days: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an itinerary of these days, from 1 July on."""
    return {"itinerary": [{"date": f"7.{i + 1}", "schedule": day} for i, day in enumerate(days)]}


def plain_rows(plan: Plan, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table. A referenced row is replaced by its id."""
    names = plan.tables[table][0]._table.columns if plan.tables[table] else ()
    return [{name: _plain_value(getattr(row, name)) for name in names} for row in plan.tables[table]]


def _plain_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain_value, value))
    if isinstance(value, Row):
        return _plain_value(value._key[0]) if value._key else value._index
    return value


def plan_of(task: Task, **tables: list[dict[str, Any]]) -> Plan:
    """Return a plan with these rows. Ids stand for referenced rows."""
    plan: dict[str, tuple[Row, ...]] = {}
    for table in task.plan_tables:
        rows = []
        for i, values in enumerate(tables.get(table.name, [])):
            cells = {}
            for name, value in values.items():
                target = task.facts.get(str(table.columns[name].type))
                cells[name] = target.by_key[(value,)] if target and value is not None else value
            rows.append(make_row(table, cells, i))
        plan[table.name] = tuple(rows)
    return Plan(plan)
