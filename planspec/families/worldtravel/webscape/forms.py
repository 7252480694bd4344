"""Notations of sites: writing and parsing of times, days, amounts, durations, numbers and words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from planspec.dsl.resources.english_words import MONTHS, WEEKDAYS

Form = Literal["text", "clock", "day", "money", "length", "count", "word", "early", "steps", "below", "minutes", "rank"]
WORDS = {
    "a_la_carte": "à la carte",
    "set_menu": "set menu",
    "tasting": "tasting menu",
    "child_menu": "children's menu",
    "family_rooms": "family rooms",
    "adults": "adults",
    "family": "families with children",
    "seniors": "seniors",
    **{name: name.capitalize() for name in ("english", "spanish", "german", "italian", "catalan", "french")},
}
"""Words that pages show for members of enumerations, if they differ from the members' names."""
PHRASES = {
    **dict.fromkeys(
        ("quick look", "short visit", "flying visit", "hurried round", "brief visit", "highlights"), "brief"
    ),
    **dict.fromkeys(("normal visit", "standard visit", "regular visit", "usual round", "visit"), "standard"),
    **dict.fromkeys(
        ("thorough visit", "deep visit", "long and slow visit", "leisurely visit", "long visit", "in depth"), "deep"
    ),
    **dict.fromkeys(("standard meal", "normal meal", "regular meal"), "standard"),
    "roof terrace": "rooftop",
    **{
        member: member
        for member in ("breakfast", "spa", "pool", "bar", "rooftop", "parking", "quiet", "historic", "modern")
    },
    **dict.fromkeys(("adults without children", "grown-ups"), "adults"),
    **dict.fromkeys(("families", "parents with children", "families with kids"), "family"),
    **dict.fromkeys(("older visitors", "older travellers", "older people"), "seniors"),
}
"""Members of enumerations, by further phrases for them in sentences.

These phrases and members may begin with a capital.
"""
_MEMBERS = {**{text.casefold(): member for member, text in WORDS.items()}, **PHRASES}
RANKS = {
    str(rank): word
    for rank, word in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"), 1)
}
"""Words for positions in an order. Later positions are written as numbers."""
FREE = "free"
MIDNIGHT = "midnight"
NEXT_DAY = " (next day)"
ON_TIME, NO_QUEUE = "on time", "no queue"
"""Words for an arrival 0 minutes before the start: with a booking, and without."""
NO_STEPS, STEP_FREE = "no steps", "step-free"
"""Words for a part of a sight without steps."""


@dataclass(frozen=True, slots=True)
class SiteNotation:
    """Notation in which a site writes times, days, amounts and durations.

    Attributes:
        clock: notation of times: 14:30, 14.30, 2:30 pm, or 14h30.
        day: notation of days: Wednesday 3 June 2026, June 3, 2026, 03.06.2026, Wed 3 Jun 2026, or 2026-06-03.
        money: notation of amounts: €12.50, 12,50 €, or EUR 12.50.
        length: notation of durations: 75 min, 1 h 15 min, 1h15 (but 45 min), or 75 minutes.
    """

    clock: Literal["colon", "dot", "half", "h"]
    day: Literal["long", "american", "dots", "short", "iso"]
    money: Literal["front", "behind", "code"]
    length: Literal["min", "hours", "letters", "minutes"]

    @property
    def has_weekdays(self) -> bool:
        """Whether days are written with their weekday."""
        return self.day in ("long", "short")


def format_cell(form: Form, cell: str, notation: SiteNotation) -> str:
    """Return the text of a cell in a site's notation.

    Args:
        form: form of the value.
        cell: text in the city's tables, such as `14:30`, `2026-06-03`, `12.50 EUR` or `1h15min`.
        notation: notation of the site.
    """
    match form:
        case "clock":
            return _format_clock(minutes_of_clock(cell), notation)
        case "day":
            return _format_day(date.fromisoformat(cell), notation)
        case "money":
            return _format_money(cents(cell), notation)
        case "length":
            return _format_length(minutes_of_length(cell), notation)
        case "minutes":
            return str(minutes_of_length(cell))
        case "early":
            minutes = minutes_of_length(cell)
            return _format_length(minutes, notation) if minutes else ON_TIME
        case "steps":
            return NO_STEPS if cell == "0" else f"{cell} {'step' if cell == '1' else 'steps'}"
        case "word":
            return WORDS.get(cell, cell.replace("_", " "))
        case "below":
            return str(int(cell) + 1)
        case "rank":
            return RANKS.get(cell, cell)
        case "text" | "count":
            return cell


def parse_cell(form: Form, cell: str) -> str | int | date:
    """Parse a cell of the city's tables into a value.

    Times and durations are in minutes, and amounts are in minor units.
    """
    match form:
        case "clock":
            return minutes_of_clock(cell)
        case "day":
            return date.fromisoformat(cell)
        case "money":
            return cents(cell)
        case "length" | "early" | "minutes":
            return minutes_of_length(cell)
        case "count" | "steps" | "below" | "rank":
            return int(cell)
        case "word" | "text":
            return " ".join(cell.split())


def parse_text(form: Form, shown: str, notation: SiteNotation) -> str | int | date:
    """Parse a text on a page into the value that `parse_cell` returns for its cell.

    Raises:
        ValueError: the text is not in the site's notation.
    """
    shown = " ".join(shown.split())
    match form:
        case "clock":
            return _parse_clock(shown, notation)
        case "day":
            return _parse_day(shown, notation)
        case "money":
            return _parse_money(shown, notation)
        case "length":
            return _parse_length(shown, notation)
        case "early":
            return 0 if shown in (ON_TIME, NO_QUEUE) else _parse_length(shown, notation)
        case "steps":
            return (
                0 if shown.casefold() in (NO_STEPS, STEP_FREE) else int(shown.removesuffix("s").removesuffix(" step"))
            )
        case "below":
            return int(shown) - 1
        case "count" | "minutes":
            return int(shown)
        case "rank":
            return int(next((rank for rank, word in RANKS.items() if word == shown.casefold()), shown))
        case "word":
            return _MEMBERS.get(shown.casefold()) or shown.replace(" ", "_")
        case "text":
            return shown


def share_a_unit(cells: Iterable[str], notation: SiteNotation) -> bool:
    """Return whether a site writes the unit of a range of durations only once, as in `45 to 55 min`."""
    return notation.length in ("min", "minutes") or all(minutes_of_length(cell) < 60 for cell in cells)


# ------------------------------------------------------------------ cells


def minutes_of_clock(cell: str) -> int:
    """Parse a time such as `14:30` into minutes after midnight. Hours may be 24 or more."""
    hours, _, minutes = cell.partition(":")
    return int(hours) * 60 + int(minutes)


def minutes_of_length(cell: str) -> int:
    """Parse a duration such as `1h15min` into minutes."""
    match = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)min)?", cell)
    if match is None or not cell:
        raise ValueError(f"`{cell}` is not a duration")
    return 60 * int(match[1] or 0) + int(match[2] or 0)


def cents(cell: str) -> int:
    """Parse an amount such as `12.50 EUR` into minor units."""
    units, _, rest = cell.partition(" ")[0].partition(".")
    return int(units) * 100 + int(rest.ljust(2, "0"))


# ------------------------------------------------------------------ texts


def _format_clock(minutes: int, notation: SiteNotation) -> str:
    if minutes == 24 * 60:
        return MIDNIGHT
    later = NEXT_DAY if minutes >= 24 * 60 else ""
    hour, minute = divmod(minutes % (24 * 60), 60)
    match notation.clock:
        case "colon":
            return f"{hour:02d}:{minute:02d}{later}"
        case "dot":
            return f"{hour:02d}.{minute:02d}{later}"
        case "half":
            return f"{hour % 12 or 12}:{minute:02d} {'am' if hour < 12 else 'pm'}{later}"
        case "h":
            return f"{hour}h{minute:02d}{later}"


def _parse_clock(shown: str, notation: SiteNotation) -> int:
    if shown == MIDNIGHT:
        return 24 * 60
    later = 24 * 60 if shown.endswith(NEXT_DAY) else 0
    plain = shown.removesuffix(NEXT_DAY)
    separator = {"colon": ":", "dot": r"\.", "half": ":", "h": "h"}[notation.clock]
    match = re.fullmatch(rf"(\d{{1,2}}){separator}(\d\d)(?: (am|pm))?", plain)
    if match is None or (match[3] is not None) != (notation.clock == "half"):
        raise ValueError(f"`{shown}` is not a time in this site's notation")
    hour = int(match[1])
    if match[3]:
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    return hour * 60 + int(match[2]) + later


def _format_day(day: date, notation: SiteNotation) -> str:
    weekday, month = WEEKDAYS[day.weekday()], MONTHS[day.month - 1]
    match notation.day:
        case "long":
            return f"{weekday} {day.day} {month} {day.year}"
        case "american":
            return f"{month} {day.day}, {day.year}"
        case "dots":
            return f"{day.day:02d}.{day.month:02d}.{day.year}"
        case "short":
            return f"{weekday[:3]} {day.day} {month[:3]} {day.year}"
        case "iso":
            return day.isoformat()


def _parse_day(shown: str, notation: SiteNotation) -> date:
    if notation.day == "iso":
        return date.fromisoformat(shown)
    if notation.day == "dots":
        day, month, year = shown.split(".")
        day_read = date(int(year), int(month), int(day))
    elif notation.day == "american":
        name, day, year = shown.replace(",", "").split()
        day_read = date(int(year), _parse_month(name), int(day))
    else:
        _, day, name, year = shown.split()
        day_read = date(int(year), _parse_month(name), int(day))
    if _format_day(day_read, notation) != shown:  # this also checks the weekday
        raise ValueError(f"`{shown}` is not a day in this site's notation")
    return day_read


def _parse_month(name: str) -> int:
    for number, month in enumerate(MONTHS, 1):
        if month.startswith(name):
            return number
    raise ValueError(f"`{name}` is not a month")


def _format_money(amount: int, notation: SiteNotation) -> str:
    if amount == 0:
        return FREE
    plain = f"{amount // 100}.{amount % 100:02d}"
    match notation.money:
        case "front":
            return f"€{plain.removesuffix('.00')}"
        case "behind":
            return f"{plain.replace('.', ',')} €"
        case "code":
            return f"EUR {plain}"


def _parse_money(shown: str, notation: SiteNotation) -> int:
    if shown == FREE:
        return 0
    pattern = {"front": r"€(\d+)(?:\.(\d\d))?", "behind": r"(\d+),(\d\d) €", "code": r"EUR (\d+)\.(\d\d)"}
    match = re.fullmatch(pattern[notation.money], shown)
    if match is None:
        raise ValueError(f"`{shown}` is not an amount in this site's notation")
    return int(match[1]) * 100 + int(match[2] or 0)


def _format_length(minutes: int, notation: SiteNotation) -> str:
    hours, rest = divmod(minutes, 60)
    match notation.length:
        case "min":
            return f"{minutes} min"
        case "minutes":
            return f"{minutes} minutes"
        case "letters":
            return f"{hours}h{rest:02d}" if hours else f"{rest} min"
        case "hours":
            parts = ([f"{hours} h"] if hours else []) + ([f"{rest} min"] if rest or not hours else [])
            return " ".join(parts)


def _parse_length(shown: str, notation: SiteNotation) -> int:
    pattern = {
        "min": r"()(\d+) min",
        "minutes": r"()(\d+) minutes",
        "letters": r"(\d+)h(\d\d)|(\d+) min",
        "hours": r"(?:(\d+) h)? ?(?:(\d+) min)?",
    }
    match = re.fullmatch(pattern[notation.length], shown)
    if match is None or not shown:
        raise ValueError(f"`{shown}` is not a duration in this site's notation")
    hours, rest, *short = match.groups()
    return 60 * int(hours or 0) + int(rest or (short[0] if short else 0) or 0)
