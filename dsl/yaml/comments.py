"""The comments of a document, which PyYAML does not return."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence

TRIVIA = re.compile(r"#[^\n]*|^---(?=\s|$)|^\.\.\.(?=\s|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, or a document marker (`---`), which is treated like a comment.

    Attributes:
        start: offset of its first character.
        text: text from `#` to the end of the line.
        column: column of its first character, from 0.
        follows_text: whether something else precedes it on its line.
    """

    start: int
    text: str
    column: int
    follows_text: bool

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)


def comments(text: str, root: Node) -> list[Comment]:
    """Return every comment outside scalars, in order.

    Args:
        text: the document.
        root: root node of the document.
    """
    comments_ = []
    at = 0
    for start, end in [*_scalars(root), (len(text), len(text))]:
        for match in TRIVIA.finditer(text, at, start):
            line = text.rfind("\n", 0, match.start()) + 1
            follows_text = bool(text[line : match.start()].strip())
            comments_.append(Comment(match.start(), match[0].rstrip(), match.start() - line, follows_text))
        at = max(at, end)
    return comments_


def _scalars(node: Node) -> Iterator[tuple[int, int]]:
    """Yield the start and end offsets of each scalar, in text order."""
    match node:
        case Scalar(span=span):
            yield span.start, span.end
        case Mapping(entries=entries):
            for key, value in entries:
                yield from _scalars(key)
                yield from _scalars(value)
        case Sequence(items=items):
            for item in items:
                yield from _scalars(item)
