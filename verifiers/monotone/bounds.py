"""Bounds on numeric expressions that hold for all plans, by interval arithmetic on the static tables."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Column, ScalarType, ScaledType, Table, Type
from planspec.verifiers.meaning.interpret import Interpreter, Number
from planspec.verifiers.monotone.inline import reads_plan

Range: TypeAlias = tuple[Number | None, Number | None]
"""The lower and the upper bound of a value; None for an unknown bound."""

ANY: Range = (None, None)
NOTHING: Range = (0, 0)
"""Range of an expression that is always *none*. Any other range would also be valid."""


def is_numeric(type_: Type) -> bool:
    """Return whether values of the type are numbers internally, such as amounts, times and dates."""
    return isinstance(type_, ScaledType) or (
        isinstance(type_, ScalarType) and type_ not in (ScalarType.BOOL, ScalarType.TEXT)
    )


class BoundEstimator:
    """Estimator of the ranges of numeric expressions, with a cache.

    A range contains the value of the expression for every plan and all values of its variables, except *none*.

    Args:
        interpreter: interpreter of the task, without a plan.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._columns: dict[tuple[str, str], Range] = {}
        self._ranges: dict[t.Expr, Range] = {}

    def range_of(self, expr: t.Expr) -> Range:
        """Return the range of an expression; unbounded if its type is not numeric."""
        if not is_numeric(expr.type):
            return ANY
        if expr not in self._ranges:
            self._ranges[expr] = self._range(expr)
        return self._ranges[expr]

    def is_fixed(self, expr: t.Expr) -> bool:
        """Return whether an expression has the same value for every plan and contains no free variables."""
        return not reads_plan(expr) and not free_variables(expr)

    def _range(self, expr: t.Expr) -> Range:
        if self.is_fixed(expr):
            value = self._interpreter.value(expr, {})
            return NOTHING if value is None else (value, value)
        match expr:
            case t.FieldOf(row=row, column=column):
                table = self._interpreter.task.tables[str(row.type)]
                return self._column(table, column)
            case t.Apply(definition=definition):
                return self.range_of(definition.body)
            case t.Negate(operand=x):
                low, high = self.range_of(x)
                return None if high is None else -high, None if low is None else -low
            case t.Arith():
                return self._arith(expr)
            case t.Conditional(then=a, otherwise=b) | t.Coalesce(left=a, right=b):
                return self._union_of([a, b])
            case t.Call():
                return self._call(expr)
            case t.Aggregate(function="count"):
                return 0, None
            case t.Intervals(function="peak"):
                return 0, None
            case t.Aggregate(function="sum", body=body):
                low, high = self.range_of(body)
                return (0 if low is not None and low >= 0 else None), (0 if high is not None and high <= 0 else None)
            case t.Aggregate(body=body):
                return self.range_of(body)
            case _:
                return ANY

    def lower_bound(self, expr: t.Expr) -> Number:
        """Return a lower bound of an expression, or -1 if no lower bound is known.

        The result -1 can also be a known bound, so test only whether the result is negative.
        """
        low, _ = self.range_of(expr)
        return -1 if low is None else low

    def _union_of(self, parts: Iterable[t.Expr]) -> Range:
        ranges = [self.range_of(p) for p in parts if not (isinstance(p, t.Literal) and p.value is None)]
        lows = [low for low, _ in ranges if low is not None]
        highs = [high for _, high in ranges if high is not None]
        return (
            min(lows) if ranges and len(lows) == len(ranges) else None,
            max(highs) if ranges and len(highs) == len(ranges) else None,
        )

    def _call(self, expr: t.Call) -> Range:
        """Return the range of the value of a builtin function, such as `max`."""
        match expr.function, expr.args:
            case "ceil_div", (a, b):
                return (0, None) if self.lower_bound(a) >= 0 and self.lower_bound(b) >= 0 else ANY
            case "day_of_week", _:
                return 1, 7
            case "abs", _:
                return 0, None
            case "min" | "max", args:
                return self._union_of(args)
            case _:
                return ANY

    def _arith(self, expr: t.Arith) -> Range:
        (a, b), (c, d) = self.range_of(expr.left), self.range_of(expr.right)
        match expr.op:
            case "+" if not is_moment(expr):
                return (None if a is None or c is None else a + c), (None if b is None or d is None else b + d)
            case "-":
                return (None if a is None or d is None else a - d), (None if b is None or c is None else b - c)
            case "*" if a is not None and c is not None and a >= 0 and c >= 0:
                return a * c, None if b is None or d is None else b * d
            case "//" if a is not None and a >= 0:  # the value is *none* if the divisor is not positive
                return 0, b
            case "%":
                return 0, None
            case _:
                return ANY

    def _column(self, table: Table, column: Column) -> Range:
        """Return the range of the values in a column of a static table. Columns of plan tables are unbounded."""
        if table.plan:
            return ANY
        place = (table.name, column.name)
        if place not in self._columns:
            values: list[int | Fraction] = [
                value
                for row in self._interpreter.task.facts[table.name].rows
                if (value := getattr(row, column.name)) is not None
            ]
            self._columns[place] = (min(values), max(values)) if values else NOTHING
        return self._columns[place]


def is_moment(expr: t.Arith) -> bool:
    """Return whether a sum combines a date and a time into a moment, rather than adding numbers."""
    return expr.op == "+" and expr.type is ScalarType.MOMENT and ScalarType.DATE in (expr.left.type, expr.right.type)
