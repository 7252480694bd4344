"""Changes to a plan's cells and rows, which authors write in YAML to derive one plan from another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.task_sections import plain_data
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.dsl.model.value_text import row_key
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.plan_rows import Plan

ADDED = "+"
"""Key of the list of rows that are added to a table, as in `{+: [{stop: museum, start: 10:00}]}`."""


def changed_tables(task: Task, plan: Plan, change: Mapping, report: Report) -> dict[str, Any]:
    """Return the tables of a changed plan as JSON for `read_tables`.

    Args:
        task: task of the plan.
        plan: the plan.
        change: changes by table. For a `one` table, a change maps columns to cells. For another table, it is
            either a list of rows that replaces the table, or a mapping such as `{museum: {start: 10:00}, park:
            none, +: [{...}]}`, which changes a row, removes a row and adds rows. Rows are named by key or, without a
            key, by position.
        report: receives an error for each name that is not a table, row or column of the plan.
    """
    return _Changer(task, plan, report).tables(change)


@dataclass(frozen=True, slots=True)
class _Changer:
    task: Task
    plan: Plan
    report: Report

    def tables(self, change: Mapping) -> dict[str, Any]:
        written = write_tables(self.task, self.plan)
        tables = {table.name: table for table in self.task.plan_tables}
        for word, node in change.entries:
            table = tables.get(word.text)
            if table is None:
                self._report_unknown_name(f"the plan has no table `{word.text}`", word, "unknown table", tables)
            elif isinstance(node, Sequence):
                written[table.name] = [self._changed_row(table, item) for item in node.items]
            elif not isinstance(node, Mapping):
                self._report_no_mapping(f"the change of `{table.name}`", node if node.span.text else word)
            elif table.one:
                row = written[table.name]
                written[table.name] = {
                    **(row if isinstance(row, dict) else {}),
                    **self._changed_cells(table, node),
                }
            else:
                written[table.name] = self._rows(table, written[table.name], node)
        return written

    def _rows(self, table: Table, rows: list[dict[str, Any]], change: Mapping) -> list[dict[str, Any]]:
        """Return the rows of a table after the changes. Existing rows keep their order; new rows come last."""
        names = [row_key(row, self.task.currency) for row in self.plan.tables[table.name]]
        changed: list[dict[str, Any] | None] = list(rows)
        added: list[dict[str, Any]] = []
        for word, node in change.entries:
            if word.text == ADDED:
                items = node.items if isinstance(node, Sequence) else (node,)
                added += [self._changed_row(table, item) for item in items]
                continue
            if word.text not in names:
                what = "unknown row" if names else "it has none"
                self._report_unknown_name(f"the answer has no row `{word.text}` in `{table.name}`", word, what, names)
                continue
            cells = None if _is_none(node) else self._changed_row(table, node)
            for place, name in enumerate(names):
                if name == word.text:
                    changed[place] = None if cells is None else {**rows[place], **cells}
        return [row for row in changed if row is not None] + added

    def _changed_row(self, table: Table, node: Node) -> dict[str, Any]:
        if isinstance(node, Mapping):
            return self._changed_cells(table, node)
        self._report_no_mapping(f"a row of `{table.name}`", node)
        return {}

    def _changed_cells(self, table: Table, node: Mapping) -> dict[str, Any]:
        cells = {}
        for word, value in node.entries:
            if word.text in table.columns:
                cells[word.text] = plain_data(value)
            else:
                self._report_unknown_name(
                    f"`{table.name}` has no column `{word.text}`", word, "unknown column", table.columns
                )
        return cells

    def _report_unknown_name(self, message: str, word: Scalar, label: str, names: Iterable[str]) -> None:
        self.report.error("PS606", message, word.span, label, help=did_you_mean(word.text, list(names)))

    def _report_no_mapping(self, what: str, node: Node) -> None:
        self.report.error(
            "PS606", f"{what} must be a mapping", node.span, "not a mapping", help="write `{column: value}`"
        )


def _is_none(node: Node) -> bool:
    return isinstance(node, Scalar) and node.style == "plain" and node.text == "none"
