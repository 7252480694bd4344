"""Lexer for the highlighting of expressions. It accepts any text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.check.names import CONSTANTS, KEYWORDS

LexemeKind: TypeAlias = Literal["number", "string", "keyword", "constant", "name", "operator", "punctuation"]

CONSTANT_WORDS = (*CONSTANTS, "unknown")
PATTERN = re.compile(
    r"""(?P<string>"[^"\n]*"|'[^'\n]*')
    | (?P<number>\d{4}-\d{2}-\d{2}(?!\w) | \d{1,3}:\d{2}(?!\w)
        | (?:\d+d(?:\d+h)?(?:\d+min)?|\d+h(?:\d+min)?|\d+min)(?!\w)
        | \d+(?:\.\d+)?[ ]*[A-Z]{3}(?!\w) | \d+(?:\.\d+)?k?m(?!\w) | \d+(?:\.\d+)?(?!\w))
    | (?P<name>[^\W\d]\w*)
    | (?P<operator>==|!=|<=|>=|\?\?|\.\.|//|[-+*%<>=?|])
    | (?P<punctuation>[.,()\[\]{}])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word, number, string or operator in a text.

    Attributes:
        start: offset of the first character.
    """

    kind: LexemeKind
    start: int
    text: str

    @property
    def end(self) -> int:
        """Offset after the last character."""
        return self.start + len(self.text)


def lexemes(text: str, start: int = 0, end: int | None = None) -> Iterator[Lexeme]:
    """Yield the lexemes between two offsets of a text in order. Other characters are skipped."""
    for match in PATTERN.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        word = match[0]
        match kind:
            case "name" if word in KEYWORDS:
                yield Lexeme("keyword", match.start(), word)
            case "name" if word in CONSTANT_WORDS:
                yield Lexeme("constant", match.start(), word)
            case "string" | "number" | "name" | "operator" | "punctuation":
                yield Lexeme(kind, match.start(), word)
