"""Reading of queries and of a plan's texts, as TravelPlanner's public evaluator does it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.families.travelplanner.official.facts import CityTable, Distance, Place

Day: TypeAlias = Mapping[str, Any]
MEALS = ("breakfast", "lunch", "dinner")
FIELDS = ("transportation", "breakfast", "lunch", "dinner", "attraction", "accommodation")
PADDING = "You don't need to fill in the information for this or later days."
FROM_TO = re.compile(r"from\s+(.+?)\s+to\s+([^,]+)(?=[,\s]|$)")
ASKED_BY = {
    "valid_cuisine": "cuisine", "valid_room_rule": "house rule", "valid_transportation": "transportation",
    "valid_room_type": "room type",
}  # fmt: skip
NAME_CITY = re.compile(r"(.*?),\s*([^,]+)(\(\w[\w\s]*\))?$")
MOST_KNOWN = 100_000
"""Largest number of cached texts."""
BEFORE_PAREN = re.compile(r"^(.*?)\([^)]*\)")


@dataclass(frozen=True, slots=True)
class EvaluatorQuery:
    """The evaluator's reading of a query; amounts in dollars.

    Attributes:
        constraints: required value of `house rule`, `cuisine`, `room type` and `transportation`; None for no
            requirement.
    """

    org: str
    dest: str
    days: int
    visiting_city_number: int
    people: int
    budget: float
    constraints: Mapping[str, Any]

    def asks(self, rule: str) -> bool:
        """Return whether a hard rule is asked of plans. The budget always is."""
        return rule == "valid_cost" or bool(self.constraints[ASKED_BY[rule]])

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> EvaluatorQuery:
        """Read a query in the public form."""
        return cls(
            record["org"], record["dest"], record["days"], record["visiting_city_number"],
            record["people_number"], record["budget"], record["local_constraint"],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Result of a rule.

    Attributes:
        holds: True, False, or None if the rule is not asked or the evaluator crashes.
        crashes: whether the evaluator would stop with an exception.
    """

    holds: bool | None
    reason: str = ""
    crashes: bool = False


class EvaluatorCrashError(Exception):
    """The public evaluator would raise an exception."""


# -- how texts are read -----------------------------------------------------------------------------


def empty(value: Any) -> bool:
    """Return whether the evaluator treats the value as empty."""
    return not value or value == "-"


def before_paren(text: str | None) -> str:
    """Return the text before a parenthesis, not stripped: `B (TX)` gives `B `."""
    if text is None:
        raise EvaluatorCrashError("no city is read where one is needed")
    match = BEFORE_PAREN.search(text)
    return match.group(1) if match else text


def from_to(text: str) -> tuple[str | None, str | None]:
    """Return the two cities of `from A to B`."""
    match = FROM_TO.search(text)
    return (match.group(1), match.group(2)) if match else (None, None)


def name_city(text: str) -> tuple[str, str]:
    """Return name and city of `Name, City`, split at the last comma; two dashes if there is none."""
    match = NAME_CITY.search(text)
    if match is None:
        return "-", "-"
    return match.group(1).strip(), before_paren(match.group(2).strip()).strip()


def lookup(rows: CityTable[Place], text: str) -> tuple[Place, ...]:
    """Return the rows of the city whose names contain the name, in the order of the table."""
    matches = rows.cache.get(text)
    if matches is None:
        name, city = name_city(text)
        matches = tuple([row for row in rows.by_city.get(city, ()) if name in row.name])
        if len(rows.cache) >= MOST_KNOWN:
            rows.cache.clear()
        rows.cache[text] = matches
    return matches


def text_of(day: Day, name: str) -> str:
    """Return the text of a required field."""
    if name not in day:
        raise EvaluatorCrashError(f"`{name}` is missing")
    value = day[name]
    if value is not None and not isinstance(value, str):
        raise EvaluatorCrashError(f"`{name}` is no text")
    return value or ""


def optional(day: Day, name: str) -> str:
    """Return the text of an optional field."""
    value = day.get(name)
    if value is not None and not isinstance(value, str):
        raise EvaluatorCrashError(f"`{name}` is no text")
    return value or ""


def ends_of(day: Day, ride: str) -> tuple[str | None, str | None]:
    """Return the ends of a ride, from its own text or else from the day's."""
    a, b = from_to(ride)
    return from_to(text_of(day, "current_city")) if a is None or b is None else (a, b)


def flight_number(ride: str) -> str:
    """Return the number of a flight."""
    parts = ride.split("Flight Number: ")
    if len(parts) < 2:
        raise EvaluatorCrashError("`Flight Number: ` is written in another way")
    return parts[1].split(",")[0]


def kilometres(ways: Mapping[tuple[str, str], Distance], origin: str, target: str) -> float | None:
    """Return the distance in km; None if the table has none, or the ride takes a day or more."""
    way = ways.get((origin, target))
    if way is None or way.distance is None or way.duration is None or "day" in way.duration:
        return None
    return float(way.distance.replace("km", "").replace(",", ""))
