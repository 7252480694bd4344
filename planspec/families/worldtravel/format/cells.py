"""The cells of a WorldTravel itinerary: dates and clock times, as agents write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from decimal import Decimal

from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY

_MONTH_DAY = re.compile(r"([0-9]{1,2})\s*[./-]\s*([0-9]{1,2})\.?")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_FROM_TO = re.compile(r"([0-9]{1,2}):([0-9]{2})\s*[-–—~]\s*([0-9]{1,2}):([0-9]{2})")


def read_date(said: object, trip: Collection[int]) -> int:
    """The day that `7.1` (month, day) names, in the year of the trip.

    Args:
        said: the cell; as a JSON number it must have kept its digits, since 7.10 is the tenth.
        trip: the trip's days (ordinals).

    Returns:
        The day's ordinal; it need not be a day of the trip.

    Raises:
        InvalidValueError: it names no day.
    """
    if not isinstance(said, str | Decimal | float) or isinstance(said, bool):
        raise InvalidValueError("it is no date such as 7.1")
    word = str(said).strip()
    years = {date.fromordinal(day).year for day in trip}
    if found := _ISO.fullmatch(word):
        years, month, day = {int(found[1])}, int(found[2]), int(found[3])
    elif found := _MONTH_DAY.fullmatch(word):
        month, day = int(found[1]), int(found[2])
    else:
        raise InvalidValueError("it is no date such as 7.1")
    days = {ordinal for year in years if (ordinal := _ordinal(year, month, day))}
    meant = days & set(trip) or days
    if len(meant) != 1:
        raise InvalidValueError("there is no such date" if not meant else "it does not say the year")
    return meant.pop()


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def read_times(said: object) -> tuple[int, int]:
    """The minutes from and to of `21:30-23:00`; an end before its start is on the next day.

    Raises:
        InvalidValueError: it is no such text.
    """
    found = _FROM_TO.fullmatch(said.strip()) if isinstance(said, str) else None
    if found is None:
        raise InvalidValueError("it is no stretch of time such as 09:30-13:30")
    hour, minute, end_hour, end_minute = (int(part) for part in found.groups())
    if minute > 59 or end_minute > 59:
        raise InvalidValueError("there is no such time")
    start, end = hour * 60 + minute, end_hour * 60 + end_minute
    return start, end if end >= start else end + MINUTES_A_DAY


def write_times(start: int, end: int) -> str:
    """`09:30-13:30`; past midnight the hours go on, so that the text can be read in one way only."""
    return f"{start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"
