"""Diagnosis of the quirk in a text that both profiles read, each in its way."""

from __future__ import annotations

import re
from typing import Any

from planspec.families.travelplanner.official.draft import DayItem, ReadDay, text
from planspec.families.travelplanner.official.facts import ReferenceTables
from planspec.families.travelplanner.official.query import name
from planspec.families.travelplanner.official.reading import (
    EvaluatorCrashError,
    flight_number,
    from_to,
    lookup,
)

_FROM = re.compile(r"\bfrom\b", re.IGNORECASE)


def place_quirk(facts: ReferenceTables, table: str, cell: DayItem, *, alone: bool = False) -> str:
    """The quirk of a text that names a place.

    Args:
        facts: the evaluator's tables.
        table: the one in which it is looked up.
        cell: the text, and what the strict profile takes it for.
        alone: the rule asks for exactly one match.
    """
    found = lookup(getattr(facts, table), cell.said)
    if not found:
        return _missing(facts, table, cell)
    if not cell.known:
        return "first-match"
    if alone and len(found) > 1:
        return "several-matches"
    same = cell.row is not None and " ".join(found[0].name.split()) == bare(cell.row)
    return "raw-texts" if same else "first-match"


def _missing(facts: ReferenceTables, table: str, cell: DayItem) -> str:
    if table == "accommodations" and cell.row is not None:
        listed = facts.accommodations.by_city.get(name(cell.row.city), ())
        if not any(" ".join(row.name.split()) == bare(cell.row) for row in listed):
            return "no-house-rules"
    if cell.row is None:
        return "raw-texts"
    return text_quirk(cell.said.rpartition(",")[2])


def bare(row: Any) -> str:
    """A place's name without its city, which its key ends with."""
    return name(row).removesuffix(f", {name(row.city)}")


def text_quirk(said: str) -> str:
    """The quirk of a text that has a city in it."""
    if ";" in said:
        return "after-semicolon"
    if "(" in said:
        return "before-parenthesis"
    if _FROM.search(said) and "from" not in said:
        return "letter-case"
    return "exact-names"


def where_quirk(day: ReadDay) -> str:
    """The quirk of the text that says where a day is spent."""
    said = text(day.texts, "current_city")
    if "current_city" not in day.texts or ("from" in said and None in from_to(said)):
        return "stops"
    quirk = text_quirk(said)
    lost = day.row is not None and {"from", "city"} & set(day.row._unknown)
    return "unknown-city" if lost and quirk == "exact-names" else quirk


def ride_quirk(facts: ReferenceTables, day: ReadDay) -> str:
    """The quirk of the text that says how a day's way is made."""
    said = text(day.texts, "transportation")
    row = day.row
    if "transportation" not in day.texts:
        return "stops"
    if row is None or row.mode is None:
        return "exact-names"
    lower = said.lower()
    if "flight number" in lower:
        try:
            number = flight_number(said)
        except EvaluatorCrashError:
            return "stops"
        if from_to(said) == (None, None) and None in from_to(text(day.texts, "current_city")):
            return "stops"
        if facts.flights.get(number) and (row.flight is None or row.mode != "flight"):
            return "flight-by-number"
        if row.mode == "flight" and row.flight is not None and facts.flights.get(number):
            return text_quirk(said) if {"origin", "to"} & set(row._unknown) else "flight-by-number"
    if row.mode == "other" or (row.mode == "flight" and "flight number" not in lower):
        return "unknown-vehicle"
    words = [word for word in ("flight number", "self-driving", "taxi") if word in lower]
    if len(words) > 1:
        return "one-vehicle"
    if not words:
        return "unknown-vehicle"
    written = any(word in said for word in ("Flight Number: ", "Self-driving", "Taxi"))
    return text_quirk(said) if written else "letter-case"
