"""Rows of SQLite and Parquet files, and the conversion of their values into cells."""

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
from planspec.dsl.tables.cells import Cell, RawRow, TypedCell, text_cell
from planspec.dsl.tables.raw_rows import RawRows, StoredRows, TextRows
from planspec.dsl.yaml.reader import Node, Scalar

if TYPE_CHECKING:
    import sqlite3

MAX_OPEN_DATABASES = 8
"""The maximum number of open SQLite files."""
STEPS_PER_CHECK = 1_000_000
"""The number of steps after which SQLite checks the limit on the steps of a query."""
ROWS_PER_BATCH = 100
"""The number of rows of a Parquet file that are decoded at once."""
CELLS_PER_BATCH = TABLE_COLUMNS
"""The number of cells of a query that are fetched at once."""
TEXTS = frozenset({str, type(None)})
NUMBERS = frozenset({int, type(None)})


class SourceTooLargeError(Exception):
    """A source exceeds a limit.

    Args:
        what: unit of the limit, such as rows.
        limit: the limit.
    """

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(what, limit)
        self.what = what
        self.limit = limit


@dataclass(slots=True)
class TableMeter:
    """Counts the contents of a source, and raises SourceTooLargeError if a limit is exceeded."""

    rows: int = 0
    cells: int = 0
    bytes: int = 0

    def columns(self, count: int) -> None:
        """Check the number of columns."""
        if count > TABLE_COLUMNS:
            raise SourceTooLargeError("columns", TABLE_COLUMNS)

    def row(self, cells: int, characters: int = 0) -> None:
        """Count a row, its cells and their characters (as bytes)."""
        self.add(1, cells)
        self.add_bytes(characters)

    def add(self, rows: int, cells: int) -> None:
        """Count several rows and their cells."""
        self.rows += rows
        self.cells += cells
        if self.rows > TABLE_ROWS:
            raise SourceTooLargeError("rows", TABLE_ROWS)
        if self.cells > TABLE_CELLS:
            raise SourceTooLargeError("cells", TABLE_CELLS)

    def add_bytes(self, count: int) -> None:
        """Count the bytes of the contents of cells."""
        self.bytes += count
        if self.bytes > TABLE_BYTES:
            raise SourceTooLargeError("bytes", TABLE_BYTES)


def first_repeated_name(names: Sequence[str]) -> str | None:
    """Return the first name that occurs a second time; None if all are different."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def value_cell(value: Any, span: Span) -> Cell:
    """Return a value of a JSON line or a Parquet file as a cell. Empty strings and NaN become blank cells."""
    match value:
        case None | "":
            return Cell(None, span)
        case list() | tuple():
            return Cell(tuple(value_cell(item, span) for item in value), span)
        case bool():
            return TypedCell("true" if value else "false", span)
        case str():
            return Cell(value, span)
        case int():
            return TypedCell(_digits(value), span)
        case float():
            return TypedCell(None if isnan(value) else _without_exponent(Decimal(repr(value))), span)
        case Decimal():
            return TypedCell(_without_exponent(value), span)
        case dict():
            return Cell(json.dumps(value, default=str), span)
        case bytes() | bytearray() | memoryview():
            return Cell("\0", span)  # no column accepts binary data
        case datetime():
            return TypedCell(value.isoformat(" ").removesuffix(":00"), span)
        case time():
            return TypedCell(value.isoformat().removesuffix(":00"), span)
        case timedelta():
            minutes, rest = divmod(value, timedelta(minutes=1))
            return TypedCell(f"{minutes}min" if not rest else str(value), span)
        case _:
            return TypedCell(str(value), span)


def _texts(values: Sequence[Any], span: Span) -> list[str | None]:
    """Return the values of a column of a SQLite table as texts; None for a blank."""
    kinds = set(map(type, values))
    if kinds <= TEXTS:
        return [value or None for value in values]
    if kinds <= NUMBERS:  # at most 64 bits, so `str` cannot fail
        return [None if value is None else str(value) for value in values]
    return [_text(value, span) for value in values]


def _text(value: Any, span: Span) -> str | None:
    text = value_cell(value, span).value
    assert not isinstance(text, tuple), "SQLite has no lists"
    return text


def _without_exponent(number: Decimal) -> str:
    """Return a number without an exponent and, if it is an integer, without a decimal point.

    NaN and infinity are written as in Python.
    """
    if not number.is_finite() or abs(number.adjusted()) > 400:
        return str(number)
    return f"{number:f}".removesuffix(".0")


def _digits(number: int) -> str:
    """Return an integer as text, without Python's limit on the number of digits."""
    return str(number) if abs(number) < 10**400 else "1e400"


def _read_only_authoriser() -> Callable[..., int]:
    """Return an authoriser that permits only reads. A read-only SQLite connection still permits statements like `ATTACH`."""
    import sqlite3

    allowed, denied = sqlite3.SQLITE_OK, sqlite3.SQLITE_DENY
    reading = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    return lambda action, *_: allowed if action in reading else denied


class _OpenDatabases(threading.local):
    """The SQLite files that a thread has open.

    They stay open because the tasks of a suite may query the same file for different rows.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[Any, ...], sqlite3.Connection] = OrderedDict()

    def opened(self, path: Path) -> sqlite3.Connection:
        """Return a read-only connection to the current version of a file.

        Raises:
            sqlite3.Error: it cannot be opened.
            OSError: it cannot be opened.
        """
        import sqlite3  # slow to import, and few worlds use SQLite

        state = path.stat()
        key = (os.getpid(), state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size)
        base = self._open.pop(key, None)
        if base is None:
            base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            base.set_authorizer(_read_only_authoriser())
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL_BYTES)
            base.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, TABLE_COLUMNS)
        self._open[key] = base
        if len(self._open) > MAX_OPEN_DATABASES:
            self._open.popitem(last=False)[1].close()
        return base


_DATABASES = _OpenDatabases()


def sqlite_rows(path: Path, query: Scalar, report: Report) -> RawRows:
    """Return the rows of a query. The query can only read, and the number of its steps is limited."""
    import sqlite3

    steps = 0

    def spent() -> bool:
        nonlocal steps
        steps += STEPS_PER_CHECK
        return steps > QUERY_STEPS

    try:
        base = _DATABASES.opened(path)
        try:
            base.set_progress_handler(spent, STEPS_PER_CHECK)
            cursor = base.execute(query.text)
            header = [column[0] for column in cursor.description or ()]
            twice = first_repeated_name(header)
            if twice is None:
                return _cursor_rows(cursor, header, query.span)
            report.error("PS014", f"the query has `{twice}` twice", query.span, "two columns of one name")
        finally:
            base.set_progress_handler(None, 0)
    except SourceTooLargeError as error:
        report.error("PS014", f"the query has too many {error.what}", query.span, f"more than {error.limit:,}")
    except (sqlite3.Error, sqlite3.Warning, OSError, ValueError, OverflowError) as error:
        report.error("PS014", "the query failed", query.span, str(error))
    return StoredRows()


def _cursor_rows(cursor: sqlite3.Cursor, header: Sequence[str], span: Span) -> TextRows:
    """Return the remaining rows of a cursor.

    Raises:
        SourceTooLargeError: they exceed a limit.
        sqlite3.Error: they cannot be read.
    """
    places = {name: place for place, name in enumerate(header)}
    columns: list[list[str | None]] = [[] for _ in header]
    meter = TableMeter()
    batch = max(1, CELLS_PER_BATCH // max(1, len(header)))
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
    """Return the rows of a Parquet file; this needs the extra `parquet`."""
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
            _check_limits(file.metadata)
            for batch in file.iter_batches(ROWS_PER_BATCH):
                for record in batch.to_pylist():
                    meter.row(len(record))
                    cells = {key: value_cell(value, node.span) for key, value in record.items()}
                    rows.append(RawRow(cells, node.span))
                meter.add_bytes(batch.nbytes)
    except SourceTooLargeError as error:
        label = f"more than {error.limit:,}"
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


def _check_limits(metadata: Any) -> None:
    """Refuse a Parquet file that is too large according to its metadata, before its contents are decoded.

    Raises:
        SourceTooLargeError: it has too many columns, rows or cells.
    """
    meter = TableMeter()
    meter.columns(metadata.num_columns)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    # `num_values` counts the items of lists, and nulls, although these take no space in the file.
    cells = sum(group.column(i).num_values for group in groups for i in range(metadata.num_columns))
    meter.add(metadata.num_rows, cells)
