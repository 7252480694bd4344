"""Context of the cursor: the part of the document, the current word, and the variables in scope.

A text that is being typed is rarely valid. A marker word is inserted at the cursor, and the text is repaired
around it until YAML and the grammar accept it; completions are what the checker learns about the marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser_table import StartSymbol
from planspec.dsl.workspace.document import document as read_document
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, compose, expression_span
from planspec.live.language.analysis import Analysis, path_to
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.lexemes import lexemes
from planspec.live.language.places import ENTRIES, Place, place_of
from planspec.live.language.recording import ExpressionSighting

MARK = "zzCURSORzz"
"""Marker word inserted at the cursor."""
WORD = re.compile(r"[\w@-]*\Z")
NAME = re.compile(r"\w*\Z")
CLOSERS = {"(": ")", "[": "]", "{": "}"}
SLOTS: dict[str, StartSymbol] = {
    "expression": "expression", "weight": "expression", "objectives": "expression", "expressions": "expression",
    "binder": "binder", "binders": "binder", "domain": "domain", "type": "column",
}  # fmt: skip
"""Start symbol of the grammar for each kind of place."""


@dataclass(frozen=True, slots=True, eq=False)
class Cursor:
    """The context of a cursor.

    Attributes:
        kind: kind of the document; empty if its first line names none.
        place: part of the document in which the word is a key, or whose value it is.
        path: keys that lead to the place.
        is_key: whether the word is a key of the place, or may become one.
        is_value: whether the word is the place's value or part of it.
        siblings: existing keys.
        start: offset of the word's first character.
        content: offset at which the enclosing value begins.
        analysis: analysis of the repaired text; if no repair helped, of the last valid text, or None.
        seen: the checked marker, if it is a name in an expression.
        owner: the checked expression before the dot.
    """

    kind: str
    place: Place | None
    path: tuple[str, ...]
    is_key: bool
    is_value: bool
    siblings: frozenset[str]
    start: int
    content: int
    analysis: Analysis | None
    seen: ExpressionSighting | None = None
    owner: ExpressionSighting | None = None
    dotted: s.Attribute | None = None


def cursor_at(desk: EditorDesk, document: OpenDocument, offset: int) -> Cursor | None:
    """Return the context of an offset, or None if no repair makes the text valid YAML."""
    text = document.source.text
    best: Cursor | None = None
    for repaired in _repaired(text, offset):
        source = Source(document.path.name, repaired)
        report = Report()
        root = compose(source, report)
        if root is None:
            continue
        cursor = _context(desk, document, source, root, offset)
        if cursor is None:
            continue
        if cursor.seen is not None or cursor.dotted is not None or not _is_slice(cursor):
            return cursor
        best = best or cursor
    return best


def _is_slice(cursor: Cursor) -> bool:
    return cursor.is_value and cursor.place is not None and cursor.place.short in SLOTS


def _repaired(text: str, offset: int) -> Iterator[str]:
    """Yield texts with the marker at an offset, likeliest first."""
    before, after = text[:offset], text[offset:]
    rest, newline, below = after.partition("\n")
    word = re.match(r"\w*", rest)
    assert word is not None
    behind = rest[word.end() :]
    closing = _closing(before)
    yield f"{before}{MARK}{behind}{newline}{below}"
    if closing:
        yield f"{before}{MARK}{closing}{newline}{below}"
        yield f"{before}{MARK}{closing}{behind.lstrip(')]')}{newline}{below}"
    yield f"{before}{MARK}{newline}{below}"
    yield f"{before}{MARK}:{newline}{below}"
    yield f"{before}{MARK}: {behind}{newline}{below}"
    yield f"{before}{MARK}{closing}\n"
    yield f"{before}{MARK}:\n"


def _closing(before: str) -> str:
    """Return the closing brackets that the end of a text lacks."""
    start = before.rfind("\n\n") + 1
    depth: list[str] = []
    for lexeme in lexemes(before, max(start, len(before) - 4000)):
        if lexeme.kind == "punctuation" and lexeme.text in CLOSERS:
            depth.append(CLOSERS[lexeme.text])
        elif depth and lexeme.text == depth[-1]:
            depth.pop()
    return "".join(reversed(depth))


def _context(
    desk: EditorDesk, document: OpenDocument, source: Source, root: Node, offset: int
) -> Cursor | None:
    way = list(path_to(root, offset))
    if not way:
        return None
    node = way[-1][1]
    key = way[-1][0]
    keys = [k for k, _ in way if k is not None]
    kind = _kind(root)
    if key is not None and key.span.start <= offset <= key.span.end and MARK in key.text:
        path = tuple(k.text for k in keys[:-1])
        around = way[-2][1] if len(way) > 1 else root
        siblings = _siblings(around)
        start = offset - len(_tail(WORD, source.text, offset))
        return Cursor(
            kind, place_of(kind, path), path, True, False, siblings, max(start, key.span.start), start,
            _analysis(desk, document, source),
        )  # fmt: skip
    if not isinstance(node, Scalar) or MARK not in node.span.text:
        return None
    path = tuple(k.text for k in keys)
    place = place_of(kind, path)
    content = expression_span(node).start
    analysis = _analysis(desk, document, source)
    slot = SLOTS.get(place.short) if place is not None else None
    pattern = NAME if slot is not None else WORD
    start = offset - len(_tail(pattern, source.text, offset))
    alone = node.text == source.text[start : offset + len(MARK)].strip()
    may_be_key = place is not None and alone and (bool(place.keys) or place.holds in ENTRIES)
    seen, dotted, owner = _seen(analysis, offset) if analysis is not None else (None, None, None)
    return Cursor(
        kind, place, path, may_be_key, True, frozenset(), start, content, analysis, seen, owner, dotted
    )


def _analysis(desk: EditorDesk, document: OpenDocument, source: Source) -> Analysis | None:
    parsed = read_document(source, document.path, Report())
    return document.sound if parsed is None else Analysis(parsed, desk.workspace)


def _seen(
    analysis: Analysis, offset: int
) -> tuple[ExpressionSighting | None, s.Attribute | None, ExpressionSighting | None]:
    """Return the checked marker: as a name, or as an attribute with the expression before its dot."""
    name: ExpressionSighting | None = None
    for seen in analysis.sightings:
        tree = seen.tree
        if isinstance(tree, s.Name) and MARK in tree.name and tree.span.start <= offset <= tree.span.end:
            name = name if name is not None and name.expected is not None else seen
        elif isinstance(tree, s.Attribute) and MARK in tree.name and tree.name_span.start <= offset:
            owner = analysis.sighting_of(tree.value)
            return seen, tree, owner
    return name, None, None


def _tail(pattern: re.Pattern[str], text: str, offset: int) -> str:
    match = pattern.search(text, max(0, offset - 200), offset)
    return "" if match is None else match[0]


def _siblings(node: Node) -> frozenset[str]:
    return (
        frozenset(key.text for key, _ in node.entries if MARK not in key.text)
        if isinstance(node, Mapping)
        else frozenset()
    )


def _kind(root: Node) -> str:
    if not isinstance(root, Mapping) or not root.entries or root.entries[0][0].text != "planspec":
        return ""
    version = root.entries[0][1]
    return version.text.partition("/")[0] if isinstance(version, Scalar) else ""
