"""Amounts of money as agents write them."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from planspec.dsl.model.values import InvalidValueError, minor_amount, minor_digits

MAX_CACHED = 10_000
"""Maximum number of cached amounts. Answers to one task often contain the same amounts."""
LONGEST_CACHED = 40
"""Maximum length of a cached amount, in characters."""
_AMOUNT = re.compile(
    r"(?P<before>[A-Za-z]{3}|[€$£¥￥元])?\s*(?P<number>-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,20})(?:\.[0-9]{1,20})?)\s*(?P<after>[A-Za-z]{3}|[€$£¥￥元])?"
)
_SIGNS = {
    "€": {"EUR"},
    "$": {"USD", "CAD", "AUD"},
    "£": {"GBP"},
    "¥": {"JPY", "CNY"},
    "￥": {"JPY", "CNY"},
    "元": {"CNY"},
}
_WORDS = {"RMB": {"CNY"}}
_DUST = Fraction(1, 1_000_000)  # main units: larger than the rounding error of floats, as in 0.30000000000000004


def read_cost(value: object, currency: str) -> int:
    """Parse an amount such as `12.5`, `"12.50"` or `"12.50 EUR"`, and return it in minor units, here 1250 cents.

    A JSON number with a rounding error below 0.000001, such as `12.500000000000002`, is rounded to minor units.

    Raises:
        InvalidValueError: the value is not an amount in this currency.
    """
    if type(value) is int and abs(value) < 10**12:
        unit: int = 10 ** minor_digits(currency)
        return value * unit
    if isinstance(value, bool):
        raise InvalidValueError("it is a Boolean")
    if isinstance(value, str):
        return minor_amount(_amount(value.strip(), currency), currency)
    if not isinstance(value, int | float | Decimal):
        raise InvalidValueError("it is not an amount")
    number = value if isinstance(value, Decimal) else Decimal(repr(value)) if abs(value) < 10**20 else Decimal("1e20")
    text = str(number)  # the cache key; of equal numbers, one may have too many digits and be rejected
    return _minor_units(number, currency) if len(text) > LONGEST_CACHED else _cached_minor_units(text, currency)


@lru_cache(maxsize=MAX_CACHED)
def _cached_minor_units(text: str, currency: str) -> int:
    return _minor_units(Decimal(text), currency)


def _minor_units(number: Decimal, currency: str) -> int:
    """Convert an amount from main to minor units, and remove rounding errors of floats."""
    if number.is_finite() and -30 <= number.adjusted() <= 20 and len(number.as_tuple().digits) <= 60:
        unit = 10 ** minor_digits(currency)
        nearest = round(Fraction(number) * unit)
        if abs(Fraction(number) - Fraction(nearest, unit)) < _DUST:
            number = Decimal(nearest) / unit
    return minor_amount(number, currency)


def _amount(word: str, currency: str) -> Decimal:
    if word.casefold() == "free":
        return Decimal(0)
    match = _AMOUNT.fullmatch(word)
    if match is None:
        raise InvalidValueError("it is not an amount such as 12.50")
    for sign in (match["before"], match["after"]):
        if sign and currency not in _SIGNS.get(sign, _WORDS.get(sign.upper(), {sign.upper()})):
            raise InvalidValueError(f"the world's money is {currency}")
    return Decimal(match["number"].replace(",", ""))


def write_cost(minor_units: int, currency: str) -> int | float | str:
    """Return an amount in main units for JSON: 1250 cents as 12.5. The result is a string if a float would lose digits.

    Args:
        minor_units: the amount in minor units, such as cents.
        currency: currency of the amount.
    """
    unit = 10 ** minor_digits(currency)
    whole: int = minor_units // unit
    if whole * unit == minor_units:
        return whole
    exact = Decimal(minor_units) / unit
    printed = float(exact)  # JSON numbers are floats; a float is used only if its printed digits are exact
    return printed if Decimal(repr(printed)) == exact else str(exact)
