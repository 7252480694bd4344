"""Conversion of values to readings, so that they can be compared with mentions in a query.

A reading (`Reading`) is a number with the kind of its value, such as a duration of 90 minutes. It is one possible
meaning of words in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from fractions import Fraction
from typing import Any

from planspec.dsl.model.types import ListType, ScalarType, SetType, Type
from planspec.dsl.model.values import minor_digits
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.environment.query_text.mention import Mention, Reading

MEASURED = frozenset(
    {
        ScalarType.INT,
        ScalarType.DECIMAL,
        ScalarType.MONEY,
        ScalarType.DURATION,
        ScalarType.DISTANCE,
        ScalarType.TIME,
        ScalarType.DATE,
        ScalarType.MOMENT,
    }
)
"""Types whose values are amounts, times or dates."""


AMOUNTS = frozenset({ScalarType.MONEY, ScalarType.DURATION, ScalarType.DISTANCE})
"""Types whose values have a unit in most texts."""
OF_TIME = re.compile(r"day|night|week|hour|min|time|long|length|dur|stay|tag|nacht|nächt|woche", re.IGNORECASE)
"""Pattern of names of columns and parameters with numbers of days, nights or hours, such as `stay`."""


def is_of_time(type_: Type, name: str) -> bool:
    """Return whether a value is a duration, or a whole number whose name suggests days or nights."""
    return type_ is ScalarType.DURATION or (type_ is ScalarType.INT and OF_TIME.search(name) is not None)


def item_type(type_: Type) -> Type:
    """Return the type of the items of a set or list; any other type itself."""
    return type_.item if isinstance(type_, SetType | ListType) else type_


def items(value: Any, type_: Type) -> tuple[Any, ...]:
    """Return the items of a set or list. Any other value is its own only item, except *none*, which has no items."""
    if value is None:
        return ()
    return tuple(value) if isinstance(type_, SetType | ListType) else (value,)


def value_readings(value: Any, type_: Type, currency: str | None) -> Iterator[Reading]:
    """Yield the readings by which a text can state `value` (an amount, a time or a date) with its unit, if any.

    For example, a date has a reading with the year, one without the year, and one as a weekday.

    Args:
        value: a run-time value of the type `type_`, neither *none* nor a collection.
        type_: type of the value. Only values of the types in `MEASURED` have readings.
        currency: currency of the task's amounts.
    """
    match type_:
        case ScalarType.INT | ScalarType.DECIMAL:
            yield from (Reading("number", Fraction(value)), Reading("number", abs(Fraction(value))))
        case ScalarType.MONEY:
            yield Reading("money", _main_units(value, currency), currency)
        case ScalarType.DURATION:
            yield Reading("duration", Fraction(value))
        case ScalarType.DISTANCE:
            yield from (Reading("distance", Fraction(value)), Reading("distance", abs(Fraction(value))))
        case ScalarType.TIME:
            yield from (Reading("time", Fraction(value)), Reading("time", Fraction(value % MINUTES_A_DAY)))
        case ScalarType.DATE:
            yield from _date_readings(value)
        case ScalarType.MOMENT:
            yield from _date_readings(value // MINUTES_A_DAY)
            yield Reading("time", Fraction(value % MINUTES_A_DAY))


def bare_numbers(value: Any, type_: Type, currency: str | None) -> Iterator[Fraction]:
    """Yield the numbers that state a value if its unit is left out, such as 50 for `50 EUR`."""
    match type_:
        case ScalarType.INT | ScalarType.DECIMAL:
            yield from (Fraction(value), abs(Fraction(value)), 100 * Fraction(value))
        case ScalarType.MONEY:
            yield _main_units(value, currency)
        case ScalarType.DURATION:
            yield from (Fraction(value), Fraction(value, 60), Fraction(value, MINUTES_A_DAY))
        case ScalarType.DISTANCE:
            yield from (abs(Fraction(value)), abs(Fraction(value, 1000)))
        case ScalarType.TIME:
            yield Fraction(value, 60)
        case ScalarType.DATE:
            yield from _date_numbers(value)
        case ScalarType.MOMENT:
            yield from _date_numbers(value // MINUTES_A_DAY)
            yield Fraction(value % MINUTES_A_DAY, 60)


def is_mentioned(value: Any, type_: Type, currency: str | None, mentions: Iterable[Mention]) -> bool:
    """Return whether one of the mentions states a value, whose type must be in `MEASURED`.

    A number without a unit states an amount only if it is definite: `one` in `one at a time` is not an hour.
    """
    readings = frozenset(value_readings(value, type_, currency))
    plain = readings.union(Reading("number", number) for number in bare_numbers(value, type_, currency))
    return any(
        m.readings & (plain if m.measure == "number" and (m.is_definite or type_ not in AMOUNTS) else readings)
        for m in mentions
    )


def _main_units(value: int | Fraction, currency: str | None) -> Fraction:
    return Fraction(value, 10 ** minor_digits(currency or ""))


def _date_readings(days: int) -> Iterator[Reading]:
    if 1 <= days <= date.max.toordinal():
        day = date.fromordinal(days)
        month_and_day = Fraction(100 * day.month + day.day)
        yield from (Reading("date", month_and_day, day.year), Reading("date", month_and_day))
        yield Reading("weekday", Fraction(day.weekday()))


def _date_numbers(days: int) -> Iterator[Fraction]:
    if 1 <= days <= date.max.toordinal():
        day = date.fromordinal(days)
        yield from (Fraction(day.day), Fraction(day.year))
