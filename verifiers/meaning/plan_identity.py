"""Plans that say the same: equal rows in every table, whatever the order in which an answer lists them."""

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
MOST_NAMES = 10_000
"""The most rows whose names are cached, and the most rows of each table whose texts are."""


class PlanIdentity:
    """Tells the plans of one task apart.

    Two plans are the same if each table has the same rows as often, and rows are the same if all of their cells are. A
    cell that names a row is that row's key; one that names nothing is the name that the answer wrote. A set is the same
    in any order.

    Args:
        task: whose plans they are.
    """

    def __init__(self, task: Task) -> None:
        self._names: dict[Row, str] = {}
        static = frozenset(task.facts)
        self._tables = [(table.name, _Cells(table, self._name, static)) for table in task.plan_tables]

    def digest(self, plan: Plan) -> bytes:
        """The 16 bytes of a plan that any other plan has only if it is the same; equal in every process."""
        hashed = blake2b(digest_size=DIGEST_BYTES)
        for name, cells in self._tables:
            texts = sorted(map(cells.text, plan.tables[name]))
            hashed.update("\n".join((name, str(len(texts)), *texts, "")).encode("utf-8", "surrogatepass"))
        return hashed.digest()

    def _name(self, row: Row) -> str:
        """What tells a row from the others of its table: its key, or its place where it has none."""
        found = self._names.get(row)
        if found is None:
            key = [self._name(part) if isinstance(part, Row) else part for part in row._key]
            found = repr(key or row._index)
            if not row._table.plan:  # a plan's own rows are new with each answer
                if len(self._names) >= MOST_NAMES:
                    self._names.clear()
                self._names[row] = found
        return found


class _Cells:
    """The cells of one table's rows.

    Args:
        table: the table.
        name: what tells a row of another table apart.
        static: the names of the tables that are the same in all plans.
    """

    def __init__(self, table: Table, name: Callable[[Row], str], static: Collection[str]) -> None:
        self._get = attrgetter(*table.columns)
        self._single = len(table.columns) == 1
        self._texts = [
            (place, text)
            for place, column in enumerate(table.columns.values())
            if (text := _text_of(column.type, name)) is not None
        ]
        types = [column.type for column in table.columns.values()]
        self._plain = not self._single and all(_is_plain(of, static) for of in types)
        self._known: dict[tuple[Any, ...], str] = {}

    def text(self, row: Row) -> str:
        """A text that only an equal row has."""
        got = self._get(row)
        if not self._plain or row._unknown:
            return self._written(row, got)
        found = self._known.get(got)
        if found is None:
            if len(self._known) >= MOST_NAMES:
                self._known.clear()
            found = self._known[got] = self._written(row, got)
        return found

    def _written(self, row: Row, got: Any) -> str:
        cells = [got] if self._single else [*got]
        for place, text in self._texts:
            value = cells[place]
            if value is not None:
                cells[place] = text(value)
        return repr((cells, sorted(row._unknown.items())) if row._unknown else cells)  # type: ignore[union-attr]


def _is_plain(of: Type, static: Collection[str]) -> bool:
    """Cells of a type are written alike if and only if they are equal, and come again in other plans."""
    match of:
        case RowType(table):
            return table in static
        case EnumType() | ScalarType.TEXT | ScalarType.DATE:
            return True
        case _:
            return False


def _text_of(of: Type, name: Callable[[Row], str]) -> Callable[[Any], str] | None:
    """What writes cells of a type so that equal ones are written alike; None where `repr` does."""
    match of:
        case RowType():
            return name
        case ScalarType.DECIMAL:
            return lambda value: str(Fraction(value))  # 2 stands for 2.0
        case SetType(item) | ListType(item):
            part = _text_of(item, name) or repr
            order = sorted if isinstance(of, SetType) else list
            return lambda values: repr(order(map(part, values)))
        case _:
            return None
