"""Raw rows of all documents -> typed rows in their tables, references resolved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, replace
from typing import Any

from planspec.dsl.check.names import EntangledDocumentError, Names
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.diagnostics.suggestions import is_meant, ranked
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row, bare_row, row_class, set_column
from planspec.dsl.model.types import Column, ListType, RowType, ScalarType, SetType, Table
from planspec.dsl.resources.composition import UNSEEN
from planspec.dsl.tables.cells import RawRow, Reader, UnreadableCellError
from planspec.dsl.tables.defaults import Default
from planspec.dsl.tables.exclusions import remove_rows
from planspec.dsl.tables.raw_rows import RawRows, TextRows, Unwritten, WrittenRows, joined
from planspec.dsl.tables.sources import read_rows, rows_left_out
from planspec.dsl.workspace import document_keys
from planspec.dsl.workspace.document import Document
from planspec.dsl.yaml.reader import Mapping

Settle = Callable[[Callable[[Default], bool]], None]
Meanings = dict[tuple[str, str], dict[str | Unwritten, Any]]
"""The value that a text stands for in a column, by table and column."""
MOST_KEPT = 10_000
"""The texts of a column whose meaning is kept for the next task."""


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table's facts, and the files that its rows came from."""

    facts: Facts
    sources: tuple[Source, ...]


def load_rows(
    documents: Sequence[Document],
    names: Names,
    report: Report,
    settle: Settle,
    known: Mapping_[str, LoadedTable],
    fixed: Collection[str],
    bags: Collection[str],
    kept: Meanings,
) -> dict[str, LoadedTable]:
    """The static tables with the rows that worlds and tasks bring; they are the facts of `names` then.

    Args:
        documents: in order, the one that is checked last; rows of a table that several bring are put together.
        names: whose tables they are.
        report: takes what is wrong.
        settle: works out the defaults for which its argument is true; rows that lack a cell need them.
        known: tables that are loaded already.
        fixed: names of tables whose columns are those of other tasks, too.
        bags: names of tables that get their rows later, rows without an `id`.
        kept: what texts mean in columns of fixed tables, as far as it is known; it is added to.

    Raises:
        EntangledDocumentError: a fixed table would need other columns.
    """
    parts: dict[str, list[RawRows]] = {}
    for name, table in names.tables.items():
        if name in known:
            names.facts[name] = known[name].facts
        elif not table.plan:
            parts[name] = []
            names.facts[name] = Facts(table)
    files: dict[str, list[Source]] = {name: [] for name in parts}
    left_out: dict[str, list[RawRow]] = {}
    for document in documents:
        section = document.sections.get("tables")
        if document.kind == "library" or not isinstance(section, Mapping):
            continue
        for key, node in section.entries:
            if key.text not in parts:
                if key.text in names.tables and names.tables[key.text].plan:
                    report.error(
                        "PS202", f"`{key.text}` is a table of the plan", key.span, "its rows are the answer's"
                    )
                continue
            brings = not isinstance(node, Mapping) or any(
                k.text in document_keys.TABLE for k, _ in node.entries
            )
            if brings:
                reported = len(report.diagnostics)
                table = names.tables[key.text]
                parts[key.text].append(read_rows(node, table, names, document, report, files[key.text]))
                left_out.setdefault(key.text, []).extend(rows_left_out(node, report))
                if len(report.diagnostics) > reported:
                    names.incomplete.add(key.text)
    raw = {name: joined(brought) for name, brought in parts.items()}
    for name, rows in raw.items():
        table = names.tables[name]
        wanted = "id" in rows.names() if len(rows) else name not in bags
        if name not in fixed:
            _imply_id(names, table, wanted=wanted)
        elif wanted != (name in names.identified) and (not table.key or name in names.identified):
            raise EntangledDocumentError(name)
    _Loader(names, report, raw, settle, fixed, kept).load()
    remove_rows(names, report, {name: patterns for name, patterns in left_out.items() if patterns})
    made = dict(known)
    made.update((name, LoadedTable(names.facts[name], tuple(files[name]))) for name in raw)
    return made


def assume_ids(names: Names) -> None:
    """Without a world: a static table without a key is taken to have the key `id`."""
    for table in names.tables.values():
        _imply_id(names, table, wanted=True)


def _imply_id(names: Names, table: Table, *, wanted: bool) -> None:
    """Give a static table without a key the key `id`, if its rows have one (`wanted`)."""
    if table.key or table.plan or not wanted:
        return
    if "id" in table.columns:
        table.columns["id"] = replace(table.columns["id"], key=True)
    else:
        table.columns = {"id": Column("id", ScalarType.TEXT, key=True), **table.columns}
    table.key = ("id",)
    names.identified.add(table.name)


def _in_key_of(table: Table) -> Callable[[Default], bool]:
    return lambda default: default.table is table and default.name in table.key


class _Loader:
    def __init__(
        self,
        names: Names,
        report: Report,
        raw: dict[str, RawRows],
        settle: Settle,
        fixed: Collection[str],
        kept: Meanings,
    ) -> None:
        self.names = names
        self.report = report
        self.raw = raw
        self.settle = settle
        self.reader = Reader(names, report)
        self._fixed = fixed
        self._kept = kept
        self._known: Meanings = {}

    def load(self) -> None:
        self.settle(lambda default: not default.refers)
        for table in self.names.tables.values():
            if table.name in self.raw and table.name not in self.names.incomplete:
                self._misspelt_id(table)
                self._missing_columns(table)
                self._misspelt_columns(table)
        pending: list[tuple[Table, list[Row]]] = []
        for table in self._ordered():
            self.settle(_in_key_of(table))
            pending.append((table, self._keys(table)))
        self.settle(lambda _: True)
        for table, rows in pending:
            self._fill(table, rows)

    def _missing_columns(self, table: Table) -> None:
        """Say once that a column has no cells at all, not in every row."""
        rows = self.raw[table.name]
        for name, column in table.columns.items():
            needed = not column.has_default and not column.optional
            if needed and len(rows) > 1 and name not in rows.names():
                others = [other for other in rows.names() if other not in table.columns]
                near = next((other for other in ranked(name, others) if is_meant(name, other)), None)
                self.report.error(
                    "PS016", f"no row of `{table.name}` has a `{name}`", rows.span(0), f"`{table.name}.{name}` is never none",
                    help=f"the rows say `{near}`: write `{name}`, or name the header under `map:`" if near else
                    f"fill it in, name its header under `map:`, or declare the column as `{column.type}?`",
                )  # fmt: skip
                self.raw[table.name] = WrittenRows()
                self.names.incomplete.add(table.name)
                return

    def _misspelt_id(self, table: Table) -> None:
        """Say that a table to which columns refer has `Id` in place of `id`, at its file and not at theirs."""
        if table.key or table.plan or table.name not in self._referred():
            return
        rows = self.raw[table.name]
        near = next((name for name in rows.names() if name.casefold().strip("_") == "id"), None)
        if near is not None:
            header = rows.header if isinstance(rows, TextRows) else None
            self.report.error(
                "PS204", f"the rows of `{table.name}` have no `id`", header or rows.span(0), f"they have `{near}`",
                help=f"call it `id`, or write `map: {{id: {near}}}` beside the source",
            )  # fmt: skip
            self.names.incomplete.add(table.name)

    def _referred(self) -> set[str]:
        """The names of the tables to whose rows columns of facts refer."""
        types = (
            column.type.item if isinstance(column.type, SetType | ListType) else column.type
            for table in self.names.tables.values()
            for column in table.columns.values()
        )
        return {type_.table for type_ in types if isinstance(type_, RowType)}

    def _misspelt_columns(self, table: Table) -> None:
        """Report columns that a table does not have and that are surely one that a row lacks.

        Other foreign columns are allowed: a public table may have more than the schema asks for.
        """
        seen: set[tuple[str, str]] = set()
        similar: dict[str, list[str]] = {}  # rows have foreign columns in common
        rows = self.raw[table.name]
        if table.columns.keys() >= set(rows.names()):
            return
        for row in rows.samples():
            for name in row.cells:
                if name in table.columns:
                    continue
                if name not in similar:
                    similar[name] = ranked(name, table.columns)
                near = next((column for column in similar[name] if column not in row.cells), None)
                if near is None or not is_meant(name, near) or (name, near) in seen:
                    continue
                seen.add((name, near))
                self.report.error(
                    "PS204", f"`{table.name}` has no column `{name}`", row.cells[name].span, f"and `{near}` is left out",
                    help=f"did you mean `{near}`? A header that differs is named under `map:`",
                )  # fmt: skip
                self.names.incomplete.add(table.name)

    def _ordered(self) -> list[Table]:
        """Tables such that those that keys refer to come first."""
        begun: set[str] = set()
        order: list[Table] = []
        for name in self.raw:
            self._put_in_order(name, begun, order)
        return order

    def _put_in_order(self, name: str, begun: set[str], order: list[Table]) -> None:
        """Add a table to the order, and before it those that its key refers to, unless that has begun."""
        if name in begun:
            return
        begun.add(name)
        table = self.names.tables[name]
        for part in table.key:
            type_ = table.columns[part].type
            if isinstance(type_, RowType) and type_.table in self.raw:
                self._put_in_order(type_.table, begun, order)
        order.append(table)

    def _keys(self, table: Table) -> list[Row]:
        """The rows of a table with their keys, which are its facts then."""
        facts, raw = self.names.facts[table.name], self.raw[table.name]
        made = [bare_row(table, 0, extra) for extra in raw.others(table.columns)]
        incomplete: set[int] = set()
        for name in table.key:
            incomplete |= self._column(table, table.columns[name], made)
            if table.columns[name].type is ScalarType.TEXT:
                self._unseen_characters(table, name)
        if incomplete:
            self.names.incomplete.add(table.name)
        key_of = row_class(table)._key_of
        for place, row in enumerate(made):
            row._index = len(facts.rows)
            if place in incomplete:
                continue
            first = facts.by_key.setdefault(key_of(row), row) if table.key else row
            if first is not row:
                shown = ", ".join(str(cell.value) for name in table.key if (cell := raw.cell(place, name)))
                self.report.error(
                    "PS408", f"`{table.name}` has two rows with the key {shown}", raw.span(place), "again here",
                    secondary=[Label(raw.span(made.index(first)), "first here")],
                )  # fmt: skip
                self.names.incomplete.add(table.name)  # one of the two was meant to have another key
                continue
            facts.rows.append(row)
        return made

    def _unseen_characters(self, table: Table, name: str) -> None:
        """Warn of the first key with a blank or mark that cannot be told from what people write."""
        raw = self.raw[table.name]
        for place, written in enumerate(raw.written(name)):
            cell = raw.cell(place, name) if written is None else None
            text = cell.value if cell is not None else written
            if isinstance(text, str) and not text.isascii() and (found := UNSEEN.search(text)) is not None:
                shown = UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)
                self.report.warning(
                    "PS418", f"a key of `{table.name}` has a character that cannot be seen", raw.span(place), f"`{shown}`",
                    help=f"nobody who writes the name has U+{ord(found[0]):04X}: take it out, or write a plain blank",
                )  # fmt: skip
                return

    def _fill(self, table: Table, rows: Sequence[Row]) -> None:
        for name, column in table.columns.items():
            if name not in table.key:
                self._column(table, column, rows)

    def _column(self, table: Table, column: Column, rows: Sequence[Row]) -> set[int]:
        """Set a column of rows; the places of those whose cell could not be read, after a report of what is wrong.

        What a text means in a column is worked out once.
        """
        if not rows:
            return set()
        name, raw = column.name, self.raw[table.name]
        known = self._meanings(table, column)
        failed = set()
        values = []
        for place, written in enumerate(raw.written(name)):
            if written in known:
                values.append(known[written])
                continue
            try:
                value = self.reader.column(column, raw.cell(place, name), raw.span(place), table.name)
                if written is not None:
                    known[written] = value
            except UnreadableCellError:
                value = None
                failed.add(place)
            values.append(value)
        set_column(table, name, rows, values)
        return failed

    def _meanings(self, table: Table, column: Column) -> dict[str | Unwritten, Any]:
        """What texts mean in a column: the same for all tasks that have the table in common, but for names of rows."""
        item = column.type.item if isinstance(column.type, SetType | ListType) else column.type
        if table.name not in self._fixed or isinstance(item, RowType):
            return self._known.setdefault((table.name, column.name), {})
        kept = self._kept.setdefault((table.name, column.name), {})
        if len(kept) > MOST_KEPT:
            kept.clear()
        return kept
