"""Readers of TravelPlanner's public files and records in the evaluator's form, without an import."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planspec.families.travelplanner.official.facts import (
    ACCOMMODATIONS,
    ATTRACTIONS,
    DISTANCES,
    FLIGHTS,
    NAN,
    RESTAURANTS,
    STATES,
    Flight,
    ReferenceTables,
    TextTable,
    index_tables,
)
from planspec.families.travelplanner.official.reading import EvaluatorQuery


def read_facts(folder: Path) -> ReferenceTables:
    """Read the tables of the public folder `database`."""
    flights: dict[str, list[Flight]] = {}
    for row in _rows(folder / FLIGHTS):
        if NAN.isdisjoint(row.values()):
            number = row["Flight Number"]
            flight = Flight(number, row["OriginCityName"], row["DestCityName"], int(float(row["Price"])))
            flights.setdefault(number, []).append(flight)
    states = (line.partition("\t") for line in (folder / STATES).read_text("utf-8").splitlines())
    return index_tables(
        {number: tuple(same_number) for number, same_number in flights.items()},
        _table(folder / ACCOMMODATIONS),
        _table(folder / RESTAURANTS),
        _table(folder / ATTRACTIONS),
        _table(folder / DISTANCES),
        ((city, state) for city, _, state in states),
    )


def query_of_record(record: Mapping[str, Any]) -> EvaluatorQuery:
    """Return the query of a public record."""
    return EvaluatorQuery(
        record["org"],
        record["dest"],
        record["days"],
        record["visiting_city_number"],
        record["people_number"],
        record["budget"],
        record["local_constraint"],
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _table(path: Path) -> TextTable:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return TextTable(header, rows)
