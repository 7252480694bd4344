"""Routes between the places of a city. Durations and prices by mode are computed from positions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from planspec.families.worldtravel.generator.city import CityFolder, Taxi

STREET = 1.3
"""Ratio of a route's length by street to the great-circle distance (1.14 to 1.54 on a real network)."""
FOOT, BUS, TAXI = 4800, 16000, 24000
"""Speeds in metres per hour."""
BUS_WAIT, TAXI_WAIT = 7, 3
"""Minutes until a bus or a taxi departs. They cover the walk to the stop and the wait."""
EARTH = 6_371_000


@dataclass(frozen=True, slots=True)
class Leg:
    """A route by one mode of transport.

    Attributes:
        origin: id of the place or hotel where the route begins.
        to: id of the place or hotel where the route ends.
        minutes: duration; None if the map lacks it.
        cents: price in minor units; None if the map lacks it. A bus is priced per person, a taxi for the whole party.
    """

    origin: str
    to: str
    mode: str
    minutes: int | None
    cents: int | None


def spots(city: CityFolder) -> list[tuple[str, str, str]]:
    """Return the rows (id, place, hotel) of the table `Spot`, which lists the ends of routes.

    Either the place or the hotel is an empty string.
    """
    places = [(row["id"], row["id"], "") for row in city.rows("place")]
    return places + [(row["id"], "", row["id"]) for row in city.rows("hotel")]


def legs(city: CityFolder) -> Iterator[Leg]:
    """Yield the routes in both directions between places, and between each place and each hotel."""
    points = {
        row["id"]: (float(row["lat"]), float(row["lon"])) for name in ("place", "hotel") for row in city.rows(name)
    }
    hotels = {row["id"] for row in city.rows("hotel")}
    gaps = {(gap.origin, gap.to, gap.mode): gap.lacks for gap in city.head.gaps}
    for origin, position in points.items():
        for to, target in points.items():
            if origin == to or (origin in hotels and to in hotels):
                continue
            metres = round(STREET * great_circle_metres(position, target))
            for mode, minutes, cents in (
                ("foot", max(1, _travel_minutes(metres, FOOT)), 0),
                ("bus", BUS_WAIT + _travel_minutes(metres, BUS), city.head.bus),
                ("taxi", TAXI_WAIT + _travel_minutes(metres, TAXI), taxi_fare(city.head.taxi, metres)),
            ):
                lacks = gaps.get((origin, to, mode), "")
                yield Leg(
                    origin,
                    to,
                    mode,
                    None if lacks in ("time", "both") else minutes,
                    None if lacks in ("cost", "both") else cents,
                )


def great_circle_metres(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the distance in metres between two points, given by latitude and longitude in degrees."""
    (lat, lon), (lat2, lon2) = ((math.radians(x), math.radians(y)) for x, y in (a, b))
    half = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 2 * EARTH * math.asin(math.sqrt(half))


def taxi_fare(taxi: Taxi, metres: int) -> int:
    """Return the fare of a taxi in minor units, rounded to ten."""
    cents, before = float(taxi.flag), 0
    for until, price in taxi.km:
        end = metres if until is None else min(metres, until * 1000)
        cents += price * max(0, end - before) / 1000
        before = max(before, end)
    return 10 * math.floor(cents / 10 + 0.5)


def _travel_minutes(metres: int, speed: int) -> int:
    return math.floor(metres * 60 / speed + 0.5)
