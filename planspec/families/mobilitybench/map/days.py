"""Invented weather by day and traffic by road and period."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.map.network import SPEED_M_H
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
DAYS = 10
PERIODS = (
    Period("night", 0, 360),
    Period("early morning", 360, 420),
    Period("morning peak", 420, 570),
    Period("midday", 570, 990),
    Period("evening peak", 990, 1170),
    Period("evening", 1170, 1320),
    Period("late evening", 1320, MINUTES_A_DAY),
)
CHINESE_PERIODS = ("夜间", "清晨", "早高峰", "日间", "晚高峰", "傍晚", "深夜")
SKIES = (
    ("sunny", "晴", 0), ("cloudy", "多云", 0), ("overcast", "阴", 0), ("light rain", "小雨", 4),
    ("moderate rain", "中雨", 15), ("thunderstorm", "雷阵雨", 22), ("fog", "雾", 0),
)  # fmt: skip
WINDS = (
    ("N", "北"),
    ("NE", "东北"),
    ("E", "东"),
    ("SE", "东南"),
    ("S", "南"),
    ("SW", "西南"),
    ("W", "西"),
    ("NW", "西北"),
)
BUSY: dict[RoadClass, tuple[int, ...]] = {
    "motorway": (100, 92, 55, 82, 52, 85, 98),
    "trunk": (100, 85, 45, 72, 42, 76, 95),
    "primary": (100, 86, 48, 74, 46, 78, 95),
    "secondary": (100, 90, 60, 80, 58, 84, 97),
    "residential": (100, 96, 80, 92, 80, 93, 99),
    "path": (100, 100, 100, 100, 100, 100, 100),
}
"""Percent of free speed in each period, on average."""
LEVELS: tuple[tuple[int, TrafficLevel, str], ...] = (
    (75, "free", "畅通"),
    (50, "slow", "缓行"),
    (30, "congested", "拥堵"),
    (0, "blocked", "严重拥堵"),
)
SAID: dict[TrafficLevel, str] = {
    "free": "traffic flows freely",
    "slow": "traffic is slow",
    "congested": "traffic is congested",
    "blocked": "traffic is at a standstill",
}


def ten_days(spec: CitySpec, chance: Random) -> tuple[Weather, ...]:
    """Today and the days after it."""
    found = []
    low, high = spec.temperatures
    for n in range(DAYS):
        condition, chinese, rain = chance.choices(SKIES, (6, 6, 4, 3, 2, 1, 1))[0]
        coldest, warmest = low + chance.randint(-3, 3), high + chance.randint(-4, 3)
        warmest = max(warmest, coldest + 2)
        noon = warmest - chance.randint(0, 2)
        humidity = chance.randint(35, 70) + (20 if rain else 0)
        (wind, blowing), force = chance.choice(WINDS), chance.randint(1, 5)
        fallen = max(0, rain + chance.randint(-3, 3)) if rain else 0
        day = (TODAY + timedelta(days=n)).isoformat()
        if spec.language == "zh":
            text = (
                f"{spec.name}{day}{chinese}，{coldest}℃至{warmest}℃，湿度{humidity}%，{blowing}风{force}级。"
            )
        else:
            text = f"{spec.english}, {day}: {condition}, {coldest} to {warmest} °C, humidity {humidity} %, wind {wind}, force {force}."
        found.append(Weather(day, condition, text, noon, coldest, warmest, humidity, wind, force, fallen))
    return tuple(found)


def level(percent: int) -> tuple[TrafficLevel, str]:
    """The name of the traffic level at a percentage of free speed, in English and Chinese."""
    return next((name, chinese) for least, name, chinese in LEVELS if percent >= least)


def traffic(chance: Random, roads: Sequence[Road], language: Language) -> tuple[Traffic, ...]:
    """Each road in each period, busier or emptier than others of its class."""
    found = []
    for road in roads:
        bias = chance.uniform(0.7, 1.25)
        for period, average in enumerate(BUSY[road.kind]):
            loss = (100 - average) * bias * chance.uniform(0.8, 1.2)
            percent = max(18, min(100, round(100 - loss)))
            name, chinese = level(percent)
            speed = SPEED_M_H[road.kind] * percent // 100_000
            if language == "zh":
                text = f"{road.name}：{CHINESE_PERIODS[period]}{chinese}，平均时速约{speed}公里。"
            else:
                text = f"{road.name}: {SAID[name]} in the {PERIODS[period].name}, about {speed} km/h."
                if PERIODS[period].name in {"night", "midday"}:
                    text = text.replace("in the", "at", 1)
            found.append(Traffic(road.id, period, name, percent, text))
    return tuple(found)
