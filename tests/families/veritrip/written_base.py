"""Writers of a fact base's files with one valid row for each table, which tests can change."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from planspec.families.veritrip.facts import FactBase
from tests.families.veritrip.small_base import small_base

Row = dict[str, str]

ROWS: dict[str, Row] = {
    "transportation": {
        "number": "G1",
        "vehicle": "train",
        "date": "2025-10-15",
        "origin": "Ax Central",
        "destination": "Bo Central",
        "origin_city": "Ax",
        "destination_city": "Bo",
        "depart": "08:00",
        "arrive": "09:30",
        "price": "120",
    },
    "attractions": {
        "name": "Old Tower",
        "city": "Ax",
        "latitude": "30.5",
        "longitude": "-110.25",
        "address": "1 High Street",
        "introduction": "A tower, with a clock",
        "ticket": "15",
        "opens": "09:00",
        "closes": "17:30",
        "closed_on": "Monday|Friday",
        "visit_least": "30",
        "visit_most": "90",
        "interests": "City charm|Family fun",
    },
    "restaurants": {
        "name": "The Pan",
        "city": "Ax",
        "latitude": "30.51",
        "longitude": "-110.2",
        "area": "Harbour",
        "cuisine": "Seafood",
        "dishes": "Crab|Fish Soup",
        "price": "40",
        "rating": "4.5",
        "opens": "11:00",
        "closes": "22:00",
    },
    "accommodations": {
        "name": "Inn",
        "city": "Ax",
        "latitude": "30.52",
        "longitude": "-110.3",
        "address": "2 High Street",
        "stars": "3",
        "room": "Twin room",
        "sleeps": "2",
        "price": "300",
        "breakfast": "true",
    },
    "pois": {
        "name": "Ax Central",
        "city": "Ax",
        "latitude": "30.4",
        "longitude": "-110.1",
        "kind": "railway_station",
        "about": "Where trains stop",
    },
}


def write_csv_table(folder: Path, name: str, rows: Sequence[Mapping[str, str]], encoding: str = "utf-8") -> None:
    with (folder / f"{name}.csv").open("w", encoding=encoding, newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_json_table(folder: Path, name: str, rows: Sequence[object]) -> None:
    text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(text, "utf-8")


def write_good_base(folder: Path) -> Path:
    """Write each table as CSV with its single row."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, row in ROWS.items():
        write_csv_table(folder, name, [row])
    return folder


def rounded_base(currency: str = "CNY") -> FactBase:
    """Return the small base with its coordinates rounded."""

    def round_coordinates(place: Any) -> Any:
        return replace(place, latitude=round(place.latitude, 6), longitude=round(place.longitude, 6))

    base = small_base(currency)
    return replace(
        base,
        attractions=tuple(map(round_coordinates, base.attractions)),
        restaurants=tuple(map(round_coordinates, base.restaurants)),
        hotels=tuple(map(round_coordinates, base.hotels)),
        pois=tuple(map(round_coordinates, base.pois)),
    )
