"""Where each character of a decoded YAML scalar stands: its raw slice decoded again, with offsets."""

from __future__ import annotations

from functools import lru_cache

ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
HEX = {"x": 2, "u": 4, "U": 8}

Chars = list[tuple[str, int]]


@lru_cache(maxsize=256)
def offsets(raw: str, text: str, style: str) -> list[int] | None:
    """The offset in `raw` of each character of `text`; None unless decoding `raw` gives just `text`."""
    if style == "plain" and raw == text:
        return list(range(len(raw)))
    match style:
        case "plain":
            made = _folded_flow(list(zip(raw, range(len(raw)), strict=True)))
        case "single":
            made = _folded_flow(_single(raw))
        case "double":
            made = _double(raw)
        case "literal":
            made = _literal(raw)
        case _:
            made = _folded(raw)
    decoded = "".join(char for char, _ in made)
    # block scalars: how many newlines end the text is the header's business
    if style in ("literal", "folded"):
        if decoded.rstrip("\n") != text.rstrip("\n"):
            return None
        made = made[: len(decoded.rstrip("\n"))]
        end = made[-1][1] + 1 if made else 0
        return [at for _, at in made] + [end] * (len(text) - len(made))
    return [at for _, at in made] if decoded == text else None


def _single(raw: str) -> Chars:
    made: Chars = []
    at = 1
    while at < len(raw) - 1:
        made.append((raw[at], at))
        at += 2 if raw[at : at + 2] == "''" else 1
    return made


def _folded_flow(chars: Chars) -> Chars:
    """Line folding of plain and single-quoted scalars: a break is a space, further breaks stay."""
    made: Chars = []
    i = 0
    while i < len(chars):
        char, at = chars[i]
        if char != "\n":
            made.append((char, at))
            i += 1
            continue
        while made and made[-1][0] in " \t":
            made.pop()
        breaks = []
        while i < len(chars) and chars[i][0] in " \t\n":
            if chars[i][0] == "\n":
                breaks.append(chars[i][1])
            i += 1
        made.extend([(" ", breaks[0])] if len(breaks) == 1 else [("\n", b) for b in breaks[1:]])
    return made


def _double(raw: str) -> Chars:
    made: Chars = []
    kept = 0  # characters that trailing-space trimming may not take: they were escaped
    at = 1
    end = len(raw) - 1
    while at < end:
        char = raw[at]
        if char == "\\" and at + 1 < end:
            code = raw[at + 1]
            if code == "\n":
                at += 2
                while at < end and raw[at] in " \t":
                    at += 1
            elif code in HEX:
                made.append((chr(int(raw[at + 2 : at + 2 + HEX[code]], 16)), at))
                at += 2 + HEX[code]
            else:
                made.append((ESCAPES.get(code, code), at))
                at += 2
            kept = len(made)
        elif char == "\n":
            while len(made) > kept and made[-1][0] in " \t":
                made.pop()
            breaks = []
            while at < end and raw[at] in " \t\n":
                if raw[at] == "\n":
                    breaks.append(at)
                at += 1
            made.extend([(" ", breaks[0])] if len(breaks) == 1 else [("\n", b) for b in breaks[1:]])
        else:
            made.append((char, at))
            at += 1
    return made


def _lines(raw: str) -> list[tuple[str, int]]:
    """The lines of a block scalar without their indentation, with the offset of each."""
    lines, at = [], 0
    for line in raw.split("\n"):
        lines.append((line, at))
        at += len(line) + 1
    indent = next((len(line) - len(line.lstrip(" ")) for line, _ in lines if line.strip()), 0)
    return [(line[indent:], at + min(indent, len(line))) for line, at in lines]


def _literal(raw: str) -> Chars:
    made: Chars = []
    for line, at in _lines(raw):
        made.extend((char, at + i) for i, char in enumerate(line))
        made.append(("\n", at + len(line)))
    return made


def _folded(raw: str) -> Chars:
    made: Chars = []
    lines = _lines(raw)
    for i, (line, at) in enumerate(lines):
        made.extend((char, at + k) for k, char in enumerate(line))
        if i + 1 == len(lines):
            break
        following = lines[i + 1][0]
        end = at + len(line)
        spaced = line[:1] in (" ", "\t") or following[:1] in (" ", "\t")
        if not line:
            made.append(("\n", end))
        elif not following:
            j = i + 1  # a run of blank lines: its first break is the fold
            while j < len(lines) and not lines[j][0]:
                j += 1
            ahead = lines[j][0] if j < len(lines) else ""
            if spaced or ahead[:1] in (" ", "\t") or j == len(lines):
                made.append(("\n", end))
        else:
            made.append(("\n" if spaced else " ", end))
    return made
