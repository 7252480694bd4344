"""File formats of sources: the keys `delimiter`, `encoding` and `sheet`."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.structure import document_keys
from planspec.dsl.yaml.nodes import Node, Scalar

OWNERS: MappingOf[str, tuple[str, ...]] = {
    "delimiter": ("csv",),
    "encoding": ("csv",),
    "sheet": ("xlsx",),
    "at": ("json",),
    **dict.fromkeys(document_keys.DIALECT, ("csv", "jsonl", "parquet", "xlsx")),
}
"""The sources to which each key applies."""
TAB = "tab"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The format of a source's file.

    Attributes:
        delimiter: the character between the cells of a CSV.
        encoding: the encoding of a CSV, as Python names it.
        sheet: name of a workbook's sheet; None for the first.
        sheet_span: location of that name.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    sheet: str | None = None
    sheet_span: Span | None = None


STANDARD = FileFormat()


def is_inline(kind: str, node: Node) -> bool:
    """Return whether a source is a text in its document and not the path of a file."""
    return kind == "csv" and isinstance(node, Scalar) and "\n" in node.text.strip()


def report_unsuitable_keys(
    entries: MappingOf[str, tuple[Scalar, Node]], kind: str | None, report: Report, *, inline: bool = False
) -> bool:
    """Report keys of a format or dialect that do not apply to a source; return whether there are any.

    Args:
        entries: the entries by key; other keys are ignored.
        kind: key of the source; None without a source.
        report: receives PS014.
        inline: whether the source is a text in the document, to which `encoding` does not apply.
    """
    found = False
    for name, (key, _) in entries.items():
        owners = OWNERS.get(name)
        if owners is None or (kind in owners and not (inline and name == "encoding")):
            continue
        found = True
        if inline and kind == "csv":
            message, label = "a CSV text in a document has no encoding of its own", "only a file has one"
        else:
            place = "an entry without a source" if kind is None else f"`{kind}:`"
            message, label = f"`{name}` does not apply to {place}", f"it stands beside {_listed(owners)}"
        help_text = "convert the values in the query" if kind == "sqlite" and name in document_keys.DIALECT else None
        report.error("PS014", message, key.span, label, help=help_text)
    return found


def _listed(words: tuple[str, ...]) -> str:
    """Return keys as text, such as `csv:`, or `csv:`, `jsonl:` or `xlsx:`."""
    shown = [f"`{word}:`" for word in words]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def read_format(sections: MappingOf[str, Node], report: Report) -> FileFormat:
    """Return the format of a source's file from its keys.

    Args:
        sections: the values by key; other keys are ignored.
        report: receives mistakes of the values.
    """
    if not sections.keys() & document_keys.FILE_FORMAT.keys():
        return STANDARD
    sheet = sections.get("sheet")
    return FileFormat(
        _delimiter(sections.get("delimiter"), report) or STANDARD.delimiter,
        _encoding(sections.get("encoding"), report) or STANDARD.encoding,
        _text("sheet", sheet, report),
        None if sheet is None else sheet.span,
    )


def _text(key: str, node: Node | None, report: Report) -> str | None:
    if node is None:
        return None
    if isinstance(node, Scalar) and node.text:
        return node.text
    label = "nothing" if isinstance(node, Scalar) else "a collection"
    report.error("PS011", f"`{key}` must be a non-empty string", node.span, label)
    return None


def _delimiter(node: Node | None, report: Report) -> str | None:
    text = _text("delimiter", node, report)
    if node is None or text is None:
        return None
    if text.casefold() in (TAB, "\\t", "\t"):
        return "\t"
    if len(text) == 1 and not text.isspace() and text not in '"\0\ufeff' and not text.isalnum():
        try:
            csv.reader([], delimiter=text)
        except (TypeError, ValueError):
            pass
        else:
            return text
    label = "not one such character"
    help_text = 'write `delimiter: ";"` or `delimiter: tab`'
    report.error("PS011", "the delimiter is one character, or `tab`", node.span, label, help=help_text)
    return None


def _encoding(node: Node | None, report: Report) -> str | None:
    text = _text("encoding", node, report)
    if node is None or text is None:
        return None
    try:
        name = codecs.lookup(text).name
        b"\xff".decode(name, "replace")  # fails for codecs that are not text encodings or cannot replace bad bytes
    except (LookupError, ValueError):
        help_text = "for example `utf-8`, `utf-16`, `cp1252` or `latin-1`"
        report.error("PS011", f"there is no encoding `{text[:40]}`", node.span, "unknown to Python", help=help_text)
        return None
    return name
