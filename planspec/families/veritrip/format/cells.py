"""Cells of a VeriTrip answer, in the forms that the prompt asks for and others that agents use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.answers.amounts import read_cost
from planspec.verifiers.answers.tables import clipped_text, json_kind

CellForm: TypeAlias = Literal["text", "date", "time", "price", "number", "truth"]
MOST_CHARACTERS = 2_000
"""Maximum number of characters read from a string."""
MOST_BITS = 1_000
"""Maximal number of bits of an integer. Python refuses to print much larger integers."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)(?::00)?", re.ASCII)
_TEMPLATE = re.compile(r"\s*<[^<>]*>\s*")
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """One cell of an answer.

    Attributes:
        text: content for display.
        value: parsed value: a string, the ordinal of a date, minutes after midnight, a price in minor units, an integer
            or a Boolean; None if the cell cannot be read.
        fault: reason why the cell cannot be read; None if it can.
    """

    text: str
    value: Any = None
    fault: str | None = None


def weekday(day: int) -> int:
    """Return the weekday of a date given as an ordinal; Monday is 0."""
    return (day - 1) % 7


def read_cell(value: object, form: CellForm, currency: str) -> AnswerCell:
    """Read a cell in the form of its column.

    Args:
        value: JSON value of the cell.
        form: form of the column.
        currency: currency of all prices.
    """
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return AnswerCell("a number of hundreds of digits", None, "it is too large")
    text = clipped_text(value) if isinstance(value, str | int | Decimal) else json_kind(value)
    try:
        return AnswerCell(text, _parse_value(value, form, currency))
    except InvalidValueError as error:
        return AnswerCell(text, None, str(error))


def _parse_value(value: object, form: CellForm, currency: str) -> Any:
    if value is None or (isinstance(value, str) and not value.strip()):
        raise InvalidValueError("it is empty")
    if isinstance(value, str) and _TEMPLATE.fullmatch(value):
        raise InvalidValueError("it is a placeholder of the template")
    match form:
        case "text":
            return _parse_text(value)
        case "date":
            return _parse_date(value)
        case "time":
            return _parse_time(value)
        case "price":
            return _parse_price(value, currency)
        case "number":
            return _parse_number(value)
        case "truth":
            return _parse_truth(value)


def _parse_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidValueError(f"it is {json_kind(value)}, not a text")
    return str(value).strip()[:MOST_CHARACTERS]


def _parse_date(value: object) -> int:
    word = value.strip() if isinstance(value, str) else ""
    try:
        return date.fromisoformat(word if _DATE.fullmatch(word) else "").toordinal()
    except ValueError:
        raise InvalidValueError("it is no date such as 2025-10-18") from None


def _parse_time(value: object) -> int:
    match = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None or (minutes := int(match[1]) * 60 + int(match[2])) > MINUTES_A_DAY:
        raise InvalidValueError("it is no time such as 09:30")
    return minutes


def _parse_price(value: object, currency: str) -> int:
    minor = read_cost(value, currency)
    if minor < 0:
        raise InvalidValueError("it is less than nothing")
    return minor


def _parse_number(value: object) -> int:
    word = str(value).strip() if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"\d{1,6}(?:\.0+)?", word, re.ASCII):
        raise InvalidValueError("it is no whole number")
    return int(word.partition(".")[0])


def _parse_truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().casefold() if isinstance(value, str) else ""
    if word not in _TRUTHS:
        raise InvalidValueError("it is neither true nor false")
    return _TRUTHS[word]
