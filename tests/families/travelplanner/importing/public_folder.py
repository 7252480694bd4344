"""Copies of the small world's public files and queries that tests may modify."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.suite_writing.folder import ImportResult
from tests.families.travelplanner.official.small_world import QUERIES, SMALL

HOTELS = "accommodations/clean_accommodations_2022.csv"
RESTAURANTS = "restaurants/clean_restaurant_2022.csv"
SIGHTS = "attractions/attractions.csv"
ROADS = "googleDistanceMatrix/distance.csv"
FLIGHTS = "flights/clean_Flights_2022.csv"
CITIES = "background/citySet_with_states.txt"
Line = dict[str, Any] | str


def copy_database(folder: Path) -> Path:
    """Copy the folder of public tables."""
    return Path(shutil.copytree(SMALL / "database", folder / "database"))


def replace_text(path: Path, old: str, new: str) -> None:
    """Replace the first occurrence of a text in a file."""
    text = path.read_bytes().decode("utf-8")
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode("utf-8"))


def change_every_cell(folder: Path, change: Callable[[str], str]) -> None:
    """Change every cell of every file of the folder."""
    for path in folder.rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = [[change(cell) for cell in row] for row in csv.reader(file)]
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    cities = folder / CITIES
    lines = cities.read_text("utf-8").splitlines()
    cities.write_text("\n".join("\t".join(map(change, line.split("\t"))) for line in lines) + "\n", "utf-8")


def query(number: int = 4, /, **fields: Any) -> dict[str, Any]:
    """Return a query of the small world with changed fields. The value `...` removes a field."""
    result = QUERIES[number] | fields
    return {name: value for name, value in result.items() if value is not ...}


def constraints(**fields: Any) -> dict[str, Any]:
    """Return local constraints of a query. Constraints that are not given are None."""
    return {"house rule": None, "cuisine": None, "room type": None, "transportation": None} | fields


def save_queries(folder: Path, *lines: Line, name: str = "queries.jsonl") -> Path:
    """Write a file of queries."""
    path = folder / name
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), "utf-8")
    return path


def import_queries(folder: Path, *lines: Line, conversations: bool = False) -> ImportResult:
    """Import the small world's tables and the given queries."""
    return import_travelplanner(
        SMALL / "database", [save_queries(folder, *lines)], folder / "made", conversations=conversations
    )
