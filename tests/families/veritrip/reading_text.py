"""Parser of values in English pages, independent of the code that writes the pages."""

from __future__ import annotations

import re

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FREE = ("free", "no ticket", "costs nothing", "no charge")


def prices(text: str) -> set[int]:
    """Return all prices in a text, in whole units of its currency. Free admission is 0."""
    matches = re.findall(
        r"(?:\b(?:CNY|RMB|USD|EUR) |US\$|\$|¥)([\d,]*\d)|\b([\d,]*\d) (?:yuan|RMB|dollars?|EUR)\b", text
    )
    amounts = {int((before or after).replace(",", "")) for before, after in matches}
    return amounts | ({0} if any(word in text.lower() for word in _FREE) else set())


def times(text: str) -> set[str]:
    """Return all times of day in a text as HH:MM. Midnight gives both 00:00 and 24:00."""
    values = set()
    for hour, minute, half in re.findall(r"\b(\d{1,2}):(\d\d)(?: (am|pm))?", text):
        values.add(_to_24_hours(int(hour), int(minute), half))
    for hour, half in re.findall(r"(?<![:\d])(\d{1,2}) (am|pm)\b", text):
        values.add(_to_24_hours(int(hour), 0, half))
    for before, name, part in re.findall(
        rf"(half past )?\b({'|'.join(_NUMBERS)}) in the (morning|afternoon|evening)", text
    ):
        values.add(_to_24_hours(_NUMBERS.index(name) + 1, 30 if before else 0, "am" if part == "morning" else "pm"))
    if "noon" in re.findall(r"\w+", text):
        values.add("12:00")
    if re.search(r"midnight|24 hours|around the clock", text):
        values |= {"00:00", "24:00"}
    return values


def _to_24_hours(hour: int, minute: int, half: str) -> str:
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return f"{hour:02}:{minute:02}"


def duration_ranges(text: str) -> set[str]:
    """Return all ranges of durations in a text as `MIN-MAX`, in minutes."""
    spans = set()
    word = "|".join(_NUMBERS)
    number = rf"(\d+(?:\.5)?|{word})"
    for low, high, unit in re.findall(rf"\b{number}(?: to |-){number} (minutes|hours)", text):
        spans.add(f"{_minutes(low, unit)}-{_minutes(high, unit)}")
    one = rf"(half an hour|an hour and a half|an hour|{number} (?:minutes|hours?))"
    for low, _, high, _ in re.findall(rf"between {one} and {one}", text):
        spans.add(f"{_duration_min(low)}-{_duration_min(high)}")
    for alone, _ in re.findall(one, text):
        spans.add(f"{_duration_min(alone)}-{_duration_min(alone)}")
    return spans


def _minutes(number: str, unit: str) -> int:
    count = float(_NUMBERS.index(number) + 1) if number in _NUMBERS else float(number)
    return round(count * (1 if unit == "minutes" else 60))


def _duration_min(text: str) -> int:
    fixed = {"half an hour": 30, "an hour and a half": 90, "an hour": 60}
    if text in fixed:
        return fixed[text]
    number, unit = text.split()
    return _minutes(number, "minutes" if unit == "minutes" else "hours")
