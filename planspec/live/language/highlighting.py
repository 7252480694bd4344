"""Semantic tokens: the kind of each word of a document, for highlighting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS, TYPE_WORDS, Names
from planspec.dsl.diagnostics.source import Span
from planspec.live.language.analysis import Analysis
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.lexemes import Lexeme, lexemes
from planspec.live.language.positions import position_of, utf16_length
from planspec.live.language.shapes import Json
from planspec.live.language.symbols import Occurrence, Symbol

TYPES = (
    "keyword",
    "number",
    "string",
    "operator",
    "variable",
    "parameter",
    "property",
    "function",
    "type",
    "enum",
    "enumMember",
    "struct",
)
"""Token types. In the protocol, a type is encoded as its index."""
MODIFIERS = ("declaration", "readonly", "defaultLibrary")
LEXEMES = {
    "keyword": "keyword",
    "constant": "keyword",
    "number": "number",
    "string": "string",
    "operator": "operator",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its token type.

    Attributes:
        type: one of `TYPES`.
        modifiers: bit set of indices in `MODIFIERS`.
    """

    span: Span
    type: str
    modifiers: int = 0


def semantic_tokens(editor: EditorState, document: OpenDocument, within: Span | None = None) -> Json:
    """Return the tokens of a document, or those within a span, in the protocol's encoding."""
    analysis = editor.analysis(document)
    data: list[int] = []
    line = character = 0
    for token in () if analysis is None else classify_words(analysis):
        span = token.span
        if within is not None and (span.end <= within.start or span.start >= within.end):
            continue
        at = position_of(span.source, span.start)
        by_line = at["line"] - line
        by_character = at["character"] - (0 if by_line else character)
        data += (by_line, by_character, utf16_length(span.text), TYPES.index(token.type), token.modifiers)
        line, character = at["line"], at["character"]
    return {"data": data}


def classify_words(analysis: Analysis) -> Iterator[Token]:
    """Yield a token for each name and each word of an expression, in text order."""
    mentioned = {x.span.start: x for x in analysis.occurrences}
    covered = -1
    slices = iter([*analysis.slices, Span(analysis.source, len(analysis.source.text), len(analysis.source.text))])
    pending = list(analysis.occurrences)
    at = 0
    for slice_ in slices:
        while at < len(pending) and pending[at].span.start < slice_.start:
            occurrence = pending[at]
            at += 1
            if occurrence.span.start >= covered and "\n" not in occurrence.span.text:
                yield _occurrence_token(analysis.names, occurrence)
                covered = occurrence.span.end
        for lexeme in lexemes(analysis.source.text, max(slice_.start, covered), slice_.end):
            token = _lexeme_token(analysis, lexeme, mentioned.get(lexeme.start))
            if token is not None:
                yield token
                covered = token.span.end
        while at < len(pending) and pending[at].span.start < slice_.end:
            at += 1


def _lexeme_token(analysis: Analysis, lexeme: Lexeme, occurrence: Occurrence | None) -> Token | None:
    span = Span(analysis.source, lexeme.start, lexeme.end)
    if occurrence is not None and occurrence.span.end == lexeme.end:
        return _occurrence_token(analysis.names, occurrence)
    if lexeme.kind != "name":
        kind = LEXEMES.get(lexeme.kind)
        return None if kind is None else Token(span, kind)
    if lexeme.text in SCALARS:
        return Token(span, "type", 4)
    if lexeme.text in BUILTINS:
        return Token(span, "function", 4)
    if lexeme.text in (*TYPE_WORDS, "step", "desc"):
        return Token(span, "keyword")
    return Token(span, "variable")


def _occurrence_token(names: Names, occurrence: Occurrence) -> Token:
    type_, modifiers = _token_type(names, occurrence.symbol)
    return Token(occurrence.span, type_, modifiers | occurrence.declares)


def _token_type(names: Names, symbol: Symbol) -> tuple[str, int]:
    """Return a word's token type, one of `TYPES`, and its modifiers, a bit set of indices in `MODIFIERS`."""
    match symbol.kind:
        case "builtin":
            return "function", 4
        case "column":
            return "property", 0
        case "member":
            return "enumMember", 2
        case "row":
            return "enumMember", 2
        case "variable":
            return "parameter", 0
        case "name" if symbol.name in names.tables:
            return "struct", 0
        case "name" if symbol.name in names.enums:
            return "enum", 0
        case "name" if symbol.name in names.definitions:
            function = names.definitions[symbol.name].signature.params is not None
            return "function" if function else "variable", 0
        case "name":
            return "variable", 2
        case _:
            return "function" if symbol.kind in ("constraint", "tool", "shape") else "variable", 0
