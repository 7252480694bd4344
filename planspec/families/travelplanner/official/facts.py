"""TravelPlanner's tables in the form in which its public evaluator reads them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

FLIGHTS = "flights/clean_Flights_2022.csv"
ACCOMMODATIONS = "accommodations/clean_accommodations_2022.csv"
RESTAURANTS = "restaurants/clean_restaurant_2022.csv"
ATTRACTIONS = "attractions/attractions.csv"
DISTANCES = "googleDistanceMatrix/distance.csv"
STATES = "background/citySet_with_states.txt"
NAN = frozenset(
    {
        "",
        "#N/A",
        "#N/A N/A",
        "#NA",
        "-1.#IND",
        "-1.#QNAN",
        "-NaN",
        "-nan",
        "1.#IND",
        "1.#QNAN",
        "<NA>",
        "N/A",
        "NA",
        "NULL",
        "NaN",
        "None",
        "n/a",
        "nan",
        "null",
    }
)
"""Cells that pandas, the evaluator's reader, treats as missing."""


@dataclass(frozen=True, slots=True)
class Flight:
    """A flight. The price is in dollars, for one person."""

    number: str
    origin: str
    destination: str
    price: int


class Accommodation(NamedTuple):
    """A listing. The price is in dollars, for one night and all guests."""

    name: str
    city: str
    room_type: str
    price: float
    minimum_nights: float
    house_rules: str
    maximum_occupancy: int


class Restaurant(NamedTuple):
    """A restaurant. The cost is in dollars, for one person."""

    name: str
    city: str
    cuisines: str
    cost: float


class Attraction(NamedTuple):
    """An attraction, free of charge."""

    name: str
    city: str


Place = TypeVar("Place", Accommodation, Restaurant, Attraction)


@dataclass(frozen=True, slots=True)
class TextTable:
    """The rows of a public table.

    Attributes:
        columns: names of the columns.
        rows: cells of each row, as strings in the order of the columns.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def column(self, name: str) -> list[str]:
        """Return the texts of a column.

        Raises:
            ValueError: there is no such column.
        """
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def without_blank_cells(self) -> TextTable:
        """Return the table without the rows that have a blank cell."""
        return TextTable(self.columns, [row for row in self.rows if NAN.isdisjoint(row)])


@dataclass(frozen=True, slots=True)
class CityTable(Generic[Place]):
    """Places of a public table, grouped by city, with a cache of matches.

    Attributes:
        by_city: places of each city, in the order of the file.
        cache: cached matches, by text.
    """

    by_city: Mapping[str, tuple[Place, ...]]
    cache: dict[str, tuple[Place, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)


class Distance(NamedTuple):
    """Travel time and distance between two cities, as strings of the table; each None if missing."""

    duration: str | None
    distance: str | None


@dataclass(frozen=True, slots=True)
class ReferenceTables:
    """All tables of the evaluator, indexed by city or number.

    Attributes:
        flights: flights by flight number, in the order of the file.
        distances: distance between each pair of cities; the first one if the file lists several.
        states: state of each valid city.
    """

    flights: Mapping[str, tuple[Flight, ...]]
    accommodations: CityTable[Accommodation]
    restaurants: CityTable[Restaurant]
    attractions: CityTable[Attraction]
    distances: Mapping[tuple[str, str], Distance]
    states: Mapping[str, str]


def facts_from_database(base: Path) -> ReferenceTables:
    """Read the tables from the SQLite database that an import wrote. They are cached until the file changes.

    Flights are looked up on demand, since there are millions.

    Raises:
        OSError: the file is missing.
        ValueError: the file is not such a database, or a number cannot be read.
    """
    state = base.stat()
    return _read_base(base.absolute(), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _read_base(base: Path, _modified_ns: int, _size: int) -> ReferenceTables:
    try:
        with closing(_open_read_only(base)) as connection:
            hotels, tables, sights, ways = (
                _table_rows(connection, name) for name in ("accommodations", "restaurants", "attractions", "distances")
            )
            states = connection.execute("select city, state from public_cities order by rowid").fetchall()
    except sqlite3.Error as error:
        raise ValueError(f"`{base.name}` has not the public tables: {error}") from None
    return index_tables(BaseFlights(base), hotels, tables, sights, ways, states)


def _open_read_only(base: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{base.as_uri()}?mode=ro", uri=True)


def _table_rows(connection: sqlite3.Connection, name: str) -> TextTable:
    cursor = connection.execute(f"select * from public_{name} order by rowid")  # noqa: S608 - a name of ours
    return TextTable([column[0] for column in cursor.description], cursor.fetchall())


@dataclass(frozen=True, slots=True, eq=False)
class BaseFlights(Mapping[str, tuple[Flight, ...]]):
    """The flights of a database by flight number, looked up on demand and cached.

    Attributes:
        base: the SQLite file.
    """

    base: Path
    cache: dict[str, tuple[Flight, ...]] = field(default_factory=dict, repr=False)

    def __getitem__(self, number: str) -> tuple[Flight, ...]:
        flights = self.cache.get(number)
        if flights is None:
            flights = self.cache[number] = self._look_up(number)
        if not flights:
            raise KeyError(number)
        return flights

    def _look_up(self, number: str) -> tuple[Flight, ...]:
        with closing(_open_read_only(self.base)) as opened:
            rows = opened.execute(
                'select origin, "to", price from Flight where number = ? and whole = 1 order by rowid',
                (number,),
            ).fetchall()
        return tuple(Flight(number, origin, to, int(float(price.partition(" ")[0]))) for origin, to, price in rows)

    def __iter__(self) -> Iterator[str]:
        with closing(_open_read_only(self.base)) as opened:
            numbers = opened.execute("select distinct number from Flight where whole = 1").fetchall()
        return (number for (number,) in numbers)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def index_tables(
    flights: Mapping[str, tuple[Flight, ...]],
    accommodations: TextTable,
    restaurants: TextTable,
    attractions: TextTable,
    ways: TextTable,
    states: Iterable[tuple[str, str]],
) -> ReferenceTables:
    """Index the rows of all tables.

    Raises:
        ValueError: a table lacks a column, or a number cannot be read.
    """
    hotels, tables, sights = (table.without_blank_cells() for table in (accommodations, restaurants, attractions))
    return ReferenceTables(
        flights,
        _group_by_city(
            map(
                Accommodation,
                hotels.column("NAME"),
                hotels.column("city"),
                hotels.column("room type"),
                map(float, hotels.column("price")),
                map(float, hotels.column("minimum nights")),
                hotels.column("house_rules"),
                map(int, map(float, hotels.column("maximum occupancy"))),
            )
        ),
        _group_by_city(
            map(
                Restaurant,
                tables.column("Name"),
                tables.column("City"),
                tables.column("Cuisines"),
                map(float, tables.column("Average Cost")),
            )
        ),
        _group_by_city(map(Attraction, sights.column("Name"), sights.column("City"))),
        _first_distances(ways),
        dict(states),
    )


def _first_distances(ways: TextTable) -> dict[tuple[str, str], Distance]:
    """Return the first distance listed for each pair of cities."""
    durations, distances = (
        [None if text in NAN else text for text in ways.column(name)] for name in ("duration", "distance")
    )
    pairs = zip(ways.column("origin"), ways.column("destination"), strict=True)
    listed = list(zip(pairs, map(Distance, durations, distances), strict=True))
    return dict(reversed(listed))  # `dict` keeps the last of equal keys, here the first in the file


def _group_by_city(rows: Iterable[Place]) -> CityTable[Place]:
    places: dict[str, list[Place]] = {}
    for row in rows:
        places.setdefault(row.city, []).append(row)
    return CityTable({city: tuple(rows_) for city, rows_ in places.items()})
