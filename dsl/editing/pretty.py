"""Pretty printing: texts with optional line ends, and a layout that breaks only groups that do not fit.

The algebra is Wadler's, "A prettier printer" (2003), with `Align` in place of a fixed indentation. There is one
difference: layouts are chosen by a greedy traversal with a stack, so that deep texts need no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class Line:
    """A space, or a line end if the group around it is broken."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Concat:
    """Parts that are printed one after another."""

    parts: tuple[Doc, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Content printed on one line if it fits; otherwise every `Line` directly in it becomes a line end."""

    content: Doc


@dataclass(frozen=True, slots=True)
class Align:
    """Content whose later lines are indented to the column where the content begins."""

    content: Doc


Doc: TypeAlias = str | Line | Concat | Group | Align


def concat(*parts: Doc) -> Concat:
    """Return a `Doc` of the parts, one after another."""
    return Concat(parts)


def join(separator: Doc, parts: list[Doc]) -> Doc:
    """Return the parts with the separator between them."""
    docs: list[Doc] = []
    for part in parts:
        docs.extend((separator, part) if docs else (part,))
    return Concat(tuple(docs))


def fill(separator: str, parts: list[Doc]) -> Doc:
    """Return the parts with separators between them, with as many parts on each line as fit."""
    docs: list[Doc] = []
    for number, part in enumerate(parts):
        ended = concat(part, separator) if number < len(parts) - 1 else part
        docs.append(Group(concat(Line(), ended)) if number else ended)
    return Concat(tuple(docs))


def render(doc: Doc, width: int | None, column: int = 0) -> str:
    """Return the text of a `Doc`.

    Args:
        doc: the content with its possible line ends.
        width: columns of a line; None for a single line.
        column: column where the text begins; only `Align` indents later lines from there.

    Returns:
        The text. A line is wider than `width` only if it cannot be broken.
    """
    texts: list[str] = []
    at = column
    stack: list[tuple[int, bool, Doc]] = [(0, width is None, doc)]
    while stack:
        indent, flat, part = stack.pop()
        match part:
            case str():
                texts.append(part)
                at += len(part)
            case Line():
                texts.append(part.flat if flat else "\n" + " " * indent)
                at = at + len(part.flat) if flat else indent
            case Concat(parts):
                stack.extend((indent, flat, inner) for inner in reversed(parts))
            case Align(content):
                stack.append((at, flat, content))
            case Group(content):
                fits = flat or width is None or _fits(content, width - at, stack)
                stack.append((indent, fits, content))
            case _:
                assert_never(part)
    return "".join(texts)


def _fits(content: Doc, space: int, rest: list[tuple[int, bool, Doc]]) -> bool:
    """Return whether the content, with the text up to the next possible line end, fits on one line."""
    todo: list[tuple[bool, Doc]] = [(True, content)]
    position = len(rest)
    while space >= 0:
        if not todo:
            if not position:
                return True
            position -= 1
            todo.append(rest[position][1:])
        flat, part = todo.pop()
        match part:
            case str():
                space -= len(part)
            case Line():
                if not flat:
                    return True
                space -= len(part.flat)
            case Concat(parts):
                todo.extend((flat, inner) for inner in reversed(parts))
            case Align(content) | Group(content):
                todo.append((flat, content))
            case _:
                assert_never(part)
    return False
