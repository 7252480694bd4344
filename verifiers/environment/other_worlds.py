"""Other worlds: variants of a task that differ from it in some facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.forms import item_type
from planspec.dsl.model.rows import Row, row_class, set_column
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, ListType, RowType, ScalarType, SetType, Table, Type
from planspec.verifiers.meaning.cost import CHEAP
from planspec.verifiers.meaning.plan_rows import Plan

NEAR = {
    ScalarType.INT: 1,
    ScalarType.DURATION: 15,
    ScalarType.MONEY: 100,
    ScalarType.DISTANCE: 500,
    ScalarType.DECIMAL: 1,
    ScalarType.TIME: 60,
    ScalarType.DATE: 1,
    ScalarType.MOMENT: 60,
}
"""For each type, the amount that is added to a value or subtracted from it to get the alternatives tried first."""
FAR = {
    ScalarType.INT: 1_000,
    ScalarType.DURATION: 2_000,
    ScalarType.MONEY: 10_000_000,
    ScalarType.DISTANCE: 10_000_000,
    ScalarType.DECIMAL: 1_000,
    ScalarType.TIME: 24 * 60 - 1,
    ScalarType.DATE: 700_000,
    ScalarType.MOMENT: 700_000 * 24 * 60,
}
"""For each type, an unusual value, which is tried after the near ones."""


class WorldVariants:
    """A generator of other worlds: variants of a task that differ from it in some facts.

    It copies the task's facts once, and each variant changes that copy, so only the latest variant is valid.

    Args:
        task: the original task. Its rows are copied, with references between them.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._copies: dict[Row, Row] = {}
        for facts in task.facts.values():
            self._copies.update(zip(facts.rows, self._copies_of(facts), strict=True))
        self._referred = {part for value in task.givens.values() for part in rows_in(value)}
        for facts in task.facts.values():
            self._set_references(facts)
        self._facts = {name: self._facts_of(facts.table, facts.rows) for name, facts in task.facts.items()}
        self._givens = {name: self._with_copied_rows(value) for name, value in task.givens.items()}
        self._changed: list[tuple[Row, str, Any]] = []

    def unchanged(self) -> Task:
        """Return the unchanged copy of the task. It is valid until a variant is created."""
        self._restore()
        return self._task_with(self._facts, self._givens)

    def with_cell(self, row: Row, column: str, value: Any) -> Task:
        """Return the task with another value in a cell. It is valid until the next variant is created."""
        return self.with_cells({(row, column): value})

    def with_cells(self, values: Mapping[tuple[Row, str], Any]) -> Task:
        """Return the task with other values in the given cells. It is valid until the next variant is created."""
        self._restore()
        facts = dict(self._facts)
        for (row, column), value in values.items():
            copy = self._copies[row]
            self._changed.append((copy, column, getattr(copy, column)))
            setattr(copy, column, self._with_copied_rows(value))
            facts[row._table.name] = facts[row._table.name].without_column_groups(column)
        return self._task_with(facts, self._givens)

    def without_row(self, row: Row) -> Task | None:
        """Return the task without a row; None if other rows refer to it."""
        self._restore()
        if row in self._referred:
            return None
        name = row._table.name
        facts = self._facts[name].without_row(self._copies[row])
        return self._task_with({**self._facts, name: facts}, self._givens)

    def with_given(self, name: str, value: Any) -> Task:
        """Return the task with another value of a parameter."""
        self._restore()
        return self._task_with(self._facts, {**self._givens, name: self._with_copied_rows(value)})

    def copy_of(self, row: Row) -> Row:
        """Return the copy of a row of the task. All variants contain the same copy."""
        return self._copies[row]

    # ------------------------------------------------------------------ copies

    def _row_class(self, table: Table) -> type[Row]:
        return row_class(table)

    def _copies_of(self, facts: Facts) -> list[Row]:
        """Return copies of a table's rows. Columns that refer to rows are set later."""
        class_ = self._row_class(facts.table)
        copies = [class_() for _ in facts.rows]
        for row, copy in zip(facts.rows, copies, strict=True):
            copy._index, copy._unknown, copy._extra = row._index, row._unknown, row._extra
        for name, column in facts.table.columns.items():
            if not isinstance(item_type(column.type), RowType):
                set_column(facts.table, name, copies, map(attrgetter(name), facts.rows))
        return copies

    def _set_references(self, facts: Facts) -> None:
        """In a table's copied rows, replace references to rows by references to copies. Record the rows referred to."""
        copies = [self._copies[row] for row in facts.rows]
        for name, column in facts.table.columns.items():
            if isinstance(item_type(column.type), RowType):
                values = list(map(attrgetter(name), facts.rows))
                set_column(facts.table, name, copies, map(self._with_copied_rows, values))
                self._referred.update(part for value in values for part in rows_in(value))

    def _restore(self) -> None:
        for row, column, value in reversed(self._changed):
            setattr(row, column, value)
        self._changed.clear()

    def _with_copied_rows(self, value: Any) -> Any:
        if isinstance(value, Row):
            return self._copies[value]
        if isinstance(value, tuple):
            return tuple(self._with_copied_rows(part) for part in value)
        return value

    def _facts_of(self, table: Table, rows: list[Row]) -> Facts:
        copies = [self._copies[row] for row in rows]
        return Facts(table, copies, {copy._key: copy for copy in copies} if table.key else {})

    def _task_with(self, facts: Mapping[str, Facts], givens: Mapping[str, Any]) -> Task:
        return replace(self._task, facts=facts, givens=givens, shared=self._task.shared.sharing(CHEAP), before=None)


def other_values(value: Any, type_: Type, task: Task, *, optional: bool) -> Iterator[Any]:
    """Yield values of a type other than the current one: near values, an unusual one, and *none* if it is allowed.

    Args:
        value: the current value.
        type_: type of the value.
        task: task with the rows to which values may refer.
        optional: whether *none* is allowed.
    """
    match type_:
        case ScalarType.BOOL:
            yield not value
        case ScalarType.TEXT:
            yield "something else" if value != "something else" else "another thing"
        case ScalarType.TIME | ScalarType.DATE | ScalarType.MOMENT if value is not None:
            yield from (moved for moved in (value + NEAR[type_], value - NEAR[type_], FAR[type_]) if 0 < moved != value)
        case ScalarType() if value is not None:
            yield from (moved for moved in (value + NEAR[type_], 3 * value, FAR[type_], 0) if moved != value)
        case ScalarType():
            yield from (NEAR[type_], FAR[type_])
        case EnumType(members=members):
            yield from (member for member in members if member != value)
        case RowType(table) if table in task.facts:
            yield from [row for row in task.facts[table].rows if row is not value][:2]
        case SetType() | ListType() if value:
            yield value[:-1]
            yield value[1:]
    if optional and value is not None:
        yield None


def nearness(plans: Iterable[Plan]) -> Callable[[Row], tuple[bool, int]]:
    """Return a sort key for rows: first the rows to which plans refer, then rows that refer to those, then others."""
    used = {part for plan in plans for rows in plan.tables.values() for row in rows for part in references(row)}
    return lambda row: (row not in used, -sum(part in used for part in references(row)))


def references(row: Row) -> Iterator[Row]:
    """Yield the rows to which a row refers."""
    for name in row._table.columns:
        yield from rows_in(getattr(row, name))


def rows_in(value: Any) -> Iterator[Row]:
    """Yield the value itself if it is a row, and else the rows that it contains."""
    yield from (part for part in (value if isinstance(value, tuple) else (value,)) if isinstance(part, Row))
