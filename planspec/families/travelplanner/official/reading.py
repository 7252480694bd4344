"""Reading of queries and of the texts of a plan, as TravelPlanner's public evaluator does it."""

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
"""The most texts that are cached with their meanings."""
BEFORE_PAREN = re.compile(r"^(.*?)\([^)]*\)")


@dataclass(frozen=True, slots=True)
class EvaluatorQuery:
    """The evaluator's reading of a query; amounts in dollars.

    Attributes:
        constraints: the asked value of `house rule`, `cuisine`, `room type` and `transportation`; None if not asked.
    """

    org: str
    dest: str
    days: int
    visiting_city_number: int
    people: int
    budget: float
    constraints: Mapping[str, Any]

    def asks(self, rule: str) -> bool:
        """A hard rule is asked of plans; that of the budget always is."""
        return rule == "valid_cost" or bool(self.constraints[ASKED_BY[rule]])

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> EvaluatorQuery:
        """A query in the public form."""
        return cls(
            record["org"], record["dest"], record["days"], record["visiting_city_number"],
            record["people_number"], record["budget"], record["local_constraint"],
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A rule's result: True, False, None (not asked), or that the evaluator would stop with an exception."""

    holds: bool | None
    reason: str = ""
    crashes: bool = False


class EvaluatorCrashError(Exception):
    """The public evaluator would raise here."""


# -- how texts are read -----------------------------------------------------------------------------


def empty(value: Any) -> bool:
    """The evaluator takes it for nothing said."""
    return not value or value == "-"


def before_paren(text: str | None) -> str:
    """The text before a parenthesis, not stripped: `B (TX)` is `B `."""
    if text is None:
        raise EvaluatorCrashError("no city is read where one is needed")
    found = BEFORE_PAREN.search(text)
    return found.group(1) if found else text


def from_to(text: str) -> tuple[str | None, str | None]:
    """The two cities of `from A to B`."""
    found = FROM_TO.search(text)
    return (found.group(1), found.group(2)) if found else (None, None)


def name_city(text: str) -> tuple[str, str]:
    """Name and city of `Name, City`, split at the last comma; two dashes where there is none."""
    found = NAME_CITY.search(text)
    if found is None:
        return "-", "-"
    return found.group(1).strip(), before_paren(found.group(2).strip()).strip()


def lookup(rows: CityTable[Place], text: str) -> tuple[Place, ...]:
    """Rows of the city whose names contain the name, in the order of the table."""
    found = rows.known.get(text)
    if found is None:
        name, city = name_city(text)
        found = tuple([row for row in rows.by_city.get(city, ()) if name in row.name])
        if len(rows.known) >= MOST_KNOWN:
            rows.known.clear()
        rows.known[text] = found
    return found


def text_of(day: Day, name: str) -> str:
    """A field that must be there and be a text."""
    if name not in day:
        raise EvaluatorCrashError(f"`{name}` is missing")
    value = day[name]
    if value is not None and not isinstance(value, str):
        raise EvaluatorCrashError(f"`{name}` is no text")
    return value or ""


def optional(day: Day, name: str) -> str:
    """A field that may be missing; what is there is a text."""
    value = day.get(name)
    if value is not None and not isinstance(value, str):
        raise EvaluatorCrashError(f"`{name}` is no text")
    return value or ""


def ends_of(day: Day, ride: str) -> tuple[str | None, str | None]:
    """The ends of a ride, by its own text or else by the day's."""
    a, b = from_to(ride)
    return from_to(text_of(day, "current_city")) if a is None or b is None else (a, b)


def flight_number(ride: str) -> str:
    """The number of a flight."""
    parts = ride.split("Flight Number: ")
    if len(parts) < 2:
        raise EvaluatorCrashError("`Flight Number: ` is written in another way")
    return parts[1].split(",")[0]


def kilometres(ways: Mapping[tuple[str, str], Distance], origin: str, target: str) -> float | None:
    """None where the table has no distance, or the way takes a day and more."""
    way = ways.get((origin, target))
    if way is None or way.distance is None or way.duration is None or "day" in way.duration:
        return None
    return float(way.distance.replace("km", "").replace(",", ""))
