"""Context of the cursor: the part of the document, the word at the cursor, and the variables in scope.

A text that is being typed is rarely valid. Therefore a marker word is inserted at the cursor, and repairs around it are
tried until the text is valid. Completions are derived from the checker's result for the marker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.structure.document import document as read_document
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser_table import StartSymbol
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, compose, expression_span
from planspec.live.language.analysis import Analysis, path_to
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.lexemes import lexemes
from planspec.live.language.places import ENTRIES, DocumentPart, document_part
from planspec.live.language.recording import ExpressionCheck

MARKER = "zzCURSORzz"
"""Marker word inserted at the cursor."""
WORD = re.compile(r"[\w@-]*\Z")
NAME = re.compile(r"\w*\Z")
CLOSERS = {"(": ")", "[": "]", "{": "}"}
SLOTS: dict[str, StartSymbol] = {
    "expression": "expression",
    "weight": "expression",
    "objectives": "expression",
    "expressions": "expression",
    "binder": "binder",
    "binders": "binder",
    "domain": "domain",
    "type": "column",
}
"""Start symbol of the grammar for a value, by kind of value. Values of other kinds are not expressions."""


@dataclass(frozen=True, slots=True, eq=False)
class Cursor:
    """The context of a cursor.

    Attributes:
        kind: kind of the document, such as `task`; empty if its first line names none.
        part: part of the document in which the word is a key or belongs to the value.
        path: keys that lead to the part.
        is_key: whether the word is, or may become, a key of the part.
        is_value: whether the word is the part's value or belongs to it.
        siblings: other keys of the part; empty if the word is not a key.
        start: offset of the word's first character.
        content: offset at which the enclosing value begins.
        analysis: analysis of the repaired text or, without one, of the last valid text; None if there is neither.
        check: the checker's result for the marker, if it is a name in an expression.
        owner: the checker's result for the expression before the dot, if the marker is an attribute.
        dotted: syntax tree of the whole attribute `owner.marker`, if the marker is an attribute.
    """

    kind: str
    part: DocumentPart | None
    path: tuple[str, ...]
    is_key: bool
    is_value: bool
    siblings: frozenset[str]
    start: int
    content: int
    analysis: Analysis | None
    check: ExpressionCheck | None = None
    owner: ExpressionCheck | None = None
    dotted: s.Attribute | None = None


def cursor_at(editor: EditorState, document: OpenDocument, offset: int) -> Cursor | None:
    """Return the context of an offset; None if the text cannot be repaired to valid YAML."""
    text = document.source.text
    best: Cursor | None = None
    for repaired in _repair_candidates(text, offset):
        source = Source(document.path.name, repaired)
        report = Report()
        root = compose(source, report)
        if root is None:
            continue
        cursor = _make_cursor(editor, document, source, root, offset)
        if cursor is None:
            continue
        if cursor.check is not None or cursor.dotted is not None or not _is_in_expression(cursor):
            return cursor
        best = best or cursor
    return best


def _is_in_expression(cursor: Cursor) -> bool:
    return cursor.is_value and cursor.part is not None and cursor.part.scalar_kind in SLOTS


def _repair_candidates(text: str, offset: int) -> Iterator[str]:
    """Yield repaired texts with the marker at an offset, most likely ones first."""
    before, after = text[:offset], text[offset:]
    rest, newline, below = after.partition("\n")
    word = re.match(r"\w*", rest)
    assert word is not None
    rest_of_line = rest[word.end() :]
    brackets = _missing_brackets(before)
    yield f"{before}{MARKER}{rest_of_line}{newline}{below}"
    if brackets:
        yield f"{before}{MARKER}{brackets}{newline}{below}"
        yield f"{before}{MARKER}{brackets}{rest_of_line.lstrip(')]')}{newline}{below}"
    yield f"{before}{MARKER}{newline}{below}"
    yield f"{before}{MARKER}:{newline}{below}"
    yield f"{before}{MARKER}: {rest_of_line}{newline}{below}"
    yield f"{before}{MARKER}{brackets}\n"
    yield f"{before}{MARKER}:\n"


def _missing_brackets(before: str) -> str:
    """Return the closing brackets missing at the end of a text."""
    start = before.rfind("\n\n") + 1
    depth: list[str] = []
    for lexeme in lexemes(before, max(start, len(before) - 4000)):
        if lexeme.kind == "punctuation" and lexeme.text in CLOSERS:
            depth.append(CLOSERS[lexeme.text])
        elif depth and lexeme.text == depth[-1]:
            depth.pop()
    return "".join(reversed(depth))


def _make_cursor(editor: EditorState, document: OpenDocument, source: Source, root: Node, offset: int) -> Cursor | None:
    path_nodes = list(path_to(root, offset))
    if not path_nodes:
        return None
    node = path_nodes[-1][1]
    key = path_nodes[-1][0]
    keys = [k for k, _ in path_nodes if k is not None]
    kind = _document_kind(root)
    if key is not None and key.span.start <= offset <= key.span.end and MARKER in key.text:
        path = tuple(k.text for k in keys[:-1])
        around = path_nodes[-2][1] if len(path_nodes) > 1 else root
        siblings = _existing_keys(around)
        start = offset - len(_match_before(WORD, source.text, offset))
        return Cursor(
            kind,
            document_part(kind, path),
            path,
            True,
            False,
            siblings,
            max(start, key.span.start),
            start,
            _analyse(editor, document, source),
        )
    if not isinstance(node, Scalar) or MARKER not in node.span.text:
        return None
    path = tuple(k.text for k in keys)
    part = document_part(kind, path)
    content = expression_span(node).start
    analysis = _analyse(editor, document, source)
    slot = SLOTS.get(part.scalar_kind) if part is not None else None
    pattern = NAME if slot is not None else WORD
    start = offset - len(_match_before(pattern, source.text, offset))
    alone = node.text == source.text[start : offset + len(MARKER)].strip()
    may_be_key = part is not None and alone and (bool(part.keys) or part.holds in ENTRIES)
    check, dotted, owner = _find_marker_check(analysis, offset) if analysis is not None else (None, None, None)
    return Cursor(kind, part, path, may_be_key, True, frozenset(), start, content, analysis, check, owner, dotted)


def _analyse(editor: EditorState, document: OpenDocument, source: Source) -> Analysis | None:
    parsed = read_document(source, document.path, Report())
    return document.last_valid_analysis if parsed is None else Analysis(parsed, editor.workspace)


def _find_marker_check(
    analysis: Analysis, offset: int
) -> tuple[ExpressionCheck | None, s.Attribute | None, ExpressionCheck | None]:
    """Return the values of `Cursor.check`, `Cursor.dotted` and `Cursor.owner` at an offset."""
    name: ExpressionCheck | None = None
    for check in analysis.checks:
        tree = check.tree
        if isinstance(tree, s.Name) and MARKER in tree.name and tree.span.start <= offset <= tree.span.end:
            name = name if name is not None and name.expected is not None else check
        elif isinstance(tree, s.Attribute) and MARKER in tree.name and tree.name_span.start <= offset:
            owner = analysis.best_check(tree.value)
            return check, tree, owner
    return name, None, None


def _match_before(pattern: re.Pattern[str], text: str, offset: int) -> str:
    match = pattern.search(text, max(0, offset - 200), offset)
    return "" if match is None else match[0]


def _existing_keys(node: Node) -> frozenset[str]:
    return (
        frozenset(key.text for key, _ in node.entries if MARKER not in key.text)
        if isinstance(node, Mapping)
        else frozenset()
    )


def _document_kind(root: Node) -> str:
    if not isinstance(root, Mapping) or not root.entries or root.entries[0][0].text != "planspec":
        return ""
    version = root.entries[0][1]
    return version.text.partition("/")[0] if isinstance(version, Scalar) else ""
