"""Functions that evaluate the leaves (scalar values) of result trees to JSON."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import Leaf
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Special, Type
from planspec.dsl.model.value_text import exact_text, row_key, show
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.meaning.interpret import Env, Interpreter

LeafFunction: TypeAlias = Callable[[Interpreter, Env], Any]
Writer: TypeAlias = Callable[[Any], Any]
MAX_CACHED = 4096
"""Maximum number of values of one leaf (scalar of a result tree) whose conversion to JSON is cached."""


def leaf_function(leaf: Leaf, currency: str | None) -> LeafFunction:
    """Return the function that evaluates a leaf: a scalar value in a result tree.

    Args:
        leaf: the leaf.
        currency: currency of the task's amounts.
    """
    read = _value_function(leaf.expr)
    write = _json_function(leaf, currency)
    if write is None:
        return read
    written = write

    def function(interpreter: Interpreter, env: Env) -> Any:
        value = read(interpreter, env)
        return None if value is None else written(value)

    return function


def _value_function(expr: t.Expr) -> LeafFunction:
    """Return a function that evaluates an expression, with a fast path for a variable's column (`v.start`)."""
    match expr:
        case t.FieldOf(row=t.Var(binding=binding), column=column) if expr.type is not ScalarType.BOOL:
            field, row_binding = attrgetter(column.name), binding

            def cell(_: Interpreter, env: Env) -> Any:
                row = env[row_binding]
                return None if row is None else field(row)

            return cell
    return lambda interpreter, env: interpreter.value(expr, env)


def _json_function(leaf: Leaf, currency: str | None) -> Writer | None:
    """Return the function that converts a value (not *none*) to JSON; None if values are already JSON."""
    match leaf.form:
        case "amount":
            return lru_cache(MAX_CACHED)(lambda value: write_cost(value, currency or ""))
        case "key" if isinstance(leaf.expr.type, SetType | ListType):
            return lambda rows: [row_key(row, currency) for row in rows]
        case "key":
            return lru_cache(MAX_CACHED)(lambda row: row_key(row, currency))
    return _json_function_of_type(leaf.expr.type, currency)


def _json_function_of_type(type_: Type, currency: str | None) -> Writer | None:
    match type_:
        case ScalarType.BOOL | ScalarType.INT | ScalarType.TEXT | EnumType() | Special.UNIT_ZERO:
            return None
        case ScalarType.DECIMAL:
            return _decimal_json
        case SetType(item) | ListType(item):
            write = _json_function_of_type(item, currency)
            return list if write is None else lambda values: [write(value) for value in values]
        case RowType():
            # not cached: names may differ between variants of the task, and a cached read would not be recorded
            return lambda row: show(row, type_, currency)
        case _:
            return lru_cache(MAX_CACHED)(lambda value: show(value, type_, currency))


def _decimal_json(value: Any) -> int | str:
    number = Fraction(value)
    return number.numerator if number.denominator == 1 else exact_text(number)
