"""Outline, folding ranges and selection ranges of documents."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.structure.document import Document
from planspec.dsl.yaml.comments import comments
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence
from planspec.live.language.analysis import path_to
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import position_of, range_of
from planspec.live.language.shapes import Json

KINDS = {
    "types": 10,
    "tables": 23,
    "plan": 23,
    "given": 13,
    "define": 12,
    "constraints": 25,
    "scope": 19,
    "cases": 24,
    "turns": 24,
    "tools": 6,
    "shows": 8,
    "shapes": 12,
    "settings": 14,
    "columns": 8,
    "": 20,
}
"""Protocol's symbol kind (10 enum, 12 function, 13 variable, 23 struct, ...) of each section's entries."""
NESTED = ("plan", "tables", "environment", "tools", "shows", "shapes", "settings")
"""Sections with entries that have entries of their own in the outline."""
DETAILS = ("hard", "soft", "is", "query", "from", "answer")
MAX_SUMMARY_LENGTH = 60


def outline(editor: EditorState, document: OpenDocument) -> list[Json]:
    """Return the sections of a document with their named entries."""
    analysis = editor.analysis(document)
    return [] if analysis is None else list(_section_symbols(analysis.document))


def _section_symbols(document: Document) -> Iterator[Json]:
    for key, node in document.root.entries:
        children = [] if key.text == "meta" else list(_entry_symbols(key.text, node))
        yield _document_symbol(key, node, 3 if children else 15, _summary(node), children)


def _entry_symbols(section: str, node: Node) -> Iterator[Json]:
    kind = KINDS.get(section, KINDS[""])
    match node:
        case Mapping(entries=entries) if section in KINDS or section == "environment":
            for key, inner in entries:
                nested = section in NESTED and isinstance(inner, Mapping)
                name = "columns" if section in ("plan", "tables") else key.text
                children = (
                    list(_entry_symbols(name, inner)) if nested and (name in KINDS or section == "environment") else []
                )
                yield _document_symbol(key, inner, kind, _summary(inner), children)
        case Sequence(items=items) if section == "turns":
            for number, item in enumerate(items, 1):
                word = Scalar(item.span.first_line, f"turn {number}", "plain", item.span.first_line)
                children = [x for key, inner in _pairs(item) for x in _entry_symbols(key.text, inner)]
                yield _document_symbol(word, item, kind, _summary(item), children)


def _document_symbol(key: Scalar, node: Node, kind: int, detail: str, children: list[Json]) -> Json:
    span = key.span.to(node.span)
    symbol: Json = {
        "name": key.text or "?",
        "kind": kind,
        "range": range_of(span),
        "selectionRange": range_of(key.span),
    }
    if detail:
        symbol["detail"] = detail
    if children:
        symbol["children"] = children
    return symbol


def _summary(node: Node) -> str:
    """Return the beginning of a scalar or, for a mapping, the value of its first key in `DETAILS`."""
    match node:
        case Scalar(text=text):
            flat = " ".join(text.split())
            return flat if len(flat) <= MAX_SUMMARY_LENGTH else f"{flat[: MAX_SUMMARY_LENGTH - 3]}..."
        case Mapping(entries=entries):
            value = next((value for key, value in entries if key.text in DETAILS), None)
            return _summary(value) if isinstance(value, Scalar) else ""
        case Sequence():
            return ""


def _pairs(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def folding_ranges(editor: EditorState, document: OpenDocument) -> list[Json]:
    """Return the folding ranges of a document: keys with multi-line values, and multi-line comments."""
    analysis = editor.analysis(document)
    if analysis is None:
        return []
    root = analysis.document.root
    kinds = dict.fromkeys(_foldable_ranges(root), "region")
    source = analysis.source
    start, last = -1, -2
    for comment in comments(source.text, root):
        line = position_of(source, comment.start)["line"]
        if comment.follows_text:
            continue
        if line != last + 1:
            start = line
        last = line
        if last > start:
            kinds = {lines: kind for lines, kind in kinds.items() if not (kind == "comment" and lines[0] == start)}
            kinds[start, last] = "comment"
    return [{"startLine": a, "endLine": b, "kind": kind} for (a, b), kind in sorted(kinds.items())]


def _foldable_ranges(node: Node) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each part that can be folded, counted from 0."""
    match node:
        case Mapping(entries=entries):
            for key, value in entries:
                yield from _line_range(key.span.to(value.span))
                yield from _foldable_ranges(value)
        case Sequence(items=items):
            for item in items:
                if not isinstance(item, Scalar):
                    yield from _line_range(item.span)
                yield from _foldable_ranges(item)


def _line_range(span: Span) -> Iterator[tuple[int, int]]:
    first, last = position_of(span.source, span.start)["line"], position_of(span.source, span.end)["line"]
    if last > first:
        yield first, last


def selection_ranges(editor: EditorState, document: OpenDocument, offsets: list[int]) -> list[Json]:
    """Return for each offset the nested ranges around it, from the smallest to the whole document."""
    analysis = editor.analysis(document)
    result: list[Json] = []
    for offset in offsets:
        spans = [] if analysis is None else [analysis.document.root.span]
        if analysis is not None:
            spans += (node.span for node in _enclosing_nodes(analysis.document.root, offset))
            inside = {
                (x.span.start, x.span.end): x.span for x in analysis.checks if x.span.start <= offset <= x.span.end
            }
            spans += sorted(inside.values(), key=lambda x: x.start - x.end)
        whole = Span(document.source, 0, len(document.source.text))
        selection: Json = {"range": range_of(whole)}
        for span in spans:
            selection = {"range": range_of(span), "parent": selection}
        result.append(selection)
    return result


def _enclosing_nodes(node: Node, offset: int) -> Iterator[Node]:
    return (value for _, value in path_to(node, offset))
