"""Helpers that check expressions within a small task."""

from __future__ import annotations

from textwrap import indent

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task

HEAD = """\
planspec: task/1
id: small
query: a trial
currency: EUR
types:
  Mode: foot | bus | taxi
  Craft: bus | ship
tables:
  Place:
    columns: {name: text?, stars: int?, price: money?, open: bool, tags: set of text, kind: Mode?, best: time?}
    rows:
      - {id: museum, name: Old Museum, stars: 5, price: 12.50 EUR, open: true, tags: [art, old]}
      - {id: park, open: true, tags: {}, price: 0}
      - {id: days, open: false, tags: [x]}
      - {id: St. Petersburg, open: true, tags: []}
  Slot:
    columns: {place: key Place, at: key time, left: int, share: decimal}
    rows:
      - {place: museum, at: 09:00, left: 2, share: 0.25}
  Wish:
    columns: {place: key Place, least: duration}
    rows:
      - {place: park, least: 1h}
  Bag:
    columns: {n: int, ways: set of Mode}
    rows:
      - {n: 4, ways: [bus]}
given:
  trip: [2026-07-01, 2026-07-02]
  days: 3
  budget: 90 EUR
  word: some text
plan:
  visits: {place: key Place, day: key date, start: time, end: time, cost: money?, mode: Mode?, fun: bool}
  notes: {what: text}
  lodging: {one: true, hotel: Place?, nights: int}
"""


def task_with(define: str = "", sections: str = "") -> Task:
    """Return the small task, extended by definitions and further sections."""
    section = f"define:\n{indent(define.strip(), '  ')}\n" if define else ""
    return task_from_text(f"{HEAD}{section}{sections}")


def checked_tree(expression: str, define: str = "") -> t.Expr:
    """Return the checked tree of an expression in the small task."""
    return task_with(f"{define}\nwanted: >-\n  {expression}\n").definitions["wanted"].body


def error_codes_of(expression: str, define: str = "", *, warnings: bool = False) -> list[tuple[str, str]]:
    """Return code and underlined text of each error of an expression, optionally also of warnings."""
    try:
        task_with(f"{define}\nwanted: >-\n  {expression}\n")
    except DiagnosticError as error:
        return [(d.code, d.span.text) for d in error.diagnostics if warnings or d.severity.value == "error"]
    return []


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    """Return the errors in the text of a task."""
    try:
        task_from_text(text)
    except DiagnosticError as error:
        return tuple(d for d in error.diagnostics if d.severity.value == "error")
    return ()
