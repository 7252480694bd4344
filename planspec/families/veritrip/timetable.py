"""Invented timetable of trains and flights between the cities of a country."""

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
"""Last day of the period of the paper's trips."""
STATIONS: dict[str, Vehicle] = {"railway_station": "train", "airport": "airplane"}
"""For each kind of station, the vehicle that stops there."""


@dataclass(frozen=True, slots=True)
class _ServiceModel:
    """Parameters of the invented services of one vehicle (trains or flights).

    Attributes:
        codes: prefixes of the booking numbers.
        speed: speed in km/h.
        extra: minutes that are added to the travel time at full speed.
        base: fixed part of a fare, in the main unit of the currency.
        fare: additional fare per km.
        daily: number of trains or flights per day and direction.
    """

    codes: tuple[str, ...]
    speed: float
    extra: int
    base: float
    fare: float
    daily: int


CARRIERS: dict[str, dict[Vehicle, _ServiceModel]] = {
    "CNY": {
        "train": _ServiceModel(("G", "G", "G", "D"), 250, 8, 12, 0.46, 9),
        "airplane": _ServiceModel(("CA", "MU", "CZ", "HU"), 700, 55, 260, 0.52, 5),
    },
    "USD": {
        "airplane": _ServiceModel(("DL", "AA", "UA", "B6"), 560, 45, 65, 0.13, 9),
    },
}
"""Parameters of generated trains and flights, by currency of the country and vehicle.

As in the paper, China has trains and flights, and the USA flights only.
"""


def timetable(base: FactBase, seed: int, first: date = FIRST_DAY, last: date = LAST_DAY) -> tuple[Service, ...]:
    """Return invented trains and flights between each ordered pair of cities on each day.

    A train or flight has the same number, stations and times on all days on which it runs. Its fare varies from day to
    day. Some do not run on all weekdays.

    Args:
        base: source of the stations and airports; its services are ignored.
        seed: seed of the timetable.
        first: first day of the timetable.
        last: last day of the timetable.
    """
    carriers = CARRIERS[base.currency]
    stations = _stations_by_city(base)
    taken: set[str] = set()
    services: list[Service] = []
    for origin, to in permutations(base.cities, 2):
        for vehicle, carrier in carriers.items():
            random = Random(f"{seed}/{origin}/{to}/{vehicle}")
            ends = stations.get((origin, vehicle), []), stations.get((to, vehicle), [])
            if all(ends):
                services += _daily_lines(random, vehicle, carrier, ends, taken, _days(first, last))
    return _sort_services(services)


def _sort_services(services: Iterable[Service]) -> tuple[Service, ...]:
    return tuple(sorted(services, key=lambda s: (s.origin_city, s.to_city, s.date, s.depart, s.number)))


def _stations_by_city(base: FactBase) -> dict[tuple[str, Vehicle], list[Poi]]:
    stations: dict[tuple[str, Vehicle], list[Poi]] = {}
    for poi in base.pois:
        if poi.kind in STATIONS:
            stations.setdefault((poi.city, STATIONS[poi.kind]), []).append(poi)
    return stations


def longer_timetable(
    base: FactBase,
    seed: int,
    existing: Sequence[Service],
    count: int,
    first: date = FIRST_DAY,
    last: date = LAST_DAY,
) -> tuple[Service, ...]:
    """Return a timetable with exactly `count` services (trains and flights), which include the existing ones.

    Pairs of cities take turns in getting new lines, two of trains for each line of flights. A line has one
    number, and one service on each day on which it runs. The last line is cut short to fit `count`.

    Args:
        base: source of the stations and airports; its services are ignored.
        seed: seed of the new services.
        existing: services that stay unchanged.
        count: total number of services, at least the number of existing ones.
        first: first day of the timetable.
        last: last day of the timetable.
    """
    carriers = CARRIERS[base.currency]
    stations = _stations_by_city(base)
    used_numbers = {service.number for service in existing}
    services = list(existing)
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
            line = _line_services(random, vehicle, carrier, ends, used_numbers, _days(first, last), turn)
            services += islice(line, count - len(services))
    return _sort_services(services)


def _daily_lines(
    random: Random,
    vehicle: Vehicle,
    carrier: _ServiceModel,
    ends: tuple[Sequence[Poi], Sequence[Poi]],
    used_numbers: set[str],
    days: Sequence[date],
) -> Iterator[Service]:
    for turn in range(carrier.daily):
        yield from _line_services(random, vehicle, carrier, ends, used_numbers, days, turn)


def _line_services(
    random: Random,
    vehicle: Vehicle,
    carrier: _ServiceModel,
    ends: tuple[Sequence[Poi], Sequence[Poi]],
    used_numbers: set[str],
    days: Sequence[date],
    turn: int,
) -> Iterator[Service]:
    """Yield the trains or flights of a new line, one for each day on which it runs. They share a number.

    Args:
        random: source of the line's stations, times, weekdays and fares.
        vehicle: train or airplane.
        carrier: parameters of the services.
        ends: possible stations of departure and of arrival.
        used_numbers: used booking numbers. The number of the line is added.
        days: days of the timetable.
        turn: index of the part of the day in which the line departs, below `carrier.daily`.
    """
    # The first station of a city gets more trains or flights than the others.
    origin, to = (random.choice([*places[:1], *places]) for places in ends)
    way = kilometres(origin, to)
    lasts = round((way * 1.12 / carrier.speed * 60 + carrier.extra) * random.uniform(0.95, 1.1))
    depart = _draw_departure(turn, carrier.daily, random)
    fare = carrier.base + way * carrier.fare
    runs = frozenset(range(7)) if random.random() < 0.7 else frozenset(random.sample(range(7), 4))
    number = _draw_number(random, carrier, used_numbers)
    for day in days:
        price = round(fare * random.choice((0.85, 0.95, 1, 1, 1.1, 1.25)) * (1.1 if day.weekday() >= 4 else 1))
        if day.weekday() in runs and depart + lasts < 24 * 60:  # no service arrives on the next day
            yield Service(
                number,
                vehicle,
                day,
                origin.name,
                to.name,
                origin.city,
                to.city,
                depart,
                depart + lasts,
                price,
            )


def _draw_departure(turn: int, daily: int, random: Random) -> int:
    """Draw a departure time in minutes after midnight.

    The time from 06:30 to 20:00 is split into `daily` equal parts; the departure is in part `turn`.
    """
    part = (20 * 60 - 390) / daily
    return 390 + round(part * turn + random.uniform(0, part * 0.8))


def _draw_number(random: Random, carrier: _ServiceModel, used_numbers: set[str]) -> str:
    while True:
        number = f"{random.choice(carrier.codes)}{random.randint(101, 9899)}"
        if number not in used_numbers:
            used_numbers.add(number)
            return number


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def kilometres(a: Poi, b: Poi) -> float:
    """Return the great-circle distance between two places."""
    lat_a, lat_b = (math.radians(float(place.latitude)) for place in (a, b))
    across = math.radians(float(b.longitude - a.longitude))
    return EARTH_M / 1000 * central_angle(lat_a, lat_b, across)
