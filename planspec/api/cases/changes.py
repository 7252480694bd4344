"""Edits that turn one plan into another, as in the key `change:` of a case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.dsl.model.value_text import row_key
from planspec.verifiers.answers.changes import ADDED
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.plan_rows import Plan

Cells: TypeAlias = Mapping[str, Any]
"""A row as JSON: a value for each column."""


@dataclass(frozen=True, slots=True)
class CellEdit:
    """A new value for a cell. `row` is the row's name in a case; None in a table with exactly one row."""

    table: str
    row: str | None
    column: str
    value: Any


@dataclass(frozen=True, slots=True)
class RemovedRow:
    """An edit that removes a row."""

    table: str
    row: str


@dataclass(frozen=True, slots=True, eq=False)
class AddedRow:
    """An edit that adds a row."""

    table: str
    cells: Cells


Edit: TypeAlias = CellEdit | RemovedRow | AddedRow


class PlanChange:
    """The edits that turn one plan into another.

    Args:
        task: task of both plans.
        base: the plan to change.
        plan: the resulting plan.

    Attributes:
        edits: the edits; None if `change:` cannot express them.
    """

    def __init__(self, task: Task, base: Plan, plan: Plan) -> None:
        self._task = task
        self._base = write_tables(task, base)
        self._names = {
            table.name: [row_key(row, task.currency) for row in base.tables[table.name]] for table in task.plan_tables
        }
        self._plan = plan
        written = write_tables(task, plan)
        edits: list[Edit] | None = []
        for table in task.plan_tables:
            own = self._table_edits(table, written[table.name], plan.tables[table.name])
            edits = None if edits is None or own is None else [*edits, *own]
        self.edits: tuple[Edit, ...] | None = None if edits is None else tuple(edits)

    def _table_edits(self, table: Table, rows: Any, plan_rows: Sequence[Row]) -> list[Edit] | None:
        base = self._base[table.name]
        if table.one:
            if not isinstance(rows, Mapping):
                return [] if rows == base else None
            before: Cells = base if isinstance(base, Mapping) else {}
            return list(_cell_edits(table, None, before, rows))
        names = self._names[table.name]
        if len(set(names)) < len(names) or ADDED in names:
            return [] if rows == base else None
        keys = [row_key(row, self._task.currency) for row in plan_rows]
        if len(set(keys)) < len(keys):
            return None
        pairs = dict(_pairs_by_key(names, keys) if table.key else _pairs_by_cells(base, rows))
        edits: list[Edit] = []
        for at, name in enumerate(names):
            if at in pairs:
                edits += _cell_edits(table, name, base[at], rows[pairs[at]])
            else:
                edits.append(RemovedRow(table.name, name))
        matched = set(pairs.values())
        edits += (AddedRow(table.name, row) for at, row in enumerate(rows) if at not in matched)
        return edits

    def tables(self, edits: Sequence[Edit]) -> dict[str, Any]:
        """Return the plan tables, as JSON, after some of the edits are applied to the base plan."""
        tables: dict[str, Any] = {}
        for table in self._task.plan_tables:
            base = self._base[table.name]
            own = [edit for edit in edits if edit.table == table.name]
            if not own:
                tables[table.name] = base
            elif table.one:
                cells = {edit.column: edit.value for edit in own if isinstance(edit, CellEdit)}
                tables[table.name] = {**(base if isinstance(base, Mapping) else {}), **cells}
            else:
                tables[table.name] = self._rows(base, self._names[table.name], own)
        return tables

    def _rows(self, base: Sequence[Cells], names: Sequence[str], edits: Sequence[Edit]) -> list[Cells]:
        rows: dict[str, dict[str, Any]] = {name: dict(cells) for name, cells in zip(names, base, strict=True)}
        added: list[Cells] = []
        for edit in edits:
            match edit:
                case CellEdit(row=str(name), column=column, value=value):
                    rows[name][column] = value
                case RemovedRow(row=name):
                    del rows[name]
                case AddedRow(cells=cells):
                    added.append(cells)
        return [*rows.values(), *added]


def change_data(edits: Sequence[Edit]) -> dict[str, Any]:
    """Return edits as the content of a case's `change:`."""
    change: dict[str, Any] = {}
    for edit in edits:
        table = change.setdefault(edit.table, {})
        match edit:
            case CellEdit(row=None, column=column, value=value):
                table[column] = value
            case CellEdit(row=str(name), column=column, value=value):
                table.setdefault(name, {})[column] = value
            case RemovedRow(row=name):
                table[name] = None
            case AddedRow(cells=cells):
                table.setdefault(ADDED, []).append(cells)
    return change


def _cell_edits(table: Table, row: str | None, before: Cells, after: Cells) -> Iterator[CellEdit]:
    for column, value in after.items():
        if column not in before or before[column] != value:
            yield CellEdit(table.name, row, column, value)


def _pairs_by_key(names: Sequence[str], keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    places = {key: at for at, key in enumerate(keys)}
    return ((at, places[name]) for at, name in enumerate(names) if name in places)


def _pairs_by_cells(base: Sequence[Cells], rows: Sequence[Cells]) -> Iterator[tuple[int, int]]:
    """Pair rows without keys: rows with the most equal cells first, then in order. Yield pairs of indices."""
    scores = {
        (at, place): sum(before[column] == after[column] for column in after)
        for at, before in enumerate(base)
        for place, after in enumerate(rows)
    }
    used: tuple[set[int], set[int]] = (set(), set())
    for (at, place), _ in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        if at not in used[0] and place not in used[1]:
            used[0].add(at)
            used[1].add(place)
            yield at, place
