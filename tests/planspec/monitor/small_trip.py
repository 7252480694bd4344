"""A small trip whose rules concurrent writers easily violate, and an independent check of its plans."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task

TEXT = """\
planspec: task/1
id: weekend
query: four days between two towns, and not too dear
currency: EUR
types: {Mode: car | train | bus, Meal: lunch | dinner}
tables:
  City: {columns: {}, rows: [{id: Rome}, {id: Oslo}]}
  Hotel:
    columns: {city: City, price: money, least: int}
    rows:
      - {id: "Inn, Rome", city: Rome, price: 40 EUR, least: 1}
      - {id: "Château Doré, Rome", city: Rome, price: 70 EUR, least: 3}
      - {id: "Spa, Oslo", city: Oslo, price: 60 EUR, least: 2}
  Cafe:
    columns: {city: City, price: money}
    rows:
      - {id: "The Golden Lion Coffee House, Rome", city: Rome, price: 10 EUR}
      - {id: "The Golden Lion Coffee House, Oslo", city: Oslo, price: 15 EUR}
      - {id: "Bar 1 of the Northern Railway Station, Rome", city: Rome, price: 20 EUR}
      - {id: "Bar 2 of the Northern Railway Station, Rome", city: Rome, price: 25 EUR}
      - {id: "Café Zoé, Oslo", city: Oslo, price: 30 EUR}
      - {id: "Pub, Oslo", city: Oslo, price: 12 EUR}
given: {trip: [2026-07-01, 2026-07-02, 2026-07-03, 2026-07-04], budget: 250 EUR}
plan:
  days: {day: key date, city: City?, mode: Mode?, hotel: Hotel?}
  meals: {day: key date, meal: key Meal, cafe: Cafe?}
define:
  first_day: min(trip)
  last_day: max(trip)
  known: (m for m in Mode)
  beds: sum(d.hotel.price for d in days if d.hotel is not none)
  food: sum(m.cafe.price for m in meals if m.cafe is not none)
constraints:
  cost:
    hard: beds + food <= budget
    message: "{beds} for beds and {food} for food are more than {budget}"
  new_cafes:
    hard: all_different(m.cafe for m in meals if m.cafe is not none)
    message: "a café is chosen twice"
  modes:
    hard: all(d.mode != car for d in days if d.mode is not none) or all(d.mode == car for d in days if d.mode is not none)
  nearby:
    hard: >-
      all(d.hotel.city == d.city for d in days if d.hotel is not none)
      and all(m.cafe.city == days[m.day].city for m in meals if m.cafe is not none)
  long-enough:
    hard: >-
      all(any(e.hotel == d.hotel for e in days if e.day == d.day + k)
          for d in days
          if d.hotel is not none and not any(e.hotel is not none and e.hotel == d.hotel for e in days if e.day == d.day - 1)
          for k in 1..3 if k < d.hotel.least)
  a_bed:
    hard: all(d.hotel is not none for d in days if d.day != last_day)
  there:
    hard: all(any(d.day == t for d in days) for t in trip)
  oslo_seen:
    hard: any(d.city == Oslo for d in days)
scope:
  days:
    - for: t in trip
      day: t
      city: City
      mode: Mode
      hotel: Hotel?
  meals:
    - for: t in trip for m in Meal
      day: t
      meal: m
      cafe: Cafe
      optional: true
"""

DAYS = [f"2026-07-0{n}" for n in range(1, 5)]
PRICES = {
    "Inn, Rome": 40,
    "Château Doré, Rome": 70,
    "Spa, Oslo": 60,
    "The Golden Lion Coffee House, Rome": 10,
    "The Golden Lion Coffee House, Oslo": 15,
    "Bar 1 of the Northern Railway Station, Rome": 20,
    "Bar 2 of the Northern Railway Station, Rome": 25,
    "Café Zoé, Oslo": 30,
    "Pub, Oslo": 12,
}
HOTELS, CAFES = list(PRICES)[:3], list(PRICES)[3:]


def small_trip() -> Task:
    return task_from_text(TEXT)


def random_action(random: Random) -> dict[str, Any]:
    """Draw an action: one to three rows, or cells of rows, with names in various spellings.

    About half of the actions violate a rule.
    """
    action: dict[str, Any] = {}
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.5:
            cells: dict[str, Any] = {"day": random.choice(DAYS)}
            for name, options in (
                ("city", ["Rome", "oslo"]),
                ("mode", ["car", "train", "bus"]),
                ("hotel", HOTELS),
            ):
                if random.random() < 0.4:
                    cells[name] = random.choice(options)
            action.setdefault("days", []).append(cells)
        else:
            cafe = random.choice(CAFES)
            written = random.choice((cafe, cafe.upper(), cafe.replace("é", "e")))
            meal = random.choice(("lunch", "dinner"))
            action.setdefault("meals", []).append({"day": random.choice(DAYS), "meal": meal, "cafe": written})
    return action


def violations_in(tables: Mapping[str, Any]) -> list[str]:
    """Return the violations of an unfinished plan that no further row can repair, found by hand-written checks."""
    days, meals = tables["days"], tables["meals"]
    faults = []
    cafes = [m["cafe"] for m in meals if m["cafe"]]
    spent = sum(PRICES[name] for name in (*cafes, *(d["hotel"] for d in days if d["hotel"])))
    if spent > 250:
        faults.append(f"{spent} EUR are spent")
    if len(set(cafes)) < len(cafes):
        faults.append("a café stands twice")
    modes = {d["mode"] for d in days if d["mode"]}
    if "car" in modes and len(modes) > 1:
        faults.append("a car and others")
    by_day = {d["day"]: d for d in days}
    if len(by_day) < len(days) or len({(m["day"], m["meal"]) for m in meals}) < len(meals):
        faults.append("a key stands twice")
    faults += [
        f"the hotel of {d['day']} is elsewhere"
        for d in days
        if d["hotel"] and d["city"] and d["hotel"].rpartition(", ")[2] != d["city"]
    ]
    for m in meals:
        city = by_day.get(m["day"], {}).get("city")
        if m["cafe"] and city and m["cafe"].rpartition(", ")[2] != city:
            faults.append(f"the café of {m['day']} is elsewhere")
    return faults
