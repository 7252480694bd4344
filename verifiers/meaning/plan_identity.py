"""Plans that say the same: equal rows in every table, whatever the order in which an answer lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ListType, RowType, ScalarType, SetType, Table, Type
from planspec.verifiers.meaning.plan_rows import Plan

DIGEST_BYTES = 16
MOST_NAMES = 10_000
"""The most rows whose names are cached."""


class PlanIdentity:
    """Tells the plans of one task apart.

    Two plans are the same if each table has the same rows as often, and rows are the same if all of their cells are. A
    cell that names a row is that row's key; one that names nothing is the name that the answer wrote. A set is the same
    in any order.

    Args:
        task: whose plans they are.
    """

    def __init__(self, task: Task) -> None:
        self._tables = [(table.name, _Cells.of(table)) for table in task.plan_tables]
        self._names: dict[Row, str] = {}

    def digest(self, plan: Plan) -> bytes:
        """The 16 bytes of a plan that any other plan has only if it is the same; equal in every process."""
        hashed = blake2b(digest_size=DIGEST_BYTES)
        for name, cells in self._tables:
            rows = plan.tables[name]
            texts = cells.texts(rows, self._name)
            texts.sort()
            hashed.update(f"{name}{len(texts)}\n".encode())
            hashed.update("\n".join(texts).encode("utf-8", "surrogatepass"))
        return hashed.digest()

    def _name(self, value: Any) -> Any:
        """A cell as it is told apart: a row by its key, the parts of a set or list likewise."""
        match value:
            case Row():
                found = self._names.get(value)
                if found is None:
                    found = repr(tuple(self._name(part) for part in value._key) or value._index)
                    if not value._table.plan:  # a plan's own rows are new with each answer
                        if len(self._names) >= MOST_NAMES:
                            self._names.clear()
                        self._names[value] = found
                return found
            case tuple():
                return tuple(self._name(part) for part in value)
            case _:
                return value


class _Cells:
    """The cells of one table's rows.

    Args:
        columns: in order.
        named: the places of those whose values are rows, or hold rows.
        sets: the places of those whose order does not matter.
        decimals: the places of those that an equal number can stand in for: 2 for 2.0.
    """

    def __init__(
        self,
        columns: tuple[str, ...],
        named: tuple[int, ...],
        sets: tuple[int, ...],
        decimals: tuple[int, ...],
    ) -> None:
        self._columns, self._named, self._sets, self._decimals = columns, named, sets, decimals
        self._get: Callable[[Row], Any] = attrgetter(*columns)

    @classmethod
    def of(cls, table: Table) -> _Cells:
        types = [column.type for column in table.columns.values()]
        return cls(
            tuple(table.columns),
            tuple(place for place, of in enumerate(types) if _holds_rows(of)),
            tuple(place for place, of in enumerate(types) if isinstance(of, SetType)),
            tuple(place for place, of in enumerate(types) if of is ScalarType.DECIMAL),
        )

    def texts(self, rows: Iterable[Row], name: Callable[[Any], Any]) -> list[str]:
        """A text for each row that only equal rows have."""
        made = []
        for row in rows:
            got = self._get(row)
            cells = [*got] if len(self._columns) > 1 else [got]
            for place in self._named:
                cells[place] = name(cells[place])
            for place in self._decimals:
                if cells[place] is not None:
                    cells[place] = str(Fraction(cells[place]))
            for place in self._sets:
                if cells[place] is not None:
                    cells[place] = sorted(map(repr, cells[place]))
            made.append(repr((cells, sorted(row._unknown.items())) if row._unknown else cells))  # type: ignore[union-attr]
        return made


def _holds_rows(of: Type) -> bool:
    match of:
        case RowType():
            return True
        case SetType(item) | ListType(item):
            return _holds_rows(item)
        case _:
            return False
