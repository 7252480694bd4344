"""Messages about two operands of incompatible types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.dsl.check.type_rules import NUMBERS, is_assignable, type_with_article
from planspec.dsl.diagnostics.diagnostic import Label
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, ScaledType, SetType, Type
from planspec.dsl.model.values import UNITS, is_text_of_type, with_unit

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker

S = ScalarType
SAMPLES: dict[Type, str] = {S.DURATION: "30", S.DISTANCE: "850", S.MONEY: "12.50"}
"""A sample number for each type with units."""


def report_mismatch(c: Checker, at: Span, a: t.Expr, b: t.Expr) -> None:
    """Report a comparison of values of incompatible types. `at` is the span of the operator."""
    help_text = _hidden_member(c, a, b) or _hidden_member(c, b, a) or _mismatch_help(c, a, b) or _mismatch_help(c, b, a)
    c.report.error(
        "PS301",
        f"cannot compare {type_with_article(a.type)} with {type_with_article(b.type)}",
        at,
        "",
        secondary=[Label(a.span, type_with_article(a.type)), Label(b.span, type_with_article(b.type))],
        help=help_text,
    )


def _hidden_member(c: Checker, a: t.Expr, b: t.Expr) -> str | None:
    """Return help if `a` is a name that hides an enum member or row of the type of `b`; otherwise None."""
    word = a.span.text
    if isinstance(b.type, EnumType):
        is_member = word in b.type.members
    else:
        is_member = isinstance(b.type, RowType) and c.names.row_key(c.names.tables[b.type.table], word) is not None
    return (
        f"`{word}` is {c.names.places[word][0]} here: write `{b.type}.{word}`"
        if is_member and word in c.names.places
        else None
    )


def _mismatch_help(c: Checker, a: t.Expr, b: t.Expr) -> str | None:
    match a.type, b.type:
        case S.TIME, S.DURATION:
            return "for the length of something write `x.end - x.start`"
        case ((S.INT | S.DECIMAL), other) if (help_text := unit_help(c, a, other)) is not None:
            return help_text
        case S.MOMENT, (S.TIME | S.DATE):
            return "a date and a time make a moment: `x.day + x.start`"
        case ((SetType(item=item) | ListType(item=item)), other) if is_assignable(other, item):
            return f"is the value in it? write `{b.span.text} in {a.span.text}`"
        case S.DATE, S.TEXT:
            return "a date is written `2026-07-01`, without quotes"
        case S.TIME, (S.TEXT | S.INT | S.DECIMAL):
            return "a time is written `9:30` or `14:00`, without quotes"
        case EnumType(members=members), S.TEXT if isinstance(b, t.Literal) and b.value in members:
            return f"a member is written without quotes: `{b.value}`"
        case EnumType(members=members), S.TEXT:
            near = did_you_mean(b.value, members) if isinstance(b, t.Literal) else None
            return near or f"it is one of {', '.join(members)}"
        case RowType(table=table), S.TEXT:
            return f'a row is named `{table}.name` or `{table}["its key"]`'
    return None


def unit_help(c: Checker, number: t.Expr, type_: Type) -> str | None:
    """Return help for a number without the unit of a type; None if values of the type have no unit."""
    units = (c.names.currency or "EUR",) if type_ is S.MONEY else UNITS.get(type_, ())
    if not units:
        return None
    text = number.span.text if isinstance(number, t.Literal) else SAMPLES[type_]
    best = next((unit for unit in units if is_text_of_type(with_unit(text, unit), type_, unit)), units[0])
    return f"write the number with its unit: `{with_unit(text, best)}`"


def report_disagreement(c: Checker, at: Span, what: str, a: t.Expr, b: t.Expr) -> None:
    """Report two alternatives, described by `what`, that have different types."""
    c.report.error(
        "PS307",
        f"{what} are of different types",
        at,
        "",
        secondary=[Label(a.span, type_with_article(a.type)), Label(b.span, type_with_article(b.type))],
    )


def arithmetic_help(c: Checker, op: str, left: t.Expr, right: t.Expr) -> str | None:
    """Return help for undefined arithmetic, with a replacement; None if none is known."""
    a, b = left.type, right.type
    if op == "+" and a is b is S.TIME:
        return "the time between two times is `b - a`; a later time is `a + 30min`"
    if op in ("+", "-") and S.INT in (a, b):
        number, other = (left, b) if a is S.INT else (right, a)
        help_text = unit_help(c, number, S.DURATION if other in (S.TIME, S.MOMENT) else other)
        if help_text is not None:
            return help_text
    if op == "%" and isinstance(left, t.Literal) and a in (S.INT, S.DECIMAL):
        return "`%` is the remainder of a division; a part of something is `0.9 * x`"
    if op == "*" and S.DECIMAL not in (a, b) and a in NUMBERS and b in NUMBERS:
        return "one side of a product is a plain number"
    if op in ("//", "%") and (S.DECIMAL in (a, b) or isinstance(a, ScaledType)):
        return "division is of whole units: multiply by a decimal instead"
    return None
