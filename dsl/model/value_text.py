"""Conversion of run-time values to text and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import (
    EnumType,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Type,
)
from planspec.dsl.model.values import minor_digits
from planspec.dsl.resources.units import MINUTES_A_DAY


def show(value: Any, type_: Type, currency: str | None) -> str:
    """Return a value in the language's notation. A row is shown by its name.

    Args:
        value: a run-time value of the type `type_`, or `None`.
        type_: its type.
        currency: the world's currency, such as `EUR`.

    Returns:
        A string such as `14:30`, `1h30min`, `12.50 EUR` or `3.2km`; a text without quotes; a row's `name` or,
        without one, its key; `none`.
    """
    return _value_text(value, type_, currency, by_name=True)


def show_key(value: Any, type_: Type, currency: str | None) -> str:
    """Return a value as text for an id: like `show`, but a row is shown by its key, with parts joined by `, `.

    Args:
        value: a run-time value of the type `type_`, or `None`.
        type_: its type.
        currency: the world's currency, such as `EUR`.

    Returns:
        The text. A row without a key is shown by its position in the table, counted from 0.
    """
    return _value_text(value, type_, currency, by_name=False)


def row_key(row: Row, currency: str | None) -> str:
    """Return a row's key, with parts joined by `, `; without a key, its position in the table, counted from 0."""
    table = row._table
    if not table.key:
        return str(row._index)
    return ", ".join(show_key(getattr(row, name), table.columns[name].type, currency) for name in table.key)


def exact_text(number: int | Fraction) -> str:
    """Return a number without rounding: `17`, `-0.35`; a fraction without a finite decimal as `1/3`."""
    if isinstance(number, int):
        return str(number)
    digits = _decimal_digits(number.denominator)
    if digits is None:
        return f"{number.numerator}/{number.denominator}"
    scaled = abs(number.numerator) * 10**digits // number.denominator
    text = str(scaled).rjust(digits + 1, "0")
    text = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return f"-{text}" if number < 0 else text


def json_value(value: Any, type_: Type, currency: str | None) -> Any:
    """Return a run-time value as a cell of a JSON document.

    Args:
        value: a run-time value of the type `type_`, or `None`.
        type_: its type.
        currency: the world's currency, such as `EUR`.

    Returns:
        None, a bool, an int or a str; a list of these for a set or a key of several columns.
    """
    if value is None:
        return None
    match type_:
        case ScalarType.BOOL | ScalarType.INT:
            return value
        case ScalarType.DECIMAL:
            return value.numerator if value.denominator == 1 else exact_text(value)
        case ScalarType() | EnumType():
            return show(value, type_, currency)
        case SetType(item) | ListType(item):
            return [json_value(part, item, currency) for part in value]
        case RowType():
            return _reference_json(value, currency)
        case _:
            raise TypeError(f"a {type_} is no cell")


def minor_unit_text(currency: str | None) -> str:
    """Return the unit in which amounts of money are integers, such as `1/100 EUR`."""
    digits = minor_digits(currency or "")
    return f"1/{10**digits} {currency or ''}".rstrip() if digits else currency or "1"


def _decimal_digits(denominator: int) -> int | None:
    """Return the number of decimal digits of fractions with this denominator; None if the digits never end."""
    twos = fives = 0
    while denominator % 2 == 0:
        denominator //= 2
        twos += 1
    while denominator % 5 == 0:
        denominator //= 5
        fives += 1
    return max(twos, fives) if denominator == 1 else None


def _value_text(value: Any, type_: Type, currency: str | None, *, by_name: bool) -> str:
    if value is None:
        return "none"
    match type_:
        case ScalarType():
            return _scalar_text(value, type_, currency)
        case ScaledType(unit):
            return _scalar_text(value, unit, currency)
        case EnumType():
            return str(value)
        case RowType():
            return _name_of(value, currency) if by_name else row_key(value, currency)
        case SetType(item):
            return "{" + _items_text(value, item, currency, by_name=by_name) + "}"
        case ListType(item):
            return "[" + _items_text(value, item, currency, by_name=by_name) + "]"
        case Special.EMPTY:
            return "{}"
        case Special():
            return str(value)


def _items_text(values: Iterable[Any], item: Type, currency: str | None, *, by_name: bool) -> str:
    return ", ".join(_value_text(value, item, currency, by_name=by_name) for value in values)


def _name_of(row: Row, currency: str | None) -> str:
    table = row._table
    if "name" in table.columns:
        declared = getattr(row, table.columns["name"].name)
        if declared is not None:
            return _value_text(declared, table.columns["name"].type, currency, by_name=False)
    return row._extra.get("name") or (table.name if table.one else row_key(row, currency))


def _scalar_text(value: Any, type_: ScalarType, currency: str | None) -> str:
    match type_:
        case ScalarType.BOOL:
            return "true" if value else "false"
        case ScalarType.TEXT:
            return str(value)
        case ScalarType.INT | ScalarType.DECIMAL:
            return exact_text(_int_if_whole(value))
        case ScalarType.DATE:
            return _date(value)
        case ScalarType.TIME:
            return _time(_int_if_whole(value))
        case ScalarType.MOMENT:
            day, minute = divmod(value, MINUTES_A_DAY)
            return f"{_date(day)} {_time(_int_if_whole(minute))}"
        case ScalarType.DURATION:
            return _duration(_int_if_whole(value))
        case ScalarType.MONEY:
            return _money(value, currency)
        case ScalarType.DISTANCE:
            kilometres = abs(value) >= 1000
            return (
                exact_text(_int_if_whole(Fraction(value, 1000))) + "km"
                if kilometres
                else exact_text(_int_if_whole(value)) + "m"
            )


def _int_if_whole(value: int | Fraction) -> int | Fraction:
    """Return the number as an int if it is whole, otherwise unchanged."""
    return value.numerator if value.denominator == 1 else value


def _date(days: int | Fraction) -> str:
    if isinstance(days, int) and 1 <= days <= date.max.toordinal():
        return date.fromordinal(days).isoformat()
    return f"day {exact_text(days)}"  # outside the calendar, possible after arithmetic


def _time(minutes: int | Fraction) -> str:
    if isinstance(minutes, Fraction):
        return f"{exact_text(minutes)}min"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else ''}{hours:02d}:{rest:02d}"


def _duration(minutes: int | Fraction) -> str:
    if isinstance(minutes, Fraction):
        return f"{exact_text(minutes)}min"
    hours, rest = divmod(abs(minutes), 60)
    text = (f"{hours}h" if hours else "") + (f"{rest}min" if rest or not hours else "")
    return f"-{text}" if minutes < 0 else text


def _money(minor: int | Fraction, currency: str | None) -> str:
    digits = minor_digits(currency or "")
    if isinstance(minor, int):
        whole, part = divmod(abs(minor), 10**digits)
        text = f"{'-' * (minor < 0)}{whole}" + (f".{part:0{digits}}" if digits else "")
        return f"{text} {currency}" if currency else text
    text = exact_text(_int_if_whole(Fraction(minor, 10**digits)))
    if digits and "/" not in text:
        whole, _, part = text.partition(".")
        text = f"{whole}.{part.ljust(digits, '0')}"
    return f"{text} {currency}" if currency else text


def _reference_json(row: Row, currency: str | None) -> Any:
    table = row._table
    if not table.key:
        return row._index
    parts = [json_value(getattr(row, name), table.columns[name].type, currency) for name in table.key]
    return parts[0] if len(parts) == 1 else parts
