"""Ways to write a value: exact prices, times, days and durations, each with a canonical form."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import date

from planspec.families.veritrip.format.cells import WEEKDAYS

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_HOURS = (
    "twelve",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
)
_NUMBERS = ("zero", "one", *_HOURS[2:], "twelve")
DAY = 24 * 60


def hhmm(minutes: int) -> str:
    """Return the canonical form of a time: `09:00`, and `24:00` for midnight at the end of a day."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def weekday_names(days: Iterable[int]) -> str:
    """Return the canonical form of weekdays, from Monday on: `Monday|Tuesday`."""
    return "|".join(WEEKDAYS[day] for day in sorted(days))


def money(amount: int, currency: str, chance: random.Random) -> str:
    """Write a price as people do: `CNY 60`, `60 yuan`, `$25`, `USD 1,250`."""
    figure = str(amount) if amount < 1000 or chance.random() < 0.5 else f"{amount:,}"
    forms: tuple[str, ...]
    match currency:
        case "CNY":
            forms = (f"CNY {figure}", f"{figure} yuan", f"RMB {figure}", f"¥{figure}", f"{figure} RMB")
        case "USD":
            dollars = "dollar" if amount == 1 else "dollars"
            forms = (f"${figure}", f"USD {figure}", f"{figure} {dollars}", f"${figure}", f"US${figure}")
        case _:
            forms = (f"{currency} {figure}", f"{figure} {currency}") * 2
    return chance.choice(forms)


def clock(minutes: int, chance: random.Random) -> str:
    """Write a time in figures: `09:00`, `9:00 am`, `9 am`, `noon`, `midnight`."""
    if minutes % DAY == 0:
        return chance.choice(("midnight", hhmm(minutes)))
    hour, minute = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    twelve = (hour - 1) % 12 + 1
    forms = [hhmm(minutes), f"{twelve}:{minute:02d} {half}"]
    if minute == 0:
        forms.append("noon" if hour == 12 else f"{twelve} {half}")
    return chance.choice(forms)


def spoken(minutes: int, chance: random.Random) -> str:
    """Write a time as spoken: `nine in the morning`, `half past five in the afternoon`.

    Odd minutes are in figures.
    """
    hour, minute = divmod(minutes, 60)
    if minutes % DAY == 0 or minute not in (0, 30) or chance.random() < 0.4:
        return clock(minutes, chance)
    if minutes == 12 * 60:
        return "noon"
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    name = _HOURS[hour % 12]
    return f"half past {name} {part}" if minute else f"{name} {part}"


def twelve_hours(minutes: int) -> str:
    """Write a time as `8:05 am`."""
    hour, minute = divmod(minutes % DAY, 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}"


def day(when: date, chance: random.Random) -> str:
    """Write a date with its year: `October 18, 2025`, `18 October 2025`, `2025-10-18`."""
    month = MONTHS[when.month - 1]
    forms = (f"{month} {when.day}, {when.year}", f"{when.day} {month} {when.year}", when.isoformat())
    return chance.choice(forms)


def long_day(when: date) -> str:
    """Write a date as `Saturday, October 18, 2025`, in English whatever the locale."""
    return f"{WEEKDAYS[when.weekday()]}, {MONTHS[when.month - 1]} {when.day}, {when.year}"


def span(least: int, most: int, chance: random.Random) -> str:
    """Write a range of durations in minutes: `two to three hours`, `90 to 120 minutes`, `1.5-2 hours`."""
    if least == most:
        return _length(least, chance)
    forms = [f"{least} to {most} minutes", f"{least}-{most} minutes"]
    if least % 30 == 0 and most % 30 == 0:
        low, high = _hours(least), _hours(most)
        if least >= 60:
            forms += [f"{low} to {high} hours", f"{low}-{high} hours"]
        if least % 60 == 0 and most % 60 == 0 and most <= 720:
            forms += [f"{_NUMBERS[least // 60]} to {_NUMBERS[most // 60]} hours"] * 2
        forms.append(f"between {_length(least, chance)} and {_length(most, chance)}")
    return chance.choice(forms)


def listed(items: Sequence[str], word: str = "and") -> str:
    """Join items as `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def plural_days(days: Iterable[int]) -> str:
    """Write weekdays as `Mondays and Tuesdays`."""
    return listed([f"{WEEKDAYS[day]}s" for day in sorted(days)])


def capital(text: str) -> str:
    """Return the text with its first letter as a capital, the others unchanged."""
    return text[:1].upper() + text[1:]


def with_article(noun: str) -> str:
    """Add the indefinite article, chosen by the first letter: `an Italian restaurant`."""
    return f"{'an' if noun[:1].lower() in 'aeiou' and noun[:1] else 'a'} {noun}"


def _hours(minutes: int) -> str:
    return f"{minutes // 60}.5" if minutes % 60 else str(minutes // 60)


def _length(minutes: int, chance: random.Random) -> str:
    if minutes == 30:
        return chance.choice(("half an hour", "30 minutes"))
    if minutes == 60:
        return chance.choice(("an hour", "one hour", "60 minutes"))
    if minutes == 90:
        return chance.choice(("an hour and a half", "90 minutes", "1.5 hours"))
    if minutes % 30 == 0 and minutes > 60:
        forms = [f"{_hours(minutes)} hours", f"{minutes} minutes"]
        if minutes % 60 == 0 and minutes <= 720:
            forms.append(f"{_NUMBERS[minutes // 60]} hours")
        return chance.choice(forms)
    return f"{minutes} minutes"
