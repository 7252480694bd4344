"""The types that may stand where another is needed, and their names for people."""

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
"""Types that can be added to themselves; a literal `0` is one of any of them."""


def wrong(span: Span) -> t.Literal:
    """A placeholder for an expression with a mistake in it."""
    return t.Literal(Special.WRONG, span, Stage.STATIC, False, None)


def stage_of(items: Iterable[t.Typed]) -> Stage:
    """PLANNED if any part is."""
    return Stage.PLANNED if any(item.stage is Stage.PLANNED for item in items) else Stage.STATIC


def is_open(type_: Type) -> bool:
    """The type is still that of a literal `0`, `none` or `{}`, which its place has to settle."""
    if isinstance(type_, SetType | ListType):
        return is_open(type_.item)
    return type_ in (Special.NONE, Special.EMPTY, Special.UNIT_ZERO)


def retyped(made: t.Expr, expected: Type) -> t.Expr:
    """The same expression, its open literals (`0`, `none`, `{}`) of the type that their place gives them.

    What has a type already keeps it, except that a whole number becomes a decimal where one is needed.
    """
    match made:
        case t.Literal(type=ScalarType.INT, value=int(value)) if expected is ScalarType.DECIMAL:
            return replace(made, type=expected, value=Fraction(value))
        case t.Literal(type=Special.UNIT_ZERO) if expected is ScalarType.DECIMAL:
            return replace(made, type=expected, value=Fraction(0))
        case _ if not is_open(made.type):
            return made
        case t.Negate(operand=x):
            return replace(made, type=expected, operand=retyped(x, expected))
        case t.Coalesce(left=a, right=b):
            return replace(made, type=expected, left=retyped(a, expected), right=retyped(b, expected))
        case t.Conditional(then=a, otherwise=b):
            return replace(made, type=expected, then=retyped(a, expected), otherwise=retyped(b, expected))
        case t.SetLiteral(items=items) if isinstance(expected, SetType | ListType):
            return replace(made, type=expected, items=tuple(retyped(item, expected.item) for item in items))
    return replace(made, type=expected)


def settled(made: t.Expr, expected: Type | None = None) -> t.Expr:
    """The expression with a type of its own: an undirected `0` is a whole number."""
    if made.type is Special.UNIT_ZERO:
        return retyped(made, expected if expected is not None and expected in NUMBERS else ScalarType.INT)
    if isinstance(made.type, SetType) and made.type.item is Special.UNIT_ZERO:
        return retyped(made, SetType(ScalarType.INT))
    return made


def unit_of(type_: Type) -> Type:
    """The type without the decimal factor that it may carry."""
    return type_.unit if isinstance(type_, ScaledType) else type_


def assignable(have: Type, expected: Type) -> bool:
    """A value of type `have` may stand where `expected` is needed."""
    if have == expected or Special.WRONG in (have, expected):
        return True
    match have, expected:
        case Special.NONE, _:
            return True
        case Special.UNIT_ZERO, _:
            return expected in NUMBERS or isinstance(expected, ScaledType)
        case Special.EMPTY, (SetType() | ListType()):
            return True
        case ScalarType.INT, ScalarType.DECIMAL:
            return True
        case ((SetType() | ListType()), (SetType() | ListType())):
            return assignable(have.item, expected.item)
    return False


def joined(a: Type, b: Type) -> Type | None:
    """The type of something that is an `a` or a `b`; None if there is none."""
    if assignable(a, b):
        return a if b is Special.WRONG else b
    if assignable(b, a):
        return a
    if isinstance(a, ScaledType) and b is a.unit:
        return a
    if isinstance(b, ScaledType) and a is b.unit:
        return b
    return None


def comparable(a: Type, b: Type) -> bool:
    """Values of the two types can be equal."""
    return joined(a, b) is not None or joined(unit_of(a), unit_of(b)) is not None


def arithmetic(op: str, a: Type, b: Type) -> Type | None:
    """The type of `a op b` for types that are not open; None if it has no meaning."""
    match op:
        case "+" | "-":
            return _sum(op, a, b)
        case "*":
            return _product(a, b)
    if a in NUMERIC_UNITS and b is ScalarType.INT:
        return a
    if a in NUMERIC_UNITS and a is b:
        return ScalarType.INT if op == "//" else a
    return None


def _sum(op: str, a: Type, b: Type) -> Type | None:
    if unit_of(a) in NUMBERS:
        both = joined(a, b)
        if both is not None and unit_of(both) in NUMBERS:
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


def _product(a: Type, b: Type) -> Type | None:
    if ScalarType.INT in (a, b):
        other = b if a is ScalarType.INT else a
        return other if unit_of(other) in NUMBERS else None
    if ScalarType.DECIMAL in (a, b):
        unit = unit_of(b if a is ScalarType.DECIMAL else a)
        if unit is ScalarType.DECIMAL:
            return ScalarType.DECIMAL
        return ScaledType(unit) if isinstance(unit, ScalarType) and unit in NUMERIC_UNITS else None
    return None


def article(type_: Type) -> str:
    """The type with its article, for people."""
    match type_:
        case ScalarType.BOOL:
            return "a condition"
        case ScalarType.INT:
            return "a number"
        case ScalarType.MONEY:
            return "money"
        case ScaledType(unit=unit):
            return f"{article(unit)} times a decimal"
        case Special():
            return str(type_)
        case RowType(table=table) if table[0].islower():
            return f"a row of {table}"
    text = str(type_)
    return f"an {text}" if text[0] in "AEIOUaeiou" else f"a {text}"
