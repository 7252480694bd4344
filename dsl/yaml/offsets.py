"""Offsets of the characters of a decoded YAML scalar, found by decoding its raw text again."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import assert_never

from planspec.dsl.yaml.nodes import Style

ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
DOUBLE = re.compile(
    r"""(?P<run>[^\\\n \t]+)
    | (?P<breaks>[ \t]*\n[ \t\n]*)
    | (?P<blanks>[ \t]+)
    | \\(?P<joined>\n[ \t\n]*)
    | \\(?:x(?P<x>[0-9A-Fa-f]{2}) | u(?P<u>[0-9A-Fa-f]{4}) | U(?P<U>[0-9A-Fa-f]{8}))
    | \\(?P<escape>.)
    """,
    re.VERBOSE,
)

Piece = tuple[str, int]
"""A decoded text and the offset of its first character. The text is copied from the file, or is a decoded escape."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A mapping from positions in a decoded text to offsets in the raw text.

    Attributes:
        starts: index in the decoded text at which each piece begins, ascending.
        places: offset in the raw text at which each piece begins.
        end: offset in the raw text after the last character.
        length: number of decoded characters.
    """

    starts: tuple[int, ...]
    places: tuple[int, ...]
    end: int
    length: int

    def offset(self, index: int) -> int:
        """Return the offset in the raw text of the decoded character at `index`; `end` after the last character."""
        if index >= self.length:
            return self.end
        piece = bisect_right(self.starts, index) - 1
        return self.places[piece] + index - self.starts[piece]


def decode(raw: str, text: str, style: Style) -> Decoded | None:
    """Return the offsets in `raw` of the characters of `text`; None if decoding `raw` does not give `text`.

    Args:
        raw: the scalar with its quotes; a block from the line after its header to the end of its last line.
        text: the text that YAML decoded.
        style: style of the scalar.

    Returns:
        Offsets. An escaped character has the offset of its backslash. A folded line break has the offset of its
        first newline.
    """
    if style == "plain" and raw == text:
        return Decoded((0,), (0,), len(raw), len(text))
    pieces, end = _pieces(raw, style)
    decoded = "".join(piece for piece, _ in pieces)
    # `raw` lacks the header, which determines how many newlines at the end of a block belong to its text.
    chomped = style in ("literal", "folded") and decoded.startswith(text) and not decoded[len(text) :].strip("\n")
    if decoded != text and not chomped:
        return None
    starts: list[int] = []
    places: list[int] = []
    length = 0
    for piece, place in pieces:
        if piece:
            starts.append(length)
            places.append(place)
            length += len(piece)
    if length > len(text):
        last = bisect_right(starts, len(text)) - 1
        end = places[last] + len(text) - starts[last]
    return Decoded(tuple(starts), tuple(places), end, len(text))


def _pieces(raw: str, style: Style) -> tuple[list[Piece], int]:
    """Return the decoded pieces of the raw text, and the offset after its last character."""
    match style:
        case "plain":
            return _plain_pieces(raw, 0), len(raw)
        case "single":
            return _single_quoted_pieces(raw), len(raw) - 1
        case "double":
            return _double_quoted_pieces(raw), len(raw) - 1
        case "literal":
            return _block_pieces(raw, folded=False), len(raw)
        case "folded":
            return _block_pieces(raw, folded=True), len(raw)
        case _:
            assert_never(style)


def _plain_pieces(raw: str, start: int) -> list[Piece]:
    """Return the pieces of a text in which line breaks are folded.

    A single line break becomes a space. Of several consecutive line breaks, the first is removed. Blanks around line
    breaks are removed.
    """
    pieces: list[Piece] = []
    lines = raw.split("\n")
    breaks: list[int] = []
    at = start
    for number, line in enumerate(lines):
        inner = line
        place = at
        if number:
            inner = line.lstrip(" \t")
            place += len(line) - len(inner)
        if number < len(lines) - 1:
            inner = inner.rstrip(" \t")
        if breaks and (inner or number == len(lines) - 1):
            pieces.extend(_break_pieces(breaks))
            breaks = []
        pieces.append((inner, place))
        at += len(line) + 1
        breaks.append(at - 1)
    return pieces


def _break_pieces(breaks: list[int]) -> list[Piece]:
    return [(" ", breaks[0])] if len(breaks) == 1 else [("\n", at) for at in breaks[1:]]


def _single_quoted_pieces(raw: str) -> list[Piece]:
    return [
        (match_[0][:1] if match_[0] == "''" else match_[0], place + match_.start())
        for text, place in _plain_pieces(raw[1:-1], 1)
        for match_ in re.finditer("[^']+|''", text)
    ]


def _double_quoted_pieces(raw: str) -> list[Piece]:
    pieces: list[Piece] = []
    for match_ in DOUBLE.finditer(raw, 1, len(raw) - 1):
        at = match_.start()
        match match_.lastgroup:
            case "run" | "blanks":
                pieces.append((match_[0], at))
            case "breaks":
                pieces.extend(_break_pieces([at + i for i, char in enumerate(match_[0]) if char == "\n"]))
            case "joined":
                breaks = [at + 1 + i for i, char in enumerate(match_["joined"]) if char == "\n"]
                pieces.extend(("\n", place) for place in breaks[1:])
            case "x" | "u" | "U" as group:
                code = int(match_[group], 16)
                pieces.append((chr(code) if code <= 0x10FFFF else "\ufffd", at))
            case _:
                pieces.append((ESCAPES.get(match_["escape"], match_["escape"]), at))
    return pieces


def _block_pieces(raw: str, *, folded: bool) -> list[Piece]:
    lines: list[Piece] = []
    at = 0
    for line in raw.split("\n"):
        lines.append((line, at))
        at += len(line) + 1
    widest = max(len(line) for line, _ in lines)
    indent = next((len(line) - len(line.lstrip(" ")) for line, _ in lines if line.strip(" ")), widest)
    inner = [(line[indent:], place + min(indent, len(line))) for line, place in lines]
    if not folded:
        last = len(inner) - 1
        return [(line if i == last else line + "\n", place) for i, (line, place) in enumerate(inner)]
    return _folded_pieces(inner)


def _folded_pieces(lines: list[Piece]) -> list[Piece]:
    """Return the lines of a folded block, joined unless one of them begins with a blank."""
    pieces: list[Piece] = []
    breaks: list[int] = []
    before: str | None = None
    for number, (line, place) in enumerate(lines):
        if line:
            if before is None or before[0] in " \t" or line[0] in " \t":
                pieces.extend(("\n", at) for at in breaks)
            else:
                pieces.extend(_break_pieces(breaks))
            pieces.append((line, place))
            before, breaks = line, []
        if number < len(lines) - 1:
            breaks.append(place + len(line))
    pieces.extend(("\n", at) for at in breaks)
    return pieces
