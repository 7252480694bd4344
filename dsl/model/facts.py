"""Facts: the rows of static tables, with hash indexes over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from operator import attrgetter
from typing import Any

from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import Column, SetType, Table

Rows = tuple[Row, ...]


@dataclass(slots=True, eq=False)
class Facts:
    """The rows of a static table.

    Attributes:
        table: table of the rows.
        rows: rows in order.
        by_key: rows by all values of their key; empty if the table has no key.
    """

    table: Table
    rows: list[Row] = field(default_factory=list)
    by_key: dict[tuple[Any, ...], Row] = field(default_factory=dict)
    _groups: dict[tuple[str, ...], Mapping[Any, Rows]] = field(default_factory=dict, repr=False)
    _single: dict[tuple[str, ...], Mapping[Any, Row]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<Facts of {self.table.name}: {len(self.rows)} rows>"

    def grouped(self, columns: Sequence[Column]) -> Mapping[Any, Rows]:
        """Return the rows grouped by columns, as `group` does. The result is cached."""
        names = tuple(column.name for column in columns)
        groups = self._groups.get(names)
        if groups is None:
            groups = self._groups[names] = group(self.rows, columns)
        return groups

    def rows_alone_in_group(self, columns: Sequence[Column]) -> Mapping[Any, Row]:
        """Return the rows of the groups that have only one row, by the group's key. The result is cached."""
        names = tuple(column.name for column in columns)
        rows_by_key = self._single.get(names)
        if rows_by_key is None:
            groups = self.grouped(columns)
            rows_by_key = self._single[names] = {key: rows[0] for key, rows in groups.items() if len(rows) == 1}
        return rows_by_key

    def without_column_groups(self, column: str) -> Facts:
        """Return the facts without the cached groups that a change of this column invalidates."""
        if column in self.table.key:
            return Facts(self.table, self.rows, {row._key: row for row in self.rows})
        return Facts(
            self.table,
            self.rows,
            self.by_key,
            {names: groups for names, groups in self._groups.items() if column not in names},
            {names: rows for names, rows in self._single.items() if column not in names},
        )

    def without_row(self, row: Row) -> Facts:
        """Return the facts without one of their rows."""
        rows = [other for other in self.rows if other is not row]
        by_key = {key: other for key, other in self.by_key.items() if other is not row}
        return Facts(self.table, rows, by_key, {names: self._groups_without(names, row) for names in self._groups})

    def _groups_without(self, names: tuple[str, ...], row: Row) -> Mapping[Any, Rows]:
        """Return the rows grouped by the values of these columns, without `row`."""
        columns = [self.table.columns[name] for name in names]
        key = key_of([getattr(row, name) for name in names], columns)
        groups = dict(self._groups[names])
        remaining = tuple(other for other in groups.pop(key, ()) if other is not row)
        return {**groups, key: remaining} if remaining else groups

    def rows_with(self, required: Sequence[tuple[Column, Sequence[Any]]]) -> Rows:
        """Return the rows that have one of the required values in each column, in order, and possibly other rows.

        There are other rows if the combinations of values are more than the rows; then the result is all rows.
        """
        return self.find_rows(required)[0]

    def find_rows(self, required: Sequence[tuple[Column, Sequence[Any]]]) -> tuple[Rows, bool]:
        """Return the rows as `rows_with` does, and whether all of them have the required values."""
        columns = [column for column, _ in required]
        choices = [tuple(dict.fromkeys(values)) for _, values in required]
        if prod(map(len, choices)) > len(self.rows):
            return tuple(self.rows), False
        index = self.grouped(columns)
        groups = [index.get(key_of(values, columns), ()) for values in product(*choices)]
        if len(groups) == 1:
            return groups[0], True
        return tuple(sorted((row for rows in groups for row in rows), key=lambda row: row._index)), True


COMMON_FACTS: Kind[str, Facts] = Kind("facts shared by all tasks with the same documents, by table")


def group(rows: Iterable[Row], columns: Sequence[Column]) -> Mapping[Any, Rows]:
    """Return the rows grouped by their values in columns, without rows that have *none* in one of these.

    The key of a group is the value itself for one column, and a tuple for several. Sets in keys are frozensets.
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
    return {key: tuple(rows_) for key, rows_ in lists.items()}


def key_of(values: Sequence[Any], columns: Sequence[Column]) -> Any:
    """Return the key under which `group` stores rows with these values; None if one of the values is *none*."""
    if None in values:
        return None
    plain = [
        as_set(value) if isinstance(column.type, SetType) else value
        for value, column in zip(values, columns, strict=True)
    ]
    return plain[0] if len(plain) == 1 else tuple(plain)


def hashable(value: Any) -> Any:
    """Return a hashable value that is equal in Python if the value is equal in the language: sets become frozensets."""
    return frozenset(value) if isinstance(value, tuple) else value


def as_set(value: Any) -> Any:
    """Return a set of the language as a frozenset; return None for *none*."""
    return None if value is None else frozenset(value)
