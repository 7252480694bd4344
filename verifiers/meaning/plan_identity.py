"""Identity of plans. Two plans are the same if they have equal rows in every table, in any order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Table, Type
from planspec.verifiers.meaning.plan_rows import Plan

DIGEST_BYTES = 16
MAX_CACHED_NAMES = 10_000
"""Maximum number of cached names of rows, and of cached texts of rows for each table."""


class PlanIdentity:
    """Comparison of the plans of one task by digests.

    Two plans have the same digest if each table has the same rows, each the same number of times. Rows are the same if
    all of their cells are equal. References to rows are compared by key, and unknown names as strings. The order in
    sets does not matter.

    Args:
        task: task of the plans.
    """

    def __init__(self, task: Task) -> None:
        self._names: dict[Row, str] = {}
        static = frozenset(task.facts)
        self._tables = [(table.name, _Cells(table, self._name, static)) for table in task.plan_tables]

    def digest(self, plan: Plan) -> bytes:
        """Return 16 bytes that identify the plan. They are the same in every process."""
        hashed = blake2b(digest_size=DIGEST_BYTES)
        for name, cells in self._tables:
            texts = sorted(map(cells.text, plan.tables[name]))
            hashed.update("\n".join((name, str(len(texts)), *texts, "")).encode("utf-8", "surrogatepass"))
        return hashed.digest()

    def _name(self, row: Row) -> str:
        """Return text that identifies a row within its table: its key, or its position if there is no key."""
        name = self._names.get(row)
        if name is None:
            key = [self._name(part) if isinstance(part, Row) else part for part in row._key]
            name = repr(key or row._index)
            if not row._table.plan:  # plan rows are new objects in each answer, so caching their names is useless
                if len(self._names) >= MAX_CACHED_NAMES:
                    self._names.clear()
                self._names[row] = name
        return name


class _Cells:
    """Converter from the rows of one table to texts, which are equal exactly if all cells are equal.

    Args:
        table: the table.
        name: function that returns the unique name of a row of another table.
        static: names of the static tables.
    """

    def __init__(self, table: Table, name: Callable[[Row], str], static: Collection[str]) -> None:
        self._get = attrgetter(*table.columns)
        self._single = len(table.columns) == 1
        self._texts = [
            (place, text)
            for place, column in enumerate(table.columns.values())
            if (text := _text_function(column.type, name)) is not None
        ]
        types = [column.type for column in table.columns.values()]
        self._plain = not self._single and all(_is_plain(type_, static) for type_ in types)
        self._cache: dict[tuple[Any, ...], str] = {}

    def text(self, row: Row) -> str:
        """Return a string that identifies the cells of a row."""
        values = self._get(row)
        if not self._plain or row._unknown:
            return self._cells_text(row, values)
        result = self._cache.get(values)
        if result is None:
            if len(self._cache) >= MAX_CACHED_NAMES:
                self._cache.clear()
            result = self._cache[values] = self._cells_text(row, values)
        return result

    def _cells_text(self, row: Row, values: Any) -> str:
        cells = [values] if self._single else [*values]
        for place, text in self._texts:
            value = cells[place]
            if value is not None:
                cells[place] = text(value)
        return repr((cells, sorted(row._unknown.items())) if row._unknown else cells)  # type: ignore[union-attr]


def _is_plain(type_: Type, static: Collection[str]) -> bool:
    """Return whether cells of a type can be cache keys and often recur, so that their texts are worth caching.

    `static` has the names of the static tables.
    """
    match type_:
        case RowType(table):
            return table in static
        case EnumType() | ScalarType.TEXT | ScalarType.DATE:
            return True
        case _:
            return False


def _text_function(type_: Type, name: Callable[[Row], str]) -> Callable[[Any], str] | None:
    """Return a function that returns equal strings for equal cells of a type; None if `repr` suffices."""
    match type_:
        case RowType():
            return name
        case ScalarType.DECIMAL:
            return lambda value: str(Fraction(value))  # the same text for 2 and 2.0
        case SetType(item) | ListType(item):
            part = _text_function(item, name) or repr
            order = sorted if isinstance(type_, SetType) else list
            return lambda values: repr(order(map(part, values)))
        case _:
            return None
