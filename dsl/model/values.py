"""Parsing of strings and JSON values into run-time values of a type."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model.types import EnumType, ScalarType, Type
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.resources.limits import NUMBER
from planspec.dsl.resources.units import MINUTES_A_DAY, duration_minutes

MINOR = {
    "BHD": 3,
    "BIF": 0,
    "CLP": 0,
    "DJF": 0,
    "GNF": 0,
    "IQD": 3,
    "ISK": 0,
    "JOD": 3,
    "JPY": 0,
    "KMF": 0,
    "KRW": 0,
    "KWD": 3,
    "LYD": 3,
    "OMR": 3,
    "PYG": 0,
    "RWF": 0,
    "TND": 3,
    "UGX": 0,
    "VND": 0,
    "VUV": 0,
    "XAF": 0,
    "XOF": 0,
    "XPF": 0,
}
"""Numbers of decimal digits of the currencies that do not have two (ISO 4217)."""

INT = re.compile(r"-?[0-9]{1,40}")
DECIMAL = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,40})?")
TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})")
DURATION = re.compile(r"(-?)((?:[0-9]{1,9}d)?(?:[0-9]{1,9}h)?(?:[0-9]{1,12}min)?)")
PARTS_OF_MINUTES = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:d|h|min|s|sec)")
SECONDS = re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?")
DISTANCE = re.compile(r"(-?[0-9]{1,20}(?:\.[0-9]{1,20})?)\s*(km|m)")
MONEY = re.compile(r"(-?[0-9]{1,20}(?:\.[0-9]{1,20})?)\s*([A-Z]{3})")
ZONE = re.compile(r".*:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
EXTENTS = {
    ScalarType.TIME: (0, 99 * 60 + 59),
    ScalarType.DATE: (1, date.max.toordinal()),
    ScalarType.MOMENT: (MINUTES_A_DAY, date.max.toordinal() * MINUTES_A_DAY + MINUTES_A_DAY - 1),
}
"""Minimum and maximum values that a document may contain, by type. Results of arithmetic may exceed them."""
MAX_JSON_DECIMALS = 30
"""The maximum number of decimal digits of a JSON number."""


UNITS: dict[Type, tuple[str, ...]] = {
    ScalarType.DURATION: ("min", "h", "d"),
    ScalarType.DISTANCE: ("m", "km"),
}
"""Units of types, except for money, whose unit is the world's currency."""
MINUTES = {"min": 1, "h": 60, "d": MINUTES_A_DAY}
SPELLINGS: dict[Type, re.Pattern[str]] = {
    ScalarType.INT: re.compile(r"(-?[0-9]+)\.0+"),
    ScalarType.TIME: re.compile(r"([0-9]{1,2}:[0-9]{2}):00(?:\.0+)?"),
    ScalarType.DATE: re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]00:00(?::00(?:\.0+)?)?"),
    ScalarType.MOMENT: re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2})(?::00(?:\.0+)?)?"),
}
"""Patterns of values that other programs write longer, such as `3.0`. Groups match the language's spelling, `3`."""


class InvalidValueError(ValueError):
    """The string is not a value of the type; the message gives the reason."""


def minor_digits(currency: str) -> int:
    """Return the number of decimal digits of amounts in a currency."""
    return MINOR.get(currency, 2)


def is_number(text: str) -> bool:
    """Return whether a text is a number without a unit."""
    return DECIMAL.fullmatch(text) is not None


def with_unit(text: str, unit: str) -> str:
    """Return a number with a unit appended. Return any other string unchanged.

    Args:
        text: the text of a cell.
        unit: a currency, or one of `min h d m km`.
    """
    if not is_number(text):
        return text
    if unit in MINUTES:
        minutes = Fraction(text) * MINUTES[unit]
        return f"{minutes}min" if minutes.denominator == 1 else f"{text}{unit}"
    return f"{text}{unit}" if unit in UNITS[ScalarType.DISTANCE] else f"{text} {unit}"


def canonical_text(text: str, type_: Type) -> str:
    """Convert a spelling of other programs, such as `3.0`, to the language's spelling, such as `3`.

    Such spellings are `True`, `3.0`, `09:00:00` and `2026-07-01T00:00`. Any other string is returned unchanged.
    """
    if type_ is ScalarType.BOOL:
        return text.lower() if text.strip() in ("True", "False", "TRUE", "FALSE") else text
    pattern = SPELLINGS.get(type_)
    match = pattern.fullmatch(text.strip()) if pattern is not None else None
    return text if match is None else " ".join(match.groups())


def parse_value(text: str, type_: Type, *, currency: str | None) -> Any:
    """Parse the text of a cell.

    Args:
        text: text of the cell; outer blanks are ignored.
        type_: a scalar type or an enum.
        currency: the world's currency, for money.

    Returns:
        The run-time value (see `planspec.dsl.model.types.ScalarType` for units).

    Raises:
        InvalidValueError: the text is not a value of the type.
    """
    if type_ is ScalarType.TEXT:
        return normalize_text(text)
    text = text.strip()
    if isinstance(type_, EnumType):
        return _member(text, type_)
    if text == "0" and type_ in (ScalarType.DURATION, ScalarType.MONEY, ScalarType.DISTANCE):
        return 0
    match type_:
        case ScalarType.BOOL:
            if text not in ("true", "false"):
                raise InvalidValueError("true or false is needed")
            return text == "true"
        case ScalarType.INT:
            value: Any = int(text) if INT.fullmatch(text) else _refuse("a whole number is needed")
        case ScalarType.DECIMAL:
            value = Fraction(text) if DECIMAL.fullmatch(text) else _refuse("a number such as 0.35 is needed")
            if value.denominator > NUMBER:
                raise InvalidValueError("it has more than 15 decimal digits: round it at its source")
        case ScalarType.DATE:
            value = _date(text)
        case ScalarType.TIME:
            value = _time(text)
        case ScalarType.MOMENT:
            value = _moment(text)
        case ScalarType.DURATION:
            value = _duration(text)
        case ScalarType.DISTANCE:
            value = _distance(text)
        case ScalarType.MONEY:
            value = _money(text, currency)
        case _:
            raise InvalidValueError(f"{type_} is not written as one word")
    _check_range(value)
    return value


def is_text_of_type(text: str, type_: Type, currency: str | None) -> bool:
    """Return whether a text is a value of the type."""
    try:
        parse_value(text, type_, currency=currency)
    except InvalidValueError:
        return False
    return True


def guess_type(text: str) -> Type:
    """Return the type of a literal, for a given that no library declares."""
    for kind, pattern in (
        (ScalarType.DATE, DATE),
        (ScalarType.TIME, TIME),
        (ScalarType.INT, INT),
        (ScalarType.DECIMAL, DECIMAL),
        (ScalarType.MONEY, MONEY),
        (ScalarType.DISTANCE, DISTANCE),
    ):
        if pattern.fullmatch(text):
            return kind
    if text in ("true", "false"):
        return ScalarType.BOOL
    duration = DURATION.fullmatch(text)
    return ScalarType.DURATION if duration is not None and duration[2] else ScalarType.TEXT


def minor_amount(amount: Decimal, currency: str) -> int:
    """Return an amount in main units as minor units.

    Raises:
        InvalidValueError: the amount has more decimal digits than the currency, or is too large.
    """
    if not amount.is_finite():
        raise InvalidValueError("it is not a number")
    if amount.adjusted() > 40:
        raise InvalidValueError("the amount is too large")
    if amount.adjusted() < -MAX_JSON_DECIMALS:
        raise InvalidValueError(f"an amount in {currency} has at most {minor_digits(currency)} decimal digits")
    minor = Fraction(amount) * 10 ** minor_digits(currency)
    if minor.denominator != 1:
        raise InvalidValueError(f"an amount in {currency} has at most {minor_digits(currency)} decimal digits")
    whole: int = minor.numerator
    if abs(whole) > NUMBER:
        raise InvalidValueError("the amount is too large")
    return whole


def parse_json_value(value: object, type_: Type, *, currency: str | None) -> Any:
    """Return the run-time value of a cell of a JSON document.

    A string is parsed by `parse_value`; it may have a longer spelling (see `canonical_text`). A JSON Boolean is
    a Boolean. A JSON number is an int, a decimal, an amount in main units of the currency (12.5 is 12.50 EUR), or
    a zero of any unit.

    Args:
        value: a value from the JSON reader; exact if the reader got `parse_float=Decimal`.
        type_: a scalar type or an enum.
        currency: the world's currency, for money.

    Returns:
        As `parse_value`.

    Raises:
        InvalidValueError: the value is not of the type.
    """
    match value:
        case str():
            return parse_value(canonical_text(value, type_), type_, currency=currency)
        case bool():
            return value if type_ is ScalarType.BOOL else _refuse("it is a Boolean")
        case int() if type_ is ScalarType.INT and -NUMBER <= value <= NUMBER:
            return value
        case int() if abs(value) > 10**40:
            return _refuse("it exceeds 2**53")
        case int() | Decimal() | float():
            number = value if isinstance(value, Decimal) else Decimal(repr(value))
            return _json_number(number, type_, currency)
        case None:
            return _refuse("it is null")
        case list() | tuple():
            return _refuse("it is a list")
        case _:
            return _refuse("it is an object")


def _json_number(number: Decimal, type_: Type, currency: str | None) -> Any:
    if not number.is_finite():
        raise InvalidValueError("it is no number")
    if number.adjusted() > 40:
        raise InvalidValueError("it exceeds 2**53")
    if number.adjusted() < -MAX_JSON_DECIMALS or len(number.as_tuple().digits) > 40 + MAX_JSON_DECIMALS:
        raise InvalidValueError(f"it has more than {MAX_JSON_DECIMALS} decimal digits")
    if type_ is ScalarType.MONEY and currency is not None:
        return minor_amount(number, currency)
    exact = Fraction(number)
    if exact == 0 and type_ in (ScalarType.DURATION, ScalarType.MONEY, ScalarType.DISTANCE):
        return 0
    _check_range(exact)
    match type_:
        case ScalarType.INT:
            return exact.numerator if exact.denominator == 1 else _refuse("a whole number is needed")
        case ScalarType.DECIMAL if 10**MAX_JSON_DECIMALS % exact.denominator == 0:
            return exact
        case ScalarType.DECIMAL:
            return _refuse(f"it has more than {MAX_JSON_DECIMALS} decimal digits")
        case ScalarType.MONEY:
            return _refuse("the world has no currency")
        case ScalarType.TEXT | EnumType():
            return _refuse("it is a number, not a text")
        case _:
            return _refuse(f"it is a number: write the {type_} as a text")


def _refuse(message: str) -> Any:
    raise InvalidValueError(message)


def _check_range(value: int | Fraction) -> None:
    if not -NUMBER <= value <= NUMBER:
        raise InvalidValueError("it exceeds 2**53")


def _member(text: str, type_: EnumType) -> str:
    text = normalize_text(text)
    if text in type_.members:
        return text
    close = most_similar(text, type_.members)
    raise InvalidValueError(f"did you mean `{close}`?" if close else f"{type_} has {', '.join(type_.members)}")


def _date(text: str) -> int:
    """Return the proleptic Gregorian ordinal of a date."""
    if not DATE.fullmatch(text):
        raise InvalidValueError("a date such as 2026-07-01 is needed")
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        raise InvalidValueError("there is no such date") from None


def _moment(text: str) -> int:
    """Return the minutes from day 0 to a moment."""
    day, _, clock = text.partition(" ")
    if not DATE.fullmatch(day) or not (TIME.fullmatch(clock.strip()) or SECONDS.fullmatch(clock.strip())):
        if DATE.match(text) and ZONE.fullmatch(text):
            raise InvalidValueError("moments have no time zone: write the local time, such as 2026-07-01 14:30")
        raise InvalidValueError("a moment such as 2026-07-01 14:30 is needed")
    return _date(day) * MINUTES_A_DAY + _time(clock.strip())


def _time(text: str) -> int:
    """Return the minutes after midnight."""
    match = TIME.fullmatch(text)
    if match is None:
        if SECONDS.fullmatch(text):
            raise InvalidValueError("times are whole minutes, such as 14:30: the seconds can only be 00")
        raise InvalidValueError("a time such as 14:30 is needed")
    if int(match[2]) > 59:
        raise InvalidValueError("there is no such time")
    return int(match[1]) * 60 + int(match[2])


def _duration(text: str) -> int:
    """Return a duration in minutes."""
    match = DURATION.fullmatch(text)
    if match is not None and match[2]:
        return duration_minutes(match[2]) * (-1 if match[1] else 1)
    if PARTS_OF_MINUTES.fullmatch(text):
        raise InvalidValueError("a whole number of minutes is needed")
    raise InvalidValueError("a duration such as 90min or 1h30min is needed")


def _distance(text: str) -> int:
    """Return a distance in metres."""
    match = DISTANCE.fullmatch(text)
    if match is None:
        raise InvalidValueError("a distance such as 850m or 3.2km is needed")
    factor = 1000 if match[2] == "km" else 1
    if match[1].isdigit():
        return int(match[1]) * factor
    metres = Fraction(match[1]) * factor
    if metres.denominator != 1:
        raise InvalidValueError("a whole number of metres is needed")
    return int(metres)


def _money(text: str, currency: str | None) -> int:
    """Return an amount in minor units, such as cents."""
    match = MONEY.fullmatch(text)
    if match is None:
        raise InvalidValueError(f"an amount such as 12.50 {currency or 'EUR'} is needed")
    if match[2] != currency:
        raise InvalidValueError(
            f"the world's money is {currency}"
            if currency
            else f"no currency is declared: write `currency: {match[2]}` in the world, or in a task without one"
        )
    return minor_amount(Decimal(match[1]), match[2])
