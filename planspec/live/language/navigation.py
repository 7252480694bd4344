"""Navigation from the mention of a symbol to its declaration and its other mentions."""

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
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.tables.file_formats import FileFormat, read_format
from planspec.dsl.workspace.shards import is_shard
from planspec.dsl.workspace.workspace import files_below, kind_and_id
from planspec.dsl.yaml.reader import Mapping, Scalar
from planspec.dsl.yaml.source_files import read_source
from planspec.live.language.analysis import Analysis, path_to
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import START, offset_of, range_of
from planspec.live.language.shapes import Json, Location, Position
from planspec.live.language.symbols import Occurrence, Symbol

MOST_FILES = 3000
"""Maximum number of project files that are searched for references."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention of a symbol, with the analysis of the document that contains it."""

    analysis: Analysis
    occurrence: Occurrence


def definition(editor: EditorState, document: OpenDocument, position: Position) -> Location | None:
    """Return the location where the symbol at a position is declared, or None."""
    analysis = editor.analysis(document, position)
    if analysis is None:
        return None
    occurrence = analysis.occurrence_at(offset_of(analysis.source, position))
    if occurrence is None:
        return _named_file_location(editor, analysis, offset_of(analysis.source, position))
    span = editor.declaration(occurrence.symbol, analysis)
    if span is None and occurrence.symbol.kind == "row":
        span = _find_row_source(analysis, occurrence.symbol)
    return None if span is None else location(editor, span)


def type_definition(editor: EditorState, document: OpenDocument, position: Position) -> Location | None:
    """Return the location of the table or enum that is the type of the expression at a position, or None."""
    analysis = editor.analysis(document, position)
    if analysis is None:
        return None
    check = analysis.find_check(offset_of(analysis.source, position))
    type_ = None if check is None else check.checked.type
    if isinstance(type_, SetType | ListType):
        type_ = type_.item
    name = type_.table if isinstance(type_, RowType) else type_.name if isinstance(type_, EnumType) else None
    span = None if name is None else editor.declaration(Symbol("name", name), analysis)
    return None if span is None else location(editor, span)


def references(
    editor: EditorState, document: OpenDocument, position: Position, *, with_declarations: bool = True
) -> list[Location]:
    """Return the locations of all mentions in the project of the symbol at a position.

    `with_declarations` tells whether to include declarations.
    """
    match = mention_at(editor, document, position)
    if match is None:
        return []
    analysis, occurrence = match
    return [
        location(editor, mention.occurrence.span)
        for mention in mentions_of(editor, analysis, occurrence.symbol)
        if with_declarations or not mention.occurrence.declares
    ]


def highlights(editor: EditorState, document: OpenDocument, position: Position) -> list[Json]:
    """Return all mentions, in the same document, of the symbol at a position, in the protocol's shape."""
    match = mention_at(editor, document, position)
    if match is None:
        return []
    analysis, occurrence = match
    return [
        {"range": range_of(other.span), "kind": 3 if other.declares else 2}
        for other in analysis.occurrences
        if other.symbol == occurrence.symbol
    ]


def mention_at(editor: EditorState, document: OpenDocument, position: Position) -> tuple[Analysis, Occurrence] | None:
    """Return the mention at a position and the analysis of its document, or None if there is no mention."""
    analysis = editor.analysis(document, position)
    occurrence = None if analysis is None else analysis.occurrence_at(offset_of(analysis.source, position))
    return None if analysis is None or occurrence is None else (analysis, occurrence)


def mentions_of(editor: EditorState, analysis: Analysis, symbol: Symbol) -> Iterator[Mention]:
    """Yield the mentions of a symbol in its own document and in the rest of the project.

    A mention in another document counts if the symbol is declared at the same place.
    """
    declared = editor.declaration(symbol, analysis)
    yield from (Mention(analysis, x) for x in analysis.occurrences if x.symbol == symbol)
    if declared is None or symbol.kind in ("variable", "builtin"):
        return
    if symbol.kind != "document" and _is_declared_in_task(analysis, declared):
        return
    declaring_file = _source_path(declared.source)
    own_path = _document_path(analysis)
    for path in _candidate_files(editor, analysis, symbol, declaring_file):
        if path == own_path:
            continue
        other = editor.analysis_of(Path(path))
        if other is None:
            continue
        other_declared = editor.declaration(symbol, other)
        if (
            other_declared is not None
            and _source_path(other_declared.source) == declaring_file
            and other_declared.start == declared.start
        ):
            yield from (Mention(other, x) for x in other.occurrences if x.symbol == symbol)


def _is_declared_in_task(analysis: Analysis, declared: Span) -> bool:
    """Return whether a declaration is in a task. No other document can use it then."""
    return any(x.source is declared.source and x.kind == "task" for x in analysis.documents)


def location(editor: EditorState, span: Span) -> Location:
    """Return a span as a location in the protocol's shape."""
    return {"uri": editor.uri(span.source.name), "range": range_of(span)}


def _candidate_files(editor: EditorState, analysis: Analysis, symbol: Symbol, declaring_file: str) -> list[str]:
    """Return the files that may mention a symbol: open documents, imports, and project files that contain its name."""
    paths = dict.fromkeys([declaring_file])
    paths |= dict.fromkeys(realpath(document.path) for document in editor.documents.values())
    paths |= dict.fromkeys(realpath(document.path) for document in analysis.documents if document.path)
    for folder in editor.folders:
        for path in files_below(folder, ["*.yaml"])[:MOST_FILES]:
            if not is_shard(path) and kind_and_id(path) is not None:
                paths[realpath(path)] = None
    word = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
    return [path for path in paths if word.search(_file_text(editor, path))]


def _file_text(editor: EditorState, path: str) -> str:
    for document in editor.documents.values():
        if realpath(document.path) == path:
            return document.source.text
    source = read_source(Path(path), report=Report())
    return "" if source is None else source.text


def _document_path(analysis: Analysis) -> str:
    return "" if analysis.document.path is None else realpath(analysis.document.path)


def _source_path(source: Source) -> str:
    return realpath(Path.cwd() / source.name)


def _named_file_location(editor: EditorState, analysis: Analysis, offset: int) -> Location | None:
    """Return the location of the file named by the text at an offset, or None."""
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
    return {"uri": editor.uri(str(file)), "range": {"start": START, "end": START}}


# -- rows in separate files -------------------------------------------------------------------------------


def _find_row_source(analysis: Analysis, symbol: Symbol) -> Span | None:
    """Return the span of a row's line in a CSV file; for other rows, of the key above the table's rows."""
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
            if not parts.keys() & document_keys.SOURCES.keys():
                continue
            provider = provider or key.span
            node = parts.get("csv")
            if isinstance(node, Scalar) and len(table.key) == 1:
                header = _source_column(parts.get("map"), table.key[0])
                span = _find_csv_row(document, node, read_format(parts, Report()), header, symbol.name)
                if span is not None:
                    return span
    return provider


def _source_column(node: object, column: str) -> str:
    """Return the name of a column in the CSV file, which `map:` may define."""
    for key, value in node.entries if isinstance(node, Mapping) else ():
        if key.text == column:
            inner = {k.text: v for k, v in value.entries}.get("from") if isinstance(value, Mapping) else value
            return inner.text if isinstance(inner, Scalar) else column
    return column


def _find_csv_row(document: Document, node: Scalar, format_: FileFormat, header: str, name: str) -> Span | None:
    if "\n" in node.text or document.path is None:
        after = rf"(?={re.escape(format_.delimiter)}|\s*$)"
        line = re.search(rf"^[ \t]*{re.escape(name)}{after}[^\n]*", node.content.text, re.MULTILINE)
        if line is None:
            return None
        return Span(node.content.source, node.content.start + line.start(), node.content.start + line.end())
    file = document.path.parent / node.text
    source = read_source(file, report=Report(), max_bytes=TABLE_BYTES, encoding=format_.encoding)
    if source is None:
        return None
    reader = csv.reader(io.StringIO(source.text, newline=""), delimiter=format_.delimiter)
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
