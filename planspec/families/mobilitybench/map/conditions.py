"""The weather of a day and the traffic of a road at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.map.days import DayKind, day_kind, holiday_name, ten_day_weather
from planspec.families.mobilitybench.map.lookup import town_of
from planspec.families.mobilitybench.map.network import SPEED_M_H
from planspec.families.mobilitybench.map.places import opening_hours
from planspec.families.mobilitybench.map.records import City, Period, Poi, Road, TrafficLevel, Weather
from planspec.families.mobilitybench.map.specs import atlas, find_spec

MAJOR_CLASSES = frozenset({"motorway", "trunk", "primary", "secondary"})
"""Classes of major roads. The slowest major road of a district represents its traffic."""


@dataclass(frozen=True, slots=True)
class TrafficStatus:
    """Traffic on a road at a time.

    Attributes:
        road: the road.
        period: period of the day that contains the time.
        level: level of traffic.
        percent: percentage of free speed.
        speed_km_h: speed in whole km/h.
        description: a sentence in the city's language or in English.
    """

    road: Road
    period: Period
    level: TrafficLevel
    percent: int
    speed_km_h: int
    description: str


def kind_of_day(city: City) -> DayKind:
    """Return whether a city's current day is a workday, a weekend or a holiday."""
    return day_kind(_country_codes().get(city.country, ""), date.fromisoformat(city.today))


def public_holiday(city: City) -> str | None:
    """Return the English name of today's public holiday in a city; None if there is none."""
    return holiday_name(_country_codes().get(city.country, ""), date.fromisoformat(city.today))


@cache
def _country_codes() -> Mapping[str, str]:
    return {spec.country: spec.code for spec in atlas()}


def open_hours(city: City, poi: Poi) -> str:
    """Return the opening hours of a place on the city's current day, for example `09:00-17:00` or `closed`."""
    return opening_hours(poi, kind_of_day(city))


def weather_of(city: City, name: str) -> tuple[Weather, ...]:
    """Return the weather of a city on the next ten days, beginning today; empty if the city is unknown.

    Args:
        city: central city of the region. Its current day and its seed determine the weather.
        name: name of the city for which to return the weather, in any language.
    """
    spec = find_spec(name)
    if spec is None or spec.english == city.english:
        return city.weather if town_of(city, name) == 0 else ()
    return ten_day_weather(spec, city.seed, date.fromisoformat(city.today))


def weather_on(city: City, day: str | None = None, name: str | None = None) -> Weather | None:
    """Return the weather of a day; None if it is unknown.

    Args:
        city: city of the user.
        day: ISO 8601; today if None.
        name: another city; `city` if None.
    """
    requested = city.today if day is None else day
    days = city.weather if name is None else weather_of(city, name)
    return next((weather for weather in days if weather.day == requested), None)


def forecast(city: City, days: int, name: str | None = None) -> tuple[Weather, ...]:
    """Return the weather of up to `days` days after today.

    Args:
        city: city of the user.
        days: number of days.
        name: another city; `city` if None.
    """
    days_ahead = city.weather if name is None else weather_of(city, name)
    return tuple(weather for weather in days_ahead if weather.day > city.today)[: max(0, days)]


def traffic_on(city: City, road: str, minute: int) -> TrafficStatus | None:
    """Return the traffic on a road or, for a district, on its slowest major road.

    Args:
        city: the city.
        road: name of a road, in the city's language or in English, or of a district; case is ignored.
        minute: minutes after midnight.

    Returns:
        The status; None if the name is unknown.
    """
    folded_name = road.strip().casefold()
    matches = [r for r in city.roads if r.name.casefold() == folded_name]
    matches = matches or [r for r in city.roads if r.english.casefold() == folded_name]
    if matches:
        return _road_traffic(city, matches[0], minute)
    district_roads = {a.road for a in city.addresses if a.district.casefold() == folded_name}
    major_roads = [r for r in city.roads if r.id in district_roads and r.kind in MAJOR_CLASSES] or [
        r for r in city.roads if r.id in district_roads
    ]
    return min((_road_traffic(city, r, minute) for r in major_roads), key=lambda status: status.percent, default=None)


def _road_traffic(city: City, road: Road, minute: int) -> TrafficStatus:
    number = next(n for n, p in enumerate(city.periods) if p.start_min <= minute % MINUTES_A_DAY < p.end_min)
    for traffic in city.traffic:
        if traffic.road == road.id and traffic.period == number:
            speed = SPEED_M_H[road.kind] * traffic.percent // 100_000
            return TrafficStatus(road, city.periods[number], traffic.level, traffic.percent, speed, traffic.description)
    free = SPEED_M_H[road.kind] // 1000
    return TrafficStatus(road, city.periods[number], "free", 100, free, f"{road.name}: traffic flows freely.")
