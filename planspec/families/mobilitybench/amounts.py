"""Conversion of durations, lengths and times in tool results to literals of the planning language."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?", re.ASCII)


def minutes_of(seconds: int) -> int:
    """Round seconds up to whole minutes: 61 seconds are 2 minutes.

    Raises:
        ValueError: `seconds` is negative.
    """
    if seconds < 0:
        raise ValueError(f"{seconds} seconds are no duration")
    return -(-seconds // 60)


def duration_text(*seconds: int) -> str:
    """Return the sum of durations as a literal in whole minutes: `21min`.

    Each duration is rounded up before it is added. Durations of routes in a plan are rounded in the same way, so the
    sums can be compared.

    Raises:
        ValueError: a duration is negative.
    """
    return f"{sum(map(minutes_of, seconds))}min"


def length_text(metres: int) -> str:
    """Return a length in metres as a literal: `1234m`.

    Raises:
        ValueError: `metres` is negative.
    """
    if metres < 0:
        raise ValueError(f"{metres} metres are no length")
    return f"{metres}m"


def time_text(clock: str) -> str:
    """Return a time of day as a literal: `08:05`; `25:30` is past midnight.

    Args:
        clock: H:MM or HH:MM, with or without seconds.

    Raises:
        ValueError: `clock` is not a time.
    """
    match = _CLOCK.fullmatch(clock.strip())
    if match is None:
        raise ValueError(f"`{clock}` is no time such as 07:30")
    return f"{int(match[1]):02}:{match[2]}"
