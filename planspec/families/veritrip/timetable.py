"""Invented timetable: trains and flights between the cities of a country over many days."""

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
"""Last day of the period in which the paper's trips lie."""
STATIONS: dict[str, Vehicle] = {"railway_station": "train", "airport": "airplane"}
"""Kinds of places where services begin and end."""


@dataclass(frozen=True, slots=True)
class _Carrier:
    """The services of one vehicle.

    Attributes:
        codes: prefixes of the numbers.
        speed: km/h.
        extra: additional minutes, for leaving stations or for taxiing.
        base: fixed part of a fare.
        fare: fare per km.
        daily: number of services per day and direction.
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
"""Carriers by currency: China has trains and flights, the USA flights only, as in the paper."""


def timetable(
    base: FactBase, seed: int, first: date = FIRST_DAY, last: date = LAST_DAY
) -> tuple[Service, ...]:
    """Return the services of each ordered pair of cities on each day.

    A service keeps its number, stations and times. Its fare changes from day to day, and some services do not
    run on every weekday, so that a number alone does not tell whether there is a seat.

    Args:
        base: source of the stations and airports; its services are ignored.
        seed: seed of the timetable.
        first: first day.
        last: last day.
    """
    carriers = CARRIERS[base.currency]
    stations = _stations(base)
    taken: set[str] = set()
    services: list[Service] = []
    for origin, to in permutations(base.cities, 2):
        for vehicle, carrier in carriers.items():
            random = Random(f"{seed}/{origin}/{to}/{vehicle}")
            ends = stations.get((origin, vehicle), []), stations.get((to, vehicle), [])
            if all(ends):
                services += _services(random, vehicle, carrier, ends, taken, _days(first, last))
    return _sorted(services)


def _sorted(services: Iterable[Service]) -> tuple[Service, ...]:
    return tuple(sorted(services, key=lambda s: (s.origin_city, s.to_city, s.date, s.depart, s.number)))


def _stations(base: FactBase) -> dict[tuple[str, Vehicle], list[Poi]]:
    stations: dict[tuple[str, Vehicle], list[Poi]] = {}
    for poi in base.pois:
        if poi.kind in STATIONS:
            stations.setdefault((poi.city, STATIONS[poi.kind]), []).append(poi)
    return stations


def longer_timetable(
    base: FactBase,
    seed: int,
    first_ones: Sequence[Service],
    count: int,
    first: date = FIRST_DAY,
    last: date = LAST_DAY,
) -> tuple[Service, ...]:
    """Return a timetable with exactly `count` services, including the given ones unchanged.

    Trains and flights between all cities take turns, two trains to each flight. Each has its own number on
    all the days on which it runs; the last one runs on fewer days.

    Args:
        base: source of the stations and airports; its services are ignored.
        seed: seed of the additional services.
        first_ones: timetable of some of the cities.
        count: number of services, at least that of `first_ones`.
        first: first day.
        last: last day.
    """
    carriers = CARRIERS[base.currency]
    stations = _stations(base)
    taken = {service.number for service in first_ones}
    services = list(first_ones)
    lines = [
        (Random(f"{seed}/more/{origin}/{to}/{vehicle}/{turn}"), vehicle, carrier, ends)
        for vehicle, carrier in carriers.items()
        for turn in range(2 if vehicle == "train" else 1)
        for origin, to in permutations(base.cities, 2)
        if all(ends := (stations.get((origin, vehicle), []), stations.get((to, vehicle), [])))
    ]
    while lines and len(services) < count:
        for random, vehicle, carrier, ends in lines:
            turn = random.randrange(carrier.daily)
            line = _line(random, vehicle, carrier, ends, taken, _days(first, last), turn)
            services += islice(line, count - len(services))
    return _sorted(services)


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
    """Yield the services of one number, which departs in the given part of the day."""
    # the first of a city's stations has most of the services
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
        if day.weekday() in runs and depart + lasts < 24 * 60:  # no service arrives on another day
            yield Service(
                number, vehicle, day, origin.name, to.name, origin.city, to.city, depart, depart + lasts, price,
            )  # fmt: skip


def _spread(turn: int, daily: int, random: Random) -> int:
    """Return a departure between 06:30 and 20:00, one for each part of the day."""
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
    """Return the great-circle distance between two places."""
    lat_a, lat_b = (math.radians(float(place.latitude)) for place in (a, b))
    across = math.radians(float(b.longitude - a.longitude))
    return EARTH_M / 1000 * central_angle(lat_a, lat_b, across)
