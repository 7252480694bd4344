"""Hash indexes over static tables, and the conditions of generators that they answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from operator import attrgetter
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import Column, ScalarType, SetType, Table

Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Equality:
    """The condition `target.column == key`, where the key does not mention the target.

    Attributes:
        many: the condition is `target.column in key`.
    """

    column: Column
    key: t.Expr
    many: bool = False


def equality(condition: t.Expr, target: t.Binding) -> Equality | None:
    """The part of a condition about the target's row, if it is an equality that an index answers."""
    if not isinstance(condition, t.Compare) or condition.ops != ("==",):
        return None
    for one, key in (condition.operands, condition.operands[::-1]):
        match one:
            case t.FieldOf(row=t.Var(binding=binding), column=column) if binding is target:
                indexed = column.type is not ScalarType.BOOL and not isinstance(column.type, SetType)
                if indexed and target not in free_variables(key):
                    return Equality(column, key)
            case _:
                pass
    return None


def equalities(clause: t.Clause) -> tuple[Equality, ...]:
    """The equalities among a generator's conditions, if it runs through a static table."""
    source, condition = clause.source, clause.condition
    if not isinstance(source, t.AllRows) or source.table.plan or condition is None:
        return ()
    parts = condition.operands if isinstance(condition, t.Logic) and condition.op == "and" else (condition,)
    target = clause.targets[0]
    found = (equality(part, target) or _membership(part, target) for part in parts)
    return tuple({each.column: each for each in found if each is not None}.values())


def _membership(condition: t.Expr, target: t.Binding) -> Equality | None:
    """The same of `target.column in collection`."""
    match condition:
        case t.InSet(
            item=t.FieldOf(row=t.Var(binding=binding), column=column), collection=among, negated=False
        ) if binding is target:
            indexed = column.type is not ScalarType.BOOL and not isinstance(column.type, SetType)
            if indexed and not isinstance(among, t.RangeOf) and target not in free_variables(among):
                return Equality(column, among, many=True)
    return None


def rows_with(table: Table, wanted: Sequence[tuple[Column, Sequence[Any]]]) -> Rows:
    """Rows of a static table, in its order: at least those with one of the values wanted in each of the columns."""
    columns = [column for column, _ in wanted]
    choices = [tuple(dict.fromkeys(values)) for _, values in wanted]
    if prod(map(len, choices)) > len(table.rows):
        return tuple(table.rows)
    index = grouped(table, columns)
    found = [index.get(key_of(values, columns), ()) for values in product(*choices)]
    if len(found) == 1:
        return found[0]
    return tuple(sorted((row for rows in found for row in rows), key=lambda row: row._index))


def grouped(table: Table, columns: Sequence[Column]) -> Mapping[Any, Rows]:
    """The rows of a static table as `group` puts them; worked out once for a table."""
    names = tuple(column.name for column in columns)
    found = table.indexes.get(names)
    if found is None:
        found = table.indexes[names] = group(table.rows, columns)
    return found


def group(rows: Iterable[Row], columns: Sequence[Column]) -> Mapping[Any, Rows]:
    """Rows by their values in these columns; rows with none in one of them are left out.

    The key is the value itself of one column and a tuple of several; a set in it is a frozenset.
    """
    lists: dict[Any, list[Row]] = {}
    getter = attrgetter(*(column.name for column in columns))
    one = len(columns) == 1
    sets = [isinstance(column.type, SetType) for column in columns]
    for row in rows:
        key = getter(row)
        if any(sets):
            parts = zip((key,) if one else key, sets, strict=True)
            plain = tuple(as_set(value) if is_set else value for value, is_set in parts)
            key = plain[0] if one else plain
        if key is not None if one else None not in key:
            lists.setdefault(key, []).append(row)
    return {key: tuple(found) for key, found in lists.items()}


def key_of(values: Sequence[Any], columns: Sequence[Column]) -> Any:
    """The key by which `group` has rows with these values; None if one of them is none."""
    if None in values:
        return None
    plain = [
        as_set(value) if isinstance(column.type, SetType) else value
        for value, column in zip(values, columns, strict=True)
    ]
    return plain[0] if len(plain) == 1 else tuple(plain)


def hashable(value: Any) -> Any:
    """A value by which equality is Python's: a tuple in a plan is a set."""
    return frozenset(value) if isinstance(value, tuple) else value


def as_set(value: Any) -> Any:
    """A set by which equality is Python's; None of None."""
    return None if value is None else frozenset(value)
