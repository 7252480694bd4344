"""Writer of small Excel workbooks, so that tests need no package for that."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
DAY, CLOCK, MOMENT, SPAN = 1, 2, 3, 4
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="[h]:mm"/></numFmts>'
    '<cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/><xf numFmtId="22"/>'
    '<xf numFmtId="164"/></cellXfs></styleSheet>'
)
EPOCH = datetime.fromisoformat("1899-12-30 00:00")


@dataclass(frozen=True)
class CellError:
    """A cell with an error such as `#N/A`."""

    text: str


def write_workbook(
    path: Path, sheets: Mapping[str, Iterable[Sequence[Any]]], *, first_row: int = 1, first_column: str = "A"
) -> Path:
    """Write a workbook and return its path.

    Args:
        path: the file.
        sheets: rows of values by the name of the sheet; None is an empty cell.
        first_row: number of the first row that is filled.
        first_column: letter of the first column that is filled.
    """
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/styles.xml": STYLES,
    }
    types, names, relations = "", "", ""
    for number, (name, rows) in enumerate(sheets.items(), 1):
        lines = "".join(_row(at, row, first_column) for at, row in enumerate(rows, first_row))
        parts[f"xl/s{number}.xml"] = f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
        types += f'<Override PartName="/xl/s{number}.xml" ContentType="{CONTENT}.worksheet+xml"/>'
        names += f'<sheet name={quoteattr(name)} sheetId="{number}" r:id="r{number}"/>'
        relations += f'<Relationship Id="r{number}" Type="{OFFICE}/worksheet" Target="s{number}.xml"/>'
    parts["[Content_Types].xml"] = (
        f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{CONTENT}.styles+xml"/>{types}</Types>'
    )
    parts["xl/workbook.xml"] = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>'
    parts["xl/_rels/workbook.xml.rels"] = (
        f'<Relationships xmlns="{PACKAGE}/relationships">{relations}'
        f'<Relationship Id="z" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path


def _row(number: int, values: Sequence[Any], first_column: str) -> str:
    """Return the XML of a row."""
    cells = "".join(
        _cell(f"{chr(ord(first_column) + at)}{number}", value) for at, value in enumerate(values) if value is not None
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, value: Any) -> str:
    """Return the XML of a cell at a place such as `B2`."""
    match value:
        case str():
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        case CellError(text):
            return f'<c r="{place}" t="e"><f>1/0</f><v>{escape(text)}</v></c>'
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case datetime():
            return _number(place, (value - EPOCH) / timedelta(days=1), MOMENT)
        case date():
            return _number(place, (value - EPOCH.date()).days, DAY)
        case time():
            return _number(place, (value.hour * 60 + value.minute) / 1440, CLOCK)
        case timedelta():
            return _number(place, value / timedelta(days=1), SPAN)
        case _:
            return _number(place, value, 0)


def _number(place: str, value: float, style: int) -> str:
    """Return the XML of a number with an index of a style."""
    return f'<c r="{place}" s="{style}"><v>{value!r}</v></c>'
