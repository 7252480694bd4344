"""A task with three turns, about three days in a town, and answers to it."""

from __future__ import annotations

TALK = """\
planspec: task/1
id: talk
currency: EUR
types: {Day: mon | tue | wed}
tables:
  Place:
    columns: {price: money, closed: Day?}
    rows:
      - {id: zoo, price: 30 EUR, closed: mon}
      - {id: museum, price: 20 EUR}
      - {id: park, price: 5 EUR}
      - {id: tower, price: 40 EUR}
given:
  budget: 100 EUR
plan:
  visits: {day: key Day, place: Place}
define:
  total: sum(v.place.price for v in visits)
scope:
  visits:
    for: d in Day
    day: d
    place: Place
constraints:
  open:
    hard: all(v.place.closed is none or v.place.closed != v.day for v in visits)
  different:
    hard: all_different(v.place for v in visits)
  affordable:
    hard: total <= budget
turns:
  - query: Three days, please.
  - query: Not more than 60 euros, and the zoo.
    given: {budget: 60 EUR}
    constraints:
      wish:
        hard: any(v.place == zoo for v in visits)
  - query: No zoo then, but the tower on Monday.
    given: {budget: 65 EUR}
    drop: [wish]
    constraints:
      first:
        hard: visits[mon].place == tower
"""
"""Text of the task. At turn 2 only zoo, museum and park are possible; at turn 3 only tower, museum and park."""


def visits(mon: str, tue: str, wed: str) -> dict[str, object]:
    """Return an answer with the places visited on the three days."""
    days = {"mon": mon, "tue": tue, "wed": wed}
    return {"visits": [{"day": day, "place": place} for day, place in days.items()]}
