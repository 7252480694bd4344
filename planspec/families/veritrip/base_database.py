"""Writer of a fact base to an SQLite file. A world (YAML document with tables shared by tasks) reads its tables."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.families.veritrip.facts import AnyPlace, FactBase
from planspec.families.veritrip.format.reading import BOARDS
from planspec.files import building
from planspec.suite_writing import writing

if TYPE_CHECKING:
    from planspec.families.veritrip.corpus import Statement

_LABEL = """\
label text as (
        case when substr(id, -length(city) - 2) = ', ' || city then substr(id, 1, length(id) - length(city) - 2) end
    )"""
"""Column with a place's own name, if the city is appended to it in `id`."""
SCHEMA = f"""
create table City (id text primary key);
create table Station (id text primary key, city text, {_LABEL});
create table Service (
    number text, day text, origin text, "to" text, vehicle text, depart text, arrive text, price text
);
create table RoomKind (id text primary key, sleeps int);
create table Hotel (id text primary key, city text, latitude text, longitude text, {_LABEL});
create table Offer (hotel text, room text, sleeps int, price text, board text, primary key (hotel, room));
create table Attraction (
    id text primary key, city text, ticket text, opens text, closes text, closed text, least text, most text,
    latitude text, longitude text, {_LABEL}
);
create table Restaurant (
    id text primary key, city text, tags text, price text, opens text, closes text, latitude text, longitude text,
    {_LABEL}
);
create table Poi (id text primary key, city text, kind text, latitude text, longitude text);
create table Statement (document int, city text, subject text, field text, value text, "right" text);
"""
INDEXES = """
create index statements_of_a_city on Statement (city);
analyze;
"""
PART_INDEXES = """
create index services_of_a_day on Service (day);
create index hotels_of_a_city on Hotel (city);
create index restaurants_of_a_city on Restaurant (city);
create index pois_of_a_city on Poi (city);
"""
"""Additional SQL indexes for tasks that read only a part of a table."""
COLUMN_SPLITS = {
    "City": "",
    "Station": "",
    "Service": "",
    "RoomKind": "",
    "Hotel": "",
    "Offer": "",
    "Attraction": "{closed: {split: '|'}}",
    "Restaurant": "{tags: {split: '|'}}",
    "Poi": "",
}
"""For each table, the YAML that declares the separator of cells with several values; empty if there are no such
cells.
"""
NEVER = "never"
"""Text stored for a missing value, such as the closing day of an attraction that is open every day."""
SELECT_STATEMENTS = 'select document, subject, field, value, "right" from Statement'


def write_base(base: FactBase, path: Path, statements: Iterable[Statement] = (), *, in_parts: bool = False) -> None:
    """Write a fact base to an SQLite file, replacing an existing one.

    Args:
        base: fact base to write.
        path: SQLite file.
        statements: statements of documents on attractions.
        in_parts: whether each task reads only a part of some tables. The file then has indexes on these
            tables.

    Raises:
        OSError: The file cannot be written.
    """
    with building(path) as part, closing(sqlite3.connect(part)) as database:
        database.executescript("pragma journal_mode=off; pragma synchronous=off;" + SCHEMA)
        _insert_rows(database, base)
        database.executemany(
            "insert into Statement values (?, ?, ?, ?, ?, ?)",
            ((s.document, s.city, s.subject, s.field, s.value or NEVER, _format_bool(s.true)) for s in statements),
        )
        database.commit()
        database.executescript(f"{PART_INDEXES}{INDEXES}" if in_parts else INDEXES)
        database.commit()


def _insert_rows(database: sqlite3.Connection, base: FactBase) -> None:
    def insert(table: str, rows: Iterable[Sequence[str | int]]) -> None:
        rows = list(rows)
        if rows:
            database.executemany(f"insert into {table} values ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608

    cities = dict.fromkeys([*base.cities, *(s.origin_city for s in base.services), *(s.to_city for s in base.services)])
    cities |= dict.fromkeys(place.city for place in base.places)
    insert("City", ((city,) for city in cities))
    names_of_stations = station_names(base)
    insert("Station", ((name, city) for (_, city), name in names_of_stations.items()))
    insert(
        "Service",
        (
            (
                s.number,
                s.date.isoformat(),
                names_of_stations[s.origin, s.origin_city],
                names_of_stations[s.to, s.to_city],
                s.vehicle,
                format_clock(s.depart),
                format_clock(s.arrive),
                format_price(s.price, base),
            )
            for s in base.services
        ),
    )
    rooms: dict[str, int] = {}
    for room in (room for hotel in base.hotels for room in hotel.rooms):
        rooms[room.kind] = min(room.sleeps, rooms.get(room.kind, room.sleeps))
    insert("RoomKind", rooms.items())
    hotels, attractions = world_names(base.hotels), world_names(base.attractions)
    insert("Hotel", ((hotels[h], h.city, str(h.latitude), str(h.longitude)) for h in base.hotels))
    insert(
        "Offer",
        (
            (hotels[h], r.kind, r.sleeps, format_price(r.price, base), BOARDS[r.breakfast])
            for h in base.hotels
            for r in h.rooms
        ),
    )
    insert(
        "Attraction",
        (
            (
                attractions[a],
                a.city,
                format_price(a.ticket, base),
                format_clock(a.opens),
                format_clock(a.closes),
                "|".join(map(str, sorted(a.closed_on))),
                f"{a.least}min",
                f"{a.most}min",
                str(a.latitude),
                str(a.longitude),
            )
            for a in base.attractions
        ),
    )
    restaurants = world_names(base.restaurants)
    insert(
        "Restaurant",
        (
            (
                restaurants[r],
                r.city,
                "|".join(dict.fromkeys(t for t in (r.name, r.cuisine, *r.dishes) if t)),
                format_price(r.price, base),
                format_clock(r.opens),
                format_clock(r.closes),
                str(r.latitude),
                str(r.longitude),
            )
            for r in base.restaurants
        ),
    )
    pois = world_names(base.pois)
    insert("Poi", ((pois[p], p.city, p.kind, str(p.latitude), str(p.longitude)) for p in base.pois))


def station_names(base: FactBase) -> dict[tuple[str, str], str]:
    """Return the unique name of each station, by its own name and city.

    The city is appended to a name that several cities share, such as Union Station.
    """
    ends = dict.fromkeys(end for s in base.services for end in ((s.origin, s.origin_city), (s.to, s.to_city)))
    count = Counter(name for name, _ in ends)
    return {(name, city): name if count[name] == 1 else f"{name}, {city}" for name, city in ends}


def world_names(places: Sequence[AnyPlace]) -> dict[AnyPlace, str]:
    """Return a unique name for each place.

    The city is appended to a name that several places share.
    """
    names = {place: place.name for place in places}
    while True:
        count = Counter(names.values())
        duplicates = {p: f"{p.name}, {p.city}" for p, name in names.items() if count[name] > 1 and name == p.name}
        if not duplicates:
            return names
        names |= duplicates


def format_clock(minutes: int) -> str:
    """Format minutes after midnight as HH:MM. For example, `25:10` is ten past one on the next day."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def format_price(price: int, base: FactBase) -> str:
    """Format a price with its currency, such as `60 CNY`."""
    return f"{price} {base.currency}"


def _format_bool(value: bool) -> str:
    return "true" if value else "false"


TRIP_TABLES = ("Service", "Offer", "Restaurant", "Poi")
"""Tables of which a task over a large fact base reads only a part: the rows that its trip can use."""


def world_text(name: str, title: str, currency: str, file: str, *, whole: bool = True) -> str:
    """Return the YAML of a world, which declares the tables in an SQLite file.

    Args:
        name: id of the world.
        title: title of the world.
        currency: currency of all prices.
        file: path of the SQLite file, as written in the document.
        whole: whether the world has all tables. If False, tasks add the tables of `TRIP_TABLES` themselves.
    """
    tables = {table: split for table, split in COLUMN_SPLITS.items() if whole or table not in TRIP_TABLES}
    return writing.world_text(name, title, "veritrip", currency, file, tables)
