"""The offset of each character of a decoded YAML scalar: its raw slice decoded again."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import assert_never

from planspec.dsl.yaml.nodes import Style

ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
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
"""A stretch of decoded text and the offset of its first character: copied as it stands, or one character long."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The offsets of a decoded text's characters.

    Attributes:
        starts: the index in the decoded text at which each piece begins, ascending.
        places: the offset in the raw text at which it begins.
        end: the offset behind the last character.
        length: the number of decoded characters.
    """

    starts: tuple[int, ...]
    places: tuple[int, ...]
    end: int
    length: int

    def offset(self, index: int) -> int:
        """The offset of a character; of an index past the last, the end."""
        if index >= self.length:
            return self.end
        piece = bisect_right(self.starts, index) - 1
        return self.places[piece] + index - self.starts[piece]


def decode(raw: str, text: str, style: Style) -> Decoded | None:
    """The offsets in `raw` of the characters of `text`, or None if decoding `raw` does not give just `text`.

    Args:
        raw: the scalar as it stands, with quotes; a block from the line after its header to its last line's end.
        text: what YAML made of it.
        style: how it is written.

    Returns:
        Offsets; of an escape's character that of its backslash, of a folded break that of the first newline.
    """
    if style == "plain" and raw == text:
        return Decoded((0,), (0,), len(raw), len(text))
    pieces, end = _pieces(raw, style)
    made = "".join(piece for piece, _ in pieces)
    # How many newlines end a block's text is the header's business.
    chomped = style in ("literal", "folded") and made.startswith(text) and not made[len(text) :].strip("\n")
    if made != text and not chomped:
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
    """The decoded pieces of the raw text, and the offset behind its last character."""
    match style:
        case "plain":
            return _plain(raw, 0), len(raw)
        case "single":
            return _single(raw), len(raw) - 1
        case "double":
            return _double(raw), len(raw) - 1
        case "literal":
            return _block(raw, folded=False), len(raw)
        case "folded":
            return _block(raw, folded=True), len(raw)
        case _:
            assert_never(style)


def _plain(raw: str, start: int) -> list[Piece]:
    """Folds line breaks: one is a space, of several all but the first stay; spaces around them go."""
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
            pieces.extend(_break(breaks))
            breaks = []
        pieces.append((inner, place))
        at += len(line) + 1
        breaks.append(at - 1)
    return pieces


def _break(breaks: list[int]) -> list[Piece]:
    return [(" ", breaks[0])] if len(breaks) == 1 else [("\n", at) for at in breaks[1:]]


def _single(raw: str) -> list[Piece]:
    return [
        (found[0][:1] if found[0] == "''" else found[0], place + found.start())
        for text, place in _plain(raw[1:-1], 1)
        for found in re.finditer("[^']+|''", text)
    ]


def _double(raw: str) -> list[Piece]:
    pieces: list[Piece] = []
    for found in DOUBLE.finditer(raw, 1, len(raw) - 1):
        at = found.start()
        match found.lastgroup:
            case "run" | "blanks":
                pieces.append((found[0], at))
            case "breaks":
                pieces.extend(_break([at + i for i, char in enumerate(found[0]) if char == "\n"]))
            case "joined":
                breaks = [at + 1 + i for i, char in enumerate(found["joined"]) if char == "\n"]
                pieces.extend(("\n", place) for place in breaks[1:])
            case "x" | "u" | "U" as group:
                code = int(found[group], 16)
                pieces.append((chr(code) if code <= 0x10FFFF else "\ufffd", at))
            case _:
                pieces.append((ESCAPES.get(found["escape"], found["escape"]), at))
    return pieces


def _block(raw: str, *, folded: bool) -> list[Piece]:
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
    return _folded(inner)


def _folded(lines: list[Piece]) -> list[Piece]:
    """Breaks between lines that begin with text fold, as in plain scalars; beside indented lines all breaks stay."""
    pieces: list[Piece] = []
    breaks: list[int] = []
    before: str | None = None
    for number, (line, place) in enumerate(lines):
        if line:
            if before is None or before[0] in " \t" or line[0] in " \t":
                pieces.extend(("\n", at) for at in breaks)
            else:
                pieces.extend(_break(breaks))
            pieces.append((line, place))
            before, breaks = line, []
        if number < len(lines) - 1:
            breaks.append(place + len(line))
    pieces.extend(("\n", at) for at in breaks)
    return pieces
