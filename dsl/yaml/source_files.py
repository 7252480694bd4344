"""Sources from files: texts without a byte-order mark, with newlines as their only line ends."""

from __future__ import annotations

import errno
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DOCUMENT_BYTES, TABLE_LINES
from planspec.dsl.resources.reading import UnsuitableFileError, read_bytes, size_text

WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""The first bytes of spreadsheet files, new and old."""
MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""Byte-order marks with their encodings."""


def source_from_text(text: str, name: str, *, first_line: int = 1) -> Source:
    """Return the source of a text, without a byte-order mark and with newlines as its only line ends.

    Args:
        text: the text of a file, or of some of its lines.
        name: name of the source in diagnostics.
        first_line: number of its first line in the file.
    """
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n"), first_line=first_line)


def read_source(
    path: Path,
    name: str | None = None,
    *,
    report: Report,
    max_bytes: int = DOCUMENT_BYTES,
    encoding: str | None = None,
) -> Source | None:
    """Return the text of a file, or None if a mistake was reported.

    Args:
        path: the file.
        name: the name that diagnostics use; the path if None.
        report: receives mistakes: not a regular file, too large, not in its encoding.
        max_bytes: maximum size.
        encoding: encoding that a document declares for the file; None for a file that must be UTF-8.
    """
    name = name or str(path)
    nowhere = Span(Source(name, ""), 0, 0)
    try:
        data = read_bytes(path, max_bytes)
    except (OSError, ValueError) as error:
        help_text = "large tables go into files of their own: `csv:`, `jsonl:`, `parquet:` or `sqlite:`"
        report_unread(error, name, max_bytes, help_text, report)
        return None
    if data.count(b"\n") > TABLE_LINES:
        report.error("PS005", f"`{name}` is too large", nowhere, f"more than {TABLE_LINES:,} lines")
        return None
    return source_from_bytes(data, name, report=report) if encoding is None else _decoded(data, name, encoding, report)


def report_unread(error: OSError | ValueError, name: str, max_bytes: int, help: str, report: Report) -> None:
    """Report the reason why a file was not read.

    Args:
        error: the error that reading the file raised.
        name: the name that diagnostics use.
        max_bytes: maximum size.
        help: advice for a file that is too large.
        report: receives the diagnostic.
    """
    nowhere = Span(Source(name, ""), 0, 0)
    if isinstance(error, UnsuitableFileError) and error.errno == errno.EFBIG:
        report.error("PS005", f"`{name}` is too large", nowhere, f"more than {size_text(max_bytes)}", help=help)
        return
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, FileNotFoundError):
        reason = "there is no such file"
    report.error("PS007", f"`{name}` cannot be read", nowhere, (reason or str(error)).lower())


def source_from_bytes(data: bytes, name: str, *, report: Report, first_line: int = 1) -> Source | None:
    """Return the source of a file's bytes, or of some of its lines; None if they are not UTF-8."""
    try:
        return source_from_text(data.decode("utf-8"), name, first_line=first_line)
    except UnicodeDecodeError as error:
        shown = source_from_text(data.decode("utf-8", "replace"), name, first_line=first_line)
        at = len(source_from_text(data[: error.start].decode("utf-8"), name).text)
        help_text = "save the file as UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            help_text = "this looks like UTF-16: " + help_text
        elif data.startswith(WORKBOOKS):
            help_text = "this looks like a workbook: export its sheet as CSV (UTF-8, with commas)"
        label = f"byte 0x{data[error.start]:02x} is not valid here"
        report.error("PS001", f"`{name}` is not UTF-8", Span(shown, at, at + 1), label, help=help_text)
        return None


def _decoded(data: bytes, name: str, encoding: str, report: Report) -> Source | None:
    """Return the source of a file's bytes in the encoding that a document declares; None if a mistake was reported."""
    marks = [(mark, of) for mark, of in MARKS.items() if data.startswith(mark) and not encoding.startswith(of)]
    try:
        if not marks or encoding.startswith("utf-32"):
            return source_from_text(data.decode(encoding), name)
        start, label = 0, f"it begins with the mark of {marks[0][1].upper()}"
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        label = f"byte 0x{data[start]:02x} is not valid here"
    shown = source_from_text(data.decode(encoding, "replace"), name)
    at = len(source_from_text(data[:start].decode(encoding, "replace"), name).text)
    report.error(
        "PS001",
        f"`{name}` is not {encoding.upper()}",
        Span(shown, at, min(at + 1, len(shown.text))),
        label,
        help=_encoding_help(data, marks[0][1] if marks else None),
    )
    return None


def _encoding_help(data: bytes, marked: str | None) -> str:
    """Return help for a file that is not in the encoding that a document declares for it.

    Args:
        data: the bytes of the file.
        marked: encoding that the byte-order mark of the file indicates; None without a mark.
    """
    if data.startswith(WORKBOOKS):
        return "this looks like a workbook: write `xlsx:` in the place of `csv:`"
    if marked is not None:
        return f"write `encoding: {marked}` beside the source"
    return "save the file as UTF-8, or name its encoding beside the source, such as `encoding: cp1252`"
