"""TravelPlanner's tables as its public evaluator sees them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

FLIGHTS = "flights/clean_Flights_2022.csv"
ACCOMMODATIONS = "accommodations/clean_accommodations_2022.csv"
RESTAURANTS = "restaurants/clean_restaurant_2022.csv"
ATTRACTIONS = "attractions/attractions.csv"
DISTANCES = "googleDistanceMatrix/distance.csv"
STATES = "background/citySet_with_states.txt"
NAN = frozenset(
    {
        "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
        "NULL", "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip
"""Cells that pandas, with which the evaluator reads, takes for nothing."""


@dataclass(frozen=True, slots=True)
class Flight:
    """A flight; its price is for one person."""

    number: str
    origin: str
    destination: str
    price: int


@dataclass(frozen=True, slots=True)
class Accommodation:
    """A listing; its price is for one night of all that fit in."""

    name: str
    city: str
    room_type: str
    price: float
    minimum_nights: float
    house_rules: str
    maximum_occupancy: int


@dataclass(frozen=True, slots=True)
class Restaurant:
    """A restaurant; its cost is for one person."""

    name: str
    city: str
    cuisines: str
    cost: float


@dataclass(frozen=True, slots=True)
class Attraction:
    """A sight, free of charge."""

    name: str
    city: str


Place = TypeVar("Place", Accommodation, Restaurant, Attraction)


@dataclass(frozen=True, slots=True)
class Distance:
    """The way from one city to another as its texts; None where the table has nothing."""

    duration: str | None
    distance: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """All tables, each as it is asked: rows of a city in the order of the file, flights by number.

    Attributes:
        flights: all flights of a number, in the order of the file.
        distances: of several rows for one way the first.
        states: the state of each city that counts as one.
    """

    flights: Mapping[str, tuple[Flight, ...]]
    accommodations: Mapping[str, tuple[Accommodation, ...]]
    restaurants: Mapping[str, tuple[Restaurant, ...]]
    attractions: Mapping[str, tuple[Attraction, ...]]
    distances: Mapping[tuple[str, str], Distance]
    states: Mapping[str, str]


def read_facts(folder: Path) -> Facts:
    """The tables of the public folder `database`.

    Raises:
        OSError: a file is missing.
        ValueError: a number cannot be read, or a column is missing.
    """
    flights: dict[str, list[Flight]] = {}
    for row in _rows(folder / FLIGHTS):
        number = row["Flight Number"]
        flights.setdefault(number, []).append(
            Flight(number, row["OriginCityName"], row["DestCityName"], int(float(row["Price"])))
        )
    distances: dict[tuple[str, str], Distance] = {}
    for row in _rows(folder / DISTANCES, keep_blank=True):
        said = Distance(*(None if row[c] in NAN else row[c] for c in ("duration", "distance")))
        distances.setdefault((row["origin"], row["destination"]), said)
    states = {}
    for line in (folder / STATES).read_text("utf-8").splitlines():
        city, _, state = line.partition("\t")
        states[city] = state
    return Facts(
        {number: tuple(found) for number, found in flights.items()},
        _by_city(
            Accommodation(
                row["NAME"], row["city"], row["room type"], float(row["price"]), float(row["minimum nights"]),
                row["house_rules"], int(float(row["maximum occupancy"])),
            )
            for row in _rows(folder / ACCOMMODATIONS)
        ),
        _by_city(
            Restaurant(row["Name"], row["City"], row["Cuisines"], float(row["Average Cost"]))
            for row in _rows(folder / RESTAURANTS)
        ),
        _by_city(Attraction(row["Name"], row["City"]) for row in _rows(folder / ATTRACTIONS)),
        distances,
        states,
    )  # fmt: skip


def _rows(path: Path, *, keep_blank: bool = False) -> Iterator[dict[str, str]]:
    """The rows of a CSV file; those with a blank cell are dropped unless they are kept."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if keep_blank or not any(value in NAN for value in row.values()):
                yield row


def _by_city(rows: Iterator[Place]) -> dict[str, tuple[Place, ...]]:
    made: dict[str, list[Place]] = {}
    for row in rows:
        made.setdefault(row.city, []).append(row)
    return {city: tuple(found) for city, found in made.items()}
