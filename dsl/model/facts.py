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
        table: whose rows they are.
        rows: in order.
        by_key: the rows by their whole key; empty for a bag.
    """

    table: Table
    rows: list[Row] = field(default_factory=list)
    by_key: dict[tuple[Any, ...], Row] = field(default_factory=dict)
    _groups: dict[tuple[str, ...], Mapping[Any, Rows]] = field(default_factory=dict, repr=False)
    _single: dict[tuple[str, ...], Mapping[Any, Row]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<Facts of {self.table.name}: {len(self.rows)} rows>"

    def grouped(self, columns: Sequence[Column]) -> Mapping[Any, Rows]:
        """The rows as `group` puts them; worked out once."""
        names = tuple(column.name for column in columns)
        found = self._groups.get(names)
        if found is None:
            found = self._groups[names] = group(self.rows, columns)
        return found

    def single(self, columns: Sequence[Column]) -> Mapping[Any, Row]:
        """The rows by their values in these columns, as `group` has them, without those that share them; worked out once."""
        names = tuple(column.name for column in columns)
        found = self._single.get(names)
        if found is None:
            groups = self.grouped(columns)
            found = self._single[names] = {key: rows[0] for key, rows in groups.items() if len(rows) == 1}
        return found

    def anew(self, column: str) -> Facts:
        """The facts after a cell of a column was changed in place: what was grouped by it is to be grouped anew."""
        if column in self.table.key:
            return Facts(self.table, self.rows, {row._key: row for row in self.rows})
        return Facts(
            self.table, self.rows, self.by_key,
            {names: groups for names, groups in self._groups.items() if column not in names},
            {names: rows for names, rows in self._single.items() if column not in names},
        )  # fmt: skip

    def except_for(self, row: Row) -> Facts:
        """The facts without one of their rows."""
        rows = [other for other in self.rows if other is not row]
        by_key = {key: other for key, other in self.by_key.items() if other is not row}
        return Facts(
            self.table, rows, by_key, {names: self._groups_but(names, row) for names in self._groups}
        )

    def _groups_but(self, names: tuple[str, ...], row: Row) -> Mapping[Any, Rows]:
        """The rows as they are grouped by these columns, without one."""
        columns = [self.table.columns[name] for name in names]
        key = key_of([getattr(row, name) for name in names], columns)
        groups = dict(self._groups[names])
        left = tuple(other for other in groups.pop(key, ()) if other is not row)
        return {**groups, key: left} if left else groups

    def rows_with(self, wanted: Sequence[tuple[Column, Sequence[Any]]]) -> Rows:
        """Rows in their order: at least those with one of the values wanted in each of the columns."""
        columns = [column for column, _ in wanted]
        choices = [tuple(dict.fromkeys(values)) for _, values in wanted]
        if prod(map(len, choices)) > len(self.rows):
            return tuple(self.rows)
        index = self.grouped(columns)
        found = [index.get(key_of(values, columns), ()) for values in product(*choices)]
        if len(found) == 1:
            return found[0]
        return tuple(sorted((row for rows in found for row in rows), key=lambda row: row._index))


COMMON_FACTS: Kind[str, Facts] = Kind("facts that all tasks on the same documents have in common, by table")


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
