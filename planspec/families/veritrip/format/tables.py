"""Tables to which a VeriTrip answer refers, with indexes that find rows by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.errors import UnsuitableTaskError
from planspec.verifiers.answers.names import NameIndex

COLUMNS = {
    "City": (),
    "Station": ("city",),
    "RoomKind": (),
    "Hotel": ("city",),
    "Service": ("number", "day", "origin", "to", "depart", "arrive", "price"),
    "Offer": ("hotel", "room", "price", "board"),
    "Attraction": ("city", "ticket", "opens", "closes", "closed", "least", "most"),
    "Restaurant": ("city",),
    "Statement": ("document", "subject", "field", "value", "right"),
    "transportation": ("n", "service", "date", "origin", "to", "begin", "end", "price"),
    "accommodation": ("n", "city", "hotel", "room", "check_in", "check_out", "price", "rooms", "board"),
    "itinerary": (
        "date",
        "number",
        "activity",
        "start",
        "end",
        "attraction",
        "restaurant",
        "hotel",
        "stranger",
        "ride",
        "price",
    ),
}
"""Tables and columns that a task must have."""
OWN_CACHE_SIZE = 256
"""Maximum number of tasks for which indexes of trains, flights and statements are cached."""
_SPACES = re.compile(r"\s+")
_ARTICLE = re.compile(r"^\s*the\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class VeriTripTables:
    """The tables of a task that has all of `COLUMNS`.

    Attributes:
        task: task.
        target: destination; None if its name is unknown.
        ends: both ends of the trip: the city where it begins, and the destination.
        currency: currency of all prices.
        cities: index of cities.
        stations: index of stations.
        rooms: index of kinds of rooms.
        services: trains and flights by number and day. Numbers are normalised by `plain_number`.
    """

    task: Task
    target: Row | None
    ends: tuple[object, ...]
    currency: str
    cities: NameIndex
    stations: NameIndex
    rooms: NameIndex
    services: dict[tuple[str, int], list[Row]]

    def plan_table(self, name: str) -> Table:
        """Return the plan's table with a name."""
        return self.task.tables[name]

    def places(self, table: str, city: Row | None) -> NameIndex:
        """Return an index of a city's places by name. `table` is `Attraction`, `Restaurant` or `Hotel`."""
        return _indexes_by_city(self.task.facts[table]).get(city) or _EMPTY_INDEX

    def name_variants(self, name: str) -> Iterator[str]:
        """Yield a name. If it has a leading article or a trailing city, also yield it without them."""
        yield name
        bare = _ARTICLE.sub("", name)
        head, comma, tail = bare.rpartition(",")
        if comma and self.cities.find(tail.strip()):
            bare = head.strip()
        if bare != name and bare:
            yield bare

    def places_anywhere(self, table: str) -> NameIndex:
        """Return an index of all cities' places by name. `table` is `Attraction`, `Restaurant` or `Hotel`."""
        return _index_by_bare_name(self.task.facts[table])


_EMPTY_INDEX = NameIndex(())


def tables_of(task: Task) -> VeriTripTables:
    """Return the tables of a task.

    Raises:
        UnsuitableTaskError: The task lacks a table, a column, the given `target_city` or a currency.
    """
    for name, columns in COLUMNS.items():
        table = task.tables.get(name)
        if table is None or table.plan != name.islower():
            raise UnsuitableTaskError(f"a VeriTrip plan needs the table `{name}`, which `{task.id}` has not")
        missing = [column for column in columns if column not in table.columns]
        if missing:
            raise UnsuitableTaskError(f"a VeriTrip plan needs `{name}.{missing[0]}`, which `{task.id}` has not")
    if "target_city" not in task.givens or task.currency is None:
        raise UnsuitableTaskError(f"a VeriTrip plan needs the given `target_city` and money, which `{task.id}` has not")
    f = task.facts
    target = task.givens["target_city"]
    return VeriTripTables(
        task,
        target if isinstance(target, Row) else None,
        (task.givens.get("start_city"), target),
        task.currency,
        _index_by_key(f["City"]),
        _index_by_bare_name(f["Station"]),
        _index_by_key(f["RoomKind"]),
        _services_by_number(f["Service"]),
    )


@lru_cache(maxsize=16)
def _index_by_key(facts: Facts) -> NameIndex:
    """Return an index of a table's rows by key. It is cached, since many tasks share tables."""
    return NameIndex(facts.rows)


@lru_cache(maxsize=16)
def _indexes_by_city(facts: Facts) -> dict[Row | None, NameIndex]:
    by_city: dict[Row | None, list[Row]] = {}
    for row in facts.rows:
        by_city.setdefault(row.city, []).append(row)  # type: ignore[attr-defined]
    return {city: NameIndex(rows, _row_names) for city, rows in by_city.items()}


@lru_cache(maxsize=16)
def _index_by_bare_name(facts: Facts) -> NameIndex:
    return NameIndex(facts.rows, _row_names)


def _row_names(row: Row) -> Iterable[str]:
    yield bare_name(row)


def bare_name(row: Row) -> str:
    """Return the key of a row without a trailing name of the row's city."""
    city: Row | None = getattr(row, "city", None)
    key = str(row._key[0])
    return key if city is None else key.removesuffix(f", {city._key[0]}")


@lru_cache(maxsize=OWN_CACHE_SIZE)
def _services_by_number(facts: Facts) -> dict[tuple[str, int], list[Row]]:
    services: dict[tuple[str, int], list[Row]] = {}
    for row in facts.rows:
        services.setdefault((plain_number(row.number), row.day), []).append(row)  # type: ignore[attr-defined]
    return services


def plain_number(number: str) -> str:
    """Return the number of a train or flight without blanks and in lower case, such as `g7351`."""
    return _SPACES.sub("", number).casefold()
