"""Reader of tables as rows of strings. A table may be CSV, a spreadsheet, or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, open_text, read_bytes
from planspec.errors import PlanspecError
from planspec.extras import needing

LONGEST_CELL = 1 << 26
SPREADSHEETS = frozenset((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"))
JSON = ".json"
CASES = "cases"
"""Key under which a JSON table has its rows, if it is an object."""


class InvalidTableError(PlanspecError, ValueError):
    """Error if a file is not the public table."""


def is_json(table: Path) -> bool:
    """Return whether a table is a JSON file, by its suffix. Cells of such a table need not be strings."""
    return table.suffix.lower() == JSON


def rows_of(table: Path) -> Iterator[list[str]]:
    """Yield the nonempty rows of a table, the header first.

    The suffix of the file decides its format; the default is CSV.

    Raises:
        InvalidTableError: the file is not a table.
        ModuleNotFoundError: the file is a spreadsheet, and the extra `sheets` is not installed.
        OSError: the file cannot be read.
    """
    if is_json(table):
        return _json_rows(table)
    return _sheet_rows(table) if table.suffix.lower() in SPREADSHEETS else _csv_rows(table)


# ------------------------------------------------------------------ CSV


def _csv_rows(table: Path) -> Iterator[list[str]]:
    with open_text(table, RECORDS_BYTES, encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, strict=True)
        try:
            while (cells := _next_row(rows)) is not None:
                if cells:
                    yield cells
        except csv.Error as error:
            raise InvalidTableError(f"{table.name}:{rows.line_num}: {error}") from None
        except UnicodeDecodeError as error:
            raise InvalidTableError(f"{table.name}: no text in UTF-8 at byte {error.start}") from None


def _next_row(rows: Iterator[list[str]]) -> list[str] | None:
    """Return the next row. Python's process-wide limit on the size of CSV cells is raised during the call."""
    previous = csv.field_size_limit(LONGEST_CELL)
    try:
        return next(rows, None)
    finally:
        csv.field_size_limit(previous)


# ------------------------------------------------------------------ spreadsheets


def _sheet_rows(table: Path) -> Iterator[list[str]]:
    """Yield the rows of the first sheet."""
    with needing("sheets", "spreadsheets need an extra"):
        from python_calamine import CalamineError, load_workbook
    with open_regular(table, RECORDS_BYTES) as file:
        try:
            book = load_workbook(file)
            sheet = book.get_sheet_by_index(0) if book.sheet_names else None
            rows = [] if sheet is None else sheet.iter_rows()
            for cells in rows:
                texts = [_sheet_text(cell) for cell in cells]
                if any(texts):
                    yield texts
        except CalamineError as error:
            raise InvalidTableError(f"{table.name}: no spreadsheet that can be read: {error}") from None


def _sheet_text(cell: Any) -> str:
    """Convert a cell to a string. Whole numbers, which spreadsheets store as floats, get no decimals."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


# ------------------------------------------------------------------ JSON


def json_records(table: Path) -> list[Mapping[str, Any]]:
    """Return the rows of a JSON table: a list of objects, or an object with such a list as `cases`.

    Raises:
        InvalidTableError: the file is not such a table.
        OSError: the file cannot be read.
    """
    try:
        data = json.loads(read_bytes(table, RECORDS_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidTableError(f"{table.name}: no JSON: {error}") from None
    rows = data.get(CASES) if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise InvalidTableError(f"{table.name}: neither a list of episodes nor an object with such a list as `{CASES}`")
    for place, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InvalidTableError(f"{table.name}: its entry {place} is no object")
    return rows


def _json_rows(table: Path) -> Iterator[list[str]]:
    """Yield the header and the rows, with values as strings. Missing values are empty strings."""
    records = json_records(table)
    header = list(dict.fromkeys(name for record in records for name in record))
    yield header
    for record in records:
        yield [_json_text(record.get(name)) for name in header]


def _json_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
