"""The cells of a VeriTrip answer: what its prompt asks for, and what agents write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.answers.amounts import read_cost
from planspec.verifiers.answers.tables import clipped, what

CellForm: TypeAlias = Literal["text", "date", "time", "price", "number", "truth"]
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOST_CHARACTERS = 2_000
"""The most characters of a text that are read."""
MOST_BITS = 1_000
"""Python refuses to print integers that are much longer."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?::00)?", re.ASCII)
_TEMPLATE = re.compile(r"\s*<[^<>]*>\s*")
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """One cell of an answer.

    Attributes:
        said: what stands there, as text for people.
        value: what it means: a text, an ordinal, minutes, minor units, an int or a truth; None if it cannot be read.
        fault: why it cannot be read.
    """

    said: str
    value: Any = None
    fault: str | None = None


def weekday(day: int) -> int:
    """The weekday of an ordinal; Monday is 0."""
    return (day - 1) % 7


def read_cell(said: object, form: CellForm, currency: str) -> AnswerCell:
    """A cell, read as the column asks.

    Args:
        said: the JSON value.
        form: what the column is.
        currency: the world's.
    """
    if isinstance(said, int) and said.bit_length() > MOST_BITS:
        return AnswerCell("a number of hundreds of digits", None, "it is too large")
    shown = clipped(said) if isinstance(said, str | int | Decimal) else what(said)
    try:
        return AnswerCell(shown, _value(said, form, currency))
    except InvalidValueError as error:
        return AnswerCell(shown, None, str(error))


def _value(said: object, form: CellForm, currency: str) -> Any:
    if said is None or (isinstance(said, str) and not said.strip()):
        raise InvalidValueError("it is empty")
    if isinstance(said, str) and _TEMPLATE.fullmatch(said):
        raise InvalidValueError("it is a placeholder of the template")
    match form:
        case "text":
            return _text(said)
        case "date":
            return _date(said)
        case "time":
            return _time(said)
        case "price":
            return _price(said, currency)
        case "number":
            return _number(said)
        case "truth":
            return _truth(said)


def _text(said: object) -> str:
    if isinstance(said, bool) or not isinstance(said, str | int):
        raise InvalidValueError(f"it is {what(said)}, not a text")
    return str(said).strip()[:MOST_CHARACTERS]


def _date(said: object) -> int:
    word = said.strip() if isinstance(said, str) else ""
    try:
        return date.fromisoformat(word if _DATE.fullmatch(word) else "").toordinal()
    except ValueError:
        raise InvalidValueError("it is no date such as 2025-10-18") from None


def _time(said: object) -> int:
    found = _TIME.fullmatch(said.strip()) if isinstance(said, str) else None
    if found is None or (minutes := int(found[1]) * 60 + int(found[2])) > MINUTES_A_DAY:
        raise InvalidValueError("it is no time such as 09:30")
    return minutes


def _price(said: object, currency: str) -> int:
    minor = read_cost(said, currency)
    if minor < 0:
        raise InvalidValueError("it is less than nothing")
    return minor


def _number(said: object) -> int:
    word = str(said).strip() if isinstance(said, str | int | Decimal) and not isinstance(said, bool) else ""
    if not re.fullmatch(r"\d{1,6}(?:\.0+)?", word, re.ASCII):
        raise InvalidValueError("it is no whole number")
    return int(word.partition(".")[0])


def _truth(said: object) -> bool:
    if isinstance(said, bool):
        return said
    word = said.strip().casefold() if isinstance(said, str) else ""
    if word not in _TRUTHS:
        raise InvalidValueError("it is neither true nor false")
    return _TRUTHS[word]
