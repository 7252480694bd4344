"""Rows of SQLite bases and Parquet files, and what their values are as cells."""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.resources.limits import (
    CELL_BYTES,
    QUERY_STEPS,
    TABLE_BYTES,
    TABLE_CELLS,
    TABLE_COLUMNS,
    TABLE_ROWS,
)
from planspec.dsl.tables.cells import Cell, RawRow, text_cell
from planspec.dsl.tables.raw_rows import RawRows, TextRows, WrittenRows
from planspec.dsl.yaml.reader import Node, Scalar

if TYPE_CHECKING:
    import sqlite3

MOST_BASES = 8
"""The bases that stay open."""
A_CHECK = 1_000_000
"""Steps between two looks at the count."""
A_BATCH = 100
"""Rows of a Parquet file that are unpacked at once."""
A_BATCH_CELLS = TABLE_COLUMNS
"""Cells of a query that are taken at once."""
TEXTS = frozenset({str, type(None)})
NUMBERS = frozenset({int, type(None)})


class SourceTooLargeError(Exception):
    """A source brings more than is read.

    Args:
        what: of which there is too much.
        most: how much may be.
    """

    def __init__(self, what: str, most: int) -> None:
        super().__init__(what, most)
        self.what = what
        self.most = most


@dataclass(slots=True)
class TableMeter:
    """Counts what a source brings, and raises TooLarge past the limits."""

    rows: int = 0
    cells: int = 0
    bytes: int = 0

    def columns(self, count: int) -> None:
        """Take note of the number of columns."""
        if count > TABLE_COLUMNS:
            raise SourceTooLargeError("columns", TABLE_COLUMNS)

    def row(self, cells: int, characters: int = 0) -> None:
        """Count a row, its cells and the characters in them."""
        self.add(1, cells)
        self.add_bytes(characters)

    def add(self, rows: int, cells: int) -> None:
        """Count several rows."""
        self.rows += rows
        self.cells += cells
        if self.rows > TABLE_ROWS:
            raise SourceTooLargeError("rows", TABLE_ROWS)
        if self.cells > TABLE_CELLS:
            raise SourceTooLargeError("cells", TABLE_CELLS)

    def add_bytes(self, count: int) -> None:
        """Count what cells hold."""
        self.bytes += count
        if self.bytes > TABLE_BYTES:
            raise SourceTooLargeError("bytes", TABLE_BYTES)


def repeated(names: Sequence[str]) -> str | None:
    """The first name that stands there a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def value_cell(value: Any, span: Span) -> Cell:
    """A value of a JSON line or a column store as the cell that writes it; empty texts and NaN are blank."""
    match value:
        case None | "":
            return Cell(None, span)
        case list() | tuple():
            return Cell(tuple(value_cell(item, span) for item in value), span)
        case bool():
            return Cell("true" if value else "false", span)
        case str() | int():
            return Cell(value if isinstance(value, str) else _digits(value), span)
        case float():
            return Cell(None if isnan(value) else _plain(Decimal(repr(value))), span)
        case Decimal():
            return Cell(_plain(value), span)
        case dict():
            return Cell(json.dumps(value, default=str), span)
        case bytes() | bytearray() | memoryview():
            return Cell("\0", span)  # no column takes one
        case datetime():
            return Cell(value.isoformat(" ").removesuffix(":00"), span)
        case time():
            return Cell(value.isoformat().removesuffix(":00"), span)
        case timedelta():
            minutes, rest = divmod(value, timedelta(minutes=1))
            return Cell(f"{minutes}min" if not rest else str(value), span)
        case _:
            return Cell(str(value), span)


def _texts(values: Sequence[Any], span: Span) -> list[str | None]:
    """The values of a column of a SQLite table as the texts that write them; None of a blank."""
    kinds = set(map(type, values))
    if kinds <= TEXTS:
        return [value or None for value in values]
    if kinds <= NUMBERS:  # of 64 bits at most
        return [None if value is None else str(value) for value in values]
    return [_text(value, span) for value in values]


def _text(value: Any, span: Span) -> str | None:
    text = value_cell(value, span).value
    assert not isinstance(text, tuple), "SQLite has no lists"
    return text


def _plain(number: Decimal) -> str:
    """A number without exponent, a whole one without point; what is no number as Python says it."""
    if not number.is_finite() or abs(number.adjusted()) > 400:
        return str(number)
    return f"{number:f}".removesuffix(".0")


def _digits(number: int) -> str:
    """A whole number as text; Python refuses to write those of some thousand digits."""
    return str(number) if abs(number) < 10**400 else "1e400"


def _reading_only() -> Callable[..., int]:
    """Says whether a query may do an action; even a database opened to read could make others."""
    import sqlite3

    allowed, denied = sqlite3.SQLITE_OK, sqlite3.SQLITE_DENY
    reading = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    return lambda action, *_: allowed if action in reading else denied


class _Bases(threading.local):
    """The bases that a thread has open, the last few: tasks of a suite ask one base, each for its rows."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[Any, ...], sqlite3.Connection] = OrderedDict()

    def opened(self, path: Path) -> sqlite3.Connection:
        """A base that can only be read, as the file is now.

        Raises:
            sqlite3.Error: it cannot be opened.
            OSError: likewise.
        """
        import sqlite3  # slow to load, and few worlds are bases

        state = path.stat()
        key = (os.getpid(), state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size)
        base = self._open.pop(key, None)
        if base is None:
            base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            base.set_authorizer(_reading_only())
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_BYTES)
            base.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, TABLE_COLUMNS)
        self._open[key] = base
        if len(self._open) > MOST_BASES:
            self._open.popitem(last=False)[1].close()
        return base


_BASES = _Bases()


def sqlite_rows(path: Path, query: Scalar, report: Report) -> RawRows:
    """The rows of a query, which can only read and is given up after some time."""
    import sqlite3

    steps = 0

    def spent() -> bool:
        nonlocal steps
        steps += A_CHECK
        return steps > QUERY_STEPS

    try:
        base = _BASES.opened(path)
        try:
            base.set_progress_handler(spent, A_CHECK)
            cursor = base.execute(query.text)
            header = [column[0] for column in cursor.description or ()]
            twice = repeated(header)
            if twice is None:
                return _of_cursor(cursor, header, query.span)
            report.error("PS014", f"the query has `{twice}` twice", query.span, "two columns of one name")
        finally:
            base.set_progress_handler(None, 0)
    except SourceTooLargeError as error:
        report.error("PS014", f"the query has too many {error.what}", query.span, f"more than {error.most:,}")
    except (sqlite3.Error, sqlite3.Warning, OSError, ValueError, OverflowError) as error:
        report.error("PS014", "the query failed", query.span, str(error))
    return WrittenRows()


def _of_cursor(cursor: sqlite3.Cursor, header: Sequence[str], span: Span) -> TextRows:
    """The rows that a cursor has still to give.

    Raises:
        SourceTooLargeError: there are too many.
        sqlite3.Error: they cannot be read.
    """
    places = {name: place for place, name in enumerate(header)}
    columns: list[list[str | None]] = [[] for _ in header]
    meter = TableMeter()
    batch = max(1, A_BATCH_CELLS // max(1, len(header)))
    records = cursor.fetchmany(batch)
    while records:
        meter.add(len(records), len(records) * len(header))
        for column, values in zip(columns, zip(*records, strict=True), strict=True):
            texts = _texts(values, span)
            meter.add_bytes(sum(map(len, filter(None, texts))))
            column += texts
        records = cursor.fetchmany(batch) if len(records) == batch else []
    return TextRows(places, columns, [span] * meter.rows, text_cell)


def parquet_rows(path: Path, node: Node, report: Report) -> list[RawRow]:
    """The rows of a Parquet file; reading it needs an extra."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        report.error(
            "PS014",
            "Parquet files need an extra",
            node.span,
            "pyarrow is not installed",
            help="pip install 'planspec[parquet]'",
        )
        return []
    rows: list[RawRow] = []
    meter = TableMeter()
    try:
        with parquet.ParquetFile(path) as file:
            _fits(file.metadata)
            for batch in file.iter_batches(A_BATCH):
                for record in batch.to_pylist():
                    meter.row(len(record))
                    cells = {key: value_cell(value, node.span) for key, value in record.items()}
                    rows.append(RawRow(cells, node.span))
                meter.add_bytes(batch.nbytes)
    except SourceTooLargeError as error:
        label = f"more than {error.most:,}"
        report.error("PS014", f"the Parquet file has too many {error.what}", node.span, label)
        return []
    except (ArrowException, OSError) as error:
        report.error(
            "PS014",
            "the Parquet file cannot be read",
            node.span,
            (str(error).splitlines() or ["unreadable"])[0],
        )
        return []
    return rows


def _fits(metadata: Any) -> None:
    """Refuse a Parquet file by what it says of itself, before any of it is unpacked.

    Raises:
        SourceTooLargeError: it has too many columns, rows or cells.
    """
    meter = TableMeter()
    meter.columns(metadata.num_columns)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    # A column's values are those within its lists, and nulls, which take no place in the file.
    cells = sum(group.column(i).num_values for group in groups for i in range(metadata.num_columns))
    meter.add(metadata.num_rows, cells)
