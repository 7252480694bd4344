"""Actions on a plan: JSON objects with rows to add, or values for open (unset) cells of existing rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ListType, RowType, SetType, Table, Type
from planspec.monitor import replies
from planspec.monitor.names import NameResolver
from planspec.monitor.replies import Refusal
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.tables import TableReader
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import row_ref


class _ActionReader(TableReader):
    """Decoder of an action's rows, which may refer to rows of the current plan."""

    def __init__(self, task: Task, plan: Plan) -> None:
        super().__init__(task)
        self._plan = plan

    def _rows_by_key(self, table: Table) -> dict[tuple[Any, ...], list[Row]] | None:
        keyed = super()._rows_by_key(table)
        if keyed is not None:
            for row in self._plan.tables[table.name]:
                if table.key and None not in row._key:
                    keyed.setdefault(row._key, [row])
        return keyed


class Actions:
    """Application of actions to plans.

    Args:
        task: task of the plans.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.names = NameResolver(task)
        self._tables = {table.name: table for table in task.plan_tables}
        self._has_row_references = any(
            self._refers_to_plan_row(c.type) for t in task.plan_tables for c in t.columns.values()
        )

    def empty_plan(self) -> Plan:
        """Return the plan without rows."""
        return Plan(dict.fromkeys(self._tables, ()))

    def apply(self, plan: Plan, action: Mapping[str, Any]) -> Plan | Refusal:
        """Return the plan with an action's rows added, or the refusal of the action.

        A row with the key of a committed row may fill its open cells, but not change other cells.

        Args:
            plan: the committed plan.
            action: rows by table, as in an answer with the plan's tables.
        """
        drafts = self._read_rows(plan, action)
        if isinstance(drafts, Refusal):
            return drafts
        tables: dict[str, tuple[Row, ...]] = dict(plan.tables)
        replaced: dict[Row, Row] = {}
        for name, rows in drafts.tables.items():
            if rows:
                combined = self._combine(self._tables[name], plan.tables[name], rows, replaced)
                if isinstance(combined, Refusal):
                    return combined
                tables[name] = combined
        return Plan(self._updated_references(tables, replaced) if self._has_row_references and replaced else tables)

    # -- reading ----------------------------------------------------------------------------------------

    def _read_rows(self, plan: Plan, action: Mapping[str, Any]) -> Plan | Refusal:
        if not isinstance(action, Mapping):
            return _bad_action("an action must be an object: rows by table")
        cells: dict[str, Any] = {name: [] for name in self._tables}
        for name, rows in action.items():
            table = self._tables.get(name)
            cells[name] = rows if table is None else self._resolve_names(table, rows)
        drafts, findings = _ActionReader(self.task, plan).read(cells)
        for finding in findings:
            if finding.fails or finding.kind in ("unknown-table", "unknown-column"):
                return _shape_refusal(finding)
        return drafts

    def _resolve_names(self, table: Table, rows: Any) -> Any:
        rows = [rows] if isinstance(rows, Mapping) else rows
        if not isinstance(rows, list | tuple):
            return rows
        columns = table.columns
        return [
            {name: self.names.cell(cell, columns[name].type) if name in columns else cell for name, cell in row.items()}
            if isinstance(row, Mapping)
            else row
            for row in rows
        ]

    # -- combining --------------------------------------------------------------------------------------

    def _combine(
        self, table: Table, committed: Sequence[Row], drafts: Sequence[Row], replaced: dict[Row, Row]
    ) -> tuple[Row, ...] | Refusal:
        rows = list(committed)
        keyed = bool(table.key) or table.one
        indices = {row._key: index for index, row in enumerate(rows) if None not in row._key} if keyed else {}
        for draft in drafts:
            index = indices.get(draft._key)
            if index is None:
                if keyed and None not in draft._key:
                    indices[draft._key] = len(rows)
                draft._index = len(rows)
                rows.append(draft)
                continue
            old = rows[index]
            merged = self._merge(table, old, draft)
            if isinstance(merged, Refusal):
                return merged
            rows[index] = merged
            replaced.update({row: merged for row in (old, draft) if row is not merged})
        return tuple(rows)

    def _merge(self, table: Table, old: Row, new: Row) -> Row | Refusal:
        values: dict[str, Any] = {}
        is_changed = False
        for name, column in table.columns.items():
            before, after = getattr(old, name), getattr(new, name)
            same = before == after or (
                isinstance(column.type, SetType) and before and after and set(before) == set(after)
            )
            if before is None and after is not None:
                is_changed = True
            elif not same and after is not None:
                ref = row_ref(old, self.task.currency)
                row = table.name if ref.key is None else f"{table.name}[{ref.key}]"
                message = f"{row} is committed with a different `{name}`"
                return Refusal(replies.DUPLICATE_KEY, None, message, rows=(ref,))
            values[name] = after if before is None else before
        return make_row(table, values, old._index) if is_changed else old

    def _updated_references(
        self, tables: Mapping[str, tuple[Row, ...]], replaced: Mapping[Row, Row]
    ) -> dict[str, tuple[Row, ...]]:
        """Return tables in which references to replaced rows are updated."""
        final: dict[Row, Row] = {row: make_row(row._table, {}, row._index) for rows in tables.values() for row in rows}
        current_of = dict(replaced)

        def current(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(current, value))
            if not isinstance(value, Row):
                return value
            while value in current_of:
                value = current_of[value]
            return final.get(value, value)

        for old, new in final.items():
            for name in old._table.columns:
                setattr(new, name, current(getattr(old, name)))
        return {name: tuple(final[row] for row in rows) for name, rows in tables.items()}

    def _refers_to_plan_row(self, type_: Type) -> bool:
        match type_:
            case RowType(table):
                return self.task.tables[table].plan
            case SetType(item) | ListType(item):
                return self._refers_to_plan_row(item)
            case _:
                return False


def _bad_action(message: str) -> Refusal:
    return Refusal(replies.BAD_ACTION, None, message)


def _shape_refusal(finding: ShapeFinding) -> Refusal:
    code = replies.UNKNOWN_NAME if finding.kind == "unknown-name" else replies.BAD_ACTION
    return Refusal(code, None, f"{finding.message} (at {finding.path or '/'})")
