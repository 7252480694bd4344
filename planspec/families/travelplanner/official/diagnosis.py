"""Diagnosis of the quirk that makes the two profiles read a string differently."""

from __future__ import annotations

import re
from typing import Any

from planspec.families.travelplanner.official.draft import DayItem, ReadDay, field_text
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.query import name_of
from planspec.families.travelplanner.official.reading import (
    EvaluatorCrashError,
    flight_number,
    matching_places,
    travel_ends,
)

_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)


def place_quirk(facts: ReferenceTables, table: str, item: DayItem, *, needs_single_match: bool = False) -> str:
    """Return the id of the quirk that makes the evaluator and the strict profile read a place's name differently.

    Args:
        facts: the evaluator's tables.
        table: name of the table in which the text is looked up.
        item: the text of the answer, and the row that it names in the strict profile.
        needs_single_match: whether the evaluator applies the rule only if exactly one place matches the text.
    """
    matches = matching_places(getattr(facts, table), item.text)
    if not matches:
        return _unmatched_place_quirk(facts, table, item)
    if not item.is_known:
        return "first-match"
    if needs_single_match and len(matches) > 1:
        return "several-matches"
    is_same = item.row is not None and " ".join(matches[0].name.split()) == name_without_city(item.row)
    return "raw-texts" if is_same else "first-match"


def _unmatched_place_quirk(facts: ReferenceTables, table: str, item: DayItem) -> str:
    if table == "accommodations" and item.row is not None:
        listed = facts.accommodations.by_city.get(name_of(item.row.city), ())
        if not any(" ".join(row.name.split()) == name_without_city(item.row) for row in listed):
            return "no-house-rules"
    if item.row is None:
        return "raw-texts"
    return text_quirk(item.text.rpartition(",")[2])


def name_without_city(row: Any) -> str:
    """Return a place's name without its city: `Zoo` for the key `Zoo, Austin`."""
    return name_of(row).removesuffix(f", {name_of(row.city)}")


def text_quirk(value: str) -> str:
    """Return the id of the quirk that makes the evaluator and the strict profile read a string differently.

    The string contains the name of a city.
    """
    if ";" in value:
        return "after-semicolon"
    if "(" in value:
        return "before-parenthesis"
    if _FROM.search(value) and "from" not in value:
        return "letter-case"
    return "exact-names"


def current_city_quirk(day: ReadDay) -> str:
    """Return the id of the quirk, such as `letter-case`, that makes the profiles read `current_city` differently."""
    value = field_text(day.texts, "current_city")
    if "current_city" not in day.texts or ("from" in value and None in travel_ends(value)):
        return "stops"
    quirk = text_quirk(value)
    is_unknown = day.row is not None and {"from", "city"} & set(day.row._unknown)
    return "unknown-city" if is_unknown and quirk == "exact-names" else quirk


def ride_quirk(facts: ReferenceTables, day: ReadDay) -> str:
    """Return the id of the quirk, such as `one-vehicle`, that makes the profiles read `transportation` differently."""
    value = field_text(day.texts, "transportation")
    row = day.row
    if "transportation" not in day.texts:
        return "stops"
    if row is None or row.mode is None:
        return "exact-names"
    lower = value.lower()
    if "flight number" in lower:
        try:
            number = flight_number(value)
        except EvaluatorCrashError:
            return "stops"
        if travel_ends(value) == (None, None) and None in travel_ends(field_text(day.texts, "current_city")):
            return "stops"
        if facts.flights.get(number) and (row.flight is None or row.mode != "flight"):
            return "flight-by-number"
        if row.mode == "flight" and row.flight is not None and facts.flights.get(number):
            return text_quirk(value) if {"origin", "to"} & set(row._unknown) else "flight-by-number"
    if row.mode == "other" or (row.mode == "flight" and "flight number" not in lower):
        return "unknown-vehicle"
    words = [word for word in ("flight number", "self-driving", "taxi") if word in lower]
    if len(words) > 1:
        return "one-vehicle"
    if not words:
        return "unknown-vehicle"
    has_exact_word = any(word in value for word in ("Flight Number: ", "Self-driving", "Taxi"))
    return text_quirk(value) if has_exact_word else "letter-case"
