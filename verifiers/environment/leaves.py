"""Leaves of results as functions: a value of the language -> its JSON."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import Leaf
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Special, Type
from planspec.dsl.model.value_text import exact, row_key, show
from planspec.verifiers.answers.amounts import write_cost
from planspec.verifiers.meaning.interpret import Env, Interpreter

LeafFunction: TypeAlias = Callable[[Interpreter, Env], Any]
Writer: TypeAlias = Callable[[Any], Any]
KNOWN = 4096
"""The most values of one leaf whose JSON is kept."""


def leaf_function(leaf: Leaf, currency: str | None) -> LeafFunction:
    """The function that works out a leaf.

    Args:
        leaf: the leaf.
        currency: the world's.
    """
    read = _reader(leaf.expr)
    write = _writer(leaf, currency)
    if write is None:
        return read
    written = write

    def function(interpreter: Interpreter, env: Env) -> Any:
        value = read(interpreter, env)
        return None if value is None else written(value)

    return function


def _reader(expr: t.Expr) -> LeafFunction:
    """Columns of a variable's row, which leaves mostly are, are read in one step; all else is interpreted."""
    match expr:
        case t.FieldOf(row=t.Var(binding=binding), column=column) if expr.type is not ScalarType.BOOL:
            field, of = attrgetter(column.name), binding

            def cell(_: Interpreter, env: Env) -> Any:
                row = env[of]
                return None if row is None else field(row)

            return cell
    return lambda interpreter, env: interpreter.value(expr, env)


def _writer(leaf: Leaf, currency: str | None) -> Writer | None:
    """The function from a value that is not none to its JSON; None where that is the value itself."""
    match leaf.form:
        case "amount":
            return lru_cache(KNOWN)(lambda value: write_cost(value, currency or ""))
        case "key" if isinstance(leaf.expr.type, SetType | ListType):
            return lambda rows: [row_key(row, currency) for row in rows]
        case "key":
            return lru_cache(KNOWN)(lambda row: row_key(row, currency))
    return _writer_of(leaf.expr.type, currency)


def _writer_of(of: Type, currency: str | None) -> Writer | None:
    match of:
        case ScalarType.BOOL | ScalarType.INT | ScalarType.TEXT | EnumType() | Special.UNIT_ZERO:
            return None
        case ScalarType.DECIMAL:
            return _decimal
        case SetType(item) | ListType(item):
            write = _writer_of(item, currency)
            return list if write is None else lambda values: [write(value) for value in values]
        case RowType():
            # each time anew, since who watches a world notes each reading of a name, and in another world it may be another one
            return lambda row: show(row, of, currency)
        case _:
            return lru_cache(KNOWN)(lambda value: show(value, of, currency))


def _decimal(value: Any) -> int | str:
    number = Fraction(value)
    return number.numerator if number.denominator == 1 else exact(number)
