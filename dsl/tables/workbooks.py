"""Rows of a sheet of an Excel workbook; needs the extra `sheets`."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from posixpath import join
from typing import Any, BinaryIO
from xml.etree import ElementTree as ET

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import NOWHERE, Source, Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.resources.limits import TABLE_BYTES, TABLE_CELLS
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.resources.reading import open_regular
from planspec.dsl.tables.cells import Cell, RawRow
from planspec.dsl.tables.file_formats import FileFormat
from planspec.dsl.tables.raw_rows import RawRows, StoredRows
from planspec.dsl.tables.sqlite_parquet import SourceTooLargeError, TableMeter, first_repeated_name, value_cell
from planspec.dsl.yaml.nodes import Node
from planspec.dsl.yaml.source_files import report_unread

BOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
FILLED_CELL = re.compile(rb"<(?:\w+:)?c\b((?:[^>/]|/(?!>))*)>")
"""A cell with content in the XML of a sheet, and its attributes."""
REFERENCE = re.compile(rb"""\br=["']([A-Z]{1,3})([0-9]{1,7})["']""")
ERROR = re.compile(rb"""\bt=["']e["']""")
VALUE = re.compile(rb"<(?:\w+:)?v>([^<]*)<")
DIGITS = 15
"""Significant digits of numbers in a workbook. Spreadsheet programs store more digits than they show."""
CELL_SEPARATOR = " | "
"""The separator of a row's cells in diagnostics."""

Position = tuple[int, int]
"""Row and column of a cell, both counted from 0."""


class InvalidWorkbookError(ValueError):
    """The file is not a readable workbook; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """The cells of a sheet.

    Attributes:
        rows: values by row, from the first row of the sheet on.
        first_column: index of the first column of `rows`.
        errors: texts of cells with errors, such as `#N/A`.
    """

    rows: Sequence[Sequence[Any]]
    first_column: int
    errors: Mapping[Position, str]


def workbook_rows(path: Path, node: Node, format_: FileFormat, report: Report) -> RawRows:
    """Return the rows of a sheet below the header, which is its first row that is not empty.

    Args:
        path: the workbook.
        node: its name in the document, for messages.
        format_: names the sheet.
        report: receives the diagnostics.
    """
    name = shown_path(path)
    try:
        with open_regular(path, TABLE_BYTES) as file:
            sheet = _sheet(file, node, format_, report)
        return StoredRows() if sheet is None else _rows(sheet, name, report, node.span)
    except OSError as error:
        report_unread(error, name, TABLE_BYTES, "spread the rows over several workbooks", report)
    except ImportError:
        help_text = "pip install 'planspec[sheets]'"
        report.error("PS014", "workbooks need an extra", node.span, "python-calamine is not installed", help=help_text)
    except SourceTooLargeError as error:
        label = f"more than {error.limit:,}"
        report.error("PS014", f"the workbook has too many {error.what}", node.span, label)
    except InvalidWorkbookError as error:
        help_text = "save it as `.xlsx` without a password, or export the sheet as CSV"
        report.error("PS014", "the workbook cannot be read", node.span, str(error), help=help_text)
    return StoredRows()


def _sheet(file: BinaryIO, node: Node, format_: FileFormat, report: Report) -> _Sheet | None:
    """Return a sheet of a workbook; None if it has no such sheet.

    Raises:
        ImportError: the extra is not installed.
        InvalidWorkbookError: the file cannot be read.
        SourceTooLargeError: it exceeds a limit.
    """
    from python_calamine import CalamineError, SheetTypeEnum, SheetVisibleEnum, load_workbook

    try:
        with zipfile.ZipFile(file) as archive:
            if BOOK not in archive.namelist():
                raise InvalidWorkbookError("no Excel workbook (.xlsx)")
            if sum(part.file_size for part in archive.infolist()) > TABLE_BYTES:
                raise SourceTooLargeError("bytes", TABLE_BYTES)
            parts = _sheet_parts(archive)
            file.seek(0)
            book = load_workbook(file)
            visible = [
                sheet.name
                for sheet in book.sheets_metadata
                if sheet.visible == SheetVisibleEnum.Visible and sheet.typ == SheetTypeEnum.WorkSheet
            ]
            name = format_.sheet or next(iter(visible), "")
            if name not in parts or name not in book.sheet_names:
                span = format_.sheet_span or node.span
                help_text = did_you_mean(name, parts) or f"it has {', '.join(f'`{sheet}`' for sheet in parts)}"
                report.error("PS014", f"the workbook has no sheet `{name}`", span, "no such sheet", help=help_text)
                return None
            errors = _errors(archive.read(parts[name]))
            sheet = book.get_sheet_by_name(name)
            rows = list(sheet.iter_rows())
    except (CalamineError, zipfile.BadZipFile, ET.ParseError, KeyError, NotImplementedError) as error:
        raise InvalidWorkbookError(str(error).strip("'\"") or "it is damaged") from None
    if sheet.start is None or sheet.end is None:
        return _Sheet([], 0, {})
    rows = [[]] * (sheet.end[0] + 1 - len(rows)) + rows
    return _Sheet(rows, sheet.start[1] if len(rows[-1]) == sheet.width else 0, errors)


def _sheet_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the path in the archive of each sheet's XML, by the name of the sheet."""
    relations = {part.get("Id"): part.get("Target", "") for part in _elements(archive, RELATIONS)}
    parts = {}
    for element in _elements(archive, BOOK):
        if element.tag.rpartition("}")[2] == "sheet":
            identity = next((value for key, value in element.attrib.items() if key.endswith("}id")), None)
            target = relations.get(identity, "")
            parts[element.get("name", "")] = target.lstrip("/") if target.startswith("/") else join("xl", target)
    return parts


def _elements(archive: zipfile.ZipFile, name: str) -> Iterator[ET.Element]:
    """Return the XML elements of a part of a workbook.

    Raises:
        InvalidWorkbookError: it declares entities, which Excel never does.
    """
    text = archive.read(name)
    if b"<!DOCTYPE" in text:
        raise InvalidWorkbookError(f"`{name}` has a document type")
    return ET.fromstring(text).iter()  # noqa: S314 without a document type there are no entities


def _errors(text: bytes) -> dict[Position, str]:
    """Return the texts of cells with errors, such as `#N/A`, by position. The workbook library returns such cells empty.

    Raises:
        InvalidWorkbookError: a cell with an error has no reference such as `B7`.
        SourceTooLargeError: the rows and columns of the cells imply that the sheet has too many cells.
    """
    errors = {}
    last_row = last_column = 0
    for match in FILLED_CELL.finditer(text):
        reference = REFERENCE.search(match[1])
        place = None if reference is None else (int(reference[2]) - 1, _column_index(reference[1]))
        if place is not None:
            last_row, last_column = max(last_row, place[0]), max(last_column, place[1])
        if ERROR.search(match[1]) is not None:
            value = VALUE.search(text, match.end())
            if place is None or value is None:
                raise InvalidWorkbookError("a cell with an error has no place or no text")
            errors[place] = value[1].decode("utf-8", "replace")
    if (last_row + 1) * (last_column + 1) > TABLE_CELLS:
        raise SourceTooLargeError("cells, counted to its last row and column", TABLE_CELLS)
    return errors


def _column_index(letters: bytes) -> int:
    """Return the index of a column from 0: `A` is 0, `AA` is 26."""
    index = 0
    for letter in letters:
        index = index * 26 + letter - ord("A") + 1
    return index - 1


def _rows(sheet: _Sheet, name: str, report: Report, entry: Span) -> RawRows:
    """Return the rows of a sheet below its header.

    Raises:
        SourceTooLargeError: they exceed a limit.
    """
    meter = TableMeter()
    lines = [(span, cells) for span, cells in _lines(sheet, name) if any(cell.value is not None for cell in cells)]
    if not lines:
        report.error("PS014", "the sheet has no header", entry, "an empty sheet")
        return StoredRows()
    header_span, cells = lines[0]
    header = {at: str(cell.value) for at, cell in enumerate(cells) if cell.value is not None}
    meter.columns(len(header))
    if len(lines) > 1 and len(header) == 1 < (width := sum(cell.value is not None for cell in lines[1][1])):
        help_text = "if it is a title, remove the rows before the header"
        message = f"the header is one name, and the row below has {width} cells"
        report.error("PS014", message, header_span, "a title?", help=help_text)
        return StoredRows()
    twice = first_repeated_name(list(header.values()))
    if twice is not None:
        report.error("PS014", f"the header has `{twice}` twice", header_span, "two columns of one name")
        return StoredRows()
    rows = []
    for span, cells in lines[1:]:
        meter.row(len(header))
        rows.append(RawRow({title: cells[at] for at, title in header.items()}, span))
    return StoredRows(rows)


def _lines(sheet: _Sheet, name: str) -> Iterator[tuple[Span, list[Cell]]]:
    """Yield the span and the cells of each row. The source of the spans has a line for each row of the sheet."""
    table = [
        [_value(value, sheet.errors.get((row, column))) for column, value in enumerate(values, sheet.first_column)]
        for row, values in enumerate(sheet.rows)
    ]
    shown = [[_shown(value) for value in values] for values in table]
    source = Source(name, "\n".join(map(CELL_SEPARATOR.join, shown)))
    for start, texts, values in zip(source.line_starts if table else (), shown, table, strict=True):
        at = start
        cells = []
        for text, value in zip(texts, values, strict=True):
            cells.append(value_cell(value, Span(source, at, at + len(text))))
            at += len(text) + len(CELL_SEPARATOR)
        yield Span(source, start, max(start, at - len(CELL_SEPARATOR))), cells


def _value(value: Any, error: str | None) -> Any:
    """Convert the value of a cell: strings lose outer blanks, and floats become exact numbers."""
    if error is not None:
        return error
    if isinstance(value, str):
        return value.strip() or None
    return Decimal(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _shown(value: Any) -> str:
    """Return a value as it is shown in diagnostics, in one line."""
    text = value_cell(value, NOWHERE).value
    return " ".join(text.split()) if isinstance(text, str) else ""
