"""The tables that a TravelPlanner plan is about, and its names as agents write them."""

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
from planspec.verifiers.answers.names import LONGEST_KNOWN, NameIndex

COLUMNS = {
    "City": (), "Hotel": ("city",), "Restaurant": ("city",), "Attraction": ("city",),
    "Flight": ("origin", "to", "depart", "arrive"), "Road": ("length", "time"),
    "days": ("day", "from", "city", "mode", "origin", "to", "flight", "hotel"),
    "meals": ("day", "meal", "restaurant"), "sights": ("day", "attraction"),
}  # fmt: skip
"""The tables and columns that a plan needs."""
MOST_KNOWN = 20_000
"""The most texts that are cached with the rows that they mean; longer ones than names are not."""
Found = TypeVar("Found")
_STATE = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(slots=True, eq=False)
class CityRows:
    """The rows of one table by what they are called in their city.

    Attributes:
        meant: what texts were found to mean; None for nothing.
        near: the names most similar to texts that mean nothing.
    """

    by_city: dict[Row, list[Row]]
    meant: dict[str, Row | None] = field(default_factory=dict)
    near: dict[str, str | None] = field(default_factory=dict)
    indexes: dict[Row, NameIndex] = field(default_factory=dict)

    def meaning(self, said: str, look_up: Callable[[str], Row | None]) -> Row | None:
        """The row that a text means; None of nothing.

        Args:
            said: the text.
            look_up: finds its row, where that is not known.
        """
        return _known(self.meant, said, look_up)

    def nearest(self, said: str, look_up: Callable[[str], str | None]) -> str | None:
        """The name most similar to a text that means nothing.

        Args:
            said: the text.
            look_up: finds it, where it is not known.
        """
        return _known(self.near, said, look_up)

    def find(self, city: Row, name: str) -> tuple[Row, ...]:
        """The rows of a city that a name can mean."""
        return self.index(city).find(name)

    def index(self, city: Row) -> NameIndex:
        """The names of a city's rows."""
        if city not in self.indexes:
            self.indexes[city] = NameIndex(self.by_city.get(city, ()), lambda row: bare_name(row, city))
        return self.indexes[city]


@dataclass(slots=True, eq=False)
class Cities:
    """The cities by their names.

    Attributes:
        meant: what texts were found to mean; None for nothing.
    """

    index: NameIndex
    meant: dict[str, Row | None] = field(default_factory=dict)

    def city(self, said: str) -> Row | None:
        """The city that a text names, with or without its state."""
        return self.meant.get(said) or _known(self.meant, said, self._look_up)

    def _look_up(self, said: str) -> Row | None:
        found = self.index.find(said) or self.index.find(_STATE.sub("", said))
        return found[0] if len(found) == 1 else None


def _known(meant: dict[str, Found], said: str, look_up: Callable[[str], Found]) -> Found:
    """What a text was found to mean, kept for the next time."""
    if said in meant:
        return meant[said]
    found = look_up(said)
    if len(said) <= LONGEST_KNOWN:
        if len(meant) >= MOST_KNOWN:
            meant.clear()
        meant[said] = found
    return found


@dataclass(frozen=True, slots=True, eq=False)
class TravelPlannerTables:
    """The tables of a task, found and fit.

    Attributes:
        trip: the days of the trip (ordinals) in order.
        places: of `Hotel`, `Restaurant` and `Attraction`.
    """

    days: Table
    meals: Table
    sights: Table
    flights: Facts
    roads: Facts
    trip: tuple[int, ...]
    cities: Cities
    places: dict[str, CityRows]

    def city(self, said: str) -> Row | None:
        """The city that a text names, with or without its state."""
        return self.cities.city(said)


@lru_cache(maxsize=16)
def tables_of(task: Task) -> TravelPlannerTables:
    """The tables of a task; those of the last tasks are kept.

    Raises:
        UnsuitableTaskError: it lacks one of them, a column, or the given `trip`.
    """
    for name, columns in COLUMNS.items():
        table = task.tables.get(name)
        if table is None or table.plan != name.islower():
            raise UnsuitableTaskError(
                f"a TravelPlanner plan needs the table `{name}`, which `{task.id}` has not"
            )
        missing = [column for column in columns if column not in table.columns]
        if missing:
            raise UnsuitableTaskError(
                f"a TravelPlanner plan needs `{name}.{missing[0]}`, which `{task.id}` has not"
            )
    trip = task.givens.get("trip")
    if not isinstance(trip, tuple) or not all(isinstance(day, int) for day in trip):
        raise UnsuitableTaskError(
            f"a TravelPlanner plan needs the given `trip`, a list of dates, which `{task.id}` has not"
        )
    t, f = task.tables, task.facts
    return TravelPlannerTables(
        t["days"], t["meals"], t["sights"], f["Flight"], f["Road"], tuple(sorted(trip)), _cities(f["City"]),
        {name: _places(f[name]) for name in ("Hotel", "Restaurant", "Attraction")},
    )  # fmt: skip


@lru_cache(maxsize=16)
def _cities(facts: Facts) -> Cities:
    """Tables that many tasks share are looked through once."""
    return Cities(NameIndex(facts.rows))


@lru_cache(maxsize=48)
def _places(facts: Facts) -> CityRows:
    by_city: dict[Row, list[Row]] = {}
    for row in facts.rows:
        by_city.setdefault(row.city, []).append(row)  # type: ignore[attr-defined]
    return CityRows(by_city)


def forget() -> None:
    """Drop what was remembered of tables, such as between the rounds of a measurement."""
    tables_of.cache_clear()
    _cities.cache_clear()
    _places.cache_clear()


def bare_name(row: Row, city: Row) -> Iterable[str]:
    """A place's name without its city, which its key may end with."""
    key = str(row._key[0])
    yield key.removesuffix(f", {city._key[0]}")
