"""Chinese wordings of values. Each wording can be parsed back unambiguously."""

from __future__ import annotations

import random
from datetime import date

DAYS = ("一", "二", "三", "四", "五", "六", "日")
WEEKDAYS = {
    "Monday": "周一",
    "Tuesday": "周二",
    "Wednesday": "周三",
    "Thursday": "周四",
    "Friday": "周五",
    "Saturday": "周六",
    "Sunday": "周日",
}
ROOMS = {
    "Single room": "单人房",
    "Double room": "大床房",
    "Twin room": "双床房",
    "Family room": "家庭房",
    "King suite": "特大床套房",
}
POI_KINDS = {
    "railway_station": "火车站",
    "airport": "机场",
    "square": "广场",
    "street": "街道",
    "mall": "商场",
    "bridge": "桥梁",
    "university": "高校",
    "market": "市场",
    "metro_station": "地铁站",
    "park_gate": "公园入口",
    "tower": "塔楼",
    "theatre": "剧院",
    "library": "图书馆",
    "port": "码头",
    "stadium": "体育场馆",
    "bus_station": "公交站",
    "hospital": "医院",
    "police_station": "派出所",
    "post_office": "邮局",
    "school": "学校",
    "pharmacy": "药店",
    "fire_station": "消防站",
    "town_hall": "市民中心",
    "swimming_hall": "游泳馆",
}


def price_text(value: str, currency: str, rng: random.Random) -> str:
    """Write a price as `60元`, `¥60`, `25美元` or `$25`."""
    if currency == "USD":
        return rng.choice((f"{value}美元", f"${value}"))
    return rng.choice((f"{value}元", f"{value}元", f"¥{value}")) if currency == "CNY" else f"{value} {currency}"


def long_date(when: date) -> str:
    """Write a date as `2025年10月18日（周六）`."""
    return f"{when.year}年{when.month}月{when.day}日（周{DAYS[when.weekday()]}）"


def spoken_time(hhmm: str, rng: random.Random) -> str:
    """Write a time as it is spoken, such as `上午9点` or `下午5点半`, or in digits."""
    hour, minute = map(int, hhmm.split(":"))
    if hour in (0, 24) or minute not in (0, 30) or rng.random() < 0.5:
        return hhmm
    part = "早上" if hour < 9 else "上午" if hour < 12 else "中午" if hour == 12 else "下午" if hour < 18 else "晚上"
    return f"{part}{hour - 12 if hour > 12 else hour}点{'半' if minute else ''}"


def duration_text(value: str, rng: random.Random) -> str:
    """Write a range of durations as `2-3小时` or `90到120分钟`. The value is `least-most` in minutes."""
    least, most = map(int, value.split("-"))
    joint = rng.choice(("-", "到"))
    if least % 30 == 0 and most % 30 == 0 and least >= 60:
        low, high = (f"{m // 60}.5" if m % 60 else str(m // 60) for m in (least, most))
        return f"{low}小时" if least == most else f"{low}{joint}{high}小时"
    return f"{least}分钟" if least == most else f"{least}{joint}{most}分钟"


def closing_days_text(value: str) -> str:
    """Write the closing days as `周一闭馆`. If there are none, write that the place never closes."""
    if not value:
        return "每天开放，没有固定闭馆日"
    return f"{'、'.join(WEEKDAYS[day] for day in value.split('|'))}闭馆"
