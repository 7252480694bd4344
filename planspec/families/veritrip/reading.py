"""Reader of a fact base, CSV or JSON lines; unusable rows are counted by reason."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text
from planspec.errors import PlanspecError
from planspec.families.veritrip.facts import (
    Attraction,
    FactBase,
    Hotel,
    Poi,
    Restaurant,
    Room,
    Service,
    Vehicle,
)
from planspec.families.veritrip.format.cells import WEEKDAYS
from planspec.suite_writing.counts import TableCount

COLUMNS = {
    "transportation": (
        "number", "vehicle", "date", "origin", "destination", "origin_city", "destination_city", "depart", "arrive", "price",
    ),
    "attractions": (
        "name", "city", "latitude", "longitude", "address", "introduction", "ticket", "opens", "closes", "closed_on",
        "visit_least", "visit_most", "interests",
    ),
    "restaurants": (
        "name", "city", "latitude", "longitude", "area", "cuisine", "dishes", "price", "rating", "opens", "closes",
    ),
    "accommodations": ("name", "city", "latitude", "longitude", "address", "stars", "room", "sleeps", "price", "breakfast"),
    "pois": ("name", "city", "latitude", "longitude", "kind", "about"),
}  # fmt: skip
"""Required columns of each table; other columns are ignored."""
PLACES = tuple(name for name in COLUMNS if name != "transportation")
VEHICLES: dict[str, Vehicle] = {"train": "train", "airplane": "airplane"}
SUFFIXES = (".csv", ".jsonl")
MOST = 10**7
"""Highest allowed price."""
DAY_LONG = 24 * 60
DIGITS = 9
"""Decimal digits of a degree, tenths of a millimetre.

Further digits are rounded, since the language has no more.
"""

Cells = Mapping[str, str]
Record = TypeVar("Record")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::00)?(?:\s*\+1)?", re.ASCII)
_WHOLE = re.compile(r"\d{1,7}(?:\.0+)?", re.ASCII)
_PLAIN = re.compile(r"-?\d{1,3}(?:\.\d{1,30})?", re.ASCII)


class InvalidFactBaseError(PlanspecError, ValueError):
    """The folder holds no fact base."""


class _UnusableRowError(ValueError):
    """Reason why a row cannot be used."""


def read_base(
    folder: Path, currency: str, tables: Sequence[str] = tuple(COLUMNS)
) -> tuple[FactBase, list[TableCount]]:
    """Read the records of a folder, and count the rows of its files.

    Args:
        folder: folder with a file for each table, such as `attractions.csv` or `attractions.jsonl`.
        currency: currency of all prices, an ISO 4217 code.
        tables: tables to read; the others stay empty.

    Raises:
        InvalidFactBaseError: A file or a column is missing, or a file is not CSV or JSON lines in UTF-8.
    """
    counts = {name: TableCount(name) for name in tables}
    rows = {name: _rows(folder, name, counts[name]) if name in counts else iter(()) for name in COLUMNS}
    none = TableCount("")
    base = FactBase(
        currency,
        tuple(
            _records(rows["transportation"], _service, _key_of_service, counts.get("transportation", none))
        ),
        tuple(_records(rows["attractions"], _attraction, _key_of_place, counts.get("attractions", none))),
        tuple(_records(rows["restaurants"], _restaurant, _key_of_place, counts.get("restaurants", none))),
        _hotels(rows["accommodations"], counts.get("accommodations", none)),
        tuple(_records(rows["pois"], _poi, _key_of_place, counts.get("pois", none))),
    )
    return base, list(counts.values())


def read_places(folder: Path, currency: str = "CNY") -> FactBase:
    """Read the places of a folder without services; every row must be usable.

    Raises:
        InvalidFactBaseError: See `read_base`; or a row cannot be used.
    """
    base, counts = read_base(folder, currency, PLACES)
    for count in counts:
        if count.stored < count.read:
            faults = [*count.dropped, *(["a row is repeated"] if count.repeated else [])]
            raise InvalidFactBaseError(f"`{folder}`, {count.table}: {faults[0]}")
    return base


# ------------------------------------------------------------------ files


def _rows(folder: Path, name: str, count: TableCount) -> Iterator[Cells]:
    """Return the rows of a table as texts.

    Raises:
        InvalidFactBaseError: The file is missing, ambiguous or unreadable.
    """
    paths = [path for suffix in SUFFIXES if (path := folder / f"{name}{suffix}").is_file()]
    if len(paths) != 1:
        which = "neither" if not paths else "both"
        raise InvalidFactBaseError(
            f"`{folder}` has {which} {name}.csv {'nor' if not paths else 'and'} {name}.jsonl"
        )
    path = paths[0]
    return _csv_rows(path, name, count) if path.suffix == ".csv" else _json_rows(path, name, count)


def _csv_rows(path: Path, name: str, count: TableCount) -> Iterator[Cells]:
    line = 0
    try:
        with open_text(path, RECORDS_BYTES, encoding="utf-8-sig", newline="") as opened:
            reader = csv.reader(opened, strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            missing = [column for column in COLUMNS[name] if column not in header]
            if missing:
                raise InvalidFactBaseError(f"`{path}` has no column `{missing[0]}`")
            for row in reader:
                line = reader.line_num
                if not row:
                    continue
                count.read += 1
                if len(row) != len(header):
                    count.dropped["other cells than the header has"] += 1
                    continue
                yield dict(zip(header, row, strict=True))
    except UnicodeDecodeError as error:
        raise InvalidFactBaseError(f"`{path}` is not UTF-8 (byte {error.start})") from None
    except csv.Error as error:
        raise InvalidFactBaseError(f"`{path}` is no CSV: {error} (after line {line})") from None


def _json_rows(path: Path, name: str, count: TableCount) -> Iterator[Cells]:
    try:
        with open_text(path, RECORDS_BYTES, encoding="utf-8-sig") as opened:
            for line in opened:
                if not line.strip():
                    continue
                count.read += 1
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict):
                    count.dropped["no JSON object"] += 1
                    continue
                missing = [column for column in COLUMNS[name] if column not in row]
                if missing:
                    count.dropped[f"no `{missing[0]}`"] += 1
                    continue
                yield {column: _cell(row[column]) for column in COLUMNS[name]}
    except UnicodeDecodeError as error:
        raise InvalidFactBaseError(f"`{path}` is not UTF-8 (byte {error.start})") from None


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return "|".join(map(_cell, value))
        case _:
            return str(value)


def _records(
    rows: Iterator[Cells], make: Callable[[Cells], Record], key: Callable[[Record], object], count: TableCount
) -> Iterator[Record]:
    """Yield a record for each usable row; the first of several with the same key counts."""
    seen: set[object] = set()
    for row in rows:
        try:
            record = make(row)
        except _UnusableRowError as error:
            count.dropped[str(error)] += 1
            continue
        if key(record) in seen:
            count.repeated += 1
            continue
        seen.add(key(record))
        count.stored += 1
        yield record


# ------------------------------------------------------------------ records


def _key_of_service(service: Service) -> object:
    return service.number, service.date, service.origin, service.to


def _key_of_place(place: Attraction | Restaurant | Poi) -> object:
    return place.city, place.name


def _service(row: Cells) -> Service:
    vehicle = VEHICLES.get(row["vehicle"].strip())
    if vehicle is None:
        raise _UnusableRowError("the vehicle is neither train nor airplane")
    depart, arrive = _clock(row, "depart"), _clock(row, "arrive")
    return Service(
        _text(row, "number"), vehicle, _date(row, "date"), _text(row, "origin"), _text(row, "destination"),
        _text(row, "origin_city"), _text(row, "destination_city"), depart,
        arrive if arrive > depart else arrive + DAY_LONG, _price(row, "price"),
    )  # fmt: skip


def _attraction(row: Cells) -> Attraction:
    opens, closes = _hours(row)
    least, most = _whole(row, "visit_least"), _whole(row, "visit_most")
    if not 0 < least <= most <= DAY_LONG:
        raise _UnusableRowError("the visit's least and most do not fit")
    closed = [part.strip() for part in row["closed_on"].split("|") if part.strip()]
    if any(day not in WEEKDAYS for day in closed):
        raise _UnusableRowError("`closed_on` is no weekday")
    return Attraction(
        *_place(row), row["address"].strip(), row["introduction"].strip(), _price(row, "ticket"), opens, closes,
        frozenset(map(WEEKDAYS.index, closed)), least, most, _several(row, "interests"),
    )  # fmt: skip


def _restaurant(row: Cells) -> Restaurant:
    opens, closes = _hours(row)
    rating = row["rating"].strip()
    if not _PLAIN.fullmatch(rating) or not 0 <= Decimal(rating) <= 5:
        raise _UnusableRowError("the rating is not between 0 and 5")
    return Restaurant(
        *_place(row), row["area"].strip(), row["cuisine"].strip(), _several(row, "dishes"), _price(row, "price"),
        Decimal(rating), opens, closes,
    )  # fmt: skip


def _poi(row: Cells) -> Poi:
    return Poi(*_place(row), row["kind"].strip(), row["about"].strip())


def _hotels(rows: Iterator[Cells], count: TableCount) -> tuple[Hotel, ...]:
    """Return a hotel for all rows with the same name; the first row gives the hotel's own values."""
    hotels: dict[tuple[str, str], Hotel] = {}
    for row in rows:
        try:
            name, city, latitude, longitude = _place(row)
            stars = _whole(row, "stars")
            room = Room(
                _text(row, "room"), _whole(row, "sleeps"), _price(row, "price"), _truth(row, "breakfast")
            )
            if not room.sleeps:
                raise _UnusableRowError("nobody can sleep in the room")
        except _UnusableRowError as error:
            count.dropped[str(error)] += 1
            continue
        hotel = hotels.get((city, name))
        rooms = hotel.rooms if hotel else ()
        if any(other.kind == room.kind for other in rooms):
            count.repeated += 1
            continue
        count.stored += 1
        if hotel is None:
            hotels[city, name] = Hotel(
                name, city, latitude, longitude, row["address"].strip(), stars, (room,)
            )
        else:
            hotels[city, name] = Hotel(
                name, city, hotel.latitude, hotel.longitude, hotel.address, hotel.stars, (*rooms, room)
            )
    return tuple(hotels.values())


# ------------------------------------------------------------------ cells


def _text(row: Cells, name: str) -> str:
    text = row[name].strip()
    if not text:
        raise _UnusableRowError(f"no {name}")
    if len(text) > 200 or any(ord(c) < 32 for c in text):
        raise _UnusableRowError(f"the {name} is too long or has line breaks")
    return text


def _place(row: Cells) -> tuple[str, str, Decimal, Decimal]:
    return (
        _text(row, "name"),
        _text(row, "city"),
        _degrees(row, "latitude", 85),
        _degrees(row, "longitude", 180),
    )


def _degrees(row: Cells, name: str, most: int) -> Decimal:
    text = row[name].strip()
    if not _PLAIN.fullmatch(text) or abs(Decimal(text)) > most:
        raise _UnusableRowError(f"the {name} is not between -{most} and {most} degrees")
    degrees = Decimal(text)
    return round(degrees, DIGITS) if len(text.partition(".")[2]) > DIGITS else degrees


def _whole(row: Cells, name: str) -> int:
    text = row[name].strip()
    if not _WHOLE.fullmatch(text):
        raise _UnusableRowError(f"the {name} is no whole number")
    return int(text.partition(".")[0])


def _price(row: Cells, name: str) -> int:
    price = _whole(row, name)
    if price > MOST:
        raise _UnusableRowError(f"the {name} is too great")
    return price


def _clock(row: Cells, name: str) -> int:
    match = _CLOCK.fullmatch(row[name].strip())
    if not match or (minutes := int(match[1]) * 60 + int(match[2])) > DAY_LONG:
        raise _UnusableRowError(f"`{name}` is no time of the day")
    return minutes


def _hours(row: Cells) -> tuple[int, int]:
    opens, closes = _clock(row, "opens"), _clock(row, "closes")
    return opens, closes if closes > opens else closes + DAY_LONG


def _date(row: Cells, name: str) -> date:
    try:
        return date.fromisoformat(row[name].strip())
    except ValueError:
        raise _UnusableRowError(f"`{name}` is no date") from None


def _truth(row: Cells, name: str) -> bool:
    text = row[name].strip().lower()
    if text not in {"true", "false"}:
        raise _UnusableRowError(f"`{name}` is neither true nor false")
    return text == "true"


def _several(row: Cells, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in row[name].split("|") if part.strip()))
