"""The cells of a WorldTravel itinerary: dates, clock times and costs, as agents write them."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date
from decimal import Decimal
from fractions import Fraction

from planspec.dsl.values import BadValue, minor_amount, minor_digits

MINUTES_A_DAY = 1440

_MONTH_DAY = re.compile(r"([0-9]{1,2})\s*[./-]\s*([0-9]{1,2})\.?")
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_FROM_TO = re.compile(r"([0-9]{1,2}):([0-9]{2})\s*[-–—~]\s*([0-9]{1,2}):([0-9]{2})")
_AMOUNT = re.compile(
    r"(?P<before>[A-Za-z]{3}|[€$£¥])?\s*(?P<number>-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,20})(?:\.[0-9]{1,20})?)\s*(?P<after>[A-Za-z]{3}|[€$£¥])?"
)
_SIGNS = {"€": {"EUR"}, "$": {"USD", "CAD", "AUD"}, "£": {"GBP"}, "¥": {"JPY", "CNY"}}
_DUST = Fraction(
    1, 1_000_000
)  # of a main unit: what binary arithmetic leaves on an amount that a program printed


def read_date(said: object, trip: Collection[int]) -> int:
    """The day that `7.1` (month, day) names, in the year of the trip.

    Args:
        said: the cell; as a JSON number it must have kept its digits, since 7.10 is the tenth.
        trip: the trip's days (ordinals).

    Returns:
        The day's ordinal; it need not be a day of the trip.

    Raises:
        BadValue: it names no day.
    """
    if not isinstance(said, str | Decimal | float) or isinstance(said, bool):
        raise BadValue("it is no date such as 7.1")
    word = str(said).strip()
    years = {date.fromordinal(day).year for day in trip}
    if found := _ISO.fullmatch(word):
        years, month, day = {int(found[1])}, int(found[2]), int(found[3])
    elif found := _MONTH_DAY.fullmatch(word):
        month, day = int(found[1]), int(found[2])
    else:
        raise BadValue("it is no date such as 7.1")
    days = {ordinal for year in years if (ordinal := _ordinal(year, month, day))}
    meant = days & set(trip) or days
    if len(meant) != 1:
        raise BadValue("there is no such date" if not meant else "it does not say the year")
    return meant.pop()


def _ordinal(year: int, month: int, day: int) -> int | None:
    try:
        return date(year, month, day).toordinal()
    except ValueError:
        return None


def read_times(said: object) -> tuple[int, int]:
    """The minutes from and to of `21:30-23:00`; an end before its start is on the next day.

    Raises:
        BadValue: it is no such text.
    """
    found = _FROM_TO.fullmatch(said.strip()) if isinstance(said, str) else None
    if found is None:
        raise BadValue("it is no stretch of time such as 09:30-13:30")
    hour, minute, end_hour, end_minute = (int(part) for part in found.groups())
    if minute > 59 or end_minute > 59:
        raise BadValue("there is no such time")
    start, end = hour * 60 + minute, end_hour * 60 + end_minute
    return start, end if end >= start else end + MINUTES_A_DAY


def read_cost(said: object, currency: str) -> int:
    """The minor units of `12.5`, `"12.50"`, `"€12"` or `"12.50 EUR"`.

    A number that is off a whole minor unit by less than a millionth of the main unit is taken for it.

    Raises:
        BadValue: it is no amount of this currency.
    """
    if isinstance(said, bool):
        raise BadValue("it is a truth")
    if isinstance(said, str):
        return minor_amount(_amount(said.strip(), currency), currency)
    if not isinstance(said, int | float | Decimal):
        raise BadValue("it is no amount")
    number = (
        said if isinstance(said, Decimal) else Decimal(repr(said)) if abs(said) < 10**20 else Decimal("1e20")
    )
    if number.is_finite() and -30 <= number.adjusted() <= 20 and len(number.as_tuple().digits) <= 60:
        unit = 10 ** minor_digits(currency)
        nearest = round(Fraction(number) * unit)
        if abs(Fraction(number) - Fraction(nearest, unit)) < _DUST:
            number = Decimal(nearest) / unit
    return minor_amount(number, currency)


def _amount(word: str, currency: str) -> Decimal:
    if word.casefold() == "free":
        return Decimal(0)
    found = _AMOUNT.fullmatch(word)
    if found is None:
        raise BadValue("it is no amount such as 12.50")
    for sign in (found["before"], found["after"]):
        if sign and currency not in _SIGNS.get(sign, {sign.upper()}):
            raise BadValue(f"the world's money is {currency}")
    return Decimal(found["number"].replace(",", ""))


def write_cost(minor: int, currency: str) -> int | float | str:
    """An amount as a JSON number in main units; as a text where a float would not print its digits."""
    unit = 10 ** minor_digits(currency)
    whole: int = minor // unit
    if whole * unit == minor:
        return whole
    exact = Decimal(minor) / unit
    printed = float(exact)  # the format's own numbers are floats; what is printed is read back exactly
    return printed if Decimal(repr(printed)) == exact else str(exact)


def write_times(start: int, end: int) -> str:
    """`09:30-13:30`; past midnight the hours go on, so that the text can be read in one way only."""
    return f"{start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"
