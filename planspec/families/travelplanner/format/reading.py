"""Decoding of TravelPlanner's days into the rows of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model.rows import EMPTY, Row, make_row
from planspec.dsl.model.types import Table
from planspec.families.travelplanner.format.tables import TravelPlannerTables
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer
from planspec.verifiers.answers.tables import clipped_text, json_kind
from planspec.verifiers.meaning.plan_rows import Plan

MEALS = ("breakfast", "lunch", "dinner")
FIELDS = ("current_city", "transportation", *MEALS, "attraction", "accommodation")
COUNTERS = ("days", "day")
"""Keys under which a day may state its number. The day's position in the list takes precedence."""
_KNOWN_KEYS = frozenset({*FIELDS, *COUNTERS})
PADDING = "you don't need to fill in the information for this or later days"
_TRAVEL = re.compile(r"\s*from\s+(.+?)\s+to\s+(.+?)\s*", re.IGNORECASE | re.DOTALL)
_ENDS = re.compile(r"\bfrom\s+([^;]+?)\s+to\s+([^,;]+)", re.IGNORECASE)
_NUMBER = re.compile(r"flight\s+(?:number\s*:?\s*)?([A-Z]*\d\w*)", re.IGNORECASE)
_MODES = {
    "flight": re.compile(r"\bflight|\bfly\b|\bflies\b", re.IGNORECASE),
    "self_driving": re.compile(r"\bself[\s-]*driv", re.IGNORECASE),
    "taxi": re.compile(r"\btaxi", re.IGNORECASE),
}
_COST = re.compile(r"\s*;\s*cost\b.*$", re.IGNORECASE | re.DOTALL)
_SUM = re.compile(r"\s*cost\s*(?::.*|\$?\d.*)", re.IGNORECASE | re.DOTALL)
_BLANK = ("", "-")
CACHE_SIZE = 4_096
"""Maximum number of strings with a cached parse result. Many plans name the same few cities and places."""
MOST_DAYS = 100
MOST_CHARACTERS = 5_000
"""Maximum number of days, and of characters of a string, that are read.

The limits bound the time for judging, which grows faster than linearly.
"""


def read_days(tables: TravelPlannerTables, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    """Return the plan in a list of days, and the findings about its shape."""
    return _DayReader(tables).read(data)


@dataclass(slots=True)
class _DayReader:
    tables: TravelPlannerTables
    findings: FindingLog = field(default_factory=FindingLog)
    days: list[Row] = field(default_factory=list)
    meals: list[Row] = field(default_factory=list)
    sights: list[Row] = field(default_factory=list)

    def read(self, data: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        tables = self.tables
        if isinstance(data, list | tuple):
            if len(data) > MOST_DAYS:
                self._report("too-long", f"the plan has {len(data)} days; the first {MOST_DAYS} are read", "")
            for i, entry in enumerate(data[:MOST_DAYS]):
                self._read_day(i, entry, pointer("", i))
        else:
            self._report("wrong-shape", f"the plan is {json_kind(data)}, not a list of days", "")
        named = ((tables.days, self.days), (tables.meals, self.meals), (tables.sights, self.sights))
        return Plan({table.name: tuple(rows) for table, rows in named}), self.findings.all()

    def _read_day(self, index: int, entry: Any, path: str) -> None:
        if not isinstance(entry, Mapping):
            self._report("wrong-shape", f"a day is {json_kind(entry)}, not an object", path)
            return
        texts = {
            name: "" if (value := entry.get(name)) == "-" else self._field_text(value, name, path) for name in FIELDS
        }
        for name in () if entry.keys() <= _KNOWN_KEYS else [name for name in entry if name not in _KNOWN_KEYS]:
            near = most_similar(str(name)[:40], FIELDS)
            hint = f"; did you mean `{near}`?" if near else ""
            self._note("unknown-column", f"a day has no field `{clipped_text(name)}`{hint}", path)
        if not any(texts.values()) or texts["current_city"].casefold().startswith(PADDING):
            return
        trip = self.tables.trip
        day = trip[index] if index < len(trip) else trip[-1] + index - len(trip) + 1
        missing = next((name for name in FIELDS if name not in entry), None)
        if missing is not None:
            self._note("missing-column", f"the day has no `{missing}`", path)
        counted = entry.get("days", entry.get("day"))
        if isinstance(counted, int) and counted != index + 1:
            self._note(
                "other-day",
                f"day {index + 1} of the list is called {counted}; its place in the list counts",
                path,
            )
        self._add_day_row(day, texts, path)
        for meal in MEALS:
            restaurant = self._find_place("Restaurant", texts[meal], path, meal)
            values = {"day": day, "meal": meal, "restaurant": restaurant}
            _add_row(self.tables.meals, self.meals, values, "restaurant", texts[meal])
        for sight in _split_attractions(texts["attraction"]):
            values = {"day": day, "attraction": self._find_place("Attraction", sight, path, "attraction")}
            _add_row(self.tables.sights, self.sights, values, "attraction", sight)

    def _field_text(self, value: Any, name: str, path: str) -> str:
        """Return the stripped string of a field. It is empty if the value is a dash or not a string."""
        if value is None:
            return ""
        if not isinstance(value, str):
            self._report("wrong-type", f"`{name}` is {json_kind(value)}, not a text", pointer(path, name))
            return ""
        value = value.strip()
        if len(value) > MOST_CHARACTERS:
            message = f"`{name}` has {len(value)} characters; the first {MOST_CHARACTERS} are read"
            self._report("too-long", message, pointer(path, name))
            value = value[:MOST_CHARACTERS]
        return "" if value in _BLANK else value

    # ------------------------------------------------------------------ cities and rides

    def _add_day_row(self, day: int, texts: Mapping[str, str], path: str) -> None:
        unknown: dict[str, str] = {}
        values: dict[str, Any] = {"day": day}
        text = texts["current_city"]
        ends = _travel_ends(text)
        where = f"{path}/current_city"
        if ends is not None:
            values["from"] = self._find_city(ends[0], "from", unknown, where)
            values["city"] = self._find_city(ends[1], "city", unknown, where)
        elif text:
            values["city"] = self._find_city(text, "city", unknown, where)
        self._read_ride(texts["transportation"], values, unknown, f"{path}/transportation")
        values["hotel"] = self._find_place("Hotel", text := texts["accommodation"], path, "accommodation")
        if text and values["hotel"] is None:
            unknown["hotel"] = text
        self.days.append(make_row(self.tables.days, values, len(self.days), unknown=unknown))

    def _read_ride(self, text: str, values: dict[str, Any], unknown: dict[str, str], path: str) -> None:
        if not text:
            return
        ride = _parse_ride(text)
        if len(ride.modes) > 1:
            self._report("two-modes", f"`{clipped_text(text)}` names {' and '.join(ride.modes)}", path, "mode")
        values["mode"] = ride.modes[0] if ride.modes else "other"
        if ride.ends is not None:
            values["origin"] = self._find_city(ride.ends[0], "origin", unknown, path)
            values["to"] = self._find_city(ride.ends[1], "to", unknown, path)
        elif values.get("from") is not None:
            values["origin"], values["to"] = values["from"], values["city"]
        if values["mode"] == "flight":
            flight = self.tables.flights.by_key.get((ride.number,)) if ride.number is not None else None
            values["flight"] = flight
            if flight is None:
                unknown["flight"] = ride.number if ride.number is not None else text
                what_ = f"flight `{ride.number}`" if ride.number is not None else "number of a flight"
                self._report(
                    "unknown-name",
                    f"there is no {what_} on the days and between the cities of the trip",
                    path,
                    "flight",
                )

    def _find_city(self, text: str, column: str, unknown: dict[str, str], path: str) -> Row | None:
        text = text.strip()
        city = self.tables.city(text)
        if city is None:
            unknown[column] = text
            near = self.tables.cities.index.nearest(text)
            hint = f"; did you mean `{near}`?" if near else ""
            self._report("unknown-name", f"no city is called `{clipped_text(text)}`{hint}", path, column)
        return city

    # ------------------------------------------------------------------ places

    def _find_place(self, table: str, text: str, path: str, name: str) -> Row | None:
        """Return the row that a string `Name, City` names; None for an empty string.

        If the name is unknown, report it and return None.
        """
        if not text:
            return None
        places = self.tables.places[table]
        row = places.resolved.get(text) or places.resolve(text, partial(self._look_up_place, table))
        if row is not None:
            return row
        near = places.nearest(text, partial(self._nearest_name, table))
        hint = f"; did you mean `{near}`?" if near else ""
        what_ = table.lower() if "," in text else f"{table.lower()} with its city"
        message = f"no {what_} is called `{clipped_text(text)}`{hint}"
        self._report("unknown-name", message, pointer(path, name), table.lower())
        return None

    def _look_up_place(self, table: str, text: str) -> Row | None:
        for city, name in self._split_names(text):
            rows = self.tables.places[table].find(city, name)
            if len(rows) == 1:
                return rows[0]
        return None

    def _nearest_name(self, table: str, text: str) -> str | None:
        places = self.tables.places[table]
        return next(
            (near for city, name in self._split_names(text) if (near := places.index(city).nearest(name))),
            None,
        )

    def _split_names(self, written_text: str) -> Iterator[tuple[Row, str]]:
        """Yield city and name in a string `Name, City`: as written and, if it ends in a cost, also without the cost."""
        for text in _cost_variants(written_text):
            name, comma, where = text.rpartition(",")
            city = self.tables.city(where.strip()) if comma else None
            if city is not None and name.strip():
                yield city, name.strip()

    # ------------------------------------------------------------------ findings

    def _report(self, kind: str, message: str, path: str, column: str | None = None) -> None:
        self.findings.add(ShapeFinding(kind, message, path, None, column))

    def _note(self, kind: str, message: str, path: str) -> None:
        self.findings.add(ShapeFinding(kind, message, path, fails=False))


def _add_row(table: Table, rows: list[Row], values: Mapping[str, Any], column: str, text: str) -> None:
    """Add a row. If the column has no value, record a non-empty string as an unknown name."""
    unknown = {column: text} if text and values[column] is None else EMPTY
    rows.append(make_row(table, values, len(rows), unknown=unknown))


@dataclass(frozen=True, slots=True)
class _ParsedRide:
    """Parsed text of a ride.

    Attributes:
        modes: modes of transport that the text names.
        ends: origin and destination; None if the text lacks them.
        number: flight number; None if the text has none.
    """

    modes: tuple[str, ...]
    ends: tuple[str, str] | None
    number: str | None


@lru_cache(CACHE_SIZE)
def _parse_ride(text: str) -> _ParsedRide:
    modes = tuple(mode for mode, pattern in _MODES.items() if pattern.search(text))
    ends = _ENDS.search(text)
    number = _NUMBER.search(text) if modes[:1] == ("flight",) else None
    return _ParsedRide(modes, (ends[1], ends[2]) if ends else None, number[1] if number else None)


@lru_cache(CACHE_SIZE)
def _travel_ends(text: str) -> tuple[str, str] | None:
    """Return the cities A and B of a text `from A to B`, or None for other texts."""
    travel = _TRAVEL.fullmatch(text)
    return (travel[1], travel[2]) if travel else None


def _cost_variants(text: str) -> Iterator[str]:
    """Yield the string. If it ends in a cost, also yield it without the cost."""
    yield text
    bare = _COST.sub("", text)
    if bare != text:
        yield bare


@lru_cache(CACHE_SIZE)
def _split_attractions(text: str) -> tuple[str, ...]:
    """Split a day's text into its attractions."""
    parts = (part for part in text.split(";") if not _SUM.fullmatch(part))
    return tuple(part for part in map(str.strip, parts) if part not in _BLANK)
