"""Sources of a table's rows: inline, CSV, JSON lines, SQLite, Parquet, workbooks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import DescribedSource, Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.types import ScalarType, Table
from planspec.dsl.resources.limits import TABLE_BYTES
from planspec.dsl.resources.paths import is_file, is_folder, shown_path
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.tables.cells import READ_UNCHANGED, Cell, RawRow, cell_of, is_cell
from planspec.dsl.tables.column_maps import column_map, map_rows
from planspec.dsl.tables.csv_rows import csv_rows
from planspec.dsl.tables.file_formats import (
    OWNERS,
    STANDARD,
    FileFormat,
    is_inline,
    read_format,
    report_unsuitable_keys,
)
from planspec.dsl.tables.missing_columns import check_columns
from planspec.dsl.tables.raw_rows import RawRows, StoredRows, TextRows
from planspec.dsl.tables.records import decoded_object, report_bad_record
from planspec.dsl.tables.sqlite_parquet import (
    SourceTooLargeError,
    TableMeter,
    parquet_rows,
    sqlite_rows,
    value_cell,
)
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, decoded_position
from planspec.dsl.yaml.source_files import read_source


@dataclass(frozen=True, slots=True, eq=False)
class _CachedRows:
    """Rows of a file, and the files that were read for them."""

    rows: RawRows
    sources: list[Source]


def read_rows(
    entry: Node, table: Table, names: Names, document: Document, report: Report, sources: list[Source]
) -> RawRows:
    """Return the rows of a table's entry.

    Args:
        entry: a list of rows, or a mapping with a source of rows and rules for reading it (see
            `document_keys.TABLE`).
        table: the table.
        names: names of the document, including its currency.
        document: the document of the entry; relative paths start in its folder.
        report: receives the diagnostics.
        sources: every file that is read is added.
    """
    if isinstance(entry, Sequence):
        return StoredRows(_inline_rows(entry, report))
    if not isinstance(entry, Mapping):
        report.error(
            "PS011",
            "a table's entry is its rows or their source",
            entry.span,
            f"one of {', '.join(document_keys.SOURCES)}",
        )
        return StoredRows()
    sections = {key.text: value for key, value in entry.entries}
    for key, _ in entry.entries:
        if key.text not in document_keys.TABLE:
            report.error(
                "PS009",
                f"a table's entry has no key `{key.text}`",
                key.span,
                "unknown key",
                help=did_you_mean(key.text, document_keys.TABLE) or f"it may have {', '.join(document_keys.TABLE)}",
            )
    entries = [(key, value) for key, value in entry.entries if key.text in document_keys.SOURCES]
    if len(entries) > 1:
        report.error(
            "PS014",
            "a table has one source of rows",
            entries[1][0].span,
            f"`{entries[0][0].text}` is there already",
        )
    before = len(report.diagnostics)
    kind, node = (entries[0][0].text, entries[0][1]) if entries else ("", None)
    if sections.keys() & OWNERS.keys():
        keys = {key.text: (key, value) for key, value in entry.entries}
        report_unsuitable_keys(keys, kind or None, report, inline=node is not None and is_inline(kind, node))
    if node is None:
        return StoredRows()
    format_ = read_format(sections, report)
    columns = column_map(sections, table, names, report, kind)
    rows: RawRows
    if kind == "rows":
        if not isinstance(node, Sequence) and not (isinstance(node, Scalar) and not node.text):
            _report_bad_list(node, report)
            return StoredRows()
        rows = StoredRows(_inline_rows(node, report) if isinstance(node, Sequence) else ())
    elif format_ != STANDARD and len(report.diagnostics) > before:
        return StoredRows()
    else:
        rows = source_rows(kind, node, document, report, format_, sources)
    rows = map_rows(rows, columns, report)
    if kind == "sqlite" and isinstance(rows, TextRows):
        rows = _with_booleans(rows, table)
    if kind != "rows":
        check_columns(rows, table, names, report)
    return rows


def _report_bad_list(node: Node, report: Report) -> None:
    inner = [key.text for key, _ in node.entries] if isinstance(node, Mapping) else []
    source = next((word for word in inner if word in document_keys.SOURCES), None)
    report.error(
        "PS011",
        "`rows` must be a list of mappings",
        node.span,
        "not a list",
        help=f"`{source}:` stands beside `columns:`, in the place of `rows:`" if source else None,
    )


def _with_booleans(rows: TextRows, table: Table) -> TextRows:
    """Return the rows of a SQLite file; in Boolean columns, 1 and 0 are read as true and false."""
    booleans = [name for name, column in table.columns.items() if column.type is ScalarType.BOOL]
    readings = {
        name: replace(rows.readings.get(name, READ_UNCHANGED), digits=True)
        for name in booleans
        if name in rows.column_indices
    }
    return rows.read_as(rows.column_indices, {**rows.readings, **readings}) if readings else rows


def exclusion_patterns(entry: Node, report: Report) -> list[RawRow]:
    """Return the patterns under `without` in a table's entry. Rows that match a pattern are removed."""
    sections = {key.text: value for key, value in entry.entries} if isinstance(entry, Mapping) else {}
    node = sections.get("without")
    if node is None:
        return []
    if not isinstance(node, Sequence):
        report.error("PS011", "`without` must be a list of mappings", node.span, "not a list")
        return []
    return _inline_rows(node, report)


def _contents_text(rows: RawRows) -> str:
    """Return a text that identifies the rows of a binary source: their number and SHA-256."""
    digest = hashlib.sha256("".join(map(repr, _row_contents(rows))).encode())
    return f"{len(rows)} rows, SHA-256 {digest.hexdigest()}"


def _row_contents(rows: RawRows) -> Iterator[list[tuple[str, Any]]]:
    """Yield, for each row, pairs of a column and its content, from which a hash is computed."""
    if isinstance(rows, TextRows):
        return (list(zip(rows.column_indices, record, strict=True)) for record in zip(*rows.texts, strict=True))
    return ([(name, _plain_value(cell)) for name, cell in row.cells.items()] for row in rows.samples())


def _plain_value(cell: Cell) -> Any:
    return [_plain_value(item) for item in cell.value] if isinstance(cell.value, tuple) else cell.value


def _inline_rows(node: Sequence, report: Report) -> list[RawRow]:
    rows = []
    for item in node.items:
        if not isinstance(item, Mapping):
            report.error(
                "PS015",
                "a row must be a mapping of its columns",
                item.span,
                "not a mapping",
                help="write `{column: value, ...}`, or the rows as text under `csv:`",
            )
            continue
        cells = {}
        for key, value in item.entries:
            if is_cell(value):
                cells[key.text] = cell_of(value)
            else:
                report.error("PS016", "a cell is a word or a list", value.span, "a mapping")
        rows.append(RawRow(cells, item.span.first_line))
    return rows


def source_rows(
    kind: str,
    node: Node,
    document: Document,
    report: Report,
    format_: FileFormat = STANDARD,
    sources: list[Source] | None = None,
) -> RawRows:
    """Return the rows of a source (a key `rows csv jsonl sqlite parquet xlsx`), before a column map is applied.

    Args:
        kind: the key.
        node: its value.
        document: the document of the key; relative paths start in its folder.
        report: receives the diagnostics.
        format_: the format of the file.
        sources: every file that is read is added.
    """
    if kind == "rows":
        return StoredRows(_inline_rows(node, report) if isinstance(node, Sequence) else ())
    if is_inline(kind, node):
        assert isinstance(node, Scalar)
        source = node.span.source
        return csv_rows(node.text, lambda at: decoded_position(node, at), source, report, node.span, format_.delimiter)
    return _cached_file_rows(kind, node, document, report, format_, [] if sources is None else sources)


def file_beside(node: Node, document: Document, report: Report) -> Path | None:
    """Return the path of the file that a node names, relative to its document's folder; None if it has a mistake."""
    if not isinstance(node, Scalar) or not node.text:
        report.error("PS014", "a file is named here", node.span, "not a path")
        return None
    path = _path_beside(document.path, node.text)
    if not is_file(path):
        what = "is a folder" if is_folder(path) else "is not there"
        report.error(
            "PS014",
            f"the file `{node.text[:80]}` {what}",
            node.span,
            f"looked for beside {document.source.name}",
        )
        return None
    return path


@lru_cache(maxsize=64)
def _path_beside(document: Path | None, name: str) -> Path:
    """Return the path of a file that a document names."""
    return (document.parent if document else Path()) / name


def _cached_file_rows(
    kind: str, node: Node, document: Document, report: Report, format_: FileFormat, sources: list[Source]
) -> RawRows:
    """Return the rows of a file. They are cached if the document has a cache and they have no mistakes."""
    cached = None if document.rows is None else document.rows.get(node)
    if isinstance(cached, _CachedRows):
        sources += cached.sources
        return cached.rows
    before = len(report.diagnostics)
    own: list[Source] = []
    read = _sqlite_rows if kind == "sqlite" else partial(_file_rows, kind, format_)
    rows = read(node, document, report, own)
    sources += own
    if document.rows is not None and len(report.diagnostics) == before:
        document.rows[node] = _CachedRows(rows, own)
    return rows


def _file_rows(
    kind: str, format_: FileFormat, node: Node, document: Document, report: Report, sources: list[Source]
) -> RawRows:
    path = file_beside(node, document, report)
    if path is None:
        return StoredRows()
    rows: RawRows
    if kind in ("parquet", "xlsx"):
        if kind == "xlsx":
            from planspec.dsl.tables.workbooks import workbook_rows  # loads an XML parser

            rows = workbook_rows(path, node, format_, report)
        else:
            rows = StoredRows(parquet_rows(path, node, report))
        sources.append(DescribedSource(shown_path(path), partial(_contents_text, rows)))
        return rows
    encoding = format_.encoding if kind == "csv" else None
    source = read_source(path, shown_path(path), report=report, max_bytes=TABLE_BYTES, encoding=encoding)
    if source is None:
        return StoredRows()
    sources.append(source)
    try:
        if kind == "csv":
            return csv_rows(source.text, lambda at: at, source, report, node.span, format_.delimiter)
        return StoredRows(list(_jsonl_rows(source, report)))
    except SourceTooLargeError as error:
        label = f"more than {error.limit:,}"
        report.error("PS014", f"`{source.name}` has too many {error.what}", node.span, label)
        return StoredRows()


def _jsonl_rows(source: Source, report: Report) -> Iterator[RawRow]:
    bad = 0
    meter = TableMeter()
    columns: set[str] = set()
    for number, start in enumerate(source.line_starts, source.first_line):
        line = source.line_text(number)
        if not line.strip():
            continue
        span = Span(source, start, start + len(line))
        try:
            record = decoded_object(line)
        except (ValueError, RecursionError) as error:
            bad += 1
            report_bad_record(error, span, bad, report)
            continue
        columns |= record.keys()
        meter.columns(len(columns))
        meter.row(len(record))
        yield RawRow({key: value_cell(value, span) for key, value in record.items()}, span)


def _sqlite_rows(node: Node, document: Document, report: Report, sources: list[Source]) -> RawRows:
    parts = {key.text: value for key, value in node.entries} if isinstance(node, Mapping) else {}
    query = parts.get("query")
    path: Path | None = None
    rows: RawRows = StoredRows()
    if "file" not in parts or not isinstance(query, Scalar) or len(parts) > 2:
        report.error(
            "PS014",
            "`sqlite` takes a file and a query",
            node.span,
            "not these two",
            help="write `{file: base.sqlite, query: select * from places}`",
        )
    else:
        path = file_beside(parts["file"], document, report)
        if path is not None:
            rows = sqlite_rows(path, query, report)
    sources.append(DescribedSource(f"{document.source.name}: sqlite", partial(_contents_text, rows), path))
    return rows
