"""Amounts of the tools as literals of the language: one rounding, wherever a duration or a length is written."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?", re.ASCII)


def minutes_of(seconds: int) -> int:
    """Whole minutes, of which none is too short: 61 seconds are 2 minutes.

    Raises:
        ValueError: less than none.
    """
    if seconds < 0:
        raise ValueError(f"{seconds} seconds are no duration")
    return -(-seconds // 60)


def duration_text(*seconds: int) -> str:
    """Durations in seconds, one after the other, as a literal in whole minutes, each rounded up: `21min`.

    The routes of a plan are rounded one by one and then added, so what a plan of several is compared with is, too.

    Raises:
        ValueError: one is less than none.
    """
    return f"{sum(map(minutes_of, seconds))}min"


def length_text(metres: int) -> str:
    """A length in metres as a literal: `1234m`.

    Raises:
        ValueError: less than none.
    """
    if metres < 0:
        raise ValueError(f"{metres} metres are no length")
    return f"{metres}m"


def time_text(clock: str) -> str:
    """A time of day, H:MM or HH:MM with or without seconds, as a literal: `08:05`; `25:30` is past midnight.

    Raises:
        ValueError: it is no time.
    """
    found = _CLOCK.fullmatch(clock.strip())
    if found is None:
        raise ValueError(f"`{clock}` is no time such as 07:30")
    return f"{int(found[1]):02}:{found[2]}"
