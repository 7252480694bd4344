"""Texts in which placeholder characters replace the numbers, so that patterns can match numbers in any notation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planspec.verifiers.environment.query_text.numeral import Numeral

FIRST, LAST = 0xE000, 0xF8FF
"""First and last private-use character of Unicode. The character at position i replaces the i-th numeral."""
PRIVATE = re.compile(f"[{chr(FIRST)}-{chr(LAST)}]")
N = f"[{chr(FIRST)}-{chr(LAST)}]"
"""Pattern of a placeholder: a character that replaces a number."""
WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xA0: 0x20, 0x2019: 0x27}
"""Translation of full-width characters to ASCII, and of special blanks and apostrophes to common ones."""


def plain(text: str) -> str:
    """Return a text of the same length in lower case, with full-width characters narrowed and blanks unified."""
    narrow = PRIVATE.sub(" ", text.translate(WIDE).replace("\n", " ").replace("\t", " "))
    lower = narrow.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in narrow)


class MarkedText:
    """A text in which each number is replaced by a placeholder: a private-use character of its own.

    Args:
        text: the text in lower case, as the function `plain` returns it.
        numerals: its numbers in order, without overlaps. Only the first 6,400 are replaced, since there are no more
            private-use characters.

    Attributes:
        text: the text with the replacements.
    """

    def __init__(self, text: str, numerals: Sequence[Numeral]) -> None:
        self.numerals = list(numerals[: LAST - FIRST + 1])
        pieces: list[str] = []
        self._starts: list[int] = []
        at = 0
        for number, numeral in enumerate(self.numerals):
            pieces += (text[at : numeral.start], chr(FIRST + number))
            self._starts += (*range(at, numeral.start), numeral.start)
            at = numeral.end
        pieces.append(text[at:])
        self._starts += range(at, len(text) + 1)
        self.text = "".join(pieces)

    def numeral(self, character: str) -> Numeral:
        """Return the number that a placeholder replaces."""
        return self.numerals[ord(character) - FIRST]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the text with replacements to the corresponding span of the original text."""
        last = self.text[end - 1]
        stop = self.numeral(last).end if PRIVATE.match(last) else self._starts[end]
        return self._starts[start], stop
