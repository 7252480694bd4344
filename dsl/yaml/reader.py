"""YAML read as text with positions: nodes that keep their place, scalars that stay text."""

from __future__ import annotations

import errno
import re
from functools import lru_cache
from pathlib import Path

import yaml

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DEPTH, DOCUMENT_BYTES, TABLE_LINES
from planspec.dsl.resources.reading import UnfitFile, read_bytes, size
from planspec.dsl.yaml.composer import BLOCKS, NO_CHARACTER, Composer, readable
from planspec.dsl.yaml.hints import explain_yaml_error
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, Style
from planspec.dsl.yaml.offsets import Decoded, decode

__all__ = [
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Style",
    "compose",
    "decoded_position",
    "expression_span",
    "read_source",
    "source_from_bytes",
    "source_from_text",
]

FAR_ESCAPE = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")


def source_from_text(text: str, name: str, *, first_line: int = 1) -> Source:
    """A source of a text, without a byte-order mark and with newlines as its only line ends.

    Args:
        text: of a file, or of some of its lines.
        name: how diagnostics call it.
        first_line: the number of its first line in the file.
    """
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n"), first_line=first_line)


def read_source(
    path: Path, name: str | None = None, *, report: Report, max_bytes: int = DOCUMENT_BYTES
) -> Source | None:
    """The text of a file, or None after a report.

    Args:
        path: the file.
        name: how diagnostics call it; the path if left out.
        report: takes what is wrong: no regular file, too large, not UTF-8.
        max_bytes: the greatest size.
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
    return source_from_bytes(data, name, report=report)


def report_unread(error: OSError | ValueError, name: str, max_bytes: int, help: str, report: Report) -> None:
    """Report why a file was not read.

    Args:
        error: which reading it raised.
        name: how diagnostics call the file.
        max_bytes: the greatest size.
        help: what to do with a file that is larger.
        report: takes it.
    """
    nowhere = Span(Source(name, ""), 0, 0)
    if isinstance(error, UnfitFile) and error.errno == errno.EFBIG:
        report.error("PS005", f"`{name}` is too large", nowhere, f"more than {size(max_bytes)}", help=help)
        return
    reason = error.strerror if isinstance(error, OSError) else str(error)
    if isinstance(error, FileNotFoundError):
        reason = "there is no such file"
    report.error("PS007", f"`{name}` cannot be read", nowhere, (reason or str(error)).lower())


def source_from_bytes(data: bytes, name: str, *, report: Report, first_line: int = 1) -> Source | None:
    """The text of a file's bytes, or of some of its lines, or None after a report that they are not UTF-8."""
    try:
        return source_from_text(data.decode("utf-8"), name, first_line=first_line)
    except UnicodeDecodeError as error:
        shown = source_from_text(data.decode("utf-8", "replace"), name, first_line=first_line)
        at = len(source_from_text(data[: error.start].decode("utf-8"), name).text)
        help_text = "save the file as UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            help_text = "this looks like UTF-16: " + help_text
        label = f"byte 0x{data[error.start]:02x} cannot stand here"
        report.error("PS001", f"`{name}` is not UTF-8", Span(shown, at, at + 1), label, help=help_text)
        return None


def compose(source: Source, report: Report, *, max_depth: int = DEPTH) -> Node | None:
    """The document's root node, or None after a report of why it could not be read to its end.

    What is read but refused (a tag, a key that stands twice) is reported, and the node is made without it.

    Args:
        source: the text.
        report: takes what is wrong.
        max_depth: how many collections may stand in each other.
    """
    text = readable(source, report)
    if text is None:
        return None
    composer = Composer(source, text, report, max_depth)
    try:
        complete = composer.read()
    except yaml.MarkedYAMLError as error:
        if text == source.text:  # otherwise the error may be of the blanks for what was refused
            explain_yaml_error(error, source, report)
        return None
    except (OverflowError, ValueError):
        # The pure reader computes the character of an escape such as `\UFFFFFFFF` unchecked.
        escape = FAR_ESCAPE.search(text)
        assert escape is not None, "no other computation of the reader's can fail"
        report.error("PS002", NO_CHARACTER, Span(source, *escape.span()), "past U+10FFFF")
        return None
    return composer.made if complete and text == source.text else None


def expression_span(node: Node) -> Span:
    """The text of a node as an expression: the slice as it stands, a block scalar without its header."""
    return node.content if isinstance(node, Scalar) else node.span


def decoded_position(scalar: Scalar, index: int) -> int:
    """The offset in the source at which a character of a scalar's text stands.

    Args:
        scalar: the node.
        index: of the character in `scalar.text`; the text's length for the place behind it.

    Returns:
        The offset; the node's beginning if the place is not certain.
    """
    decoded = _decoded(scalar)
    if decoded is None or not 0 <= index <= decoded.length:
        return scalar.content.start
    return scalar.content.start + decoded.offset(index)


@lru_cache(maxsize=8)
def _decoded(scalar: Scalar) -> Decoded | None:
    start, end = scalar.content.start, scalar.content.end
    text = scalar.content.source.text
    if scalar.style in BLOCKS:
        # Spaces and blank lines at the end are no part of the span and may be part of the text.
        behind = end
        while behind < len(text) and text[behind] in " \t\n":
            behind += 1
        end = behind if behind == len(text) else max(end, text.rfind("\n", end, behind) + 1)
    return decode(text[start:end], scalar.text, scalar.style)
