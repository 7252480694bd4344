"""Conversion of TravelPlanner's queries into texts of tasks."""

from __future__ import annotations

from collections.abc import Mapping

from planspec.families.travelplanner.importing.queries import MODES, ROOMS, RULES, KnownPlaces, PublicQuery
from planspec.suite_writing.writing import mapping_lines, sql_literal, yaml_scalar

SIGHTS = 3
"""Maximum number of attractions per day in the scope of a search."""


def givens_of(query: PublicQuery, places: KnownPlaces) -> dict[str, str]:
    """Return the givens (named inputs) of a query's task as YAML strings, by name. Absent wishes are left out."""
    constraint = query.local_constraint
    givens = {
        "org": yaml_scalar(query.org),
        "town" if query.goes_to_city(places) else "dest": yaml_scalar(query.dest),
        "trip": f"[{', '.join(day.isoformat() for day in query.date)}]",
        "cities": str(query.visiting_city_number),
        "party": str(query.people_number),
    }
    if query.blind:
        del givens["party"]
    if query.budget is not None:
        givens["budget"] = f"{query.budget:.2f}".removesuffix(".00") + " USD"
    if constraint.rule is not None:
        givens["rule"] = RULES[constraint.rule]
    if constraint.cuisine:
        givens["tastes"] = f"[{', '.join(map(yaml_scalar, constraint.cuisine))}]"
    if constraint.room is not None:
        givens["room"] = ROOMS[constraint.room]
    if constraint.transportation is not None:
        givens["without"] = f"[{MODES[constraint.transportation]}]"
    return givens


def task_text(query: PublicQuery, places: KnownPlaces, base: str, world: str) -> str:
    """Return the text of the task for a query.

    Args:
        query: a query that fits the tables.
        places: places in the tables.
        base: SQLite file of the flights, relative to the task.
        world: world file, relative to the task.
    """
    lines = head_lines(query.name, query, world)
    lines += [f"query: {yaml_scalar(query.query)}", *mapping_lines("given", givens_of(query, places))]
    lines += [
        *flight_lines(query, places, base),
        scope_text(query),
        *meta_lines({"level": query.level, "judged": "commonsense" if query.blind else None}),
    ]
    return "\n".join(lines) + "\n"


def head_lines(name: str, query: PublicQuery, world: str) -> list[str]:
    """Return the first lines of a task's YAML: version, id, title, world and library."""
    title = f"{query.days} days from {query.org} to {query.dest}"
    return [
        "planspec: task/1",
        f"id: {yaml_scalar(name)}",
        f"title: {yaml_scalar(title)}",
        f"world: {world}",
        "uses: [travelplanner]",
    ]


def meta_lines(values: Mapping[str, str | None]) -> list[str]:
    """Return a list with the task's `meta` line, which holds labels for grouping results; empty without labels."""
    labels = ", ".join(f"{name}: {value}" for name, value in values.items() if value is not None)
    return [f"meta: {{{labels}}}"] if labels else []


def flight_lines(query: PublicQuery, places: KnownPlaces, base: str) -> list[str]:
    """Return the lines of the table `Flight`, restricted to the trip's days and cities.

    The database has millions of other flights.
    """
    reach = (
        f"select {sql_literal(query.dest)}"
        if query.goes_to_city(places)
        else f"select id from City where state = {sql_literal(query.dest)}"  # noqa: S608
    )
    reach += f" union select {sql_literal(query.org)}"
    days = ", ".join(sql_literal(day.isoformat()) for day in query.date)
    select = (
        'select number as id, origin, "to", day, depart, arrive, price from Flight '  # noqa: S608
        f'where origin in ({reach}) and "to" in ({reach}) and day in ({days}) and again = 0'
    )
    return [
        "tables:",
        "  Flight:",
        "    sqlite:",
        f"      file: {base}",
        f"      query: {yaml_scalar(select)}",
    ]


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


def scope_text(query: PublicQuery) -> str:
    """Return the task's scope, which is the set of plans that a solver searches.

    Each day has a row. The first day starts at home and the last day ends there. A trip of one day has only the first
    row. It never returns home, so it cannot satisfy the constraints, which require a return.
    """
    return _SCOPE.replace("{last}", _LAST if query.days > 1 else "").rstrip()
