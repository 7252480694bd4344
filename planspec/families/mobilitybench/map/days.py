"""Data that depends on the day: public holidays, invented weather, and invented traffic of roads by period."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import Literal

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.map.network import SPEED_M_H
from planspec.families.mobilitybench.map.phrases import phrases
from planspec.families.mobilitybench.map.records import (
    Language,
    Period,
    Road,
    RoadClass,
    Traffic,
    TrafficLevel,
    Weather,
)
from planspec.families.mobilitybench.map.specs import CitySpec

TODAY = date(2026, 5, 11)
"""Default current day of generated maps, a Monday."""
YEAR = 2026
"""Year of the table of holidays. In other years, only weekends are days off."""
DAYS = 10
DayKind = Literal["workday", "weekend", "holiday"]
PERIODS = (
    Period("night", 0, 360),
    Period("early morning", 360, 420),
    Period("morning peak", 420, 570),
    Period("midday", 570, 990),
    Period("evening peak", 990, 1170),
    Period("evening", 1170, 1320),
    Period("late evening", 1320, MINUTES_A_DAY),
)
SKIES = (
    ("sunny", 0),
    ("cloudy", 0),
    ("overcast", 0),
    ("light rain", 4),
    ("moderate rain", 15),
    ("thunderstorm", 22),
    ("fog", 0),
)
SNOW = ("light snow", 4)
MAX_SNOW_C = 1
"""Maximum daytime temperature, in degrees Celsius, at which rain becomes snow."""
WINDS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
BUSY: dict[RoadClass, tuple[int, ...]] = {
    "motorway": (100, 92, 55, 82, 52, 85, 98),
    "trunk": (100, 85, 45, 72, 42, 76, 95),
    "primary": (100, 86, 48, 74, 46, 78, 95),
    "secondary": (100, 90, 60, 80, 58, 84, 97),
    "residential": (100, 96, 80, 92, 80, 93, 99),
    "path": (100, 100, 100, 100, 100, 100, 100),
}
"""Average percentage of free speed in each period of a working day, by road class."""
BUSY_WEEKEND: dict[RoadClass, tuple[int, ...]] = {
    "motorway": (100, 98, 92, 76, 72, 84, 96),
    "trunk": (100, 97, 84, 62, 58, 72, 92),
    "primary": (100, 97, 84, 64, 60, 74, 92),
    "secondary": (100, 97, 88, 72, 70, 80, 95),
    "residential": (100, 99, 95, 88, 88, 92, 98),
    "path": (100, 100, 100, 100, 100, 100, 100),
}
"""Average percentage of free speed in each period of a weekend day, by road class.

Midday and the evening peak are the busiest periods.
"""
HOLIDAY_RATIO = 0.6
"""Speed lost on a holiday, as a multiple of the speed lost at a weekend. On motorways the inverse applies."""
ROADS_PER_ACCIDENT = 60
"""Average number of roads per accident. On a day, each road has an accident with probability 1/60."""
LEVELS: tuple[tuple[int, TrafficLevel], ...] = (
    (75, "free"),
    (50, "slow"),
    (30, "congested"),
    (0, "blocked"),
)


@cache
def _calendar() -> Mapping[tuple[str, str], tuple[str, str]]:
    """Return the table of special days: kind and name of each day, by country code and ISO date."""
    text = files("planspec.families.mobilitybench.map").joinpath("tables/holidays.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {(row["code"], row["day"]): (row["kind"], row["name"]) for row in rows}


def day_kind(code: str, day: date) -> DayKind:
    """Return whether a day is a workday, a weekend or a holiday in a country.

    A Saturday or Sunday that the table lists as a working day is a workday.

    Args:
        code: ISO 3166 code of the country. Countries outside the table have no holidays.
        day: the day. Years other than `YEAR` have no holidays.
    """
    kind, _ = _calendar().get((code, day.isoformat()), ("", ""))
    if kind == "holiday":
        return "holiday"
    return "weekend" if day.weekday() >= 5 and kind != "workday" else "workday"


def holiday_name(code: str, day: date) -> str | None:
    """Return the English name of the public holiday of a country on a day; None if there is none."""
    kind, name = _calendar().get((code, day.isoformat()), ("", ""))
    return name if kind == "holiday" else None


def ten_day_weather(spec: CitySpec, seed: int, today: date) -> tuple[Weather, ...]:
    """Return the weather of ten days, beginning with `today`. A date has the same weather for every `today`."""
    return tuple(_draw_weather(spec, seed, today + timedelta(days=n)) for n in range(DAYS))


def _seasonal_degrees(latitude: int, day: date) -> float:
    """Return how many degrees a day is warmer than the mean of the year; more extreme at higher latitudes."""
    turn = math.cos(2 * math.pi * (day.timetuple().tm_yday - 20) / 365)
    return -0.28 * latitude / 1_000_000 * turn


def _draw_weather(spec: CitySpec, seed: int, day: date) -> Weather:
    rng = Random(f"{seed}/{spec.english}/weather/{day.isoformat()}")
    season = round(_seasonal_degrees(spec.latitude, day) - _seasonal_degrees(spec.latitude, TODAY))
    low, high = (degrees + season for degrees in spec.temperatures)
    condition, rain = rng.choices(SKIES, (6, 6, 4, 3, 2, 1, 1))[0]
    coldest, warmest = low + rng.randint(-3, 3), high + rng.randint(-4, 3)
    warmest = max(warmest, coldest + 2)
    if rain and warmest <= MAX_SNOW_C:
        condition, rain = SNOW
    noon = warmest - rng.randint(0, 2)
    humidity = rng.randint(35, 70) + (20 if rain else 0)
    wind, force = rng.choice(WINDS), rng.randint(1, 5)
    fallen = max(0, rain + rng.randint(-3, 3)) if rain else 0
    text_day = day.isoformat()
    local = phrases(spec.language)
    text = local.weather.format(
        city=spec.english if spec.language == "en" else spec.name,
        day=text_day,
        sky=local.skies[condition],
        low=coldest,
        high=warmest,
        humidity=humidity,
        wind=local.winds[WINDS.index(wind)],
        force=force,
    )
    return Weather(text_day, condition, text, noon, coldest, warmest, humidity, wind, force, fallen)


def traffic_level(percent: int) -> TrafficLevel:
    """Return the traffic level at a percentage of free speed, for example `slow` at 60."""
    for least, name in LEVELS:
        if percent >= least:
            return name
    raise AssertionError("a percentage is not negative")


def _average_percent(road: Road, period: int, kind: DayKind) -> float:
    """Return the average percentage of free speed on roads of the same class in a period."""
    if kind == "workday":
        return BUSY[road.kind][period]
    loss = 100 - BUSY_WEEKEND[road.kind][period]
    if kind == "holiday":
        loss = round(loss * (1 / HOLIDAY_RATIO if road.kind == "motorway" else HOLIDAY_RATIO))
    return 100 - loss


def draw_traffic(
    rng: Random,
    roads: Sequence[Road],
    language: Language,
    kind: DayKind = "workday",
    limits: Mapping[int, int] | None = None,
) -> tuple[Traffic, ...]:
    """Draw the traffic on each road in each period of a day, with some accidents.

    The speed varies around the average of the road's class.

    Args:
        rng: random generator.
        roads: roads of the city.
        language: language of the descriptions.
        kind: kind of the day.
        limits: speed limits by road id, as percentages of the free speed of the road's class; 100 if missing.
    """
    rows, wordings = [], phrases(language)
    for road in roads:
        bias = rng.uniform(0.7, 1.25)
        accident_period = rng.randrange(1, len(PERIODS)) if rng.randrange(ROADS_PER_ACCIDENT) == 0 else None
        for period, start in enumerate(PERIODS):
            loss = (100 - _average_percent(road, period, kind)) * bias * rng.uniform(0.8, 1.2)
            limit = 100 if limits is None else limits.get(road.id, 100)
            percent = max(18, min(limit, round(100 - loss)))
            has_accident = period == accident_period and road.kind != "path"
            if has_accident:
                percent = max(18, percent * 45 // 100)
            name = traffic_level(min(100, percent * 100 // limit))
            speed = SPEED_M_H[road.kind] * percent // 100_000
            text = wordings.traffic.format(
                road=road.name, level=wordings.levels[name], period=wordings.periods[period], speed=speed
            )
            if has_accident:
                minute = start.start_min + rng.randrange(10, 50)
                text += wordings.accident.format(time=f"{minute // 60:02}:{minute % 60:02}")
            rows.append(Traffic(road.id, period, name, percent, text))
    return tuple(rows)
