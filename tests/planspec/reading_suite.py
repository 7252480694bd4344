"""A suite of trips like those of NATURAL PLAN, with two readings.

In the reading `whole` a stay covers all days of an event, in `some` at least some of its days.
"""

from __future__ import annotations

from pathlib import Path

LIBRARY = """planspec: library/1
id: trip-rules
types: {Reading: whole | some, City: riga | oslo | nice}
tables:
  Stay: {city: key City, days: int}
  Event: {name: key text, city: City, first: int, last: int}
  Flight: {name: key text, origin: City, goal: City}
given: {reading: Reading, length: int}
plan: {stays: {city: key City, first: int, last: int}}
scope: {stays: [{for: s in Stay, city: s.city, first: 1..7, last: 1..7}]}
constraints:
  days:
    for: s in Stay
    hard: stays[s.city].last - stays[s.city].first + 1 == s.days
  begins:
    hard: any(s.first == 1 for s in stays)
  ends:
    hard: all(s.last <= length for s in stays)
  apart:
    hard: all(a.last <= b.first or b.last <= a.first for a in stays for b in stays if a.city != b.city)
  flown:
    hard: >-
      all(s.first == 1 or any(p.last == s.first and any(f.origin == p.city and f.goal == s.city for f in Flight)
      for p in stays) for s in stays)
  event:
    for: e in Event
    hard: >-
      stays[e.city].first <= e.first and stays[e.city].last >= e.last if reading == whole
      else stays[e.city].first <= e.last and stays[e.city].last >= e.first
"""
ONE = """planspec: task/1
id: one
uses: trip-rules
query: Seven days in Riga, Oslo and Nice; a wedding in Oslo between day 3 and day 5.
tables:
  Stay: [{city: riga, days: 3}, {city: oslo, days: 3}, {city: nice, days: 3}]
  Event: [{name: wedding, city: oslo, first: 3, last: 5}]
  Flight:
    - {name: a, origin: riga, goal: oslo}
    - {name: b, origin: oslo, goal: nice}
    - {name: c, origin: oslo, goal: riga}
    - {name: d, origin: riga, goal: nice}
given: {reading: whole, length: 7}
"""
"""Text of a task with one plan in the reading `whole` and two plans in `some`."""
TWO = ONE.replace("id: one", "id: two").replace("    - {name: c, origin: oslo, goal: riga}\n", "")
"""Text of a task with one plan, the same in both readings."""
SUITE = """planspec: suite/1
id: trips
tasks: [one.task.yaml, two.task.yaml]
expects: unique
readings:
  whole: {givens: {reading: whole}}
  some: {givens: {reading: some}, expects: feasible}
"""
FIRST_OSLO = {
    "stays": [
        {"city": "oslo", "first": 1, "last": 3},
        {"city": "riga", "first": 3, "last": 5},
        {"city": "nice", "first": 5, "last": 7},
    ]
}
"""A plan of the task `one` that passes in the reading `some` and fails in `whole`."""
FIRST_RIGA = {
    "stays": [
        {"city": "riga", "first": 1, "last": 3},
        {"city": "oslo", "first": 3, "last": 5},
        {"city": "nice", "first": 5, "last": 7},
    ]
}
"""A plan of both tasks in both readings."""


def write_trips(folder: Path, suite: str = SUITE) -> Path:
    """Write the suite, its tasks and their library to a folder; return the path of the suite."""
    (folder / "trip-rules.yaml").write_text(LIBRARY)
    (folder / "one.task.yaml").write_text(ONE)
    (folder / "two.task.yaml").write_text(TWO)
    path = folder / "trips.suite.yaml"
    path.write_text(suite)
    return path
