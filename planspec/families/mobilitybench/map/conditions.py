"""The weather of a day and the traffic of a road at a time."""

from __future__ import annotations

from dataclasses import dataclass

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.map.network import SPEED_M_H
from planspec.families.mobilitybench.map.records import City, Period, Road, TrafficLevel, Weather


@dataclass(frozen=True, slots=True)
class TrafficStatus:
    """The traffic on a road at a time; the speed is in whole km/h."""

    road: Road
    period: Period
    level: TrafficLevel
    percent: int
    speed_km_h: int
    description: str


def weather_on(city: City, day: str | None = None) -> Weather | None:
    """The weather of a day, today's if none is named; None if nothing is known of the day."""
    wanted = city.today if day is None else day
    return next((weather for weather in city.weather if weather.day == wanted), None)


def forecast(city: City, days: int) -> tuple[Weather, ...]:
    """The weather of the next `days` days, or of all that are known if those are fewer."""
    return tuple(weather for weather in city.weather if weather.day > city.today)[: max(0, days)]


def traffic_on(city: City, road: str, minute: int) -> TrafficStatus | None:
    """The traffic on a road; None if no road has that name.

    Args:
        city: where.
        road: its name in either language, in any case.
        minute: after midnight.
    """
    wanted = road.strip().casefold()
    named = [r for r in city.roads if r.name.casefold() == wanted]
    named = named or [r for r in city.roads if r.english.casefold() == wanted]
    if not named:
        return None
    found = named[0]
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
