"""Raw rows of all documents -> typed rows in their tables, references resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planspec.dsl.cells import Absent, RawRow, Reader
from planspec.dsl.declarations import implied_id
from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.workspace import Document
from planspec.dsl.names import Names
from planspec.dsl.rows import Row, make_row
from planspec.dsl.source import Source, Span
from planspec.dsl.table_sources import ENTRY_KEYS, read_rows
from planspec.dsl.types import RowType, Table
from planspec.dsl.yaml_source import Mapping


def load_rows(documents: Sequence[Document], names: Names, report: Report, sources: list[Source]) -> None:
    """Fill the static tables with the rows that worlds and tasks bring."""
    raw: dict[str, list[RawRow]] = {name: [] for name, table in names.tables.items() if not table.plan}
    for document in documents:
        section = document.sections.get("tables")
        if document.kind == "library" or not isinstance(section, Mapping):
            continue
        for key, node in section.entries:
            if key.text not in raw:
                if key.text in names.tables:
                    report.error("PS202", f"`{key.text}` is a table of the plan", key.span, "its rows are the answer's")
                continue
            brings = not isinstance(node, Mapping) or any(k.text in ENTRY_KEYS for k, _ in node.entries)
            if brings:
                raw[key.text].extend(read_rows(node, document, report, sources))
    for name, rows in raw.items():
        implied_id(names.tables[name], wanted=not rows or any("id" in row.cells for row in rows))
    _Loader(names, report, raw).load()


def assume_ids(names: Names) -> None:
    """Without a world: a static table without a key is taken to have the key `id`."""
    for table in names.tables.values():
        implied_id(table, wanted=True)


class _Loader:
    def __init__(self, names: Names, report: Report, raw: dict[str, list[RawRow]]) -> None:
        self.names = names
        self.report = report
        self.raw = raw
        self.reader = Reader(names, report)

    def load(self) -> None:
        pending: list[tuple[Table, list[tuple[RawRow, Row]]]] = []
        for table in self._ordered():
            pending.append((table, self._keys(table)))
        for table, rows in pending:
            for raw, row in rows:
                self._fill(table, raw, row)

    def _ordered(self) -> list[Table]:
        """Tables such that those that keys refer to come first."""
        done: dict[str, bool] = {}
        order: list[Table] = []

        def visit(table: Table) -> None:
            if table.name in done:
                return
            done[table.name] = False
            for name in table.key:
                type_ = table.columns[name].type
                if isinstance(type_, RowType) and type_.table in self.raw:
                    visit(self.names.tables[type_.table])
            done[table.name] = True
            order.append(table)

        for name in self.raw:
            visit(self.names.tables[name])
        return order

    def _keys(self, table: Table) -> list[tuple[RawRow, Row]]:
        made: list[tuple[RawRow, Row]] = []
        spans: dict[tuple[Any, ...], Span] = {}
        for raw in self.raw[table.name]:
            values: dict[str, Any] = {}
            try:
                for name in table.key:
                    values[name] = self.reader.column(table.columns[name], raw.cells.get(name), raw.span, table.name)
            except Absent:
                continue
            key = tuple(values[name] for name in table.key)
            if table.key and key in spans:
                shown = ", ".join(str(cell.value) for name in table.key if (cell := raw.cells.get(name)))
                self.report.error(
                    "PS408", f"`{table.name}` has two rows with the key {shown}", raw.span, "again here",
                    secondary=[Label(spans[key], "first here")],
                )  # fmt: skip
                continue
            extra = {
                name: cell.value for name, cell in raw.cells.items() if name not in table.columns and isinstance(cell.value, str)
            }
            row = make_row(table, values, len(table.rows), extra=extra)
            table.rows.append(row)
            if table.key:
                spans[key] = raw.span
                table.by_key[key] = row
            made.append((raw, row))
        return made

    def _fill(self, table: Table, raw: RawRow, row: Row) -> None:
        for name, column in table.columns.items():
            if name in table.key:
                continue
            try:
                value = self.reader.column(column, raw.cells.get(name), raw.span, table.name)
            except Absent:
                value = None
            setattr(row, name, value)
