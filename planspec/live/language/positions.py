"""Conversion between offsets in a source and positions of the protocol (line from 0, UTF-16 code unit)."""

from __future__ import annotations

from planspec.dsl.diagnostics.source import Source, Span
from planspec.live.language.shapes import Position, Range, TextEdit

START: Position = {"line": 0, "character": 0}


def offset_of(source: Source, position: Position) -> int:
    """Return the offset of a position. A position outside the text gives the nearest offset."""
    line = position["line"] + 1 - source.first_line
    if line < 0:
        return 0
    if line >= len(source.line_starts):
        return len(source.text)
    start = source.line_starts[line]
    text = source.line_text(line + source.first_line)
    units = position["character"]
    if units >= len(text) and text.isascii():
        return start + len(text)
    if text.isascii():
        return start + max(units, 0)
    at = 0
    for char in text:
        if units <= 0:
            break
        units -= 2 if ord(char) > 0xFFFF else 1
        at += 1
    return start + at


def position_of(source: Source, offset: int) -> Position:
    """Return the position of an offset."""
    line, column = source.position(min(max(offset, 0), len(source.text)))
    start = source.line_start(line)
    return {"line": line - 1, "character": utf16_length(source.text[start : start + column - 1])}


def utf16_length(text: str) -> int:
    """Return the length of a string in UTF-16 code units."""
    return len(text) if text.isascii() else len(text) + sum(ord(char) > 0xFFFF for char in text)


def range_of(span: Span) -> Range:
    """Return the range of a span."""
    return {"start": position_of(span.source, span.start), "end": position_of(span.source, span.end)}


def span_of(source: Source, range_: Range) -> Span:
    """Return the span of a range."""
    start, end = offset_of(source, range_["start"]), offset_of(source, range_["end"])
    return Span(source, min(start, end), max(start, end))


def apply_edits(source: Source, edits: list[TextEdit]) -> str:
    """Return the text of a source after edits, which must not overlap."""
    text = source.text
    spans = sorted(((span_of(source, edit["range"]), edit["newText"]) for edit in edits), key=lambda x: -x[0].start)
    for span, new in spans:
        text = text[: span.start] + new + text[span.end :]
    return text
