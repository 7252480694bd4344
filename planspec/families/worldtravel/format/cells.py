"""Dates and clock times in a WorldTravel itinerary, as agents write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from decimal import Decimal
from functools import lru_cache

from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY

_MONTH_DAY = re.compile(r"([0-9]{1,2})\s*[./-]\s*([0-9]{1,2})\.?")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_FROM_TO = re.compile(r"([0-9]{1,2}):([0-9]{2})\s*[-–—~]\s*([0-9]{1,2}):([0-9]{2})")

_NO_TIMES = "it is no stretch of time such as 09:30-13:30"
MAX_CACHED = 10_000
"""Maximum number of cached ranges of times, which repeat in the answers to one task."""
LONGEST_CACHED = 40
"""Maximum length of a cached range of times, in characters."""


def read_date(value: object, trip: Collection[int]) -> int:
    """Read a date such as `7.1` (month and day). The year is the trip's.

    Args:
        value: value of the cell. A number must keep its trailing zeros, since 7.10 is the tenth of July.
        trip: days of the trip, as ordinals.

    Returns:
        The day's ordinal, which may be outside the trip.

    Raises:
        InvalidValueError: the value is not a date, or is ambiguous.
    """
    if not isinstance(value, str | Decimal | float) or isinstance(value, bool):
        raise InvalidValueError("it is no date such as 7.1")
    word = str(value).strip()
    years = {date.fromordinal(day).year for day in trip}
    if match := _ISO.fullmatch(word):
        years, month, day = {int(match[1])}, int(match[2]), int(match[3])
    elif match := _MONTH_DAY.fullmatch(word):
        month, day = int(match[1]), int(match[2])
    else:
        raise InvalidValueError("it is no date such as 7.1")
    days = {ordinal for year in years if (ordinal := _ordinal(year, month, day))}
    candidates = days & set(trip) or days
    if len(candidates) != 1:
        raise InvalidValueError("there is no such date" if not candidates else "it does not say the year")
    return candidates.pop()


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def read_times(value: object) -> tuple[int, int]:
    """Read the start and end of a range such as `21:30-23:00`, in minutes after midnight.

    An end before the start is on the next day.

    Raises:
        InvalidValueError: the value is not such a range.
    """
    if not isinstance(value, str):
        raise InvalidValueError(_NO_TIMES)
    return _times(value) if len(value) > LONGEST_CACHED else _cached_times(value)


def _times(text: str) -> tuple[int, int]:
    match = _FROM_TO.fullmatch(text.strip())
    if match is None:
        raise InvalidValueError(_NO_TIMES)
    hour, minute, end_hour, end_minute = (int(part) for part in match.groups())
    if minute > 59 or end_minute > 59:
        raise InvalidValueError("there is no such time")
    start, end = hour * 60 + minute, end_hour * 60 + end_minute
    return start, end if end >= start else end + MINUTES_A_DAY


_cached_times = lru_cache(maxsize=MAX_CACHED)(_times)


def write_times(start: int, end: int) -> str:
    """Return a time range such as `09:30-13:30`. Times on the next day have hours from 24."""
    return f"{start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"
