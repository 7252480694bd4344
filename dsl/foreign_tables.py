"""Rows of SQLite bases and Parquet files, and what their values are as cells."""

from __future__ import annotations

import json
from datetime import datetime, time, timedelta
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import Any

from planspec.dsl.cells import Cell, RawRow, RecordCells
from planspec.dsl.diagnostics import Report
from planspec.dsl.source import Span
from planspec.dsl.yaml_source import Node, Scalar

MOST_STEPS = 200_000_000
"""Virtual machine steps after which a query is given up."""
MOST_ROWS = 1_000_000
"""Rows after which a query is given up."""
A_CHECK = 1_000_000
"""Steps between two looks at the count."""


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
        case datetime():
            return Cell(value.isoformat(" ").removesuffix(":00"), span)
        case time():
            return Cell(value.isoformat().removesuffix(":00"), span)
        case timedelta():
            minutes, rest = divmod(value, timedelta(minutes=1))
            return Cell(f"{minutes}min" if not rest else str(value), span)
        case _:
            return Cell(str(value), span)


def _text(value: Any, span: Span) -> str | None:
    """A value of a SQLite table as the text that writes it; None of a blank."""
    if type(value) is str:
        return value or None
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


def _may(action: int, *_: object) -> int:
    """Whether a query may do what it asks for; even a base opened to read could make others."""
    import sqlite3

    reading = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in reading else sqlite3.SQLITE_DENY


def sqlite_rows(path: Path, query: Scalar, report: Report) -> list[RawRow]:
    """The rows of a query, which can only read and is given up after some time."""
    import sqlite3  # slow to load, and few worlds are bases

    steps = 0

    def spent() -> bool:
        nonlocal steps
        steps += A_CHECK
        return steps > MOST_STEPS

    try:
        base = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            base.set_progress_handler(spent, A_CHECK)
            base.set_authorizer(_may)
            cursor = base.execute(query.text)
            header = [column[0] for column in cursor.description or ()]
            twice = next((name for i, name in enumerate(header) if name in header[:i]), None)
            if twice is not None:
                report.error("PS014", f"the query has `{twice}` twice", query.span, "two columns of one name")
                return []
            records = cursor.fetchmany(MOST_ROWS + 1)
            if len(records) > MOST_ROWS:
                report.error("PS014", "the query has too many rows", query.span, f"more than {MOST_ROWS:,}")
                return []
            places = {name: place for place, name in enumerate(header)}
            return [
                RawRow(
                    RecordCells(places, [_text(value, query.span) for value in record], query.span),
                    query.span,
                )
                for record in records
            ]
        finally:
            base.close()
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
        report.error("PS014", "the query failed", query.span, str(error))
        return []


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
    try:
        records = parquet.read_table(path).to_pylist()
    except (ArrowException, OSError) as error:
        report.error(
            "PS014",
            "the Parquet file cannot be read",
            node.span,
            (str(error).splitlines() or ["unreadable"])[0],
        )
        return []
    return [
        RawRow({key: value_cell(value, node.span) for key, value in record.items()}, node.span)
        for record in records
    ]
