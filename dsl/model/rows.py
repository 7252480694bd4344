"""Rows at run time. Each table has its own class of rows, with a slot for each column."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Protocol

from planspec.dsl.model.types import Table

EMPTY: frozenset[str] = frozenset()


class KeyGetter(Protocol):
    """Function that returns the values of the key columns of a row."""

    def __call__(self, row: Row, /) -> tuple[Any, ...]: ...


class Row:
    """A row of a static table or of the plan. Its columns are attributes, and `None` is *none*.

    All other attributes begin with an underscore, because columns cannot. Like `_fields` of a named tuple, they are
    public. Rows are compared by identity.

    Attributes:
        _table: the row's table.
        _key: values of the key columns in order.
        _index: position in the static table or in the plan's list.
        _unknown: names in the answer that match no row, by column. The cells of these columns are `None`.
        _extra: texts of a static row in columns that the schema does not declare, by column.
    """

    __slots__ = ("_extra", "_index", "_unknown")
    _table: ClassVar[Table]
    _key_of: ClassVar[KeyGetter]
    _defaults: ClassVar[tuple[tuple[str, Any], ...]]
    _index: int
    _unknown: Mapping[str, str] | frozenset[str]
    _extra: Mapping[str, str]

    @property
    def _key(self) -> tuple[Any, ...]:
        return self._key_of(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the row with its table. Unpickling creates the row class again."""
        columns = tuple(getattr(self, name) for name in self._table.columns)
        return bare_row, (self._table, self._index, self._extra), (self._unknown, columns)

    def __setstate__(self, state: tuple[Mapping[str, str] | frozenset[str], tuple[Any, ...]]) -> None:
        self._unknown, columns = state
        for name, value in zip(self._table.columns, columns, strict=True):
            setattr(self, name, value)

    def __repr__(self) -> str:
        from planspec.dsl.model.value_text import row_key  # circular import: the module needs the class above

        return f"{self._table.name}[{row_key(self, None)}]"


def row_class(table: Table) -> type[Row]:
    """Return the row class of a table, which the first call creates."""
    if table.row_class is None:
        content = {
            "__slots__": tuple(table.columns),
            "_table": table,
            "_key_of": staticmethod(_key_getter(table.key)),
            "_defaults": tuple((name, column.default) for name, column in table.columns.items()),
        }
        table.row_class = type(f"Row_{table.name}", (Row,), content)
    return table.row_class


def _key_getter(key: Sequence[str]) -> KeyGetter:
    match key:
        case []:
            return lambda _: ()
        case [name]:
            only = attrgetter(name)
            return lambda row: (only(row),)
        case _:
            return attrgetter(*key)


def bare_row(table: Table, index: int, extra: Mapping[str, str]) -> Row:
    """Return a row of a static table whose columns are still unset."""
    row = row_class(table)()
    row._index = index
    row._unknown = EMPTY
    row._extra = extra
    return row


def bare_rows(table: Table, extras: Iterable[Mapping[str, str]]) -> list[Row]:
    """Return rows of a static table whose columns are still unset, with their indices from 0."""
    class_, rows = row_class(table), []
    for index, extra in enumerate(extras):
        row = class_()
        row._index = index
        row._unknown = EMPTY
        row._extra = extra
        rows.append(row)
    return rows


def set_column(table: Table, column: str, rows: Iterable[Row], values: Iterable[Any]) -> None:
    """Set a column of a table's rows, one value for each row."""
    setter = row_class(table).__dict__[column].__set__
    deque(map(setter, rows, values), maxlen=0)


def make_row(
    table: Table,
    values: Mapping[str, Any],
    index: int,
    *,
    unknown: Mapping[str, str] | frozenset[str] = EMPTY,
    extra: Mapping[str, str] | None = None,
) -> Row:
    """Return a row of `table`. A column missing from `values` gets its default; *none* if it has no default."""
    class_ = row_class(table)
    row = class_()
    row._index = index
    row._unknown = unknown
    row._extra = extra or {}
    for name, default in class_._defaults:
        setattr(row, name, values.get(name, default))
    return row
