"""TravelPlanner's queries -> tasks in the language."""

from __future__ import annotations

from collections.abc import Mapping

from planspec.families.suite_writing.writing import mapping, quoted, sql
from planspec.families.travelplanner.importing.queries import MODES, ROOMS, RULES, KnownPlaces, PublicQuery

SIGHTS = 3
"""The most attractions of a day in a search."""


def givens_of(query: PublicQuery, places: KnownPlaces) -> dict[str, str]:
    """The givens of a query, as YAML by the names of the library's parameters, without the wishes that it lacks."""
    asked = query.local_constraint
    made = {
        "org": quoted(query.org), "town" if query.goes_to_city(places) else "dest": quoted(query.dest),
        "trip": f"[{', '.join(day.isoformat() for day in query.date)}]",
        "cities": str(query.visiting_city_number), "party": str(query.people_number),
    }  # fmt: skip
    if query.blind:
        del made["party"]
    if query.budget is not None:
        made["budget"] = f"{query.budget:.2f}".removesuffix(".00") + " USD"
    if asked.rule is not None:
        made["rule"] = RULES[asked.rule]
    if asked.cuisine:
        made["tastes"] = f"[{', '.join(map(quoted, asked.cuisine))}]"
    if asked.room is not None:
        made["room"] = ROOMS[asked.room]
    if asked.transportation is not None:
        made["without"] = f"[{MODES[asked.transportation]}]"
    return made


def task_text(query: PublicQuery, places: KnownPlaces, base: str, world: str) -> str:
    """The task of a query.

    Args:
        query: a query that fits the tables.
        places: what the tables have.
        base: the SQLite file of the flights, as the task names it.
        world: the world, as the task names it.
    """
    lines = head(query.name, query, world)
    lines += [f"query: {quoted(query.query)}", *mapping("given", givens_of(query, places))]
    lines += [
        *flights(query, places, base),
        scope(query),
        *meta({"level": query.level, "judged": "commonsense" if query.blind else None}),
    ]
    return "\n".join(lines) + "\n"


def head(name: str, query: PublicQuery, world: str) -> list[str]:
    """The first lines of a task."""
    title = f"{query.days} days from {query.org} to {query.dest}"
    return ["planspec: task/1", f"id: {quoted(name)}", f"title: {quoted(title)}", f"world: {world}",
            "uses: [travelplanner]"]  # fmt: skip


def meta(values: Mapping[str, str | None]) -> list[str]:
    """The labels by which results are grouped."""
    said = ", ".join(f"{name}: {value}" for name, value in values.items() if value is not None)
    return [f"meta: {{{said}}}"] if said else []


def flights(query: PublicQuery, places: KnownPlaces, base: str) -> list[str]:
    """The flights of the trip's days among its cities: of millions these alone are loaded."""
    reach = (
        f"select {sql(query.dest)}"
        if query.goes_to_city(places)
        else f"select id from City where state = {sql(query.dest)}"  # noqa: S608
    )
    reach += f" union select {sql(query.org)}"
    days = ", ".join(sql(day.isoformat()) for day in query.date)
    select = (
        'select number as id, origin, "to", day, depart, arrive, price from Flight '  # noqa: S608
        f'where origin in ({reach}) and "to" in ({reach}) and day in ({days}) and again = 0'
    )
    return ["tables:", "  Flight:", "    sqlite:", f"      file: {base}", f"      query: {quoted(select)}"]


_LAST = """\
    - day: last_day
      from: there
      city: org
      mode: known
      origin: there
      to: org
      flight: (f for f in flights(last_day, there, {org}))?
      hotel: none
"""
_SCOPE = f"""\
scope:
  days:
    - day: first_day
      from: org
      city: there
      mode: known
      origin: org
      to: there
      flight: flights(first_day, {{org}}, there)?
      hotel: beds
    - for: d in trip if d != first_day and d != last_day
      day: d
      from: (c for c in there)?
      city: there
      mode: (m for m in known)?
      origin: (c for c in there)?
      to: (c for c in there)?
      flight: (f for f in flights(d, there, there))?
      hotel: beds
{{last}}  meals:
    - for: d in trip for m in Meal
      day: d
      meal: m
      restaurant: (r for r in tables_there)?
  sights:
    - for: d in trip for n in 1..{SIGHTS}
      day: d
      attraction: sights_there
      optional: true
"""


def scope(query: PublicQuery) -> str:
    """The scope of a plan: a row for each day, of which the first and the last have ends of their own.

    A trip of one day has one row: it cannot come home, which the rules say.
    """
    return _SCOPE.replace("{last}", _LAST if query.days > 1 else "").rstrip()
