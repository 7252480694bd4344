"""Type rules: assignability, comparability and arithmetic, and the names of types in messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import (
    NUMERIC_UNITS,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Stage,
    Type,
)

NUMBERS: frozenset[Type] = frozenset(NUMERIC_UNITS | {ScalarType.DECIMAL})
"""Types with addition; a literal `0` belongs to each of them."""


def mistake(span: Span) -> t.Literal:
    """Return a placeholder for an expression with a mistake."""
    return t.Literal(Special.WRONG, span, Stage.STATIC, False, None)


def stage_of(items: Iterable[t.Typed]) -> Stage:
    """Return PLANNED if any part depends on the plan, otherwise STATIC."""
    return Stage.PLANNED if any(item.stage is Stage.PLANNED for item in items) else Stage.STATIC


def is_open(type_: Type) -> bool:
    """Return whether a type is still undetermined, because the expression is a literal `0`, `none` or `{}`."""
    if isinstance(type_, SetType | ListType):
        return is_open(type_.item)
    return type_ in (Special.NONE, Special.EMPTY, Special.UNIT_ZERO)


def with_type(expr: t.Expr, expected: Type) -> t.Expr:
    """Return the expression with a required type for its open literals (`0`, `none`, `{}`).

    Other literals keep their type, except that an integer becomes a decimal if a decimal is required.
    """
    match expr:
        case t.Literal(type=ScalarType.INT, value=int(value)) if expected is ScalarType.DECIMAL:
            return replace(expr, type=expected, value=Fraction(value))
        case t.Literal(type=Special.UNIT_ZERO) if expected is ScalarType.DECIMAL:
            return replace(expr, type=expected, value=Fraction(0))
        case _ if not is_open(expr.type):
            return expr
        case t.Negate(operand=x):
            return replace(expr, type=expected, operand=with_type(x, expected))
        case t.Coalesce(left=a, right=b):
            return replace(expr, type=expected, left=with_type(a, expected), right=with_type(b, expected))
        case t.Conditional(then=a, otherwise=b):
            return replace(expr, type=expected, then=with_type(a, expected), otherwise=with_type(b, expected))
        case t.SetLiteral(items=items) if isinstance(expected, SetType | ListType):
            return replace(expr, type=expected, items=tuple(with_type(item, expected.item) for item in items))
    return replace(expr, type=expected)


def with_definite_type(expr: t.Expr, expected: Type | None = None) -> t.Expr:
    """Return the expression with a definite type. A literal `0` becomes an integer by default."""
    if expr.type is Special.UNIT_ZERO:
        return with_type(expr, expected if expected is not None and expected in NUMBERS else ScalarType.INT)
    if isinstance(expr.type, SetType) and expr.type.item is Special.UNIT_ZERO:
        return with_type(expr, SetType(ScalarType.INT))
    return expr


def without_factor(type_: Type) -> Type:
    """Return the type without a decimal factor: the unit of a `ScaledType`, or any other type unchanged."""
    return type_.unit if isinstance(type_, ScaledType) else type_


def is_assignable(actual: Type, expected: Type) -> bool:
    """Return whether a value of type `actual` is accepted where `expected` is required."""
    if actual == expected or Special.WRONG in (actual, expected):
        return True
    match actual, expected:
        case Special.NONE, _:
            return True
        case Special.UNIT_ZERO, _:
            return expected in NUMBERS or isinstance(expected, ScaledType)
        case Special.EMPTY, (SetType() | ListType()):
            return True
        case ScalarType.INT, ScalarType.DECIMAL:
            return True
        case ((SetType() | ListType()), (SetType() | ListType())):
            return is_assignable(actual.item, expected.item)
    return False


def common_type(a: Type, b: Type) -> Type | None:
    """Return the common type of two types; None if they have none."""
    if is_assignable(a, b):
        return a if b is Special.WRONG else b
    if is_assignable(b, a):
        return a
    if isinstance(a, ScaledType) and b is a.unit:
        return a
    if isinstance(b, ScaledType) and a is b.unit:
        return b
    return None


def are_comparable(a: Type, b: Type) -> bool:
    """Return whether values of the two types can be equal."""
    return common_type(a, b) is not None or common_type(without_factor(a), without_factor(b)) is not None


def arithmetic_type(op: str, a: Type, b: Type) -> Type | None:
    """Return the type of `a op b` for types that are not open; None if it is undefined."""
    match op:
        case "+" | "-":
            return _sum_type(op, a, b)
        case "*":
            return _product_type(a, b)
    if a in NUMERIC_UNITS and b is ScalarType.INT:
        return a
    if a in NUMERIC_UNITS and a is b:
        return ScalarType.INT if op == "//" else a
    return None


def _sum_type(op: str, a: Type, b: Type) -> Type | None:
    if without_factor(a) in NUMBERS:
        both = common_type(a, b)
        if both is not None and without_factor(both) in NUMBERS:
            return both
    match op, a, b:
        case _, (ScalarType.TIME | ScalarType.MOMENT), ScalarType.DURATION:
            return a
        case _, ScalarType.DATE, ScalarType.INT:
            return a
        case "+", ScalarType.DATE, ScalarType.TIME:
            return ScalarType.MOMENT
        case "+", ScalarType.DURATION, (ScalarType.TIME | ScalarType.MOMENT):
            return b
        case "+", ScalarType.INT, ScalarType.DATE:
            return b
        case "-", ScalarType.TIME, ScalarType.TIME:
            return ScalarType.DURATION
        case "-", ScalarType.MOMENT, ScalarType.MOMENT:
            return ScalarType.DURATION
        case "-", ScalarType.DATE, ScalarType.DATE:
            return ScalarType.INT
    return None


def _product_type(a: Type, b: Type) -> Type | None:
    if ScalarType.INT in (a, b):
        other = b if a is ScalarType.INT else a
        return other if without_factor(other) in NUMBERS else None
    if ScalarType.DECIMAL in (a, b):
        unit = without_factor(b if a is ScalarType.DECIMAL else a)
        if unit is ScalarType.DECIMAL:
            return ScalarType.DECIMAL
        return ScaledType(unit) if isinstance(unit, ScalarType) and unit in NUMERIC_UNITS else None
    return None


def type_with_article(type_: Type) -> str:
    """Return the name of the type in messages, with an article if it takes one."""
    match type_:
        case ScalarType.BOOL:
            return "a condition"
        case ScalarType.INT:
            return "a number"
        case ScalarType.MONEY:
            return "money"
        case ScaledType(unit=unit):
            return f"{type_with_article(unit)} times a decimal"
        case Special():
            return str(type_)
        case RowType(table=table) if table[0].islower():
            return f"a row of {table}"
    text = str(type_)
    return f"an {text}" if text[0] in "AEIOUaeiou" else f"a {text}"
