"""Where an author types: the part of the document, the word so far, and what an expression sees there.

A text that is being typed is seldom one that YAML and the grammar read. A word that nobody writes is put at the cursor, and the
text is mended around it until both read it; what checking then learns of that word is what may be typed there.
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
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.lexemes import lexemes
from planspec.live.language.places import ENTRIES, Place, place_of
from planspec.live.language.recording import Sighting

MARK = "zzCURSORzz"
"""The word that is put at the cursor."""
WORD = re.compile(r"[\w@-]*\Z")
NAME = re.compile(r"\w*\Z")
CLOSERS = {"(": ")", "[": "]", "{": "}"}
SLOTS: dict[str, StartSymbol] = {
    "expression": "expression", "weight": "expression", "objectives": "expression", "expressions": "expression",
    "binder": "binder", "binders": "binder", "domain": "domain", "type": "column",
}  # fmt: skip
"""The grammar's symbol of what stands in a place."""


@dataclass(frozen=True, slots=True, eq=False)
class Cursor:
    """What is known of the place at which an author types.

    Attributes:
        kind: of the document; empty where its first line does not say one.
        place: the part of the document in which the word is a key, or whose value it is.
        path: the keys on the way to it.
        is_key: the word is a key of the place, or may become one.
        is_value: the word is, or is part of, what stands in the place.
        siblings: the keys that are there already.
        start: the offset at which the word begins.
        content: the offset at which the value begins in whose text the cursor is.
        analysis: of the mended text; None where no mending helped, then of the last one that was read.
        seen: the word, as checking met it in an expression.
        owner: what stands before the dot behind which it is.
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
    seen: Sighting | None = None
    owner: Sighting | None = None
    dotted: s.Attribute | None = None


def cursor_at(desk: Desk, document: OpenDocument, offset: int) -> Cursor | None:
    """What is known of a place; None where no mending lets YAML read the text."""
    text = document.source.text
    best: Cursor | None = None
    for mended in _mended(text, offset):
        source = Source(document.path.name, mended)
        report = Report()
        root = compose(source, report)
        if root is None:
            continue
        found = _found(desk, document, source, root, offset)
        if found is None:
            continue
        if found.seen is not None or found.dotted is not None or not _is_slice(found):
            return found
        best = best or found
    return best


def _is_slice(cursor: Cursor) -> bool:
    return cursor.is_value and cursor.place is not None and cursor.place.short in SLOTS


def _mended(text: str, offset: int) -> Iterator[str]:
    """Texts with the mark at a place, the likeliest first."""
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
    """The brackets that are open at the end of a text's last lines, closed."""
    start = before.rfind("\n\n") + 1
    depth: list[str] = []
    for lexeme in lexemes(before, max(start, len(before) - 4000)):
        if lexeme.kind == "punctuation" and lexeme.text in CLOSERS:
            depth.append(CLOSERS[lexeme.text])
        elif depth and lexeme.text == depth[-1]:
            depth.pop()
    return "".join(reversed(depth))


def _found(desk: Desk, document: OpenDocument, source: Source, root: Node, offset: int) -> Cursor | None:
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


def _analysis(desk: Desk, document: OpenDocument, source: Source) -> Analysis | None:
    found = read_document(source, document.path, Report())
    return document.sound if found is None else Analysis(found, desk.workspace)


def _seen(analysis: Analysis, offset: int) -> tuple[Sighting | None, s.Attribute | None, Sighting | None]:
    """The mark as it was checked: as a name, or behind a dot with what stands before that."""
    name: Sighting | None = None
    for seen in analysis.sightings:
        tree = seen.tree
        if isinstance(tree, s.Name) and MARK in tree.name and tree.span.start <= offset <= tree.span.end:
            name = name if name is not None and name.expected is not None else seen
        elif isinstance(tree, s.Attribute) and MARK in tree.name and tree.name_span.start <= offset:
            owner = analysis.sighting_of(tree.value)
            return seen, tree, owner
    return name, None, None


def _tail(pattern: re.Pattern[str], text: str, offset: int) -> str:
    found = pattern.search(text, max(0, offset - 200), offset)
    return "" if found is None else found[0]


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
