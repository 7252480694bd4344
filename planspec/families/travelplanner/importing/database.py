"""Conversion of TravelPlanner's public CSV files into one SQLite database.

The database has two layers. The tables `public_*` are unchanged copies of the small files, which the profile `official`
needs to reproduce the public evaluator's errors. `Hotel`, `Restaurant` and so on are the tables of the constraint
library `travelplanner`. Both layers share one table of flights, since the public file has 3.8 million flights.
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
    facts_from_database,
)
from planspec.families.travelplanner.official.reading import matching_places
from planspec.suite_writing.counts import TableCount

Cells = dict[str, str]
Typed = tuple[str | int | None, ...]
"""A row of a table of the constraint library: values in the order of the columns, with None for SQL's null."""

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
    "No smoking": "smoking",
    "No parties": "parties",
    "No children under 10": "children",
    "No visitors": "visitors",
    "No pets": "pets",
}
PUBLIC = {
    "accommodations": ACCOMMODATIONS,
    "restaurants": RESTAURANTS,
    "attractions": ATTRACTIONS,
    "distances": DISTANCES,
}
"""Paths of the small public files, by table."""
COLUMNS = {
    "accommodations": ("NAME", "room type", "price", "minimum nights", "house_rules", "maximum occupancy", "city"),
    "restaurants": ("Name", "City", "Cuisines", "Average Cost"),
    "attractions": ("Name", "City"),
    "distances": ("origin", "destination", "duration", "distance"),
    "flights": ("Flight Number", "Price", "DepTime", "ArrTime", "FlightDate", "OriginCityName", "DestCityName"),
}
"""Required columns of each file."""
NUMBERS = {
    "accommodations": ("price", "minimum nights", "maximum occupancy"),
    "restaurants": ("Average Cost",),
}
"""Columns in which the public evaluator expects numbers, by file."""
MOST = 10**9
"""Maximum accepted price or count."""
BATCH = 20_000
CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)")
DAY = re.compile(r"\d{4}-[01]\d-[0-3]\d")
DURATION = re.compile(r"(?:(\d{1,6}) days?)?\s*(?:(\d{1,6}) hours?)?\s*(?:(\d{1,6}) mins?)?", re.ASCII)
LINE_END = re.compile(r"\s*[\r\n]+\s*")
DISTANCE = re.compile(r"(\d[\d,]{,11}(?:\.\d{1,9})?) km", re.ASCII)


class InvalidDatabaseError(PlanspecError, ValueError):
    """Error if a folder is not TravelPlanner's public database."""


class _UnusableRecordError(ValueError):
    """Error if a row cannot be used. The message gives the reason."""


def build_database(folder: Path, base: Path) -> list[TableCount]:
    """Convert a public folder to a database.

    Args:
        folder: TravelPlanner's folder `database`.
        base: SQLite file to create.

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
    """Mark places whose names the public evaluator does not find, or takes for the name of another place.

    Args:
        connection: connection to the database, in which the places are marked.
        base: file of the database, from which the evaluator's tables are read.
        counts: counts of the tables, to which the numbers of marked places are added.
    """
    facts = facts_from_database(base)
    finders: dict[tuple[str, str, str], Callable[[str], Sequence[Accommodation | Restaurant]]] = {
        ("accommodations", "Hotel", "price, least, sleeps"): partial(matching_places, facts.accommodations),
        ("restaurants", "Restaurant", "price"): partial(matching_places, facts.restaurants),
    }
    for (name, table, numbers), find in finders.items():
        hidden: list[tuple[str]] = []
        for key, price, *others in connection.execute(f"select id, {numbers} from {table}").fetchall():  # noqa: S608
            first = next(iter(find(key)), None)
            expected = (key.rpartition(", ")[0], float(price.removesuffix(" USD")), *others)
            if first is None or _evaluated_fields(first) != expected:
                hidden.append((key,))
        connection.executemany(f"update {table} set plain = 'false' where id = ?", hidden)  # noqa: S608
        counts[name].noted["not found or confused by the public evaluator"] += len(hidden)


def _evaluated_fields(row: Accommodation | Restaurant) -> tuple[str | float, ...]:
    """Return the fields that both the evaluator and the constraint library read: a place's name and numbers."""
    if isinstance(row, Restaurant):
        return clean_name(row.name), row.cost
    return clean_name(row.name), row.price, row.minimum_nights, row.maximum_occupancy


class _DatabaseBuilder:
    def __init__(self, folder: Path, base: sqlite3.Connection) -> None:
        self.folder = folder
        self.base = base
        self.cities: dict[str, str | None] = {}  # state of each city named so far
        self.cuisines: dict[str, None] = {}

    def fill(self) -> list[TableCount]:
        counts = [
            self._copy_states(),
            self._copy_table("accommodations", "Hotel", self._hotel_row, 8),
            self._copy_table("restaurants", "Restaurant", self._restaurant_row, 5),
            self._copy_table("attractions", "Attraction", self._attraction_row, 2),
            self._copy_table("distances", "Road", self._road_row, 4, key=2),
            self._copy_flights(),
        ]
        self.base.executemany("insert into City values (?, ?)", self.cities.items())
        self.base.executemany("insert into Cuisine values (?)", ((name,) for name in self.cuisines))
        return counts

    def _copy_states(self) -> TableCount:
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
            if not tab or not clean_name(city) or not clean_name(state):
                count.dropped["no city and state with a tab between them"] += 1
            elif clean_name(city) in self.cities:
                count.repeated += 1
            else:
                self.cities[clean_name(city)] = clean_name(state)
                states[clean_name(state)] = None
                count.stored += 1
        self.base.executemany("insert into State values (?)", ((state,) for state in states))
        return count

    def _copy_table(
        self, name: str, target: str, convert: Callable[[Cells, TableCount], Typed], width: int, key: int = 1
    ) -> TableCount:
        """Copy a small file twice: unchanged, and converted to a table of the constraint library. Count the rows.

        If several rows have the same key, only the first is stored in the library's table.

        Args:
            name: key of the file in `PUBLIC`.
            target: name of the library's table.
            convert: function that converts a row of the file to a row of the library's table.
            width: number of columns of the library's table.
            key: number of leading columns that form the key.
        """
        count = TableCount(name)
        seen: set[Typed] = set()
        header: tuple[str, ...] = ()
        for row in _csv_rows(self.folder / PUBLIC[name], name):
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

    def _add_city(self, text: str) -> str:
        city = clean_name(text)
        if not city:
            raise _UnusableRecordError("no city")
        self.cities.setdefault(city, None)
        return city

    def _hotel_row(self, row: Cells, _: TableCount) -> Typed:
        city = self._add_city(row["city"])
        room = ROOMS.get(row["room type"].strip())
        if room is None:
            raise _UnusableRecordError("an unknown room type")
        bans: list[str] = []
        for rule in row["house_rules"].split(" & ") if row["house_rules"].strip() else ():
            if rule.strip() not in BANS:
                raise _UnusableRecordError("an unknown house rule")
            bans.append(BANS[rule.strip()])
        values = (
            _place_key(row["NAME"], city),
            city,
            room,
            _parse_price(row["price"]),
            _parse_whole_number(row["minimum nights"], "minimum nights"),
            _parse_whole_number(row["maximum occupancy"], "maximum occupancy"),
            ", ".join(bans),
            "true",
        )
        if values[5] == 0:
            raise _UnusableRecordError("sleeps nobody")
        return values

    def _restaurant_row(self, row: Cells, _: TableCount) -> Typed:
        city = self._add_city(row["City"])
        cuisines = [clean_name(part) for part in row["Cuisines"].split(",") if clean_name(part)]
        self.cuisines.update(dict.fromkeys(cuisines))
        return (
            _place_key(row["Name"], city),
            city,
            ", ".join(cuisines),
            _parse_price(row["Average Cost"]),
            "true",
        )

    def _attraction_row(self, row: Cells, _: TableCount) -> Typed:
        city = self._add_city(row["City"])
        return _place_key(row["Name"], city), city

    def _road_row(self, row: Cells, count: TableCount) -> Typed:
        ends = self._add_city(row["origin"]), self._add_city(row["destination"])
        length, time = _parse_distance(row["distance"]), _parse_duration(row["duration"])
        if length is None or time is None:
            count.noted["without a distance"] += 1
            return (*ends, None, None)
        return (*ends, length, time)

    def _copy_flights(self) -> TableCount:
        count = TableCount("flights")
        rows = self._flight_rows(count)
        while part := list(islice(rows, BATCH)):  # in batches to bound memory, since the file has millions of rows
            self.base.executemany("insert into Flight values (?, ?, ?, ?, ?, ?, ?, ?, ?)", part)
        return count

    def _flight_rows(self, count: TableCount) -> Iterator[Typed]:
        seen: set[bytes] = set()
        names: dict[str, str] = {}
        for row in _csv_rows(self.folder / FLIGHTS, "flights"):
            count.read += 1
            is_complete = int(not any(value in NAN for value in row.values()))
            number = row["Flight Number"].strip()
            try:
                ends = []
                for public in (row["OriginCityName"], row["DestCityName"]):
                    if public not in names:
                        names[public] = self._add_city(public)
                    ends.append(names[public])
                if not number:
                    raise _UnusableRecordError("no flight number")
                times = [row[name].strip() for name in ("DepTime", "ArrTime")]
                if not all(map(CLOCK.fullmatch, times)):
                    raise _UnusableRecordError("an unreadable time")
                day = row["FlightDate"].strip()
                if not DAY.fullmatch(day):
                    raise _UnusableRecordError("an unreadable date")
                price = _parse_price(row["Price"])
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


def clean_name(name: str) -> str:
    """Strip a name and put it on one line. Some public names contain line ends."""
    return LINE_END.sub(" ", name).strip()


def _breaks_evaluator(row: Cells, name: str) -> bool:
    """Return whether the public evaluator would crash on a row.

    The evaluator skips rows with a blank cell. It crashes on other rows if a number cannot be read.
    """
    if any(value in NAN for value in row.values()):
        return False
    try:
        return not all(isfinite(float(row[column])) for column in NUMBERS.get(name, ()))
    except ValueError:
        return True


def _place_key(name: str, city: str) -> str:
    """Return the key of a place, which is also its name in plans: `Name, City`."""
    if not clean_name(name):
        raise _UnusableRecordError("no name")
    return f"{clean_name(name)}, {city}"


def _parse_number(text: str, what: str) -> Decimal:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise _UnusableRecordError(f"no {what}" if not text.strip() else f"an unreadable {what}") from None
    if not number.is_finite() or not 0 <= number <= MOST:
        raise _UnusableRecordError(f"an unreadable {what}")
    return number


def _parse_price(text: str) -> str:
    price = _parse_number(text, "price")
    if price * 100 != int(price * 100):
        raise _UnusableRecordError("a price that is no whole number of cents")
    return f"{abs(price).normalize():f} USD"


def _parse_whole_number(text: str, what: str) -> int:
    number = _parse_number(text, what)
    if number != int(number):
        raise _UnusableRecordError(f"an unreadable {what}")
    return int(number)


def _parse_distance(text: str) -> str | None:
    match = DISTANCE.fullmatch(text.strip())
    return None if match is None else f"{int(Decimal(match[1].replace(',', '')) * 1000)}m"


def _parse_duration(text: str) -> str | None:
    match = DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes = (int(part or 0) for part in match.groups())
    return f"{days * MINUTES_A_DAY + hours * 60 + minutes}min"


def _csv_rows(path: Path, name: str) -> Iterator[Cells]:
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
                raise InvalidDatabaseError(f"`{path}` has no column `{missing[0]}`; it has {', '.join(header)}")
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
