"""An invented timetable: trains and flights between the cities of a country, on many days."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice, permutations
from random import Random

from planspec.families.veritrip.facts import FactBase, Poi, Service, Vehicle
from planspec.geodesy import EARTH_M, central_angle

FIRST_DAY = date(2025, 10, 15)
LAST_DAY = date(2025, 10, 30)
"""The window in which the paper's trips lie."""
STATIONS: dict[str, Vehicle] = {"railway_station": "train", "airport": "airplane"}
"""Kinds of places where services begin and end."""


@dataclass(frozen=True, slots=True)
class _Carrier:
    """The services of one vehicle.

    Attributes:
        codes: with which a number begins.
        speed: in km/h.
        extra: minutes on top, for the way out of stations or for taxiing.
        base: of a fare.
        fare: for a km.
        daily: how many there are each day and direction.
    """

    codes: tuple[str, ...]
    speed: float
    extra: int
    base: float
    fare: float
    daily: int


CARRIERS: dict[str, dict[Vehicle, _Carrier]] = {
    "CNY": {
        "train": _Carrier(("G", "G", "G", "D"), 250, 8, 12, 0.46, 9),
        "airplane": _Carrier(("CA", "MU", "CZ", "HU"), 700, 55, 260, 0.52, 5),
    },
    "USD": {
        "airplane": _Carrier(("DL", "AA", "UA", "B6"), 560, 45, 65, 0.13, 9),
    },
}
"""The carriers by currency: China has trains and flights, the USA flights alone, as in the paper."""


def timetable(
    base: FactBase, seed: int, first: date = FIRST_DAY, last: date = LAST_DAY
) -> tuple[Service, ...]:
    """The services of each ordered pair of cities and each day.

    A service keeps its number, stations and times; its fare changes from day to day, and some do not run on every
    weekday, so that a number alone does not tell whether there is a seat.

    Args:
        base: its stations and airports; its services are not looked at.
        seed: another one gives another timetable.
        first: the first day.
        last: the last day.
    """
    carriers = CARRIERS[base.currency]
    stations = _stations(base)
    taken: set[str] = set()
    made: list[Service] = []
    for origin, to in permutations(base.cities, 2):
        for vehicle, carrier in carriers.items():
            random = Random(f"{seed}/{origin}/{to}/{vehicle}")
            ends = stations.get((origin, vehicle), []), stations.get((to, vehicle), [])
            if all(ends):
                made += _services(random, vehicle, carrier, ends, taken, _days(first, last))
    return _sorted(made)


def _sorted(services: Iterable[Service]) -> tuple[Service, ...]:
    return tuple(sorted(services, key=lambda s: (s.origin_city, s.to_city, s.date, s.depart, s.number)))


def _stations(base: FactBase) -> dict[tuple[str, Vehicle], list[Poi]]:
    found: dict[tuple[str, Vehicle], list[Poi]] = {}
    for poi in base.pois:
        if poi.kind in STATIONS:
            found.setdefault((poi.city, STATIONS[poi.kind]), []).append(poi)
    return found


def longer_timetable(
    base: FactBase,
    seed: int,
    first_ones: Sequence[Service],
    count: int,
    first: date = FIRST_DAY,
    last: date = LAST_DAY,
) -> tuple[Service, ...]:
    """A timetable of exactly so many services, in which the given ones stand as they are.

    Trains and flights between all cities take turns, two trains to each flight, each with a number of its own on all
    the days on which it runs; the last one runs on fewer days.

    Args:
        base: its stations and airports; its services are not looked at.
        seed: another one gives other services.
        first_ones: a timetable of some of the cities.
        count: at least as many as there are in it.
        first: the first day.
        last: the last day.
    """
    carriers = CARRIERS[base.currency]
    stations = _stations(base)
    taken = {service.number for service in first_ones}
    made = list(first_ones)
    lines = [
        (Random(f"{seed}/more/{origin}/{to}/{vehicle}/{turn}"), vehicle, carrier, ends)
        for vehicle, carrier in carriers.items()
        for turn in range(2 if vehicle == "train" else 1)
        for origin, to in permutations(base.cities, 2)
        if all(ends := (stations.get((origin, vehicle), []), stations.get((to, vehicle), [])))
    ]
    while lines and len(made) < count:
        for random, vehicle, carrier, ends in lines:
            turn = random.randrange(carrier.daily)
            line = _line(random, vehicle, carrier, ends, taken, _days(first, last), turn)
            made += islice(line, count - len(made))
    return _sorted(made)


def _services(
    random: Random,
    vehicle: Vehicle,
    carrier: _Carrier,
    ends: tuple[Sequence[Poi], Sequence[Poi]],
    taken: set[str],
    days: Sequence[date],
) -> Iterator[Service]:
    for turn in range(carrier.daily):
        yield from _line(random, vehicle, carrier, ends, taken, days, turn)


def _line(
    random: Random,
    vehicle: Vehicle,
    carrier: _Carrier,
    ends: tuple[Sequence[Poi], Sequence[Poi]],
    taken: set[str],
    days: Sequence[date],
    turn: int,
) -> Iterator[Service]:
    """The services of one number, which departs in that part of the day."""
    # the first of a city's stations sees most of them
    origin, to = (random.choice([*places[:1], *places]) for places in ends)
    way = kilometres(origin, to)
    lasts = round((way * 1.12 / carrier.speed * 60 + carrier.extra) * random.uniform(0.95, 1.1))
    depart = _spread(turn, carrier.daily, random)
    fare = carrier.base + way * carrier.fare
    runs = frozenset(range(7)) if random.random() < 0.7 else frozenset(random.sample(range(7), 4))
    number = _number(random, carrier, taken)
    for day in days:
        price = round(
            fare * random.choice((0.85, 0.95, 1, 1, 1.1, 1.25)) * (1.1 if day.weekday() >= 4 else 1)
        )
        if day.weekday() in runs and depart + lasts < 24 * 60:  # none arrives on another day
            yield Service(
                number, vehicle, day, origin.name, to.name, origin.city, to.city, depart, depart + lasts, price,
            )  # fmt: skip


def _spread(turn: int, daily: int, random: Random) -> int:
    """Departures between 06:30 and 20:00, one in each part of the day."""
    part = (20 * 60 - 390) / daily
    return 390 + round(part * turn + random.uniform(0, part * 0.8))


def _number(random: Random, carrier: _Carrier, taken: set[str]) -> str:
    while True:
        number = f"{random.choice(carrier.codes)}{random.randint(101, 9899)}"
        if number not in taken:
            taken.add(number)
            return number


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def kilometres(a: Poi, b: Poi) -> float:
    """The great circle between two places."""
    lat_a, lat_b = (math.radians(float(place.latitude)) for place in (a, b))
    across = math.radians(float(b.longitude - a.longitude))
    return EARTH_M / 1000 * central_angle(lat_a, lat_b, across)
