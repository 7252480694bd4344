"""Loading of tables: conversion of raw rows into typed rows with resolved references."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass, replace
from typing import Any

from planspec.dsl.check.names import EntangledDocumentError, Names
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.diagnostics.suggestions import is_plausible, similar_names
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row, bare_rows, row_class, set_column
from planspec.dsl.model.types import Column, ListType, RowType, ScalarType, SetType, Special, Table
from planspec.dsl.resources.composition import UNSEEN
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.tables.cells import RawRow, Reader, UnreadableCellError
from planspec.dsl.tables.defaults import Default
from planspec.dsl.tables.exclusions import remove_rows
from planspec.dsl.tables.raw_rows import MissingText, RawRows, StoredRows, TextRows, join_rows
from planspec.dsl.tables.sources import exclusion_patterns, read_rows
from planspec.dsl.yaml.reader import Mapping

DefaultEvaluator = Callable[[Callable[[Default], bool]], None]
Meanings = dict[tuple[str, str], dict[str | MissingText, Any]]
"""Values of cells by their text, for each column (a pair of the names of the table and the column)."""
MAX_CACHED_TEXTS = 10_000
"""The maximum number of cached texts of a column."""


@dataclass(frozen=True, slots=True)
class LoadedTable:
    """A table's facts and the files of its rows."""

    facts: Facts
    sources: tuple[Source, ...]


def load_rows(
    documents: Sequence[Document],
    names: Names,
    report: Report,
    evaluate_defaults: DefaultEvaluator,
    loaded: Mapping_[str, LoadedTable],
    fixed: Collection[str],
    without_id: Collection[str],
    meanings: Meanings,
) -> dict[str, LoadedTable]:
    """Load the static tables with the rows of worlds and tasks, and set them as the facts of `names`.

    Args:
        documents: the documents in order, the checked one last. Rows of the same table in several documents are joined.
        names: the names, which hold the tables.
        report: receives the diagnostics.
        evaluate_defaults: called with a predicate; evaluates the defaults for which the predicate returns True.
        loaded: tables that are loaded already.
        fixed: names of tables that other tasks share, so that their columns must not change.
        without_id: names of tables that later get rows without an `id`.
        meanings: cache of the values of texts in columns of fixed tables; updated.

    Returns:
        All static tables by name.

    Raises:
        EntangledDocumentError: a fixed table would need other columns.
    """
    parts: dict[str, list[RawRows]] = {}
    for name, table in names.tables.items():
        if name in loaded:
            names.facts[name] = loaded[name].facts
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
                    report.error("PS202", f"`{key.text}` is a table of the plan", key.span, "its rows are the answer's")
                continue
            marks = document_keys.TABLE_MARKS if document.kind == "task" else document_keys.TABLE
            has_rows = not isinstance(node, Mapping) or any(k.text in marks for k, _ in node.entries)
            if has_rows:
                reported = len(report.diagnostics)
                table = names.tables[key.text]
                parts[key.text].append(read_rows(node, table, names, document, report, files[key.text]))
                left_out.setdefault(key.text, []).extend(exclusion_patterns(node, report))
                if len(report.diagnostics) > reported:
                    names.incomplete.add(key.text)
    raw = {name: join_rows(parts_) for name, parts_ in parts.items()}
    for name, rows in raw.items():
        table = names.tables[name]
        has_ids = "id" in rows.names() if len(rows) else name not in without_id
        if name not in fixed:
            _imply_id(names, table, has_ids=has_ids)
        elif has_ids != (name in names.identified) and (not table.key or name in names.identified):
            raise EntangledDocumentError(name)
    _Loader(names, report, raw, evaluate_defaults, fixed, meanings).load()
    remove_rows(names, report, {name: patterns for name, patterns in left_out.items() if patterns})
    tables = dict(loaded)
    tables.update((name, LoadedTable(names.facts[name], tuple(files[name]))) for name in raw)
    return tables


def assume_ids(names: Names) -> None:
    """Give every static table without a key the key `id`. Call this if rows are not available."""
    for table in names.tables.values():
        _imply_id(names, table, has_ids=True)


def _imply_id(names: Names, table: Table, *, has_ids: bool) -> None:
    """Give a static table without a key the key `id` if its rows have one."""
    if table.key or table.plan or not has_ids:
        return
    if "id" in table.columns:
        table.columns["id"] = replace(table.columns["id"], key=True)
    else:
        table.columns = {"id": Column("id", ScalarType.TEXT, key=True), **table.columns}
    table.key = ("id",)
    names.identified.add(table.name)


def _is_in_key_of(table: Table) -> Callable[[Default], bool]:
    return lambda default: default.table is table and default.name in table.key


class _Loader:
    def __init__(
        self,
        names: Names,
        report: Report,
        raw: dict[str, RawRows],
        evaluate_defaults: DefaultEvaluator,
        fixed: Collection[str],
        meanings: Meanings,
    ) -> None:
        self.names = names
        self.report = report
        self.raw = raw
        self.evaluate_defaults = evaluate_defaults
        self.reader = Reader(names, report)
        self._fixed = fixed
        self._shared_meanings = meanings
        self._own_meanings: Meanings = {}

    def load(self) -> None:
        self.evaluate_defaults(lambda default: not default.refers)
        for table in self.names.tables.values():
            if table.name in self.raw and table.name not in self.names.incomplete:
                self._report_misspelt_id(table)
                self._report_missing_columns(table)
                self._report_misspelt_columns(table)
        pending: list[tuple[Table, list[Row]]] = []
        for table in self._tables_in_order():
            self.evaluate_defaults(_is_in_key_of(table))
            pending.append((table, self._load_keys(table)))
        self.evaluate_defaults(lambda _: True)
        for table, rows in pending:
            self._fill_columns(table, rows)

    def _report_missing_columns(self, table: Table) -> None:
        """Report a required column for which no row has a cell, once and not in every row."""
        rows = self.raw[table.name]
        for name, column in table.columns.items():
            needed = not column.has_default and not column.optional
            if needed and len(rows) > 1 and name not in rows.names():
                others = [other for other in rows.names() if other not in table.columns]
                near = next((other for other in similar_names(name, others) if is_plausible(name, other)), None)
                self.report.error(
                    "PS016",
                    f"no row of `{table.name}` has a `{name}`",
                    rows.span(0),
                    f"`{table.name}.{name}` is never none",
                    help=f"the rows say `{near}`: write `{name}`, or name the header under `map:`"
                    if near
                    else f"fill it in, name its header under `map:`, or declare the column as `{column.type}?`",
                )
                self.raw[table.name] = StoredRows()
                self.names.incomplete.add(table.name)
                return

    def _report_misspelt_id(self, table: Table) -> None:
        """Report a column such as `Id` in place of the key `id`, if other tables refer to this table."""
        if table.key or table.plan or table.name not in self._tables_referred_to():
            return
        rows = self.raw[table.name]
        near = next((name for name in rows.names() if name.casefold().strip("_") == "id"), None)
        if near is not None:
            header = rows.header if isinstance(rows, TextRows) else None
            self.report.error(
                "PS204",
                f"the rows of `{table.name}` have no `id`",
                header or rows.span(0),
                f"they have `{near}`",
                help=f"call it `id`, or write `map: {{id: {near}}}` beside the source",
            )
            self.names.incomplete.add(table.name)

    def _tables_referred_to(self) -> set[str]:
        """Return the names of the tables to which columns of facts refer."""
        types = (
            column.type.item if isinstance(column.type, SetType | ListType) else column.type
            for table in self.names.tables.values()
            for column in table.columns.values()
        )
        return {type_.table for type_ in types if isinstance(type_, RowType)}

    def _report_misspelt_columns(self, table: Table) -> None:
        """Report an unknown column of a row if it is probably a misspelling of a missing one.

        Other unknown columns are allowed: a public table may have more columns than the schema needs.
        """
        seen: set[tuple[str, str]] = set()
        similar: dict[str, list[str]] = {}  # cached, since rows share unknown columns
        rows = self.raw[table.name]
        if table.columns.keys() >= set(rows.names()):
            return
        for row in rows.samples():
            for name in row.cells:
                if name in table.columns:
                    continue
                if name not in similar:
                    similar[name] = similar_names(name, table.columns)
                near = next((column for column in similar[name] if column not in row.cells), None)
                if near is None or not is_plausible(name, near) or (name, near) in seen:
                    continue
                seen.add((name, near))
                self.report.error(
                    "PS204",
                    f"`{table.name}` has no column `{name}`",
                    row.cells[name].span,
                    f"and `{near}` is left out",
                    help=f"did you mean `{near}`? A header that differs is named under `map:`",
                )
                self.names.incomplete.add(table.name)

    def _tables_in_order(self) -> list[Table]:
        """Return the tables ordered such that each table comes after the tables to which its key refers."""
        visited: set[str] = set()
        order: list[Table] = []
        for name in self.raw:
            self._put_in_order(name, visited, order)
        return order

    def _put_in_order(self, name: str, visited: set[str], order: list[Table]) -> None:
        """Append a table to `order` after the tables to which its key refers, unless it has been visited."""
        if name in visited:
            return
        visited.add(name)
        table = self.names.tables[name]
        for part in table.key:
            type_ = table.columns[part].type
            if isinstance(type_, RowType) and type_.table in self.raw:
                self._put_in_order(type_.table, visited, order)
        order.append(table)

    def _load_keys(self, table: Table) -> list[Row]:
        """Return the rows of a table with their keys, and set them as its facts."""
        facts, raw = self.names.facts[table.name], self.raw[table.name]
        rows = bare_rows(table, raw.undeclared_texts(table.columns))
        incomplete: set[int] = set()
        for name in table.key:
            incomplete |= self._fill_column(table, table.columns[name], rows)
            if table.columns[name].type is ScalarType.TEXT:
                self._warn_of_unseen_characters(table, name)
        if incomplete:
            self.names.incomplete.add(table.name)
        key_of = row_class(table)._key_of
        if table.key and not incomplete and not facts.rows:
            by_key = dict(zip(map(key_of, rows), rows, strict=True))
            if len(by_key) == len(rows):
                facts.by_key.update(by_key)
                facts.rows.extend(rows)
                return rows
        for place, row in enumerate(rows):
            row._index = len(facts.rows)
            if place in incomplete:
                continue
            first = facts.by_key.setdefault(key_of(row), row) if table.key else row
            if first is not row:
                shown = ", ".join(str(cell.value) for name in table.key if (cell := raw.cell(place, name)))
                self.report.error(
                    "PS408",
                    f"`{table.name}` has two rows with the key {shown}",
                    raw.span(place),
                    "again here",
                    secondary=[Label(raw.span(rows.index(first)), "first here")],
                )
                # One of the rows has a wrong key, so a row with the right key may seem to be missing.
                self.names.incomplete.add(table.name)
                continue
            facts.rows.append(row)
        return rows

    def _warn_of_unseen_characters(self, table: Table, name: str) -> None:
        """Warn about the first key with an invisible or misleading character."""
        raw = self.raw[table.name]
        for place, written in enumerate(raw.column_texts(name)):
            cell = raw.cell(place, name) if written is None else None
            text = cell.value if cell is not None else written
            if isinstance(text, str) and not text.isascii() and (unseen := UNSEEN.search(text)) is not None:
                shown = UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)
                self.report.warning(
                    "PS418",
                    f"a key of `{table.name}` has a character that cannot be seen",
                    raw.span(place),
                    f"`{shown}`",
                    help=f"a name as people write it has no U+{ord(unseen[0]):04X}: take it out, or write a plain blank",
                )
                return

    def _fill_columns(self, table: Table, rows: Sequence[Row]) -> None:
        for name, column in table.columns.items():
            if name not in table.key:
                self._fill_column(table, column, rows)

    def _fill_column(self, table: Table, column: Column, rows: Sequence[Row]) -> set[int]:
        """Set a column of rows. Report unreadable cells, and return the positions of their rows.

        Equal texts in a column are converted only once.
        """
        if not rows:
            return set()
        name, raw = column.name, self.raw[table.name]
        meanings = self._column_cache(table, column)
        failed: set[int] = set()
        lacking: list[int] = []
        values = []
        for place, written in enumerate(raw.column_texts(name)):
            if written in meanings:
                values.append(meanings[written])
                continue
            cell = raw.cell(place, name)
            if cell is None and not column.has_default and not column.optional:
                lacking.append(place)
                values.append(None)
                continue
            try:
                value = self.reader.column_value(column, cell, raw.span(place), table.name)
                if written is not None:
                    meanings[written] = value
            except UnreadableCellError:
                value = None
                failed.add(place)
            values.append(value)
        set_column(table, name, rows, values)
        if lacking and column.type is not Special.WRONG:
            self._report_lacking_rows(table, column, lacking)
        return failed.union(lacking)

    def _report_lacking_rows(self, table: Table, column: Column, lacking: Sequence[int]) -> None:
        """Report all rows that lack a required column in one diagnostic.

        Args:
            table: the table.
            column: the column.
            lacking: positions of the rows.
        """
        raw = self.raw[table.name]
        several = f"{len(lacking)} of {len(raw)} rows of `{table.name}` have no `{column.name}`"
        self.report.error(
            "PS016",
            f"the row has no `{column.name}`" if len(lacking) == 1 else several,
            raw.span(lacking[0]),
            f"`{table.name}.{column.name}` is never none",
            help=f"fill it in, or declare the column as `{column.type}?`",
        )

    def _column_cache(self, table: Table, column: Column) -> dict[str | MissingText, Any]:
        """Return the cache of a column's values.

        The cache is shared by all tasks with the table, unless the values of the column are rows.
        """
        item = column.type.item if isinstance(column.type, SetType | ListType) else column.type
        if table.name not in self._fixed or isinstance(item, RowType):
            return self._own_meanings.setdefault((table.name, column.name), {})
        meanings = self._shared_meanings.setdefault((table.name, column.name), {})
        if len(meanings) > MAX_CACHED_TEXTS:
            meanings.clear()
        return meanings
