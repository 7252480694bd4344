"""The weather of a day and the traffic of a road at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.map.days import DayKind, day_kind, holiday_name, ten_days
from planspec.families.mobilitybench.map.lookup import town_of
from planspec.families.mobilitybench.map.network import SPEED_M_H
from planspec.families.mobilitybench.map.places import hours
from planspec.families.mobilitybench.map.records import City, Period, Poi, Road, TrafficLevel, Weather
from planspec.families.mobilitybench.map.specs import atlas, find_spec

GREAT = frozenset({"motorway", "trunk", "primary", "secondary"})
"""The classes of roads whose traffic stands for that of a district."""


@dataclass(frozen=True, slots=True)
class TrafficStatus:
    """The traffic on a road at a time; the speed is in whole km/h."""

    road: Road
    period: Period
    level: TrafficLevel
    percent: int
    speed_km_h: int
    description: str


def kind_of_day(city: City) -> DayKind:
    """How people spend the city's day."""
    return day_kind(_codes().get(city.country, ""), date.fromisoformat(city.today))


def free_day(city: City) -> str | None:
    """The public holiday of the city's day, in English; None if it is none."""
    return holiday_name(_codes().get(city.country, ""), date.fromisoformat(city.today))


@cache
def _codes() -> Mapping[str, str]:
    """The codes of countries by their names."""
    return {spec.country: spec.code for spec in atlas()}


def open_hours(city: City, poi: Poi) -> str:
    """When a place is open on the city's day."""
    return hours(poi, kind_of_day(city))


def weather_of(city: City, name: str) -> tuple[Weather, ...]:
    """The weather of a city of the table from today on, as a region's people are told it; none of another."""
    spec = find_spec(name)
    if spec is None or spec.english == city.english:
        return city.weather if town_of(city, name) == 0 else ()
    return ten_days(spec, city.seed, date.fromisoformat(city.today))


def weather_on(city: City, day: str | None = None, name: str | None = None) -> Weather | None:
    """The weather of a day, today's if none is named; None if nothing is known of the day.

    Args:
        city: from where one asks.
        day: ISO 8601.
        name: of another city, that of `city` if None.
    """
    wanted = city.today if day is None else day
    days = city.weather if name is None else weather_of(city, name)
    return next((weather for weather in days if weather.day == wanted), None)


def forecast(city: City, days: int, name: str | None = None) -> tuple[Weather, ...]:
    """The weather of the next `days` days, or of all that are known if those are fewer; `name` is of another city."""
    known = city.weather if name is None else weather_of(city, name)
    return tuple(weather for weather in known if weather.day > city.today)[: max(0, days)]


def traffic_on(city: City, road: str, minute: int) -> TrafficStatus | None:
    """The traffic on a road, or on the slowest of the greater roads of a district; None if nothing has that name.

    Args:
        city: where.
        road: its name in either language, in any case; or a district.
        minute: after midnight.
    """
    wanted = road.strip().casefold()
    named = [r for r in city.roads if r.name.casefold() == wanted]
    named = named or [r for r in city.roads if r.english.casefold() == wanted]
    if named:
        return _on_road(city, named[0], minute)
    there = {a.road for a in city.addresses if a.district.casefold() == wanted}
    great = [r for r in city.roads if r.id in there and r.kind in GREAT] or [
        r for r in city.roads if r.id in there
    ]
    return min((_on_road(city, r, minute) for r in great), key=lambda status: status.percent, default=None)


def _on_road(city: City, found: Road, minute: int) -> TrafficStatus:
    number = next(n for n, p in enumerate(city.periods) if p.start_min <= minute % MINUTES_A_DAY < p.end_min)
    for traffic in city.traffic:
        if traffic.road == found.id and traffic.period == number:
            speed = SPEED_M_H[found.kind] * traffic.percent // 100_000
            return TrafficStatus(
                found, city.periods[number], traffic.level, traffic.percent, speed, traffic.description
            )
    free = SPEED_M_H[found.kind] // 1000
    return TrafficStatus(
        found, city.periods[number], "free", 100, free, f"{found.name}: traffic flows freely."
    )
