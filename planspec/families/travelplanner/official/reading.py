"""Parsers of a plan's strings that reproduce the parsers of TravelPlanner's public evaluator."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.families.travelplanner.official.facts import CityTable, Distance, Place

Day: TypeAlias = Mapping[str, Any]
MEALS = ("breakfast", "lunch", "dinner")
FIELDS = ("transportation", "breakfast", "lunch", "dinner", "attraction", "accommodation")
PADDING = "You don't need to fill in the information for this or later days."
FROM_TO = re.compile(r"from\s+(.+?)\s+to\s+([^,]+)(?=[,\s]|$)")
CONSTRAINT_OF_RULE = {
    "valid_cuisine": "cuisine",
    "valid_room_rule": "house rule",
    "valid_transportation": "transportation",
    "valid_room_type": "room type",
}
NAME_CITY = re.compile(r"(.*?),\s*([^,]+)(\(\w[\w\s]*\))?$")
MOST_KNOWN = 100_000
"""Maximum number of strings in a cache."""
BEFORE_PAREN = re.compile(r"^(.*?)\([^)]*\)")


@dataclass(frozen=True, slots=True)
class EvaluatorQuery:
    """A query in the evaluator's form.

    Attributes:
        org: city of departure.
        dest: city or state of destination.
        days: number of days.
        visiting_city_number: number of cities to visit.
        people: number of travellers.
        budget: budget in dollars.
        constraints: required values of `house rule`, `cuisine`, `room type` and `transportation`, each None if the
            query requires none.
    """

    org: str
    dest: str
    days: int
    visiting_city_number: int
    people: int
    budget: float
    constraints: Mapping[str, Any]

    def applies(self, rule: str) -> bool:
        """Return whether a hard rule applies to plans for the query. The budget rule always applies."""
        return rule == "valid_cost" or bool(self.constraints[CONSTRAINT_OF_RULE[rule]])


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Result of a rule on a plan.

    Attributes:
        holds: whether the plan satisfies the rule; None if the rule does not apply or the evaluator would crash.
        reason: reason for the result, or an empty string.
        crashes: whether the evaluator would stop with an exception.
    """

    holds: bool | None
    reason: str = ""
    crashes: bool = False


Rule: TypeAlias = Callable[[EvaluatorQuery, list[Day]], RuleResult]
"""Function that applies a rule to the requested days of a plan for a query."""


class EvaluatorCrashError(Exception):
    """Error if the public evaluator would stop with an exception on a plan."""


# -- reading of texts ---------------------------------------------------------------------------------


def is_empty(value: Any) -> bool:
    """Return whether the evaluator treats the value as empty."""
    return not value or value == "-"


def cut_parenthesis(text: str | None) -> str:
    """Return the part of a string before its first parenthesis, with trailing blanks: `B (TX)` gives `B `.

    Raises:
        EvaluatorCrashError: the text is None.
    """
    if text is None:
        raise EvaluatorCrashError("no city is read where one is needed")
    match = BEFORE_PAREN.search(text)
    return match.group(1) if match else text


def travel_ends(text: str) -> tuple[str | None, str | None]:
    """Return the cities A and B of a text `from A to B`, or (None, None)."""
    match = FROM_TO.search(text)
    return (match.group(1), match.group(2)) if match else (None, None)


def split_name_and_city(text: str) -> tuple[str, str]:
    """Split a string `Name, City` at its last comma. Return two dashes if it has no comma."""
    match = NAME_CITY.search(text)
    if match is None:
        return "-", "-"
    return match.group(1).strip(), cut_parenthesis(match.group(2).strip()).strip()


def matching_places(rows: CityTable[Place], text: str) -> tuple[Place, ...]:
    """Return the places that a text `Name, City` matches, in the order of the table.

    A place matches if it is in the city and its name contains the text's name.
    """
    matches = rows.cache.get(text)
    if matches is None:
        name, city = split_name_and_city(text)
        matches = tuple([row for row in rows.by_city.get(city, ()) if name in row.name])
        if len(rows.cache) >= MOST_KNOWN:
            rows.cache.clear()
        rows.cache[text] = matches
    return matches


def required_text(day: Day, name: str) -> str:
    """Return the text of a required field of a day.

    Raises:
        EvaluatorCrashError: the field is missing, or its value is not a string.
    """
    if name not in day:
        raise EvaluatorCrashError(f"`{name}` is missing")
    value = day[name]
    if value is not None and not isinstance(value, str):
        raise EvaluatorCrashError(f"`{name}` is no text")
    return value or ""


def optional_text(day: Day, name: str) -> str:
    """Return the string of an optional field of a day. It is empty if the field is missing.

    Raises:
        EvaluatorCrashError: the value is not a string.
    """
    value = day.get(name)
    if value is not None and not isinstance(value, str):
        raise EvaluatorCrashError(f"`{name}` is no text")
    return value or ""


def ride_ends(day: Day, ride: str) -> tuple[str | None, str | None]:
    """Return origin and destination of a ride, each None if unknown.

    They are parsed from the text of the ride or, if it lacks them, from the day's `current_city`.
    """
    a, b = travel_ends(ride)
    return travel_ends(required_text(day, "current_city")) if a is None or b is None else (a, b)


def flight_number(ride: str) -> str:
    """Return the flight number in the text of a ride.

    Raises:
        EvaluatorCrashError: the text does not contain `Flight Number: `.
    """
    parts = ride.split("Flight Number: ")
    if len(parts) < 2:
        raise EvaluatorCrashError("`Flight Number: ` is written in another way")
    return parts[1].split(",")[0]


def distance_km(ways: Mapping[tuple[str, str], Distance], origin: str, target: str) -> float | None:
    """Return the distance between two cities in km.

    Return None if the table lacks the distance, or if the ride takes a day or more.
    """
    way = ways.get((origin, target))
    if way is None or way.distance is None or way.duration is None or "day" in way.duration:
        return None
    return float(way.distance.replace("km", "").replace(",", ""))
