"""Hash indexes over static tables, and the conditions of generators that they answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from planspec.dsl import tree as t
from planspec.dsl.rows import Row
from planspec.dsl.types import Column, Scalar, SetType, Table
from planspec.dsl.walk import free_variables

Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Equality:
    """The condition `target.column == key`, where the key does not mention the target."""

    column: Column
    key: t.Expr


def equality(condition: t.Expr, target: t.Binding) -> Equality | None:
    """What a condition says of the target's row, if it is an equality that an index answers."""
    if not isinstance(condition, t.Compare) or condition.ops != ("==",):
        return None
    for one, key in (condition.operands, condition.operands[::-1]):
        match one:
            case t.FieldOf(row=t.Var(binding=binding), column=column) if binding is target:
                indexed = column.type is not Scalar.BOOL and not isinstance(column.type, SetType)
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
    found = (equality(part, clause.targets[0]) for part in parts)
    return tuple({each.column: each for each in found if each is not None}.values())


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


def as_set(value: Any) -> Any:
    """A set by which equality is Python's; None of None."""
    return None if value is None else frozenset(value)
