"""Reader of a fact base in CSV or JSON lines. Unusable rows are counted by reason."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from planspec.dsl.resources.english_words import WEEKDAYS
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
from planspec.suite_writing.counts import TableCount

COLUMNS = {
    "transportation": (
        "number",
        "vehicle",
        "date",
        "origin",
        "destination",
        "origin_city",
        "destination_city",
        "depart",
        "arrive",
        "price",
    ),
    "attractions": (
        "name",
        "city",
        "latitude",
        "longitude",
        "address",
        "introduction",
        "ticket",
        "opens",
        "closes",
        "closed_on",
        "visit_least",
        "visit_most",
        "interests",
    ),
    "restaurants": (
        "name",
        "city",
        "latitude",
        "longitude",
        "area",
        "cuisine",
        "dishes",
        "price",
        "rating",
        "opens",
        "closes",
    ),
    "accommodations": (
        "name",
        "city",
        "latitude",
        "longitude",
        "address",
        "stars",
        "room",
        "sleeps",
        "price",
        "breakfast",
    ),
    "pois": ("name", "city", "latitude", "longitude", "kind", "about"),
}
"""Required columns of each table; other columns are ignored."""
PLACES = tuple(name for name in COLUMNS if name != "transportation")
VEHICLES: dict[str, Vehicle] = {"train": "train", "airplane": "airplane"}
SUFFIXES = (".csv", ".jsonl")
MAX_PRICE = 10**7
"""Highest allowed price."""
DAY_MIN = 24 * 60
DECIMAL_PLACES = 9
"""Decimal places of degrees, the maximum in the planning language. Further places are rounded."""

Cells = Mapping[str, str]
Record = TypeVar("Record")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::00)?(?:\s*\+1)?", re.ASCII)
_INTEGER = re.compile(r"\d{1,7}(?:\.0+)?", re.ASCII)
_DECIMAL = re.compile(r"-?\d{1,3}(?:\.\d{1,30})?", re.ASCII)


class InvalidFactBaseError(PlanspecError, ValueError):
    """The folder does not contain a valid fact base."""


class _UnusableRowError(ValueError):
    """The row cannot be used, for the reason in the message."""


def read_base(folder: Path, currency: str, tables: Sequence[str] = tuple(COLUMNS)) -> tuple[FactBase, list[TableCount]]:
    """Read a fact base from a folder, and count the rows of its files.

    Args:
        folder: folder with a file for each table, such as `attractions.csv` or `attractions.jsonl`.
        currency: currency of all prices, an ISO 4217 code.
        tables: tables to read. All other tables are empty.

    Raises:
        InvalidFactBaseError: A file or a column is missing, or a file is not CSV or JSON lines in UTF-8.
    """
    counts = {name: TableCount(name) for name in tables}
    rows = {name: _read_rows(folder, name, counts[name]) if name in counts else iter(()) for name in COLUMNS}
    none = TableCount("")
    base = FactBase(
        currency,
        tuple(_parse_records(rows["transportation"], _parse_service, _service_key, counts.get("transportation", none))),
        tuple(_parse_records(rows["attractions"], _parse_attraction, _place_key, counts.get("attractions", none))),
        tuple(_parse_records(rows["restaurants"], _parse_restaurant, _place_key, counts.get("restaurants", none))),
        _parse_hotels(rows["accommodations"], counts.get("accommodations", none)),
        tuple(_parse_records(rows["pois"], _parse_poi, _place_key, counts.get("pois", none))),
    )
    return base, list(counts.values())


def read_places(folder: Path, currency: str = "CNY") -> FactBase:
    """Read a fact base without trains and flights. Each row must be usable.

    Raises:
        InvalidFactBaseError: A file or a column is missing, a file is malformed, or a row cannot be used.
    """
    base, counts = read_base(folder, currency, PLACES)
    for count in counts:
        if count.stored < count.read:
            faults = [*count.dropped, *(["a row is repeated"] if count.repeated else [])]
            raise InvalidFactBaseError(f"`{folder}`, {count.table}: {faults[0]}")
    return base


# ------------------------------------------------------------------ files


def _read_rows(folder: Path, name: str, count: TableCount) -> Iterator[Cells]:
    """Yield the rows of a table, with all cells as strings.

    Raises:
        InvalidFactBaseError: The file is missing or malformed, or there is a CSV file and a JSONL file.
    """
    paths = [path for suffix in SUFFIXES if (path := folder / f"{name}{suffix}").is_file()]
    if len(paths) != 1:
        which = "neither" if not paths else "both"
        raise InvalidFactBaseError(f"`{folder}` has {which} {name}.csv {'nor' if not paths else 'and'} {name}.jsonl")
    path = paths[0]
    return _read_csv_rows(path, name, count) if path.suffix == ".csv" else _read_json_rows(path, name, count)


def _read_csv_rows(path: Path, name: str, count: TableCount) -> Iterator[Cells]:
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
        raise InvalidFactBaseError(f"`{path}` is not valid CSV: {error} (after line {line})") from None


def _read_json_rows(path: Path, name: str, count: TableCount) -> Iterator[Cells]:
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
                yield {column: _cell_text(row[column]) for column in COLUMNS[name]}
    except UnicodeDecodeError as error:
        raise InvalidFactBaseError(f"`{path}` is not UTF-8 (byte {error.start})") from None


def _cell_text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return "|".join(map(_cell_text, value))
        case _:
            return str(value)


def _parse_records(
    rows: Iterator[Cells], make: Callable[[Cells], Record], key: Callable[[Record], object], count: TableCount
) -> Iterator[Record]:
    """Yield a record for each usable row. Later rows with the same key are skipped and counted as repeated."""
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


def _service_key(service: Service) -> object:
    return service.number, service.date, service.origin, service.to


def _place_key(place: Attraction | Restaurant | Poi) -> object:
    return place.city, place.name


def _parse_service(row: Cells) -> Service:
    vehicle = VEHICLES.get(row["vehicle"].strip())
    if vehicle is None:
        raise _UnusableRowError("the vehicle is neither train nor airplane")
    depart, arrive = _parse_clock(row, "depart"), _parse_clock(row, "arrive")
    return Service(
        _require_text(row, "number"),
        vehicle,
        _parse_date(row, "date"),
        _require_text(row, "origin"),
        _require_text(row, "destination"),
        _require_text(row, "origin_city"),
        _require_text(row, "destination_city"),
        depart,
        arrive if arrive > depart else arrive + DAY_MIN,
        _parse_price(row, "price"),
    )


def _parse_attraction(row: Cells) -> Attraction:
    opens, closes = _parse_hours(row)
    least, most = _parse_integer(row, "visit_least"), _parse_integer(row, "visit_most")
    if not 0 < least <= most <= DAY_MIN:
        raise _UnusableRowError("`visit_least` and `visit_most` are not the bounds of a visit's length")
    closed = [part.strip() for part in row["closed_on"].split("|") if part.strip()]
    if any(day not in WEEKDAYS for day in closed):
        raise _UnusableRowError("`closed_on` is not a weekday")
    return Attraction(
        *_parse_place(row),
        row["address"].strip(),
        row["introduction"].strip(),
        _parse_price(row, "ticket"),
        opens,
        closes,
        frozenset(map(WEEKDAYS.index, closed)),
        least,
        most,
        _parse_list(row, "interests"),
    )


def _parse_restaurant(row: Cells) -> Restaurant:
    opens, closes = _parse_hours(row)
    rating = row["rating"].strip()
    if not _DECIMAL.fullmatch(rating) or not 0 <= Decimal(rating) <= 5:
        raise _UnusableRowError("the rating is not between 0 and 5")
    return Restaurant(
        *_parse_place(row),
        row["area"].strip(),
        row["cuisine"].strip(),
        _parse_list(row, "dishes"),
        _parse_price(row, "price"),
        Decimal(rating),
        opens,
        closes,
    )


def _parse_poi(row: Cells) -> Poi:
    return Poi(*_parse_place(row), row["kind"].strip(), row["about"].strip())


def _parse_hotels(rows: Iterator[Cells], count: TableCount) -> tuple[Hotel, ...]:
    """Return the hotels. Rows with the same city and name form one hotel, and each row gives it a room.

    The first row determines the hotel's position, address and stars.
    """
    hotels: dict[tuple[str, str], Hotel] = {}
    for row in rows:
        try:
            name, city, latitude, longitude = _parse_place(row)
            stars = _parse_integer(row, "stars")
            room = Room(
                _require_text(row, "room"),
                _parse_integer(row, "sleeps"),
                _parse_price(row, "price"),
                _parse_bool(row, "breakfast"),
            )
            if not room.sleeps:
                raise _UnusableRowError("the room has no place to sleep")
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
            hotels[city, name] = Hotel(name, city, latitude, longitude, row["address"].strip(), stars, (room,))
        else:
            hotels[city, name] = Hotel(
                name, city, hotel.latitude, hotel.longitude, hotel.address, hotel.stars, (*rooms, room)
            )
    return tuple(hotels.values())


# ------------------------------------------------------------------ cells


def _require_text(row: Cells, name: str) -> str:
    text = row[name].strip()
    if not text:
        raise _UnusableRowError(f"no {name}")
    if len(text) > 200 or any(ord(c) < 32 for c in text):
        raise _UnusableRowError(f"the {name} is too long or has line breaks")
    return text


def _parse_place(row: Cells) -> tuple[str, str, Decimal, Decimal]:
    return (
        _require_text(row, "name"),
        _require_text(row, "city"),
        _parse_degrees(row, "latitude", 85),
        _parse_degrees(row, "longitude", 180),
    )


def _parse_degrees(row: Cells, name: str, limit: int) -> Decimal:
    text = row[name].strip()
    if not _DECIMAL.fullmatch(text) or abs(Decimal(text)) > limit:
        raise _UnusableRowError(f"the {name} is not between -{limit} and {limit} degrees")
    degrees = Decimal(text)
    return round(degrees, DECIMAL_PLACES) if len(text.partition(".")[2]) > DECIMAL_PLACES else degrees


def _parse_integer(row: Cells, name: str) -> int:
    text = row[name].strip()
    if not _INTEGER.fullmatch(text):
        raise _UnusableRowError(f"`{name}` is not a whole number")
    return int(text.partition(".")[0])


def _parse_price(row: Cells, name: str) -> int:
    price = _parse_integer(row, name)
    if price > MAX_PRICE:
        raise _UnusableRowError(f"the {name} is too great")
    return price


def _parse_clock(row: Cells, name: str) -> int:
    match = _CLOCK.fullmatch(row[name].strip())
    if not match or (minutes := int(match[1]) * 60 + int(match[2])) > DAY_MIN:
        raise _UnusableRowError(f"`{name}` is not a time of day")
    return minutes


def _parse_hours(row: Cells) -> tuple[int, int]:
    opens, closes = _parse_clock(row, "opens"), _parse_clock(row, "closes")
    return opens, closes if closes > opens else closes + DAY_MIN


def _parse_date(row: Cells, name: str) -> date:
    try:
        return date.fromisoformat(row[name].strip())
    except ValueError:
        raise _UnusableRowError(f"`{name}` is not a date") from None


def _parse_bool(row: Cells, name: str) -> bool:
    text = row[name].strip().lower()
    if text not in {"true", "false"}:
        raise _UnusableRowError(f"`{name}` is neither true nor false")
    return text == "true"


def _parse_list(row: Cells, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in row[name].split("|") if part.strip()))
