"""A small task, and helpers that write plans for it and evaluate expressions on them."""

from __future__ import annotations

from textwrap import indent
from typing import Any

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.plan_rows import Plan

HEAD = """\
planspec: task/1
id: small
query: a trial
currency: EUR
types: {Mode: foot | bus | taxi}
tables:
  Place:
    columns:
      name: text?
      stars: int?
      price: money?
      open: bool = false
      tags: set of text = {}
      from: time?
    rows:
      - {id: museum, name: Old Museum, stars: 5, price: 12.50 EUR, open: true, tags: [art, old], from: 09:00}
      - {id: park, price: 0 EUR, open: true, tags: [green]}
      - {id: tower, stars: 3, from: 10:00}
  Slot:
    columns: {place: key Place, at: key time, left: int}
    rows:
      - {place: museum, at: 09:00, left: 2}
      - {place: museum, at: 10:00, left: 0}
      - {place: tower, at: 10:00, left: 4}
  Bag:
    columns: {n: int}
    rows:
      - {n: 4}
      - {n: 4}
given:
  days: [2026-07-01, 2026-07-02]
  via: [tower, museum, park]
  party: 3
plan:
  visits: {place: key Place, start: time, end: time, cost: money?, mode: Mode?, note: text?, day: date?, fun: bool = false}
  extras: {place: Place?, cost: money?}
  lodging: {one: true, hotel: Place?, cost: money?}
"""


def small_task(rest: str = "") -> Task:
    """Return the small task, extended by further sections."""
    return task_from_text(HEAD + rest)


def plan_of(task: Task, **tables: Any) -> Plan:
    """Return a plan with these rows.

    Texts in reference columns are ids of places. The entry `unknown` of a row maps columns to unknown names.
    """
    plan: dict[str, tuple[Row, ...]] = {}
    for table in task.plan_tables:
        rows = []
        for index, values in enumerate(tables.get(table.name, [])):
            unknown = values.get("unknown", frozenset())
            cells = {name: _cell(task, name, value) for name, value in values.items() if name != "unknown"}
            rows.append(make_row(table, cells, index, unknown=unknown))
        plan[table.name] = tuple(rows)
    return Plan(plan)


def _cell(task: Task, column: str, value: Any) -> Any:
    if column in ("place", "hotel") and isinstance(value, str):
        return task.facts["Place"].by_key[(value,)]
    if column in ("start", "end", "day") and isinstance(value, str):
        return minutes(value)
    return value


def minutes(clock: str) -> int:
    """Convert a time such as `14:30` to minutes."""
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def visit(place: str, start: str | None = None, end: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a row of the table `visits`."""
    return {"place": place, "start": start, "end": end, **more}


def evaluate(expression: str, define: str = "", **tables: Any) -> Any:
    """Return the value of an expression on a plan of the small task."""
    task = small_task(f"define:\n{indent(define, '  ')}\n  wanted: >-\n    {expression}\n")
    plan = plan_of(task, **tables)
    return Interpreter(task, plan).defined(task.definitions["wanted"])
