"""TravelPlanner's queries -> tasks in the language."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

ROOMS = {
    "entire room": "entire_room", "private room": "a_private_room", "shared room": "a_shared_room",
    "not shared room": "not_shared_room",
}  # fmt: skip
RULES = {
    "smoking": "smoking", "parties": "parties", "children under 10": "children", "visitors": "visitors",
    "pets": "pets",
}  # fmt: skip
MODES = {"no flight": "flight", "no self-driving": "self_driving"}
SIGHTS = 3
"""How many attractions a day the search may use."""


def _literal(value: Any) -> Any:
    """Lists and mappings that a public CSV has as the text of Python's own."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def _blank(value: Any) -> Any:
    """Nothing asked."""
    return None if value in ("", "-", []) else value


def _several(value: Any) -> Any:
    value = _literal(value)
    return [value] if isinstance(value, str) and value != "-" else _blank(value)


class LocalConstraint(BaseModel):
    """What a query asks for besides the budget; None where it does not ask."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    rule: Annotated[str | None, BeforeValidator(_blank)] = Field(default=None, alias="house rule")
    cuisine: Annotated[list[str] | None, BeforeValidator(_several)] = None
    room: Annotated[str | None, BeforeValidator(_blank)] = Field(default=None, alias="room type")
    transportation: Annotated[str | None, BeforeValidator(_blank)] = None


class Query(BaseModel):
    """A query in the public form; fields that are not listed are allowed and not read."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: int | str | None = None
    idx: int | str | None = None
    org: str
    dest: str
    days: int = Field(ge=1, le=31)
    visiting_city_number: int = Field(ge=1)
    date: Annotated[list[date], BeforeValidator(_literal)]
    people_number: int = Field(ge=1)
    local_constraint: Annotated[LocalConstraint, BeforeValidator(_literal)] = LocalConstraint()
    budget: Annotated[float | None, BeforeValidator(_blank)] = Field(default=None, ge=0)
    query: str
    level: Literal["easy", "medium", "hard"] | None = None

    @property
    def name(self) -> str:
        """The id of its task."""
        return str(self.id if self.id is not None else self.idx)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that is no query for these tables, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Places:
    """What the tables have, by which a query is checked."""

    cities: Collection[str]
    states: Collection[str]
    cuisines: Collection[str]


def read_queries(path: Path, places: Places, taken: set[str]) -> Iterator[Query | LeftOut]:
    """The queries of a file of JSON lines, each checked against the tables.

    Args:
        path: the file.
        places: what the tables have.
        taken: ids that are in use; those of the queries are added.
    """
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        query: Query | None = None
        try:
            query = Query.model_validate(json.loads(line))
            reason = _unfit(query, places, taken)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            reason = f"{place + ': ' if place else ''}{first['msg']}"
        except (ValueError, RecursionError) as error:
            reason = f"no JSON: {error}"
        if reason or query is None:
            yield LeftOut(path.name, number, reason)
        else:
            taken.add(query.name)
            yield query


def _unfit(query: Query, places: Places, taken: set[str]) -> str:
    """Why a query cannot be a task; empty if it can."""
    asked = query.local_constraint
    if query.id is None and query.idx is None:
        return "it has neither `id` nor `idx`"
    if (
        not query.name.isascii()
        or not query.name.replace("-", "a").replace("_", "a").replace(".", "a").isalnum()
    ):
        return f"its id `{query.name[:40]}` is more than letters, digits, `-`, `_` and `.`"
    if query.name in taken:
        return f"there is a query `{query.name}` already"
    if len(query.date) != query.days:
        return f"date: {len(query.date)} dates for {query.days} days"
    if any((b - a).days != 1 for a, b in zip(query.date, query.date[1:], strict=False)):
        return "date: the dates do not follow each other"
    if query.org not in places.cities:
        return f"org: no city `{query.org}` in the tables"
    if query.dest not in places.states and query.dest not in places.cities:
        return f"dest: neither a state nor a city `{query.dest}` in the tables"
    for what, said, known in (
        ("house rule", asked.rule, RULES), ("room type", asked.room, ROOMS),
        ("transportation", asked.transportation, MODES),
        *(("cuisine", cuisine, places.cuisines) for cuisine in asked.cuisine or ()),
    ):  # fmt: skip
        if said is not None and said not in known:
            return f"local_constraint.{what}: `{said}` is not one of {', '.join(sorted(known)[:20])}"
    return ""


def goes_to_city(query: Query, places: Places) -> bool:
    """The destination is a city: that of a one-city trip, or what no state is called."""
    one = query.visiting_city_number == 1 and query.dest in places.cities
    return one or query.dest not in places.states


def task_text(query: Query, places: Places, base: str, world: str) -> str:
    """The task of a query.

    Args:
        query: a query that fits the tables.
        places: what the tables have.
        base: the SQLite file of the flights, as the task names it.
        world: the world's id.
    """
    asked = query.local_constraint
    city = goes_to_city(query, places)
    days = [day.isoformat() for day in query.date]
    given = {
        "org": quoted(query.org), "town" if city else "dest": quoted(query.dest), "trip": f"[{', '.join(days)}]",
        "cities": query.visiting_city_number, "party": query.people_number,
    }  # fmt: skip
    if query.budget is not None:
        given["budget"] = f"{query.budget:g} USD"
    if asked.rule is not None:
        given["rule"] = RULES[asked.rule]
    if asked.cuisine:
        given["tastes"] = f"[{', '.join(map(quoted, asked.cuisine))}]"
    if asked.room is not None:
        given["room"] = ROOMS[asked.room]
    if asked.transportation is not None:
        given["without"] = f"[{MODES[asked.transportation]}]"
    lines = [
        "planspec: task/1", f"id: {quoted(query.name)}", f"title: {quoted(_title(query))}", f"world: {world}",
        "uses: [travelplanner]", f"query: {quoted(query.query)}", "given:",
        *(f"  {name}: {value}" for name, value in given.items()), *_flights(query, base, city=city), SCOPE.rstrip(),
    ]  # fmt: skip
    if query.level is not None:
        lines.append(f"meta: {{level: {query.level}}}")
    return "\n".join(lines) + "\n"


def _title(query: Query) -> str:
    return f"{query.days} days from {query.org} to {query.dest}"


def _flights(query: Query, base: str, *, city: bool) -> list[str]:
    """The flights of the trip's days among its cities: of millions these alone are loaded."""
    reach = f"select {sql(query.dest)}" if city else f"select id from City where state = {sql(query.dest)}"  # noqa: S608
    reach += f" union select {sql(query.org)}"
    days = ", ".join(sql(day.isoformat()) for day in query.date)
    select = (
        'select number as id, origin, "to", day, depart, arrive, price from Flight '  # noqa: S608
        f'where origin in ({reach}) and "to" in ({reach}) and day in ({days}) and again = 0'
    )
    return ["tables:", "  Flight:", "    sqlite:", f"      file: {base}", f"      query: {quoted(select)}"]


def sql(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(text: str) -> str:
    """A text as YAML: JSON's texts are texts of YAML, too."""
    return json.dumps(text, ensure_ascii=False)


SCOPE = f"""\
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
    - day: last_day
      from: there
      city: org
      mode: known
      origin: there
      to: org
      flight: (f for f in flights(last_day, there, {{org}}))?
      hotel: none
  meals:
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
