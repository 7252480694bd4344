"""Diagnostics of sources without any of their table's columns, often due to a wrong delimiter or encoding."""

from __future__ import annotations

from collections.abc import Collection

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.types import Table
from planspec.dsl.model.values import is_number
from planspec.dsl.tables.csv_rows import DELIMITERS
from planspec.dsl.tables.raw_rows import RawRows, TextRows

UNDECLARED = ("id", "name")
"""Columns that a table may have without a declaration: a key, and the name of a row."""


def check_columns(rows: RawRows, table: Table, names: Names, report: Report) -> None:
    """Report a source that has none of the table's columns.

    Args:
        rows: the rows, with the table's names of the columns under `map:`.
        table: the table.
        names: names of the document.
        report: receives PS014.
    """
    headers = rows.names()
    if not headers or names.unsure or any(name in table.columns or name in UNDECLARED for name in headers):
        return
    header = rows.header if isinstance(rows, TextRows) else None
    shown = ", ".join(f"`{name}`" for name in list(headers)[:5])
    report.error(
        "PS014",
        f"the source has no column of `{table.name}`",
        header or rows.span(0),
        f"it has {shown}",
        help=_likely_reason(rows, headers, table)
        or f"the table has {', '.join(table.columns) or 'no column but `id`'}: name the headers under `map:`",
    )


def _likely_reason(rows: RawRows, headers: Collection[str], table: Table) -> str | None:
    """Return help for a title, another delimiter or encoding, missing headers, or capital letters; otherwise None."""
    first = [str(cell.value) for cell in rows[0].cells.values()]
    columns = [text for text in first if text in table.columns or text in UNDECLARED]
    mark = next((mark for mark in DELIMITERS if len(first) == 1 and mark in first[0]), None)
    lowered = {name.casefold(): name for name in (*table.columns, *UNDECLARED)}
    capital = {lowered[name.casefold()]: name for name in headers if name.casefold() in lowered}
    if columns:
        shown = ", ".join(f"`{text}`" for text in columns[:5])
        return f"the line below has {shown}: if the first line is a title, remove it"
    if mark is not None:
        return f"the line below has several cells, separated by {DELIMITERS[mark]}: if the first line is a title, remove it"
    if any(map(_is_misread, headers)):
        return "the headers look like UTF-8 in another encoding: leave out `encoding:` beside the source"
    if any(map(is_number, headers)):
        return f"the first line seems to be a row: write a header above it, such as {','.join(table.columns)}"
    if capital:
        entries = ", ".join(f"{name}: {header}" for name, header in capital.items())
        return f"write `map: {{{entries}}}` beside the source"
    return None


def _is_misread(header: str) -> bool:
    """Return whether a header looks like UTF-8 that was decoded with a Western European encoding."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return not header.isascii() and bool(header.encode(encoding).decode("utf-8"))
        except UnicodeError:
            continue
    return False
