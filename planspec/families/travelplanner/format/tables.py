"""Tables of a TravelPlanner task, and lookup of the names that agents write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.errors import UnsuitableTaskError
from planspec.verifiers.answers.names import LONGEST_CACHED, NameIndex

COLUMNS = {
    "City": (),
    "Hotel": ("city",),
    "Restaurant": ("city",),
    "Attraction": ("city",),
    "Flight": ("origin", "to", "depart", "arrive"),
    "Road": ("length", "time"),
    "days": ("day", "from", "city", "mode", "origin", "to", "flight", "hotel"),
    "meals": ("day", "meal", "restaurant"),
    "sights": ("day", "attraction"),
}
"""Columns that each table must have, besides its key."""
MOST_KNOWN = 20_000
"""Maximum number of strings in a cache. Very long strings, which cannot be names, are not cached."""
Value = TypeVar("Value")
_STATE = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(slots=True, eq=False)
class CityRows:
    """Index of a table's rows by city and name.

    Attributes:
        by_city: rows of each city.
        resolved: cache of rows by string, with None for strings that match no row.
        nearest_names: cache of the most similar name, for strings that match no row; None if no name is similar.
        indexes: indexes of names by city, as far as they have been built.
    """

    by_city: dict[Row, list[Row]]
    resolved: dict[str, Row | None] = field(default_factory=dict)
    nearest_names: dict[str, str | None] = field(default_factory=dict)
    indexes: dict[Row, NameIndex] = field(default_factory=dict)

    def resolve(self, text: str, look_up: Callable[[str], Row | None]) -> Row | None:
        """Return the row that a string names, None if there is none. Results are cached.

        Args:
            text: text of an answer.
            look_up: function that finds the row if the text is not cached.
        """
        return _get_or_look_up(self.resolved, text, look_up)

    def nearest(self, text: str, look_up: Callable[[str], str | None]) -> str | None:
        """Return the name most similar to a string that matches no row, None if no name is similar. Results are cached.

        Args:
            text: text of an answer.
            look_up: function that finds the name if the text is not cached.
        """
        return _get_or_look_up(self.nearest_names, text, look_up)

    def find(self, city: Row, name: str) -> tuple[Row, ...]:
        """Return the rows of a city that match a name."""
        return self.index(city).find(name)

    def index(self, city: Row) -> NameIndex:
        """Return the index of names of one city, built at the first call."""
        if city not in self.indexes:
            self.indexes[city] = NameIndex(self.by_city.get(city, ()), lambda row: names_without_city(row, city))
        return self.indexes[city]


@dataclass(slots=True, eq=False)
class CityIndex:
    """Index of the cities by name.

    Attributes:
        index: index of names.
        resolved: cache of cities by string, with None for strings that match no city.
    """

    index: NameIndex
    resolved: dict[str, Row | None] = field(default_factory=dict)

    def city(self, text: str) -> Row | None:
        """Return the city that a text names, with or without its state; None if unknown."""
        return self.resolved.get(text) or _get_or_look_up(self.resolved, text, self._look_up)

    def _look_up(self, text: str) -> Row | None:
        rows = self.index.find(text) or self.index.find(_STATE.sub("", text))
        return rows[0] if len(rows) == 1 else None


def _get_or_look_up(cache: dict[str, Value], text: str, look_up: Callable[[str], Value]) -> Value:
    """Return a cached value, or look it up and cache it."""
    if text in cache:
        return cache[text]
    value = look_up(text)
    if len(text) <= LONGEST_CACHED:
        if len(cache) >= MOST_KNOWN:
            cache.clear()
        cache[text] = value
    return value


@dataclass(frozen=True, slots=True, eq=False)
class TravelPlannerTables:
    """The validated tables of a task.

    Attributes:
        trip: dates of the trip as ordinals, in order.
        places: index of each of the tables `Hotel`, `Restaurant` and `Attraction`.
    """

    days: Table
    meals: Table
    sights: Table
    flights: Facts
    roads: Facts
    trip: tuple[int, ...]
    cities: CityIndex
    places: dict[str, CityRows]

    def city(self, text: str) -> Row | None:
        """Return the city that a text names, with or without its state; None if unknown."""
        return self.cities.city(text)


@lru_cache(maxsize=16)
def tables_of(task: Task) -> TravelPlannerTables:
    """Return the tables of a task. The tables of recent tasks are cached.

    Raises:
        UnsuitableTaskError: a table, a column, or the given `trip` is missing.
    """
    for name, columns in COLUMNS.items():
        table = task.tables.get(name)
        if table is None or table.plan != name.islower():
            raise UnsuitableTaskError(f"a TravelPlanner plan needs the table `{name}`, which `{task.id}` has not")
        missing = [column for column in columns if column not in table.columns]
        if missing:
            raise UnsuitableTaskError(f"a TravelPlanner plan needs `{name}.{missing[0]}`, which `{task.id}` has not")
    trip = task.givens.get("trip")
    if not isinstance(trip, tuple) or not all(isinstance(day, int) for day in trip):
        raise UnsuitableTaskError(
            f"a TravelPlanner plan needs the given `trip`, a list of dates, which `{task.id}` has not"
        )
    t, f = task.tables, task.facts
    return TravelPlannerTables(
        t["days"],
        t["meals"],
        t["sights"],
        f["Flight"],
        f["Road"],
        tuple(sorted(trip)),
        _index_cities(f["City"]),
        {name: _index_places(f[name]) for name in ("Hotel", "Restaurant", "Attraction")},
    )


@lru_cache(maxsize=16)
def _index_cities(facts: Facts) -> CityIndex:
    """Index the cities. Tasks that share tables share the cached index."""
    return CityIndex(NameIndex(facts.rows))


@lru_cache(maxsize=48)
def _index_places(facts: Facts) -> CityRows:
    by_city: dict[Row, list[Row]] = {}
    for row in facts.rows:
        by_city.setdefault(row.city, []).append(row)  # type: ignore[attr-defined]
    return CityRows(by_city)


def clear_caches() -> None:
    """Clear all caches, for example between the rounds of a benchmark."""
    tables_of.cache_clear()
    _index_cities.cache_clear()
    _index_places.cache_clear()


def names_without_city(row: Row, city: Row) -> Iterable[str]:
    """Yield the single indexed name of a place: its key without the city at the end."""
    key = str(row._key[0])
    yield key.removesuffix(f", {city._key[0]}")
