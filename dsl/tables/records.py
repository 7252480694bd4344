"""Records of data from which tasks are made: one JSON object a line, a JSON file, or rows of any other source.

A file of JSON lines is indexed in one pass and stays on disk, so that memory grows with the number of records and not
with their size.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from json import JSONDecoder
from pathlib import Path as FilePath
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DEPTH, TABLE_BYTES
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.resources.reading import lines_of, open_regular, read_gzip
from planspec.dsl.tables.cells import MAX_REPORTS, Cell, TypedCell
from planspec.dsl.tables.raw_rows import RawRows
from planspec.dsl.tables.record_fields import Path, value_at
from planspec.dsl.yaml.json_nodes import json_node
from planspec.dsl.yaml.json_text import (
    DuplicateNameError,
    InvalidJsonError,
    decoder,
    object_with_unique_names,
    reason_to_refuse,
)
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, TypedScalar
from planspec.dsl.yaml.source_files import report_unread, source_from_bytes

PACKED = ".gz"
UTF_8_MARK = b"\xef\xbb\xbf"
KEY = "@key"
"""Name of an additional field: the key of a record in a JSON object of records."""
RECORDS = decoder(exact=True, pairs=object_with_unique_names, whole=str)
"""Decoder of records. Integers remain strings, so that ids may have any number of digits."""
LENIENT = JSONDecoder(parse_float=str, parse_int=str)
"""Faster decoder of records, with numbers as strings. If a name is repeated, the last field counts."""
HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
"""Pattern of an escape of half a surrogate pair, such as `\\ud83d`."""


class Records(ABC):
    """Records in order, each an object of named fields."""

    @abstractmethod
    def scan(self, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each readable record: its index, and its fields as decoded JSON.

        Repeated names of fields are reported by `node`, which parses a record strictly.

        Args:
            report: receives unreadable records, which are skipped.
        """

    @abstractmethod
    def place(self, index: int) -> Span:
        """Return the span of a record's first line, for messages."""

    @abstractmethod
    def node(self, index: int, report: Report) -> Mapping | None:
        """Return the fields of a record as nodes with spans; None if the record has changed since `scan`."""


@dataclass(slots=True, eq=False)
class JsonLines(Records):
    """The records of a file with one JSON object on each line; `.gz` is decompressed into memory.

    Args:
        path: the file.
        display_name: its name in diagnostics.
    """

    path: FilePath
    display_name: str = ""
    _starts: array[int] = field(default_factory=lambda: array("Q"), repr=False)
    _lines: array[int] = field(default_factory=lambda: array("L"), repr=False)
    _data: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.display_name = self.display_name or shown_path(self.path)

    def scan(self, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the records as `Records.scan` does. The index of a record counts the lines that are not blank."""
        bad = 0
        for number, start, line in self._all_lines(report):
            if not line.strip():
                continue
            self._starts.append(start)
            self._lines.append(number)
            record = _lenient_object(line) or self._strict_object(line, number, bad + 1, report)
            if record is None:
                bad += 1
            else:
                yield len(self._starts) - 1, record

    def _strict_object(self, line: bytes, number: int, count: int, report: Report) -> dict[str, Any] | None:
        """Return the object on a line; None if a mistake was reported.

        Args:
            line: the line.
            number: its number in the file.
            count: number of invalid lines so far, including this one if it is invalid.
            report: receives the mistake.
        """
        source = source_from_bytes(line.rstrip(b"\r\n"), self.display_name, report=report, first_line=number)
        if source is None:
            return None
        try:
            return decoded_object(source.text)
        except (ValueError, RecursionError) as error:
            report_bad_record(error, Span(source, 0, len(source.text)), count, report)
            return None

    def _all_lines(self, report: Report) -> Iterator[tuple[int, int, bytes]]:
        """Yield the number, the offset and the bytes of each line."""
        try:
            if self.path.name.endswith(PACKED):
                self._data = read_gzip(self.path, TABLE_BYTES)
                yield from _numbered(BytesIO(self._data))
                return
            with open_regular(self.path, TABLE_BYTES) as file:
                yield from _numbered(lines_of(file, self.display_name, TABLE_BYTES))
        except (OSError, ValueError) as error:
            report_unread(error, self.display_name, TABLE_BYTES, "spread the records over several files", report)

    def node(self, index: int, report: Report) -> Mapping | None:
        try:
            line = self._line_bytes(index)
        except OSError as error:
            report_unread(error, self.display_name, TABLE_BYTES, "", report)
            return None
        source = source_from_bytes(
            line.rstrip(b"\r\n"), self.display_name, report=report, first_line=self._lines[index]
        )
        if source is None:
            return None
        try:
            decoded_object(source.text)
        except (ValueError, RecursionError) as error:
            report_bad_record(error, Span(source, 0, len(source.text)), 1, report)
            return None
        node = json_node(source)
        assert isinstance(node, Mapping)
        return node

    def _line_bytes(self, index: int) -> bytes:
        start = self._starts[index]
        if self._data is not None:
            end = self._data.find(b"\n", start)
            return self._data[start : end if end != -1 else None]
        with open_regular(self.path, TABLE_BYTES) as file:
            file.seek(start)
            return file.readline(TABLE_BYTES)

    def place(self, index: int) -> Span:
        """Return the span of a record's line, which is empty if the file can no longer be read."""
        line = b""
        with suppress(OSError):
            line = self._line_bytes(index)
        text = line.decode("utf-8", "replace").strip("\r\n")
        return Span(Source(self.display_name, text, first_line=self._lines[index]), 0, len(text))


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number, from 1, the offset and the bytes of each line."""
    start = 0
    for number, line in enumerate(lines, 1):
        yield number, start, line
        start += len(line)


@dataclass(slots=True, eq=False)
class JsonFile(Records):
    """The records of a JSON file: a list of objects, or an object of objects, whose names are the field `@key`.

    Attributes:
        items: each record's object, and its name if it has one.
    """

    items: list[tuple[Scalar | None, Mapping]]

    @classmethod
    def of(cls, source: Source, report: Report, at: Path = (), place: Span | None = None) -> JsonFile:
        """Return the records of a file's text. Every record that is left out is reported as a mistake.

        Args:
            source: the text.
            report: receives the mistakes.
            at: path to the field with the records; empty for the whole text.
            place: location of the key `at`.
        """
        whole = Span(source, 0, len(source.text)).first_line
        try:
            decoded_value(source.text)
        except (ValueError, RecursionError) as error:
            report.error("PS015", f"`{source.name}` is not JSON", whole, error_reason(error))
            return cls([])
        root: Node | None = value_at(json_node(source), at)
        if root is None:
            report.error("PS014", f"`{source.name}` has no field `{'.'.join(at)}`", place or whole, "the records")
            return cls([])
        parts: list[tuple[Scalar | None, Node]] = []
        if isinstance(root, Mapping):
            parts = list(root.entries)
        elif isinstance(root, Sequence):
            parts = [(None, item) for item in root.items]
        else:
            report.error("PS015", f"`{source.name}` has no records", whole, "neither a list nor an object")
        items: list[tuple[Scalar | None, Mapping]] = []
        for key, item in parts:
            if isinstance(item, Mapping):
                items.append((key, item))
            elif key is not None and isinstance(item, Sequence):
                help_text = f"if the list has the records, write `at: [{', '.join((*at, key.text))}]` beside `json:`"
                report.error("PS015", "a record is an object", item.span.first_line, "a list", help=help_text)
            else:
                help_text = "write a list of objects, or an object of objects"
                report.error("PS015", "a record is an object", item.span.first_line, "not an object", help=help_text)
        return cls(items)

    def scan(self, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ARG002
        for index in range(len(self.items)):
            yield index, {key.text: _plain(value) for key, value in self._with_key(index).entries}

    def node(self, index: int, report: Report) -> Mapping | None:  # noqa: ARG002
        return self._with_key(index)

    def _with_key(self, index: int) -> Mapping:
        key, item = self.items[index]
        if key is None:
            return item
        own = tuple((name, value) for name, value in item.entries if name.text != KEY)
        return Mapping(item.span, ((Scalar(key.span, KEY, "plain", key.span), key), *own), item.flow)

    def place(self, index: int) -> Span:
        return self.items[index][1].span.first_line


@dataclass(slots=True, eq=False)
class RowRecords(Records):
    """The rows of a source such as CSV, each a record of its columns."""

    rows: RawRows

    def scan(self, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
        for index in range(len(self.rows)):
            node = self.node(index, report)
            assert node is not None
            yield index, {key.text: _plain(value) for key, value in node.entries}

    def node(self, index: int, report: Report) -> Mapping | None:  # noqa: ARG002
        row = self.rows[index]
        entries = tuple(
            (Scalar(row.span, name, "plain", row.span), _cell_node(cell)) for name, cell in row.cells.items()
        )
        return Mapping(row.span, entries, flow=True)

    def place(self, index: int) -> Span:
        return self.rows.span(index).first_line


def _cell_node(cell: Cell) -> Node:
    if isinstance(cell.value, tuple):
        return Sequence(cell.span, tuple(map(_cell_node, cell.value)), flow=True)
    kind = TypedScalar if isinstance(cell, TypedCell) else Scalar
    return kind(cell.span, cell.value or "", "plain", cell.span)


def _plain(node: Node) -> Any:
    if isinstance(node, Scalar):
        return None if node.style == "plain" and not node.text else node.text
    if isinstance(node, Sequence):
        return [_plain(item) for item in node.items]
    return {key.text: _plain(value) for key, value in node.entries}


def _lenient_object(line: bytes) -> dict[str, Any] | None:
    """Return the object on a line, decoded without strict checks; None if the line must be decoded strictly."""
    if HALF_PAIR.search(line) is not None:
        return None
    try:
        record = LENIENT.decode(line.removeprefix(UTF_8_MARK).decode())
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def decoded_value(text: str) -> Any:
    """Return the value of a string of JSON. Integers become strings, other numbers decimals.

    Raises:
        ValueError: the string is not JSON, repeats a name, or is nested more deeply than a record may be.
        RecursionError: it is nested more deeply than Python's JSON parser can read.
    """
    value = RECORDS.decode(text)
    fault = reason_to_refuse(value, DEPTH)
    if fault is not None:
        raise ValueError(fault)
    return value


def decoded_object(text: str) -> dict[str, Any]:
    """Return the object of a string of JSON, with numbers as in `decoded_value`.

    Raises:
        ValueError: the string is not a JSON object, repeats a name, or is nested too deeply.
        RecursionError: it is nested far too deeply.
    """
    record = decoded_value(text)
    if not isinstance(record, dict):
        raise ValueError("a list, not an object" if isinstance(record, list) else "a single value, not an object")
    return record


def report_bad_record(error: Exception, span: Span, count: int, report: Report) -> None:
    """Report a line that is not a JSON object, unless ten were reported before.

    Args:
        error: the error that decoding it raised.
        span: the line.
        count: the number of such lines so far.
        report: receives PS015.
    """
    if count <= MAX_REPORTS:
        more = f"this is number {count} in the file: further ones are not listed" if count == MAX_REPORTS else None
        report.error("PS015", "the line is not a JSON object", span, error_reason(error), help=more)


def error_reason(error: Exception) -> str:
    """Return a label that explains why `decoded_value` failed."""
    match error:
        case InvalidJsonError():
            return f"{error} is no JSON"
        case DuplicateNameError():
            return "a key is repeated"
        case RecursionError():
            return f"it nests deeper than {DEPTH} levels"
        case _:
            return str(error).split(": line")[0]
