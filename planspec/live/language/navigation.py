"""Navigation from a mention of a symbol to its declaration and to its other mentions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType
from planspec.dsl.resources.limits import TABLE_BYTES
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.shards import is_shard
from planspec.dsl.workspace.workspace import files_below, kind_and_id
from planspec.dsl.yaml.reader import Mapping, Scalar
from planspec.dsl.yaml.source_files import read_source
from planspec.live.language.analysis import Analysis, path_to
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.positions import START, offset_of, range_of
from planspec.live.language.shapes import Json, Location, Position
from planspec.live.language.symbols import Occurrence, Symbol

MOST_FILES = 3000
"""Largest number of a project's files that are searched for references."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of a symbol in a document of the project."""

    analysis: Analysis
    occurrence: Occurrence


def definition(desk: EditorDesk, document: OpenDocument, position: Position) -> Location | None:
    """Return where the symbol at a position is declared."""
    analysis = desk.analysis(document, position)
    if analysis is None:
        return None
    occurrence = analysis.occurrence_at(offset_of(analysis.source, position))
    if occurrence is None:
        return _file_named(desk, analysis, offset_of(analysis.source, position))
    span = desk.declaration(occurrence.symbol, analysis)
    if span is None and occurrence.symbol.kind == "row":
        span = _row_in_file(analysis, occurrence.symbol)
    return None if span is None else location(desk, span)


def type_definition(desk: EditorDesk, document: OpenDocument, position: Position) -> Location | None:
    """Return where the type of the expression at a position is declared: a table or an enum."""
    analysis = desk.analysis(document, position)
    if analysis is None:
        return None
    seen = analysis.sighting_at(offset_of(analysis.source, position))
    type_ = None if seen is None else seen.checked.type
    if isinstance(type_, SetType | ListType):
        type_ = type_.item
    name = type_.table if isinstance(type_, RowType) else type_.name if isinstance(type_, EnumType) else None
    span = None if name is None else desk.declaration(Symbol("name", name), analysis)
    return None if span is None else location(desk, span)


def references(
    desk: EditorDesk, document: OpenDocument, position: Position, *, declaration: bool = True
) -> list[Location]:
    """Return every place of the project that mentions the symbol at a position."""
    match = symbol_at(desk, document, position)
    if match is None:
        return []
    analysis, occurrence = match
    return [
        location(desk, mention.occurrence.span)
        for mention in mentions_of(desk, analysis, occurrence.symbol)
        if declaration or not mention.occurrence.declares
    ]


def highlights(desk: EditorDesk, document: OpenDocument, position: Position) -> list[Json]:
    """Return the places of a document that mention the symbol at a position."""
    match = symbol_at(desk, document, position)
    if match is None:
        return []
    analysis, occurrence = match
    return [
        {"range": range_of(other.span), "kind": 3 if other.declares else 2}
        for other in analysis.occurrences
        if other.symbol == occurrence.symbol
    ]


def symbol_at(
    desk: EditorDesk, document: OpenDocument, position: Position
) -> tuple[Analysis, Occurrence] | None:
    """Return the mention at a position."""
    analysis = desk.analysis(document, position)
    occurrence = None if analysis is None else analysis.occurrence_at(offset_of(analysis.source, position))
    return None if analysis is None or occurrence is None else (analysis, occurrence)


def mentions_of(desk: EditorDesk, analysis: Analysis, symbol: Symbol) -> Iterator[Mention]:
    """Yield every mention of a symbol, once each.

    These are the mentions in a document, and in those of the project that share its declaration.
    """
    declared = desk.declaration(symbol, analysis)
    yield from (Mention(analysis, x) for x in analysis.occurrences if x.symbol == symbol)
    if declared is None or symbol.kind in ("variable", "builtin"):
        return
    if symbol.kind != "document" and _is_of_a_task(analysis, declared):
        return
    home = _file(declared.source)
    own_path = _path(analysis)
    for path in _candidates(desk, analysis, symbol, home):
        if path == own_path:
            continue
        other = desk.analysis_of(Path(path))
        if other is None:
            continue
        other_declared = desk.declaration(symbol, other)
        if (
            other_declared is not None
            and _file(other_declared.source) == home
            and other_declared.start == declared.start
        ):
            yield from (Mention(other, x) for x in other.occurrences if x.symbol == symbol)


def _is_of_a_task(analysis: Analysis, declared: Span) -> bool:
    """Return whether the declaration is in a task, so that no other document can use it."""
    return any(x.source is declared.source and x.kind == "task" for x in analysis.documents)


def location(desk: EditorDesk, span: Span) -> Location:
    """Return the location of a span in the editor."""
    return {"uri": desk.uri(span.source.name), "range": range_of(span)}


def _candidates(desk: EditorDesk, analysis: Analysis, symbol: Symbol, home: str) -> list[str]:
    """Return the files that may mention a symbol: open ones, imports, and documents of the project."""
    paths = dict.fromkeys([home])
    paths |= dict.fromkeys(realpath(document.path) for document in desk.documents.values())
    paths |= dict.fromkeys(realpath(document.path) for document in analysis.documents if document.path)
    for folder in desk.folders:
        for path in files_below(folder, ["*.yaml"])[:MOST_FILES]:
            if not is_shard(path) and kind_and_id(path) is not None:
                paths[realpath(path)] = None
    word = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    return [path for path in paths if word.search(_text(desk, path))]


def _text(desk: EditorDesk, path: str) -> str:
    for document in desk.documents.values():
        if realpath(document.path) == path:
            return document.source.text
    source = read_source(Path(path), report=Report())
    return "" if source is None else source.text


def _path(analysis: Analysis) -> str:
    return "" if analysis.document.path is None else realpath(analysis.document.path)


def _file(source: Source) -> str:
    return realpath(Path.cwd() / source.name)


def _file_named(desk: EditorDesk, analysis: Analysis, offset: int) -> Location | None:
    """Return the beginning of a file that a text names, such as rows or an answer."""
    path = path_to(analysis.document.root, offset)
    node = path[-1][1] if path else None
    folder = analysis.document.path
    if not isinstance(node, Scalar) or folder is None or not node.span.start <= offset <= node.span.end:
        return None
    if len(node.text) > 500 or "\n" in node.text:
        return None
    file = folder.parent / node.text
    try:
        if not node.text or not file.is_file():
            return None
    except (OSError, ValueError):
        return None
    return {"uri": desk.uri(str(file)), "range": {"start": START, "end": START}}


# -- rows that stand in files of their own ----------------------------------------------------------------


def _row_in_file(analysis: Analysis, symbol: Symbol) -> Span | None:
    """Return the line of a CSV file or text that holds a row, or the entry that provides the rows."""
    table = analysis.names.tables.get(symbol.owner)
    if table is None:
        return None
    provider: Span | None = None
    for document in reversed(analysis.documents):
        section = document.sections.get("tables")
        for key, entry in section.entries if isinstance(section, Mapping) else ():
            if key.text != symbol.owner or not isinstance(entry, Mapping):
                continue
            parts = {word.text: node for word, node in entry.entries}
            if not parts.keys() & {"rows", "csv", "jsonl", "sqlite", "parquet"}:
                continue
            provider = provider or key.span
            node = parts.get("csv")
            if isinstance(node, Scalar) and len(table.key) == 1:
                span = _csv_line(document, node, _header(parts.get("map"), table.key[0]), symbol.name)
                if span is not None:
                    return span
    return provider


def _header(node: object, column: str) -> str:
    """Return the header of a column in the source."""
    for key, value in node.entries if isinstance(node, Mapping) else ():
        if key.text == column:
            inner = {k.text: v for k, v in value.entries}.get("from") if isinstance(value, Mapping) else value
            return inner.text if isinstance(inner, Scalar) else column
    return column


def _csv_line(document: Document, node: Scalar, header: str, name: str) -> Span | None:
    if "\n" in node.text or document.path is None:
        line = re.search(rf"^[ \t]*{re.escape(name)}(?=,|\s*$)[^\n]*", node.content.text, re.MULTILINE)
        if line is None:
            return None
        return Span(node.content.source, node.content.start + line.start(), node.content.start + line.end())
    file = document.path.parent / node.text
    source = read_source(file, report=Report(), max_bytes=TABLE_BYTES)
    if source is None:
        return None
    reader = csv.reader(io.StringIO(source.text, newline=""))
    try:
        at = next(reader, []).index(header)
        line_before = reader.line_num
        for cells in reader:
            if len(cells) > at and cells[at] == name:
                start = source.line_starts[line_before]
                return Span(source, start, start + len(source.line_text(line_before + 1)))
            line_before = reader.line_num
    except (ValueError, csv.Error):
        pass
    return None
