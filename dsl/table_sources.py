"""Where a table's rows come from: inline, CSV, JSON lines, SQLite, Parquet."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from planspec.dsl.cells import Cell, RawRow, cell_of, is_set_or_list
from planspec.dsl.diagnostics import Report
from planspec.dsl.workspace import Document, shown
from planspec.dsl.names import did_you_mean
from planspec.dsl.source import Source, Span
from planspec.dsl.yaml_source import Mapping, Node, Scalar, Sequence, decoded_position, read_source

MAX_FILE = 4_000_000_000
SOURCES = ("rows", "csv", "jsonl", "sqlite", "parquet")
ENTRY_KEYS = (*SOURCES, "map", "columns")


@dataclass(frozen=True, slots=True)
class Mapped:
    """How a column's cell is found and split: the source's header, and a separator for lists."""

    source: str
    split: str | None
    span: Span


def read_rows(entry: Node, document: Document, report: Report, sources: list[Source]) -> list[RawRow]:
    """The rows that a table's entry brings.

    Args:
        entry: a list of rows, or a mapping with one of `rows csv jsonl sqlite parquet`, and `map`.
        document: whose entry it is; relative files are beside it.
        report: takes what is wrong.
        sources: every file that is read is added.
    """
    if isinstance(entry, Sequence):
        return _inline(entry, report)
    if not isinstance(entry, Mapping):
        report.error("PS011", "a table's entry is its rows or their source", entry.span, f"one of {', '.join(SOURCES)}")
        return []
    sections = {key.text: value for key, value in entry.entries}
    for key, _ in entry.entries:
        if key.text not in ENTRY_KEYS:
            report.error("PS009", f"a table's entry has no key `{key.text}`", key.span, "unknown key", help=did_you_mean(key.text, ENTRY_KEYS) or f"it may have {', '.join(ENTRY_KEYS)}")
    given = [(key, value) for key, value in entry.entries if key.text in SOURCES]
    if len(given) > 1:
        report.error("PS014", "a table has one source of rows", given[1][0].span, f"`{given[0][0].text}` is there already")
    if not given:
        return []
    kind, node = given[0][0].text, given[0][1]
    columns = _map(sections.get("map"), report)
    if kind == "rows":
        if not isinstance(node, Sequence) and not (isinstance(node, Scalar) and not node.text):
            report.error("PS011", "`rows` is a list of mappings", node.span, "not a list")
            return []
        rows = _inline(node, report) if isinstance(node, Sequence) else []
    elif kind == "csv" and isinstance(node, Scalar) and "\n" in node.text.strip():
        rows = list(_csv(node.text, lambda at: decoded_position(node, at), node.span.source, report, node.span))
    elif kind == "sqlite":
        rows = _sqlite(node, document, report, sources)
    else:
        rows = _file(kind, node, document, report, sources)
    return _renamed(rows, columns, report) if columns else rows


def _inline(node: Sequence, report: Report) -> list[RawRow]:
    rows = []
    for item in node.items:
        if not isinstance(item, Mapping):
            report.error("PS015", "a row is a mapping of its columns", item.span, "not a mapping")
            continue
        cells = {}
        for key, value in item.entries:
            if is_set_or_list(value):
                cells[key.text] = cell_of(value)
            else:
                report.error("PS016", "a cell is a word or a list", value.span, "a mapping")
        rows.append(RawRow(cells, item.span))
    return rows


def _path(node: Node, document: Document, report: Report) -> Path | None:
    if not isinstance(node, Scalar) or not node.text:
        report.error("PS014", "a file is named here", node.span, "not a path")
        return None
    path = (document.path.parent if document.path else Path()) / node.text
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        report.error("PS014", f"the file `{node.text}` {what}", node.span, f"looked for at {shown(path)}")
        return None
    return path


def _file(kind: str, node: Node, document: Document, report: Report, sources: list[Source]) -> list[RawRow]:
    path = _path(node, document, report)
    if path is None:
        return []
    if kind == "parquet":
        return _parquet(path, node, report)
    own = Report()
    source = read_source(path, shown(path), report=own, max_bytes=MAX_FILE)
    for diagnostic in own.diagnostics:
        report.add(diagnostic)
    if source is None:
        return []
    sources.append(source)
    if kind == "csv":
        return list(_csv(source.text, lambda at: at, source, report, node.span))
    return list(_jsonl(source, report))


def _csv(
    text: str, place: Callable[[int], int], source: Source, report: Report, entry: Span
) -> Iterator[RawRow]:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def span(first: int, last: int) -> Span:
        first, last = min(first, len(lines)), min(last, len(lines))
        start = place(starts[first])
        end = place(max(starts[first], starts[last] - 1)) if last > first else start
        return Span(source, start, max(start, end))

    reader = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
    header: list[str] | None = None
    at = 0
    while True:
        try:
            record = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            report.error("PS015", "the CSV row cannot be read", span(at, reader.line_num), str(error))
            return
        where, at = span(at, reader.line_num), reader.line_num
        if not record or record == [""] and (header is None or len(header) > 1):
            continue
        if header is None:
            header = [name.strip() for name in record]
            twice = next((name for i, name in enumerate(header) if name in header[:i]), None)
            if twice is not None:
                report.error("PS014", f"the header has `{twice}` twice", where, "two columns of one name")
                return
            continue
        if len(record) != len(header):
            report.error("PS015", f"the row has {len(record)} cells, the header {len(header)}", where, f"expected {', '.join(header)}")
            continue
        cells = {
            name: Cell(text if (text := value.strip()) else None, where) for name, value in zip(header, record, strict=True)
        }
        yield RawRow(cells, where)
    if header is None:
        report.error("PS014", "the CSV has no header", entry, "an empty file")


def _jsonl(source: Source, report: Report) -> Iterator[RawRow]:
    for number, start in enumerate(source.line_starts, 1):
        line = source.line_text(number)
        if not line.strip():
            continue
        span = Span(source, start, start + len(line))
        try:
            record = json.loads(line, parse_float=Decimal, parse_constant=_refused)
        except (ValueError, RecursionError) as error:
            report.error("PS015", "the line is not JSON", span, str(error).split(":")[0])
            continue
        if not isinstance(record, dict):
            report.error("PS015", "the line is not a JSON object", span, f"a {type(record).__name__}")
            continue
        yield RawRow({key: _json_cell(value, span) for key, value in record.items()}, span)


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _json_cell(value: Any, span: Span) -> Cell:
    if isinstance(value, list):
        return Cell(tuple(_json_cell(item, span) for item in value), span)
    if value is None or value == "":
        return Cell(None, span)
    if isinstance(value, bool):
        return Cell("true" if value else "false", span)
    return Cell(value if isinstance(value, str) else str(value), span)


def _sqlite(node: Node, document: Document, report: Report, sources: list[Source]) -> list[RawRow]:
    parts = {key.text: value for key, value in node.entries} if isinstance(node, Mapping) else {}
    query = parts.get("query")
    if "file" not in parts or not isinstance(query, Scalar):
        report.error("PS014", "`sqlite` takes a file and a query", node.span, "not both", help="write `{file: base.sqlite, query: select * from places}`")
        return []
    path = _path(parts["file"], document, report)
    if path is None:
        return []
    try:
        base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            cursor = base.execute(query.text)
            header = [column[0] for column in cursor.description or ()]
            return [
                RawRow({name: _sql_cell(value, query.span) for name, value in zip(header, record, strict=True)}, query.span)
                for record in cursor
            ]
        finally:
            base.close()
    except sqlite3.Error as error:
        report.error("PS014", "the query failed", query.span, str(error))
        return []


def _sql_cell(value: Any, span: Span) -> Cell:
    if value is None or value == "":
        return Cell(None, span)
    return Cell(repr(value) if isinstance(value, float) else str(value), span)


def _parquet(path: Path, node: Node, report: Report) -> list[RawRow]:
    try:
        from pyarrow import ArrowException, parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        report.error("PS014", "Parquet files need an extra", node.span, "pyarrow is not installed", help="pip install 'planspec[parquet]'")
        return []
    try:
        records = parquet.read_table(path).to_pylist()
    except (ArrowException, OSError) as error:
        report.error("PS014", "the Parquet file cannot be read", node.span, str(error).splitlines()[0])
        return []
    return [RawRow({key: _json_cell(value, node.span) for key, value in record.items()}, node.span) for record in records]


def _map(node: Node | None, report: Report) -> dict[str, Mapped]:
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        report.error("PS011", "`map` is a mapping of columns to headers", node.span, "not a mapping")
        return {}
    made: dict[str, Mapped] = {}
    for key, value in node.entries:
        if isinstance(value, Scalar):
            made[key.text] = Mapped(value.text, None, value.span)
            continue
        parts = {k.text: v for k, v in value.entries} if isinstance(value, Mapping) else {}
        source, split = parts.get("from"), parts.get("split")
        if not parts or set(parts) - {"from", "split"} or not all(isinstance(v, Scalar) for v in parts.values()):
            report.error("PS011", "a mapped column is a header, or `{from: Header, split: \", \"}`", value.span, "neither")
            continue
        header = source.text if isinstance(source, Scalar) else key.text
        made[key.text] = Mapped(header, split.text if isinstance(split, Scalar) else None, value.span)
    return made


def _renamed(rows: list[RawRow], columns: dict[str, Mapped], report: Report) -> list[RawRow]:
    if rows:
        for mapped in columns.values():
            if all(mapped.source not in row.cells for row in rows):
                report.error("PS014", f"the source has no column `{mapped.source}`", mapped.span, "no such header", help=did_you_mean(mapped.source, rows[0].cells))
    made = []
    for row in rows:
        cells = dict(row.cells)
        for name, mapped in columns.items():
            cell = row.cells.get(mapped.source)
            if cell is None:
                continue
            if mapped.split is not None:
                text = cell.value if isinstance(cell.value, str) else ""
                parts = tuple(Cell(part.strip(), cell.span) for part in text.split(mapped.split) if part.strip())
                cell = Cell(parts, cell.span)
            cells[name] = cell
        made.append(RawRow(cells, row.span))
    return made
