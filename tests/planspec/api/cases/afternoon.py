"""A task with two visits, to which tests add cases."""

from __future__ import annotations

from pathlib import Path

import planspec
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.model.task import Task

AFTERNOON = """\
planspec: task/1
id: afternoon
query: The museum and then the park, ninety minutes each, rather early.
types: {Stop: museum | park}
given: {late: false}
plan:
  visits: {stop: key Stop, start: time, end: time}
  lunch: {one: true, at: time, cost: money}
  notes: {text: text}
currency: EUR
scope:
  visits: [{for: s in Stop, stop: s, start: 14:00..18:00 step 15min, end: 14:00..18:00 step 15min}]
  lunch: {at: 12:00, cost: 0 EUR..20 EUR}
constraints:
  length:
    for: s in Stop
    hard: visits[s].end - visits[s].start == 90min
  order:
    hard: visits[museum].end <= visits[park].start
  purse:
    hard: lunch.cost <= 10 EUR
  hungry:
    when: late
    hard: lunch.at > 13:00
  early:
    soft: all(v.end < 17:30 for v in visits)
reference:
  visits:
    - {stop: museum, start: 14:00, end: 15:30}
    - {stop: park, start: 15:30, end: 17:00}
  lunch: {at: 12:00, cost: 9 EUR}
  notes: []
"""


def text_with_cases(*cases: str, text: str = AFTERNOON) -> str:
    """Return the text of the task with the given cases, one per line."""
    return text + "cases:\n" + "".join(f"  {case}\n" for case in cases)


def task(*cases: str, text: str = AFTERNOON) -> Task:
    """Load the task with the given cases."""
    return planspec.loads(text_with_cases(*cases, text=text))


def diagnostics_of(folder: Path, *cases: str, text: str = AFTERNOON) -> list[Diagnostic]:
    """Return the diagnostics of the task with the given cases."""
    path = folder / "afternoon.task.yaml"
    path.write_text(text_with_cases(*cases, text=text), "utf-8")
    return list(planspec.check(path))
