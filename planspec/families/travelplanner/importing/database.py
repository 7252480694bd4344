"""Conversion of TravelPlanner's public CSV files into one SQLite database.

The database has two layers. The tables `public_*` hold the small files cell by cell in their order, for the
profile `official`, which has to reproduce the public evaluator's errors. `Hotel`, `Restaurant`, ... are the
tables of the library `travelplanner`. Flights, of which the public file has 3.8 million, are stored once.
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
from planspec.suite_writing.counts import TableCount

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
"""The small public files, by table."""
COLUMNS = {
    "accommodations": ("NAME", "room type", "price", "minimum nights", "house_rules", "maximum occupancy", "city"),
    "restaurants": ("Name", "City", "Cuisines", "Average Cost"),
    "attractions": ("Name", "City"),
    "distances": ("origin", "destination", "duration", "distance"),
    "flights": ("Flight Number", "Price", "DepTime", "ArrTime", "FlightDate", "OriginCityName", "DestCityName"),
}  # fmt: skip
"""Required columns of each file."""
NUMBERS = {
    "accommodations": ("price", "minimum nights", "maximum occupancy"),
    "restaurants": ("Average Cost",),
}
"""Columns that the public evaluator reads as numbers."""
MOST = 10**9
"""Upper limit of prices, counts, distances and times."""
BATCH = 20_000
CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)")
DAY = re.compile(r"\d{4}-[01]\d-[0-3]\d")
SPAN = re.compile(r"(?:(\d{1,6}) days?)?\s*(?:(\d{1,6}) hours?)?\s*(?:(\d{1,6}) mins?)?", re.ASCII)
LINE_END = re.compile(r"\s*[\r\n]+\s*")
WAY = re.compile(r"(\d[\d,]{,11}(?:\.\d{1,9})?) km", re.ASCII)


class InvalidDatabaseError(PlanspecError, ValueError):
    """A folder that is not TravelPlanner's public database."""


class _UnusableRecordError(ValueError):
    """A row that cannot be used; the message is the reason."""


def build(folder: Path, base: Path) -> list[TableCount]:
    """Write the database of a public folder.

    Args:
        folder: TravelPlanner's `database`.
        base: file to create.

    Returns:
        The row counts of each table.

    Raises:
        InvalidDatabaseError: a file or a column is missing, or a file is not CSV in UTF-8.
    """
    missing = [name for name in (*PUBLIC.values(), FLIGHTS, STATES) if not (folder / name).is_file()]
    if missing:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        raise InvalidDatabaseError(f"`{folder}` has no {missing[0]}{more}")
    connection = sqlite3.connect(base)
    try:
        connection.executescript("pragma journal_mode=off; pragma synchronous=off;" + SCHEMA)
        counts = _DatabaseBuilder(folder, connection).fill()
        connection.executescript(INDEXES + "analyze;")
        connection.commit()
        _mark_hidden(connection, base, {count.table: count for count in counts})
        connection.commit()
    finally:
        connection.close()
    return counts


def _mark_hidden(connection: sqlite3.Connection, base: Path, counts: dict[str, TableCount]) -> None:
    """Mark places that the public evaluator cannot find by their own name, or confuses with others."""
    facts = base_facts(base)
    finders: dict[tuple[str, str, str], Callable[[str], Sequence[Accommodation | Restaurant]]] = {
        ("accommodations", "Hotel", "price, least, sleeps"): partial(lookup, facts.accommodations),
        ("restaurants", "Restaurant", "price"): partial(lookup, facts.restaurants),
    }
    for (name, table, numbers), find in finders.items():
        hidden: list[tuple[str]] = []
        for key, price, *others in connection.execute(f"select id, {numbers} from {table}").fetchall():  # noqa: S608
            first = next(iter(find(key)), None)
            expected = (key.rpartition(", ")[0], float(price.removesuffix(" USD")), *others)
            if first is None or _evaluated_fields(first) != expected:
                hidden.append((key,))
        connection.executemany(f"update {table} set plain = 'false' where id = ?", hidden)  # noqa: S608
        counts[name].noted["not found by the public evaluator, or taken for others"] += len(hidden)


def _evaluated_fields(row: Accommodation | Restaurant) -> tuple[str | float, ...]:
    """Return the fields that both the public evaluator and the library read."""
    if isinstance(row, Restaurant):
        return clean(row.name), row.cost
    return clean(row.name), row.price, row.minimum_nights, row.maximum_occupancy


class _DatabaseBuilder:
    def __init__(self, folder: Path, base: sqlite3.Connection) -> None:
        self.folder = folder
        self.base = base
        self.cities: dict[str, str | None] = {}  # state of each city named so far
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
                count.stored += 1
        self.base.executemany("insert into State values (?)", ((state,) for state in states))
        return count

    def _table(
        self, name: str, target: str, convert: Callable[[Cells, TableCount], Typed], width: int, key: int = 1
    ) -> TableCount:
        """Copy a small file as it is and as the library's table.

        The first row with a key takes precedence.
        """
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
                values = convert(row, count)
            except _UnusableRecordError as reason:
                count.dropped[str(reason)] += 1
                continue
            assert len(values) == width
            if values[:key] in seen:
                count.repeated += 1
                continue
            seen.add(values[:key])
            self._insert(target, values)
            count.stored += 1
        if not header:
            raise InvalidDatabaseError(f"`{PUBLIC[name]}` has no rows")
        return count

    def _insert(self, table: str, values: Iterable[object]) -> None:
        values = tuple(values)
        self.base.execute(f"insert into {table} values ({', '.join('?' * len(values))})", values)  # noqa: S608

    def _city(self, text: str) -> str:
        city = clean(text)
        if not city:
            raise _UnusableRecordError("no city")
        self.cities.setdefault(city, None)
        return city

    def _hotel(self, row: Cells, _: TableCount) -> Typed:
        city = self._city(row["city"])
        room = ROOMS.get(row["room type"].strip())
        if room is None:
            raise _UnusableRecordError("an unknown room type")
        bans: list[str] = []
        for rule in row["house_rules"].split(" & ") if row["house_rules"].strip() else ():
            if rule.strip() not in BANS:
                raise _UnusableRecordError("an unknown house rule")
            bans.append(BANS[rule.strip()])
        values = (
            _place(row["NAME"], city), city, room, _dollars(row["price"]), _whole(row["minimum nights"], "minimum nights"),
            _whole(row["maximum occupancy"], "maximum occupancy"), ", ".join(bans), "true",
        )  # fmt: skip
        if values[5] == 0:
            raise _UnusableRecordError("sleeps nobody")
        return values

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
        while part := list(islice(rows, BATCH)):  # bounds memory: the file has millions of rows
            self.base.executemany("insert into Flight values (?, ?, ?, ?, ?, ?, ?, ?, ?)", part)
        return count

    def _typed_flights(self, count: TableCount) -> Iterator[Typed]:
        seen: set[bytes] = set()
        names: dict[str, str] = {}
        for row in _records(self.folder / FLIGHTS, "flights"):
            count.read += 1
            is_complete = int(not any(value in NAN for value in row.values()))
            number = row["Flight Number"].strip()
            try:
                ends = []
                for public in (row["OriginCityName"], row["DestCityName"]):
                    if public not in names:
                        names[public] = self._city(public)
                    ends.append(names[public])
                if not number:
                    raise _UnusableRecordError("no flight number")
                times = [row[name].strip() for name in ("DepTime", "ArrTime")]
                if not all(map(CLOCK.fullmatch, times)):
                    raise _UnusableRecordError("an unreadable time")
                day = row["FlightDate"].strip()
                if not DAY.fullmatch(day):
                    raise _UnusableRecordError("an unreadable date")
                price = _dollars(row["Price"])
            except _UnusableRecordError as reason:
                count.dropped[str(reason)] += 1
                continue
            is_repeated = number.encode() in seen
            if is_repeated:
                count.repeated += 1
            else:
                seen.add(number.encode())
                count.stored += 1
            yield number, *ends, day, *times, price, int(is_repeated), is_complete


def clean(name: str) -> str:
    """Return a name on one line, stripped. Some public names contain line ends."""
    return LINE_END.sub(" ", name).strip()


def _breaks_evaluator(row: Cells, name: str) -> bool:
    """Return whether the public evaluator, which reads all rows without a blank cell, fails on this one."""
    if any(value in NAN for value in row.values()):
        return False
    try:
        return not all(isfinite(float(row[column])) for column in NUMBERS.get(name, ()))
    except ValueError:
        return True


def _place(name: str, city: str) -> str:
    """Return a place's name in plans: `Name, City`."""
    if not clean(name):
        raise _UnusableRecordError("no name")
    return f"{clean(name)}, {city}"


def _number(text: str, what: str) -> Decimal:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise _UnusableRecordError(f"no {what}" if not text.strip() else f"an unreadable {what}") from None
    if not number.is_finite() or not 0 <= number <= MOST:
        raise _UnusableRecordError(f"an unreadable {what}")
    return number


def _dollars(text: str) -> str:
    price = _number(text, "price")
    if price * 100 != int(price * 100):
        raise _UnusableRecordError("a price that is no whole number of cents")
    return f"{abs(price).normalize():f} USD"


def _whole(text: str, what: str) -> int:
    number = _number(text, what)
    if number != int(number):
        raise _UnusableRecordError(f"an unreadable {what}")
    return int(number)


def _metres(text: str) -> str | None:
    match = WAY.fullmatch(text.strip())
    return None if match is None else f"{int(Decimal(match[1].replace(',', '')) * 1000)}m"


def _minutes(text: str) -> str | None:
    match = SPAN.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes = (int(part or 0) for part in match.groups())
    return f"{days * MINUTES_A_DAY + hours * 60 + minutes}min"


def _records(path: Path, name: str) -> Iterator[Cells]:
    """Yield the rows of a CSV file.

    Raises:
        InvalidDatabaseError: the file is not CSV in UTF-8, a column is missing, or the length of a row
            differs from the header's.
    """
    try:
        with open_text(path, RECORDS_BYTES, newline="") as file:
            reader = csv.reader(file)
            header = next(reader, [])
            header = [column.removeprefix("\ufeff") for column in header]
            folded = [column.casefold() for column in header]
            repeated = [column for column in header if folded.count(column.casefold()) > 1]
            if repeated:
                raise InvalidDatabaseError(f"`{path}` has the column `{repeated[0]}` twice")
            missing = [column for column in COLUMNS[name] if column not in header]
            if missing:
                raise InvalidDatabaseError(
                    f"`{path}` has no column `{missing[0]}`; it has {', '.join(header)}"
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
