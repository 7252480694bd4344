"""Rows of CSV texts, with commas or another delimiter."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.tables.cells import MAX_REPORTS, Cell
from planspec.dsl.tables.raw_rows import RawRows, StoredRows, TextRows
from planspec.dsl.tables.sqlite_parquet import TableMeter, first_repeated_name

DELIMITERS = {",": "`,`", ";": "`;`", "\t": "tabs", "|": "`|`"}
"""Delimiters that are recognised in a header, with their names in messages."""
NAMED_DELIMITERS = {"\t": "tab"}
"""Delimiters that have a name under `delimiter:`."""


def _field(delimiter: str) -> re.Pattern[str]:
    """Return the pattern of a field of a CSV row, quoted or not, with its terminator."""
    end = re.escape(delimiter)
    return re.compile(rf' *("(?:[^"]|"")*+"|[^{end}\n]*+)(?:{end}|\n|\Z)')


COMMA_FIELD = _field(",")


def csv_cell(text: str | None, index: int, row: Span, field: re.Pattern[str] = COMMA_FIELD) -> Cell:
    """Return a cell of a CSV row. If the cell cannot be located in the row's text, its span is the row's.

    Args:
        text: the text without outer blanks; None for a blank.
        index: index of the cell in the row.
        row: span of the row.
        field: pattern of a field with its terminator.
    """
    match = next(islice(field.finditer(row.text), index, None), None)
    written = match[1].rstrip() if match is not None else ""
    plain = written[1:-1].replace('""', '"') if written.startswith('"') else written
    if match is None or plain.strip() != (text or ""):
        return Cell(text, row)
    start = row.start + match.start(1)
    return Cell(text, Span(row.source, start, start + len(written)))


def csv_rows(
    text: str, to_source: Callable[[int], int], source: Source, report: Report, entry: Span, delimiter: str = ","
) -> RawRows:
    """Return the rows of a CSV text.

    Args:
        text: the text.
        to_source: converts an offset in the text to an offset in the source.
        source: the source of the text.
        report: receives the diagnostics.
        entry: location of the source's key, for a message about a text without a header.
        delimiter: the character between cells.

    Raises:
        SourceTooLargeError: the text exceeds a limit.
    """
    records = list(_records(text, to_source, source, report, entry, delimiter))
    if not records:
        return StoredRows()
    header, rows = records[0][0], records[1:]
    columns = list(zip(*(record for record, _ in rows), strict=True)) or [()] * len(header)
    texts = [[text.strip() or None for text in column] for column in columns]
    column_indices = {name: at for at, name in enumerate(header)}
    cell_at = csv_cell if delimiter == "," else partial(csv_cell, field=_field(delimiter))
    return TextRows(column_indices, texts, [where for _, where in rows], cell_at, header=records[0][1])


def _records(
    text: str, to_source: Callable[[int], int], source: Source, report: Report, entry: Span, delimiter: str
) -> Iterator[tuple[list[str], Span]]:
    """Yield the header and the rows of a CSV text, each with its span."""
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]

    def span(first: int, last: int) -> Span:
        """Return the span of the lines `first:last`, counted from 0, without the last line end."""
        start, end = starts[min(first, len(starts) - 1)], starts[min(last, len(starts) - 1)]
        while end > start and text[end - 1] == "\n":
            end -= 1
        return Span(source, to_source(start), max(to_source(start), to_source(end - 1) + 1 if end > start else 0))

    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, skipinitialspace=True, strict=True)
    header: list[str] | None = None
    header_span = entry
    meter = TableMeter()
    at = bad = 0
    while True:
        try:
            record = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            report.error("PS015", "the CSV row cannot be read", span(at, max(reader.line_num, at + 1)), str(error))
            return
        first, at = at, reader.line_num
        meter.row(len(record))
        if not record or (
            not record[0].strip() and not any(value.strip() for value in record) and (header is None or len(header) > 1)
        ):
            continue
        if header is None:
            header, header_span = [name.strip() for name in record], span(first, at)
            meter.columns(len(header))
            if _is_bad_header(header, delimiter, header_span, report):
                return
            yield header, header_span
            continue
        if len(record) != len(header):
            if not bad and _is_title(header, record):
                _report_title(header_span, len(record), delimiter, report)
                return
            bad += 1
            _report_length(record, header, bad, span(first, at), report)
            continue
        yield record, span(first, at)
    if header is None:
        report.error("PS014", "the CSV has no header", entry, "an empty file")


def _is_bad_header(header: Sequence[str], delimiter: str, span: Span, report: Report) -> bool:
    """Return whether a header uses another delimiter, is a title, or repeats a name; report it if so."""
    other = _other_delimiter(header, delimiter)
    if other is not None:
        written = NAMED_DELIMITERS.get(other, f'"{other}"')
        report.error(
            "PS014",
            "the CSV's header is one name",
            span,
            f"no {_delimiter_text(delimiter)} in it",
            help=f"the file seems to be separated by {DELIMITERS[other]}: write `delimiter: {written}` beside the source",
        )
        return True
    if any("\0" in name for name in header):
        help_text = "if the file is UTF-16, write `encoding: utf-16-le` or `encoding: utf-16-be` beside the source"
        report.error("PS014", "the header has NUL characters", span, "no text in this encoding", help=help_text)
        return True
    if len(header) > 2 and sum(map(bool, header)) == 1:
        _report_title(span, len(header), delimiter, report)
        return True
    twice = first_repeated_name(header)
    if twice is not None:
        report.error("PS014", f"the header has `{twice}` twice", span, "two columns of one name")
    return twice is not None


def _delimiter_text(delimiter: str) -> str:
    return {",": "comma", ";": "semicolon", "\t": "tab"}.get(delimiter, f"`{delimiter}`")


def _other_delimiter(header: Sequence[str], delimiter: str) -> str | None:
    """Return the delimiter by which a header of one name seems to be separated; None if there is none."""
    if len(header) != 1:
        return None
    in_prose = header[0].replace(", ", "")  # a comma before a blank is punctuation
    return next((mark for mark in DELIMITERS if mark != delimiter and mark in in_prose), None)


def _is_title(header: Sequence[str], record: Sequence[str]) -> bool:
    """Return whether a header is a single name although the next line has several cells."""
    return sum(map(bool, header)) == 1 and sum(bool(cell.strip()) for cell in record) > 1


def _report_title(span: Span, cells: int, delimiter: str, report: Report) -> None:
    mark = _delimiter_text(delimiter)
    report.error(
        "PS014",
        f"the header is one name, and the lines have {cells} cells",
        span,
        "a title?",
        help=f"remove the lines before the header, or put a cell that contains a {mark} in quotes",
    )


def _report_length(record: Sequence[str], header: Sequence[str], count: int, span: Span, report: Report) -> None:
    """Report a row that has more or fewer cells than the header, unless ten such rows were reported before."""
    if count > MAX_REPORTS:
        return
    help_text = f"the columns are {', '.join(header)}"
    if count == MAX_REPORTS:
        help_text = f"this is number {count} in the table: further ones are not listed"
    cells = f"{len(record)} cell{'' if len(record) == 1 else 's'}"
    report.error("PS015", f"the row has {cells}, the header {len(header)}", span, "as it stands", help=help_text)
