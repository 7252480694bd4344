"""Wordings of prices, times, days and durations, and their canonical forms. No wording rounds a value."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import date

from planspec.dsl.resources.english_words import MONTHS, ONES, WEEKDAYS

_HOUR_WORDS = ("twelve", *ONES[1:12])
_NUMBER_WORDS = ONES[:13]
DAY = 24 * 60


def format_time(minutes: int) -> str:
    """Return the canonical form of a time, such as `09:00`, or `24:00` for midnight at the end of a day."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def weekday_names(days: Iterable[int]) -> str:
    """Return the canonical form of weekdays, such as `Monday|Tuesday`."""
    return "|".join(WEEKDAYS[day] for day in sorted(days))


def price_phrase(amount: int, currency: str, rng: random.Random) -> str:
    """Write a price in a form such as `CNY 60`, `60 yuan`, `$25` or `USD 1,250`."""
    figure = str(amount) if amount < 1000 or rng.random() < 0.5 else f"{amount:,}"
    forms: tuple[str, ...]
    match currency:
        case "CNY":
            forms = (f"CNY {figure}", f"{figure} yuan", f"RMB {figure}", f"¥{figure}", f"{figure} RMB")
        case "USD":
            dollars = "dollar" if amount == 1 else "dollars"
            forms = (f"${figure}", f"USD {figure}", f"{figure} {dollars}", f"${figure}", f"US${figure}")
        case _:
            forms = (f"{currency} {figure}", f"{figure} {currency}") * 2
    return rng.choice(forms)


def time_in_digits(minutes: int, rng: random.Random) -> str:
    """Write a time as `09:00`, `9:00 am` or `9 am`, or as `noon` or `midnight`."""
    if minutes % DAY == 0:
        return rng.choice(("midnight", format_time(minutes)))
    hour, minute = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    twelve = (hour - 1) % 12 + 1
    forms = [format_time(minutes), f"{twelve}:{minute:02d} {half}"]
    if minute == 0:
        forms.append("noon" if hour == 12 else f"{twelve} {half}")
    return rng.choice(forms)


def spoken_time(minutes: int, rng: random.Random) -> str:
    """Write a time as it is spoken, such as `nine in the morning` or `half past five in the afternoon`.

    Times other than full and half hours are written in digits.
    """
    hour, minute = divmod(minutes, 60)
    if minutes % DAY == 0 or minute not in (0, 30) or rng.random() < 0.4:
        return time_in_digits(minutes, rng)
    if minutes == 12 * 60:
        return "noon"
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    name = _HOUR_WORDS[hour % 12]
    return f"half past {name} {part}" if minute else f"{name} {part}"


def twelve_hours(minutes: int) -> str:
    """Write a time as `8:05 am`."""
    hour, minute = divmod(minutes % DAY, 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}"


def date_phrase(when: date, rng: random.Random) -> str:
    """Write a date as `October 18, 2025`, `18 October 2025` or `2025-10-18`."""
    month = MONTHS[when.month - 1]
    forms = (f"{month} {when.day}, {when.year}", f"{when.day} {month} {when.year}", when.isoformat())
    return rng.choice(forms)


def long_date(when: date) -> str:
    """Write a date as `Saturday, October 18, 2025`, in English in any locale."""
    return f"{WEEKDAYS[when.weekday()]}, {MONTHS[when.month - 1]} {when.day}, {when.year}"


def duration_phrase(least: int, most: int, rng: random.Random) -> str:
    """Write a range of durations as `two to three hours`, `90 to 120 minutes` or `1.5-2 hours`.

    Args:
        least: lower bound, in minutes.
        most: upper bound, in minutes.
        rng: source of the choice.
    """
    if least == most:
        return _duration_phrase(least, rng)
    forms = [f"{least} to {most} minutes", f"{least}-{most} minutes"]
    if least % 30 == 0 and most % 30 == 0:
        low, high = _hours_phrase(least), _hours_phrase(most)
        if least >= 60:
            forms += [f"{low} to {high} hours", f"{low}-{high} hours"]
        if least % 60 == 0 and most % 60 == 0 and most <= 720:
            forms += [f"{_NUMBER_WORDS[least // 60]} to {_NUMBER_WORDS[most // 60]} hours"] * 2
        forms.append(f"between {_duration_phrase(least, rng)} and {_duration_phrase(most, rng)}")
    return rng.choice(forms)


def join_items(items: Sequence[str], word: str = "and") -> str:
    """Join items as `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def plural_days(days: Iterable[int]) -> str:
    """Write weekdays as `Mondays and Tuesdays`."""
    return join_items([f"{WEEKDAYS[day]}s" for day in sorted(days)])


def capitalize(text: str) -> str:
    """Capitalise the first letter of a text and leave the others unchanged."""
    return text[:1].upper() + text[1:]


def with_article(noun: str) -> str:
    """Add `a` or `an` to a noun phrase, chosen by its first letter."""
    return f"{'an' if noun[:1].lower() in 'aeiou' and noun[:1] else 'a'} {noun}"


def _hours_phrase(minutes: int) -> str:
    return f"{minutes // 60}.5" if minutes % 60 else str(minutes // 60)


def _duration_phrase(minutes: int, rng: random.Random) -> str:
    if minutes == 30:
        return rng.choice(("half an hour", "30 minutes"))
    if minutes == 60:
        return rng.choice(("an hour", "one hour", "60 minutes"))
    if minutes == 90:
        return rng.choice(("an hour and a half", "90 minutes", "1.5 hours"))
    if minutes % 30 == 0 and minutes > 60:
        forms = [f"{_hours_phrase(minutes)} hours", f"{minutes} minutes"]
        if minutes % 60 == 0 and minutes <= 720:
            forms.append(f"{_NUMBER_WORDS[minutes // 60]} hours")
        return rng.choice(forms)
    return f"{minutes} minutes"
