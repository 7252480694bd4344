"""TravelPlanner's public CSV files -> one SQLite base: the files as they are, and the tables of the library.

The base has two layers. The tables `public_*` hold the small files cell by cell in their order, for the profile
`official`, which has to make the public evaluator's mistakes. `Hotel`, `Restaurant`, ... are those of the library
`travelplanner`. Flights, of which the public file has 3.8 millions, are stored once.
"""

from __future__ import annotations

import csv
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import islice
from math import isfinite
from pathlib import Path

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text, read_text
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import PlanspecError
from planspec.families.suite_writing.counts import TableCount
from planspec.families.travelplanner.official.facts import (
    ACCOMMODATIONS,
    ATTRACTIONS,
    DISTANCES,
    FLIGHTS,
    NAN,
    RESTAURANTS,
    STATES,
    Accommodation,
    Restaurant,
    base_facts,
)
from planspec.families.travelplanner.official.reading import lookup

Cells = dict[str, str]
Typed = tuple[str | int | None, ...]

SCHEMA = """
create table State (id text primary key);
create table City (id text primary key, state text);
create table Cuisine (id text primary key);
create table Hotel (id text primary key, city text, room text, price text, least int, sleeps int, bans text, plain text);
create table Restaurant (id text primary key, city text, cuisines text, price text, plain text);
create table Attraction (id text primary key, city text);
create table Road (origin text, "to" text, length text, time text, primary key (origin, "to"));
create table Flight (
    number text, origin text, "to" text, day text, depart text, arrive text, price text, again int, whole int
);
"""
INDEXES = """
create index flights_of_a_day on Flight (origin, "to", day);
create index flights_by_number on Flight (number);
"""
ROOMS = {"Entire home/apt": "entire_home", "Private room": "private_room", "Shared room": "shared_room"}
BANS = {
    "No smoking": "smoking", "No parties": "parties", "No children under 10": "children",
    "No visitors": "visitors", "No pets": "pets",
}  # fmt: skip
PUBLIC = {
    "accommodations": ACCOMMODATIONS, "restaurants": RESTAURANTS, "attractions": ATTRACTIONS, "distances": DISTANCES,
}  # fmt: skip
"""The small public files, by the names of their tables."""
COLUMNS = {
    "accommodations": ("NAME", "room type", "price", "minimum nights", "house_rules", "maximum occupancy", "city"),
    "restaurants": ("Name", "City", "Cuisines", "Average Cost"),
    "attractions": ("Name", "City"),
    "distances": ("origin", "destination", "duration", "distance"),
    "flights": ("Flight Number", "Price", "DepTime", "ArrTime", "FlightDate", "OriginCityName", "DestCityName"),
}  # fmt: skip
"""The columns without which a file cannot be read."""
NUMBERS = {
    "accommodations": ("price", "minimum nights", "maximum occupancy"),
    "restaurants": ("Average Cost",),
}
"""The columns that the public evaluator reads as numbers."""
MOST = 10**9
"""No price, count, way or time is greater."""
BATCH = 20_000
CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)")
DAY = re.compile(r"\d{4}-[01]\d-[0-3]\d")
SPAN = re.compile(r"(?:(\d{1,6}) days?)?\s*(?:(\d{1,6}) hours?)?\s*(?:(\d{1,6}) mins?)?", re.ASCII)
LINE_END = re.compile(r"\s*[\r\n]+\s*")
WAY = re.compile(r"(\d[\d,]{,11}(?:\.\d{1,9})?) km", re.ASCII)


class InvalidDatabaseError(PlanspecError, ValueError):
    """A folder that is not TravelPlanner's public database."""


class _UnusableRowError(ValueError):
    """Why a row cannot be used."""


def build(folder: Path, base: Path) -> list[TableCount]:
    """Write the base of a public folder.

    Args:
        folder: TravelPlanner's `database`.
        base: the file to make.

    Returns:
        What became of each table's rows.

    Raises:
        InvalidDatabaseError: a file or a column is missing, or a file is not CSV in UTF-8.
    """
    missing = [name for name in (*PUBLIC.values(), FLIGHTS, STATES) if not (folder / name).is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        raise InvalidDatabaseError(f"`{folder}` has no {missing[0]}{more}")
    made = sqlite3.connect(base)
    try:
        made.executescript("pragma journal_mode=off; pragma synchronous=off;" + SCHEMA)
        counts = _Builder(folder, made).fill()
        made.executescript(INDEXES + "analyze;")
        made.commit()
        _mark_hidden(made, base, {count.table: count for count in counts})
        made.commit()
    finally:
        made.close()
    return counts


def _mark_hidden(made: sqlite3.Connection, base: Path, counts: dict[str, TableCount]) -> None:
    """Mark the places that the public evaluator does not find by their own name, or finds another one for."""
    facts = base_facts(base)
    finders: dict[tuple[str, str, str], Callable[[str], Sequence[Accommodation | Restaurant]]] = {
        ("accommodations", "Hotel", "price, least, sleeps"): partial(lookup, facts.accommodations),
        ("restaurants", "Restaurant", "price"): partial(lookup, facts.restaurants),
    }
    for (name, table, numbers), find in finders.items():
        hidden: list[tuple[str]] = []
        for key, price, *others in made.execute(f"select id, {numbers} from {table}").fetchall():  # noqa: S608
            first = next(iter(find(key)), None)
            told = (key.rpartition(", ")[0], float(price.removesuffix(" USD")), *others)
            if first is None or _told(first) != told:
                hidden.append((key,))
        made.executemany(f"update {table} set plain = 'false' where id = ?", hidden)  # noqa: S608
        counts[name].noted["not found by the public evaluator, or taken for others"] += len(hidden)


def _told(row: Accommodation | Restaurant) -> tuple[str | float, ...]:
    """The fields of a row that the public evaluator reads, as far as the library has them, too."""
    if isinstance(row, Restaurant):
        return clean(row.name), row.cost
    return clean(row.name), row.price, row.minimum_nights, row.maximum_occupancy


class _Builder:
    def __init__(self, folder: Path, base: sqlite3.Connection) -> None:
        self.folder = folder
        self.base = base
        self.cities: dict[str, str | None] = {}  # every city that is named, with its state
        self.cuisines: dict[str, None] = {}

    def fill(self) -> list[TableCount]:
        counts = [
            self._states(),
            self._table("accommodations", "Hotel", self._hotel, 8),
            self._table("restaurants", "Restaurant", self._restaurant, 5),
            self._table("attractions", "Attraction", self._attraction, 2),
            self._table("distances", "Road", self._road, 4, key=2),
            self._flights(),
        ]
        self.base.executemany("insert into City values (?, ?)", self.cities.items())
        self.base.executemany("insert into Cuisine values (?)", ((name,) for name in self.cuisines))
        return counts

    def _states(self) -> TableCount:
        count = TableCount("cities")
        states: dict[str, None] = {}
        self.base.execute("create table public_cities (city text, state text)")
        path = self.folder / STATES
        try:
            lines = read_text(path, RECORDS_BYTES).splitlines()
        except UnicodeDecodeError as error:
            raise InvalidDatabaseError(f"`{path}` is not UTF-8 (byte {error.start})") from None
        for line in lines:
            count.read += 1
            city, tab, state = line.partition("\t")
            self.base.execute("insert into public_cities values (?, ?)", (city, state))
            if not tab or not clean(city) or not clean(state):
                count.dropped["no city and state with a tab between them"] += 1
            elif clean(city) in self.cities:
                count.repeated += 1
            else:
                self.cities[clean(city)] = clean(state)
                states[clean(state)] = None
                count.kept += 1
        self.base.executemany("insert into State values (?)", ((state,) for state in states))
        return count

    def _table(
        self, name: str, target: str, typed: Callable[[Cells, TableCount], Typed], width: int, key: int = 1
    ) -> TableCount:
        """A small file, twice: as it is, and as the library has it; of rows with one key the first counts."""
        count = TableCount(name)
        seen: set[Typed] = set()
        header: tuple[str, ...] = ()
        for row in _records(self.folder / PUBLIC[name], name):
            if not header:
                header = tuple(row)
                columns = ", ".join('"' + column.replace('"', '""') + '"' for column in header)
                self.base.execute(f"create table public_{name} ({columns})")
            count.read += 1
            if not _breaks_evaluator(row, name):
                self._insert(f"public_{name}", tuple(row.values()))
            try:
                made = typed(row, count)
            except _UnusableRowError as reason:
                count.dropped[str(reason)] += 1
                continue
            assert len(made) == width
            if made[:key] in seen:
                count.repeated += 1
                continue
            seen.add(made[:key])
            self._insert(target, made)
            count.kept += 1
        if not header:
            raise InvalidDatabaseError(f"`{PUBLIC[name]}` has no rows")
        return count

    def _insert(self, table: str, values: Iterable[object]) -> None:
        values = tuple(values)
        self.base.execute(f"insert into {table} values ({', '.join('?' * len(values))})", values)  # noqa: S608

    def _city(self, said: str) -> str:
        city = clean(said)
        if not city:
            raise _UnusableRowError("no city")
        self.cities.setdefault(city, None)
        return city

    def _hotel(self, row: Cells, _: TableCount) -> Typed:
        city = self._city(row["city"])
        room = ROOMS.get(row["room type"].strip())
        if room is None:
            raise _UnusableRowError("an unknown room type")
        bans: list[str] = []
        for said in row["house_rules"].split(" & ") if row["house_rules"].strip() else ():
            if said.strip() not in BANS:
                raise _UnusableRowError("an unknown house rule")
            bans.append(BANS[said.strip()])
        made = (
            _place(row["NAME"], city), city, room, _dollars(row["price"]), _whole(row["minimum nights"], "minimum nights"),
            _whole(row["maximum occupancy"], "maximum occupancy"), ", ".join(bans), "true",
        )  # fmt: skip
        if made[5] == 0:
            raise _UnusableRowError("sleeps nobody")
        return made

    def _restaurant(self, row: Cells, _: TableCount) -> Typed:
        city = self._city(row["City"])
        cuisines = [clean(part) for part in row["Cuisines"].split(",") if clean(part)]
        self.cuisines.update(dict.fromkeys(cuisines))
        return _place(row["Name"], city), city, ", ".join(cuisines), _dollars(row["Average Cost"]), "true"

    def _attraction(self, row: Cells, _: TableCount) -> Typed:
        city = self._city(row["City"])
        return _place(row["Name"], city), city

    def _road(self, row: Cells, count: TableCount) -> Typed:
        ends = self._city(row["origin"]), self._city(row["destination"])
        length, time = _metres(row["distance"]), _minutes(row["duration"])
        if length is None or time is None:
            count.noted["without a distance"] += 1
            return (*ends, None, None)
        return (*ends, length, time)

    def _flights(self) -> TableCount:
        count = TableCount("flights")
        rows = self._typed_flights(count)
        while part := list(islice(rows, BATCH)):  # a file of millions never stands in memory
            self.base.executemany("insert into Flight values (?, ?, ?, ?, ?, ?, ?, ?, ?)", part)
        return count

    def _typed_flights(self, count: TableCount) -> Iterator[Typed]:
        seen: set[bytes] = set()
        names: dict[str, str] = {}
        for row in _records(self.folder / FLIGHTS, "flights"):
            count.read += 1
            whole = int(not any(value in NAN for value in row.values()))
            number = row["Flight Number"].strip()
            try:
                ends = []
                for said in (row["OriginCityName"], row["DestCityName"]):
                    if said not in names:
                        names[said] = self._city(said)
                    ends.append(names[said])
                if not number:
                    raise _UnusableRowError("no flight number")
                times = [row[name].strip() for name in ("DepTime", "ArrTime")]
                if not all(map(CLOCK.fullmatch, times)):
                    raise _UnusableRowError("an unreadable time")
                day = row["FlightDate"].strip()
                if not DAY.fullmatch(day):
                    raise _UnusableRowError("an unreadable date")
                price = _dollars(row["Price"])
            except _UnusableRowError as reason:
                count.dropped[str(reason)] += 1
                continue
            again = number.encode() in seen
            if again:
                count.repeated += 1
            else:
                seen.add(number.encode())
                count.kept += 1
            yield number, *ends, day, *times, price, int(again), whole


def clean(said: str) -> str:
    """A name on one line, without blanks around it: some public ones have line ends in them."""
    return LINE_END.sub(" ", said).strip()


def _breaks_evaluator(row: Cells, name: str) -> bool:
    """The public evaluator, which takes in all rows without a blank cell, could not read this one."""
    if any(value in NAN for value in row.values()):
        return False
    try:
        return not all(isfinite(float(row[column])) for column in NUMBERS.get(name, ()))
    except ValueError:
        return True


def _place(name: str, city: str) -> str:
    """A place's name in plans: `Name, City`."""
    if not clean(name):
        raise _UnusableRowError("no name")
    return f"{clean(name)}, {city}"


def _number(said: str, what: str) -> Decimal:
    try:
        number = Decimal(said.strip())
    except InvalidOperation:
        raise _UnusableRowError(f"no {what}" if not said.strip() else f"an unreadable {what}") from None
    if not number.is_finite() or not 0 <= number <= MOST:
        raise _UnusableRowError(f"an unreadable {what}")
    return number


def _dollars(said: str) -> str:
    price = _number(said, "price")
    if price * 100 != int(price * 100):
        raise _UnusableRowError("a price that is no whole number of cents")
    return f"{abs(price).normalize():f} USD"


def _whole(said: str, what: str) -> int:
    number = _number(said, what)
    if number != int(number):
        raise _UnusableRowError(f"an unreadable {what}")
    return int(number)


def _metres(said: str) -> str | None:
    found = WAY.fullmatch(said.strip())
    return None if found is None else f"{int(Decimal(found[1].replace(',', '')) * 1000)}m"


def _minutes(said: str) -> str | None:
    found = SPAN.fullmatch(said.strip())
    if found is None or not any(found.groups()):
        return None
    days, hours, minutes = (int(part or 0) for part in found.groups())
    return f"{days * MINUTES_A_DAY + hours * 60 + minutes}min"


def _records(path: Path, name: str) -> Iterator[Cells]:
    """The rows of a CSV file as they stand; a row of another length than the header is refused with its line.

    Raises:
        InvalidDatabaseError: it is not CSV in UTF-8, or lacks a column.
    """
    try:
        with open_text(path, RECORDS_BYTES, newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            header = [column.removeprefix("\ufeff") for column in header]
            known = [column.casefold() for column in header]
            twice = [column for column in header if known.count(column.casefold()) > 1]
            if twice:
                raise InvalidDatabaseError(f"`{path}` has the column `{twice[0]}` twice")
            lacking = [column for column in COLUMNS[name] if column not in header]
            if lacking:
                raise InvalidDatabaseError(
                    f"`{path}` has no column `{lacking[0]}`; it has {', '.join(header)}"
                )
            for row in reader:
                if not row:
                    continue
                if len(row) != len(header):
                    raise InvalidDatabaseError(
                        f"`{path}`, line {reader.line_num}: the row has {len(row)} cells, the header {len(header)}"
                    )
                yield dict(zip(header, row, strict=True))
    except UnicodeDecodeError as error:
        raise InvalidDatabaseError(f"`{path}` is not UTF-8 (byte {error.start})") from None
    except csv.Error as error:
        raise InvalidDatabaseError(f"`{path}` is not CSV: {error}") from None
