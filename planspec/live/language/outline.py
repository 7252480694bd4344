"""Outline, folding ranges and selection ranges of documents."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.workspace.document import Document
from planspec.dsl.yaml.comments import comments
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence
from planspec.live.language.analysis import path_to
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.positions import position_of, range_of
from planspec.live.language.shapes import Json

KINDS = {
    "types": 10, "tables": 23, "plan": 23, "given": 13, "define": 12, "constraints": 25, "scope": 19, "cases": 24,
    "turns": 24, "tools": 6, "shows": 8, "shapes": 12, "settings": 14, "columns": 8, "": 20,
}  # fmt: skip
"""Symbol kinds of the protocol (enum, struct, variable, function, operator, array, event, ...) by section."""
NESTED = ("plan", "tables", "environment", "tools", "shows", "shapes", "settings")
"""Sections whose entries have nested entries in the outline."""
DETAILS = ("hard", "soft", "is", "query", "from", "answer")
LONGEST = 60


def outline(desk: EditorDesk, document: OpenDocument) -> list[Json]:
    """Return the sections of a document with their named entries."""
    analysis = desk.analysis(document)
    return [] if analysis is None else list(_sections(analysis.document))


def _sections(document: Document) -> Iterator[Json]:
    for key, node in document.root.entries:
        below = [] if key.text == "meta" else list(_entries(key.text, node))
        yield _symbol(key, node, 3 if below else 15, _summary(node), below)


def _entries(section: str, node: Node) -> Iterator[Json]:
    kind = KINDS.get(section, KINDS[""])
    match node:
        case Mapping(entries=entries) if section in KINDS or section == "environment":
            for key, inner in entries:
                nested = section in NESTED and isinstance(inner, Mapping)
                name = "columns" if section in ("plan", "tables") else key.text
                below = (
                    list(_entries(name, inner))
                    if nested and (name in KINDS or section == "environment")
                    else []
                )
                yield _symbol(key, inner, kind, _summary(inner), below)
        case Sequence(items=items) if section == "turns":
            for number, item in enumerate(items, 1):
                word = Scalar(item.span.first_line, f"turn {number}", "plain", item.span.first_line)
                below = [x for key, inner in _pairs(item) for x in _entries(key.text, inner)]
                yield _symbol(word, item, kind, _summary(item), below)


def _symbol(key: Scalar, node: Node, kind: int, detail: str, below: list[Json]) -> Json:
    span = key.span.to(node.span)
    symbol: Json = {
        "name": key.text or "?", "kind": kind, "range": range_of(span), "selectionRange": range_of(key.span),
    }  # fmt: skip
    if detail:
        symbol["detail"] = detail
    if below:
        symbol["children"] = below
    return symbol


def _summary(node: Node) -> str:
    """Return the first words of a value, or of the most telling part of a mapping."""
    match node:
        case Scalar(text=text):
            flat = " ".join(text.split())
            return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 3]}..."
        case Mapping(entries=entries):
            value = next((value for key, value in entries if key.text in DETAILS), None)
            return _summary(value) if isinstance(value, Scalar) else ""
        case Sequence():
            return ""


def _pairs(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


def folds(desk: EditorDesk, document: OpenDocument) -> list[Json]:
    """Return the foldable ranges of lines: values below their keys, and comments of several lines."""
    analysis = desk.analysis(document)
    if analysis is None:
        return []
    root = analysis.document.root
    kinds = dict.fromkeys(_folded(root), "region")
    source = analysis.source
    start, last = -1, -2
    for comment in comments(source.text, root):
        line = position_of(source, comment.start)["line"]
        if comment.behind:
            continue
        if line != last + 1:
            start = line
        last = line
        if last > start:
            kinds = {
                lines: kind for lines, kind in kinds.items() if not (kind == "comment" and lines[0] == start)
            }
            kinds[start, last] = "comment"
    return [{"startLine": a, "endLine": b, "kind": kind} for (a, b), kind in sorted(kinds.items())]


def _folded(node: Node) -> Iterator[tuple[int, int]]:
    match node:
        case Mapping(entries=entries):
            for key, value in entries:
                yield from _lines(key.span.to(value.span))
                yield from _folded(value)
        case Sequence(items=items):
            for item in items:
                if not isinstance(item, Scalar):
                    yield from _lines(item.span)
                yield from _folded(item)


def _lines(span: Span) -> Iterator[tuple[int, int]]:
    first, last = position_of(span.source, span.start)["line"], position_of(span.source, span.end)["line"]
    if last > first:
        yield first, last


def selections(desk: EditorDesk, document: OpenDocument, offsets: list[int]) -> list[Json]:
    """Return for each offset the enclosing parts of the text, from the smallest to the whole document."""
    analysis = desk.analysis(document)
    selections_: list[Json] = []
    for offset in offsets:
        spans = [] if analysis is None else [analysis.document.root.span]
        if analysis is not None:
            spans += (node.span for node in _around(analysis.document.root, offset))
            inside = {
                (x.span.start, x.span.end): x.span
                for x in analysis.sightings
                if x.span.start <= offset <= x.span.end
            }
            spans += sorted(inside.values(), key=lambda x: x.start - x.end)
        whole = Span(document.source, 0, len(document.source.text))
        selection: Json = {"range": range_of(whole)}
        for span in spans:
            selection = {"range": range_of(span), "parent": selection}
        selections_.append(selection)
    return selections_


def _around(node: Node, offset: int) -> Iterator[Node]:
    return (value for _, value in path_to(node, offset))
