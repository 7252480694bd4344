"""Excerpts of a source with marks under its lines, laid out in fixed-width cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from planspec.dsl.diagnostics.source import Source, Span

MAX_LINE_CHARACTERS = 140
"""The maximum number of shown characters of a line. A longer line is cut to a part around the marks."""
CONTEXT_BEFORE = 40
"""The number of characters shown before the first mark on a line that is cut."""
TAB = "    "
SPACES = " \t"
UNPRINTABLE = set(
    "\x85\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""Characters that break or reorder a line or are invisible; they are shown by their code point."""

MarkKind = Literal["primary", "secondary", "blank"]


@dataclass(frozen=True, slots=True)
class Mark:
    """An underlined span of text with a remark."""

    span: Span
    text: str
    primary: bool

    @property
    def lines(self) -> tuple[int, ...]:
        """The numbers of the first and last lines; a single number if the mark is on one line."""
        first = self.span.line
        last = self.span.source.position(max(self.span.start, self.span.end - 1))[0]
        return (first,) if first == last else (first, last)


@dataclass(frozen=True, slots=True)
class ExcerptRow:
    """A row of an excerpt: a source line, a row of marks below a line, or a gap.

    Attributes:
        number: number of the source line; `None` for a row of marks or a gap.
        text: the row as it is shown.
        runs: `text` in pieces, each a kind of mark and the consecutive characters with that mark.
        skipped: whether the row stands for source lines that are left out.
    """

    number: int | None
    text: str
    runs: tuple[tuple[MarkKind, str], ...] = ()
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class _Underline:
    """The part of a mark on one line of the excerpt; columns are character cells of a terminal."""

    start: int
    end: int
    text: str
    primary: bool


def excerpt_rows(source: Source, marks: Sequence[Mark]) -> list[ExcerptRow]:
    """Return the marked lines with their underlines and remarks, and any single line between two of them."""
    rows: list[ExcerptRow] = []
    shown: int | None = None
    for number in sorted({line for mark in marks for line in mark.lines}):
        if shown is not None and number == shown + 2:
            rows.append(_source_row(source, number - 1, ()))
        elif shown is not None and number > shown + 2:
            rows.append(ExcerptRow(None, "...", skipped=True))
        line_marks = [mark for mark in marks if number in mark.lines]
        rows.append(_source_row(source, number, line_marks))
        rows.extend(
            _mark_rows([_underline(source, number, mark, _window(source, number, line_marks)) for mark in line_marks])
        )
        shown = number
    return rows


def _extent(source: Source, number: int, mark: Mark) -> tuple[int, int]:
    """Return the first column of a mark on a line, and the column after its last one, counted from 0.

    If a mark covers several lines, blanks at the ends of the lines are left out.
    """
    line = source.line_text(number)
    begin = source.line_start(number)
    start = mark.span.start - begin
    end = mark.span.end - begin
    if start < 0:
        start = len(line) - len(line.lstrip(SPACES))
    if end > len(line) and number != mark.lines[-1]:
        end = max(start, len(line.rstrip(SPACES)))
    start = min(start, len(line))
    return start, max(start + 1, min(end, len(line)))


def _window(source: Source, number: int, marks: Sequence[Mark]) -> tuple[int, int]:
    """Return the range of a line's columns that is shown: the first one, and the one after the last."""
    length = len(source.line_text(number))
    if length <= MAX_LINE_CHARACTERS:
        return 0, length
    extents = sorted((not mark.primary, *_extent(source, number, mark)) for mark in marks)
    start = min((start for _, start, _ in extents), default=0)
    if extents and max(start for _, start, _ in extents) - start > MAX_LINE_CHARACTERS - CONTEXT_BEFORE:
        start = extents[0][1]  # the marks do not all fit, so the primary one is shown
    first = max(0, min(start - CONTEXT_BEFORE, length - MAX_LINE_CHARACTERS))
    return first, min(length, first + MAX_LINE_CHARACTERS)


def _source_row(source: Source, number: int, marks: Sequence[Mark]) -> ExcerptRow:
    line = source.line_text(number)
    first, last = _window(source, number, marks)
    shown = "".join(map(_visible_character, line[first:last].rstrip(SPACES) if last == len(line) else line[first:last]))
    return ExcerptRow(number, ("..." if first else "") + shown + ("..." if last < len(line) else ""))


def _underline(source: Source, number: int, mark: Mark, window: tuple[int, int]) -> _Underline:
    line = source.line_text(number)
    first, last = window
    start, end = _extent(source, number, mark)
    before = 3 if first else 0
    cells = before + sum(_width(char) for char in line[first : min(max(start, first), last)])
    width = sum(_width(char) for char in line[max(start, first) : min(end, last)])
    text = mark.text if number == mark.lines[-1] else ""
    return _Underline(cells, cells + max(width, 1), text, mark.primary)


def _mark_rows(underlines: Sequence[_Underline]) -> Iterator[ExcerptRow]:
    """Yield the rows below a line: all underlines with the rightmost remark, then each further remark, right to left."""
    length = max(u.end for u in underlines)
    row = _Canvas(length)
    for u in sorted(underlines, key=lambda u: u.primary):
        row.put(u.start, ("^" if u.primary else "-") * (u.end - u.start), u.primary)
    texts = sorted((u for u in underlines if u.text), key=lambda u: (u.start, u.end, u.primary))
    last = max((u for u in texts if u.end == length), key=lambda u: (u.primary, u.start), default=None)
    if last is not None:
        row.put(length + 1, visible(last.text), last.primary)
        texts.remove(last)
    yield row.row()
    while texts:
        u = texts.pop()
        row = _Canvas(u.start)
        for other in texts:
            if other.start < u.start:
                row.put(other.start, "|", other.primary)
        row.put(u.start, visible(u.text), u.primary)
        yield row.row()


class _Canvas:
    """A row of terminal cells into which text is written."""

    def __init__(self, length: int) -> None:
        self.cells: list[tuple[MarkKind, str]] = [("blank", " ")] * length

    def put(self, at: int, text: str, primary: bool) -> None:
        """Write `text` into the cells from index `at` on."""
        self.cells.extend([("blank", " ")] * (at + len(text) - len(self.cells)))
        for i, char in enumerate(text):
            self.cells[at + i] = ("primary" if primary else "secondary", char)

    def row(self) -> ExcerptRow:
        """Return the current row."""
        runs = tuple(
            (kind, "".join(char for _, char in cells)) for kind, cells in groupby(self.cells, key=lambda cell: cell[0])
        )
        return ExcerptRow(None, "".join(text for _, text in runs), runs)


def visible(text: str) -> str:
    """Return a string on one line, without characters that move a terminal's cursor or change the text's direction."""
    return (
        "".join(map(_visible_character, " ".join(text.split())))
        if not (text.isascii() and text.isprintable())
        else text
    )


def _visible_character(char: str) -> str:
    """Return a character as shown; control characters are replaced."""
    if " " <= char <= "~":
        return char
    if char == "\t":
        return TAB
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    if char in UNPRINTABLE or unicodedata.category(char) in ("Cc", "Cs"):
        return f"<U+{ord(char):04X}>"
    return char


def _width(char: str) -> int:
    """Return the number of cells that a character takes."""
    if " " <= char <= "~":
        return 1
    shown = _visible_character(char)
    if shown != char:
        return len(shown)
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
