"""Cells of data -> run-time values: the text of one scalar, read as its type says."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from planspec.dsl.literals import duration_minutes
from planspec.dsl.types import EnumType, Scalar, Type

LIMIT = 2**53
MINUTES_A_DAY = 1440
MINOR = {"BHD": 3, "CLP": 0, "ISK": 0, "JOD": 3, "JPY": 0, "KRW": 0, "KWD": 3, "OMR": 3, "TND": 3, "VND": 0}
"""Digits behind the point of currencies that have not two (ISO 4217)."""

INT = re.compile(r"-?\d{1,40}")
DECIMAL = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?")
TIME = re.compile(r"(\d{1,2}):(\d{2})")
DURATION = re.compile(r"(-?)((?:\d{1,9}d)?(?:\d{1,9}h)?(?:\d{1,12}min)?)")
DISTANCE = re.compile(r"(-?\d{1,20}(?:\.\d{1,20})?)\s*(km|m)")
MONEY = re.compile(r"(-?\d{1,20}(?:\.\d{1,20})?)\s*([A-Z]{3})")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class BadValue(ValueError):
    """A text that its type does not have; the message says why, for people."""


def minor_digits(currency: str) -> int:
    """How many digits a currency has behind the point."""
    return MINOR.get(currency, 2)


def parse_value(text: str, type_: Type, *, currency: str | None) -> Any:
    """The value that a cell's text means.

    Args:
        text: the cell, trimmed or not.
        type_: a scalar type or an enum.
        currency: the world's, for money.

    Returns:
        The run-time value (see `planspec.dsl.types.Scalar` for units).

    Raises:
        BadValue: the text is no value of the type.
    """
    if type_ is Scalar.TEXT:
        return text
    text = text.strip()
    if isinstance(type_, EnumType):
        return _member(text, type_)
    if text == "0" and type_ in (Scalar.DURATION, Scalar.MONEY, Scalar.DISTANCE):
        return 0
    match type_:
        case Scalar.BOOL:
            if text not in ("true", "false"):
                raise BadValue("true or false is needed")
            return text == "true"
        case Scalar.INT:
            value: Any = int(text) if INT.fullmatch(text) else _refuse("a whole number is needed")
        case Scalar.DECIMAL:
            value = Fraction(text) if DECIMAL.fullmatch(text) else _refuse("a number such as 0.35 is needed")
            _bounded(value.denominator)
        case Scalar.DATE:
            value = _date(text)
        case Scalar.TIME:
            value = _time(text)
        case Scalar.MOMENT:
            day, _, clock = text.partition(" ")
            value = _date(day) * MINUTES_A_DAY + _time(clock.strip())
        case Scalar.DURATION:
            match_ = DURATION.fullmatch(text)
            if match_ is None or not match_[2]:
                raise BadValue("a duration such as 90min or 1h30min is needed")
            value = duration_minutes(match_[2]) * (-1 if match_[1] else 1)
        case Scalar.DISTANCE:
            value = _distance(text)
        case Scalar.MONEY:
            value = _money(text, currency)
        case _:
            raise BadValue(f"{type_} is not written as one word")
    _bounded(value)
    return value


def guess_type(text: str) -> Type:
    """The type of a literal whose given no library declares."""
    for kind, pattern in (
        (Scalar.DATE, DATE), (Scalar.TIME, TIME), (Scalar.INT, INT), (Scalar.DECIMAL, DECIMAL),
        (Scalar.MONEY, MONEY), (Scalar.DISTANCE, DISTANCE),
    ):  # fmt: skip
        if pattern.fullmatch(text):
            return kind
    if text in ("true", "false"):
        return Scalar.BOOL
    found = DURATION.fullmatch(text)
    return Scalar.DURATION if found is not None and found[2] else Scalar.TEXT


def money_value(amount: Decimal, currency: str) -> int:
    """An amount in main units as minor units.

    Raises:
        BadValue: the currency has no parts so small, or the amount is too large.
    """
    try:
        minor = amount.scaleb(minor_digits(currency))
        whole = int(minor)
    except (InvalidOperation, OverflowError, ValueError):
        raise BadValue("no amount of money") from None
    if whole != minor:
        raise BadValue(f"{currency} has no parts as small as that")
    _bounded(whole)
    return whole


def _refuse(message: str) -> Any:
    raise BadValue(message)


def _bounded(value: int | Fraction) -> None:
    if abs(value) > LIMIT:
        raise BadValue("it passes 2**53")


def _member(text: str, type_: EnumType) -> str:
    if text in type_.members:
        return text
    from planspec.dsl.names import suggestion

    close = suggestion(text, type_.members)
    raise BadValue(f"did you mean `{close}`?" if close else f"{type_} has {', '.join(type_.members)}")


def _date(text: str) -> int:
    if not DATE.fullmatch(text):
        raise BadValue("a date such as 2026-07-01 is needed")
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        raise BadValue("there is no such date") from None


def _time(text: str) -> int:
    match = TIME.fullmatch(text)
    if match is None:
        raise BadValue("a time such as 14:30 is needed")
    if int(match[2]) > 59:
        raise BadValue("there is no such time")
    return int(match[1]) * 60 + int(match[2])


def _distance(text: str) -> int:
    match = DISTANCE.fullmatch(text)
    if match is None:
        raise BadValue("a distance such as 850m or 3.2km is needed")
    metres = Fraction(match[1]) * (1000 if match[2] == "km" else 1)
    if metres.denominator != 1:
        raise BadValue("a whole number of metres is needed")
    return int(metres)


def _money(text: str, currency: str | None) -> int:
    match = MONEY.fullmatch(text)
    if match is None:
        raise BadValue(f"an amount such as 12.50 {currency or 'EUR'} is needed")
    if match[2] != currency:
        raise BadValue(f"the world's money is {currency}" if currency else "the world has no currency")
    return money_value(Decimal(match[1]), currency)
