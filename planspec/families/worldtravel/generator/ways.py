"""Ways through a city: minutes and prices by mode, worked out from where its places are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from planspec.families.worldtravel.generator.city import City, Taxi

STREET = 1.3
"""A way by street, of the great circle (1.14 to 1.54 on a real network of streets)."""
FOOT, BUS, TAXI = 4800, 16000, 24000
"""Metres an hour."""
BUS_WAIT, TAXI_WAIT = 7, 3
"""Minutes until a bus or a taxi moves: the walk to the stop, and the wait."""
EARTH = 6_371_000


@dataclass(frozen=True, slots=True)
class Leg:
    """A way by one mode.

    Attributes:
        minutes: none where the map does not say.
        cents: what a ride costs, a head by bus and for all by taxi; likewise.
    """

    origin: str
    to: str
    mode: str
    minutes: int | None
    cents: int | None


def spots(city: City) -> list[tuple[str, str, str]]:
    """Where ways begin and end: each place and each hotel, as (id, place, hotel)."""
    places = [(row["id"], row["id"], "") for row in city.rows("place")]
    return places + [(row["id"], "", row["id"]) for row in city.rows("hotel")]


def legs(city: City) -> Iterator[Leg]:
    """All ways between places, and between a place and a hotel; in both directions."""
    points = {
        row["id"]: (float(row["lat"]), float(row["lon"]))
        for name in ("place", "hotel")
        for row in city.rows(name)
    }
    hotels = {row["id"] for row in city.rows("hotel")}
    gaps = {(gap.origin, gap.to, gap.mode): gap.lacks for gap in city.head.gaps}
    for origin, here in points.items():
        for to, there in points.items():
            if origin == to or (origin in hotels and to in hotels):
                continue
            metres = round(STREET * great_circle(here, there))
            for mode, minutes, cents in (
                ("foot", max(1, _minutes(metres, FOOT)), 0),
                ("bus", BUS_WAIT + _minutes(metres, BUS), city.head.bus),
                ("taxi", TAXI_WAIT + _minutes(metres, TAXI), fare(city.head.taxi, metres)),
            ):
                lacks = gaps.get((origin, to, mode), "")
                yield Leg(
                    origin, to, mode,
                    None if lacks in ("time", "both") else minutes,
                    None if lacks in ("cost", "both") else cents,
                )  # fmt: skip


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Metres between two points (latitude and longitude in degrees)."""
    (lat, lon), (lat2, lon2) = ((math.radians(x), math.radians(y)) for x, y in (a, b))
    half = math.sin((lat2 - lat) / 2) ** 2 + math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    return 2 * EARTH * math.asin(math.sqrt(half))


def fare(taxi: Taxi, metres: int) -> int:
    """Cents of a taxi, to ten of them."""
    cents, before = float(taxi.flag), 0
    for until, price in taxi.km:
        end = metres if until is None else min(metres, until * 1000)
        cents += price * max(0, end - before) / 1000
        before = max(before, end)
    return 10 * math.floor(cents / 10 + 0.5)


def _minutes(metres: int, speed: int) -> int:
    return math.floor(metres * 60 / speed + 0.5)
