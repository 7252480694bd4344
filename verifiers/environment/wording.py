"""Recognition of values in a query in the forms in which people write them, such as `8:30` and `half past eight`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Type
from planspec.dsl.model.value_text import exact_text, show
from planspec.dsl.model.values import minor_digits
from planspec.dsl.resources.english_words import MONTHS, ONES, TENS
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.answers.tables import row_names


def states_value(query: str, value: Any, type_: Type, currency: str | None) -> bool:
    """Return whether a query states a value: one of the value's written forms occurs as separate words.

    Args:
        query: text of the query.
        value: a run-time value of the type `type_`; *none* and false always count as stated.
        type_: its type.
        currency: currency of the task's amounts.
    """
    if value is None or value is False:
        return True
    if isinstance(type_, SetType | ListType):
        if type_.item is ScalarType.DATE and len(value) > 2 and _are_consecutive(value):
            value = (value[0], value[-1])  # for a range of days, a query names the first and the last
        return all(states_value(query, item, type_.item, currency) for item in value)
    plain = " ".join(query.split()).casefold()
    return any(_occurs_as_words(form.casefold(), plain) for form in written_forms(value, type_, currency))


def _are_consecutive(days: tuple[int, ...]) -> bool:
    return all(b == a + 1 for a, b in pairwise(days))


def _occurs_as_words(form: str, text: str) -> bool:
    """Return whether a written form occurs in a text, but not as a part of a longer word or number."""
    return re.search(rf"(?<![\w.-]){re.escape(form)}(?![\w]|[.,:]\d)", text) is not None


def written_forms(value: Any, type_: Type, currency: str | None) -> Iterator[str]:
    """Yield the forms in which people write a value.

    Args:
        value: a run-time value of the type `type_`, neither *none* nor a collection.
        type_: its type.
        currency: currency of the task's amounts.
    """
    yield show(value, type_, currency)
    match type_:
        case ScalarType.INT | ScalarType.DECIMAL:
            yield from _number(Fraction(value))
        case ScalarType.MONEY:
            yield from _number(Fraction(value, 10 ** minor_digits(currency or "")))
        case ScalarType.DISTANCE:
            yield from (f"{form} m" for form in _number(Fraction(value)))
            yield from (f"{form} {unit}" for form in _number(Fraction(value, 1000)) for unit in ("km", "kilometres"))
        case ScalarType.DATE:
            yield from _date(value)
        case ScalarType.TIME:
            yield from _time(value)
        case ScalarType.MOMENT:
            yield from _date(value // MINUTES_A_DAY)
        case ScalarType.DURATION:
            yield from _duration(value)
        case EnumType():
            yield from (value.replace("_", " "), f"{value.replace('_', ' ')}s")
        case RowType():
            if isinstance(value, Row) and len(value._table.key) == 1:
                yield from row_names(value)


def _number(number: Fraction) -> Iterator[str]:
    if number.denominator != 1:
        text = exact_text(number)
        yield from (text, text.ljust(text.index(".") + 3, "0") if "." in text else text)
        return
    whole = number.numerator
    yield from (str(whole), f"{whole:,}", f"{whole}.00")
    if 0 <= whole < len(ONES):
        yield ONES[whole]
    elif whole < 100 and whole > 0:
        ten, one = divmod(whole, 10)
        yield f"{TENS[ten]}-{ONES[one]}" if one else TENS[ten]


def _date(day: int) -> Iterator[str]:
    if not 1 <= day <= date.max.toordinal():
        return
    at = date.fromordinal(day)
    month = MONTHS[at.month - 1]
    ending = "th" if 10 < at.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(at.day % 10, "th")
    for name in (month, month[:3]):
        yield from (
            f"{at.day} {name}",
            f"{name} {at.day}",
            f"{at.day}{ending} of {name}",
            f"{name} {at.day}{ending}",
            f"{at.day}{ending} {name}",
        )
    yield from (
        f"{at.month}月{at.day}日",
        f"{at.month}/{at.day}",
        f"{at.day}.{at.month}.",
        f"{at.month}.{at.day}",
    )


def _time(minutes: int) -> Iterator[str]:
    hour, minute = divmod(minutes, 60)
    yield from (f"{hour}:{minute:02d}", f"{hour}.{minute:02d}")
    half = hour % 12 or 12
    for suffix in ("am", "a.m.") if hour % 24 < 12 else ("pm", "p.m."):
        yield from (f"{half}:{minute:02d} {suffix}", f"{half}:{minute:02d}{suffix}")
        if not minute:
            yield from (f"{half} {suffix}", f"{half}{suffix}")
    word = ONES[half]
    if not minute:
        yield from (
            f"{word} o'clock",
            f"{half} o'clock",
            f"at {word}",
            f"before {word}",
            f"after {word}",
            f"by {word}",
            f"until {word}",
            f"from {word}",
        )
        yield from ("noon",) if hour == 12 else ("midnight",) if hour in (0, 24) else ()
    yield from (f"half past {word}", f"half past {half}") if minute == 30 else ()
    yield from (f"quarter past {word}",) if minute == 15 else ()
    yield from (f"quarter to {ONES[(hour + 1) % 12 or 12]}",) if minute == 45 else ()


def _duration(minutes: int) -> Iterator[str]:
    hours, rest = divmod(minutes, 60)
    yield from (f"{form} {unit}" for form in _number(Fraction(minutes)) for unit in ("minutes", "min", "minute"))
    for form in _number(Fraction(minutes, 60)):
        yield from (f"{form} hours", f"{form} h", f"{form} hour")
    if rest:
        for form in _number(Fraction(hours)) if hours else ():
            yield from (
                f"{form} hours and {rest} minutes",
                f"{form} hour and {rest} minutes",
                f"{form} h {rest} min",
            )
        yield from (
            ("half an hour",)
            if minutes == 30
            else ("an hour and a half", "one and a half hours")
            if minutes == 90
            else ()
        )
    elif hours == 1:
        yield "an hour"
