"""Parsing of literals: numbers with units."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from fractions import Fraction

from lark import Token

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.units import duration_minutes
from planspec.dsl.syntax.nodes import Number

DIGITS = 40
"""The maximum length of a literal; Python refuses to parse numbers of thousands of digits."""


class InvalidLiteralError(Exception):
    """A literal with valid syntax but without a value, such as the date 2026-02-30.

    Args:
        code: the diagnostic's code.
        message: its headline.
        span: location of the literal.
    """

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.span = span


def number(token: Token, span: Span) -> Number:
    """Return the number in a token.

    Raises:
        InvalidLiteralError: the token is no number, date or time that exists, such as `2026-02-30`.
    """
    text = str(token)
    if len(text.replace(" ", "")) > DIGITS:
        raise InvalidLiteralError("PS402", f"the number {text[:12]}... is too large or too fine", span)
    match token.type:
        case "DATE":
            try:
                return Number(span, "date", date.fromisoformat(text).toordinal())
            except ValueError:
                raise InvalidLiteralError("PS105", f"there is no date {text}", span) from None
        case "TIME":
            hours, minutes = text.split(":")
            if int(minutes) > 59 or int(hours) > 99:
                raise InvalidLiteralError("PS105", f"there is no time {text}", span)
            return Number(span, "time", int(hours) * 60 + int(minutes))
        case "DURATION":
            return Number(span, "duration", duration_minutes(text))
        case "MONEY":
            return Number(span, "money", Decimal(text[:-3].strip()), text[-3:])
        case "DISTANCE":
            metres = Fraction(text[:-2]) * 1000 if text.endswith("km") else Fraction(text[:-1])
            if metres.denominator != 1:
                raise InvalidLiteralError("PS105", f"{text} is not a whole number of metres", span)
            return Number(span, "distance", int(metres))
        case "DECIMAL":
            return Number(span, "decimal", Fraction(text))
        case _:
            return Number(span, "int", int(text))
