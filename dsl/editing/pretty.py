"""Texts with places where a line may end, and the layout that breaks only what does not fit.

The algebra is that of Wadler, "A prettier printer" (2003), with `Align` in place of a fixed indentation. We
depart from it in one point: layouts are chosen by a greedy walk with a stack, so that depth costs no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never


@dataclass(frozen=True, slots=True)
class Line:
    """A space, or the end of a line where the group around it is broken."""

    flat: str = " "


@dataclass(frozen=True, slots=True)
class Concat:
    """One after another."""

    parts: tuple[Doc, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Its lines end all together, or none does because everything fits."""

    content: Doc


@dataclass(frozen=True, slots=True)
class Align:
    """Lines inside begin in the column where it begins."""

    content: Doc


Doc: TypeAlias = str | Line | Concat | Group | Align


def concat(*parts: Doc) -> Concat:
    """The parts, one after another."""
    return Concat(parts)


def joined(separator: Doc, parts: list[Doc]) -> Doc:
    """The parts with the separator between each two."""
    made: list[Doc] = []
    for part in parts:
        made.extend((separator, part) if made else (part,))
    return Concat(tuple(made))


def filled(separator: str, parts: list[Doc]) -> Doc:
    """The parts, as many on each line as fit, with the separator behind each but the last."""
    made: list[Doc] = []
    for number, part in enumerate(parts):
        ended = concat(part, separator) if number < len(parts) - 1 else part
        made.append(Group(concat(Line(), ended)) if number else ended)
    return Concat(tuple(made))


def render(doc: Doc, width: int | None, column: int = 0) -> str:
    """The text of a document.

    Args:
        doc: what to lay out.
        width: columns of a line, None for a single line.
        column: where the text begins; later lines are indented from there by `Align` only.

    Returns:
        The text, whose lines are wider than `width` only where nothing could be broken.
    """
    made: list[str] = []
    at = column
    stack: list[tuple[int, bool, Doc]] = [(0, width is None, doc)]
    while stack:
        indent, flat, part = stack.pop()
        match part:
            case str():
                made.append(part)
                at += len(part)
            case Line():
                made.append(part.flat if flat else "\n" + " " * indent)
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
    return "".join(made)


def _fits(content: Doc, space: int, rest: list[tuple[int, bool, Doc]]) -> bool:
    """Whether the content on one line, with what follows up to the next possible end of line, fits."""
    todo: list[tuple[bool, Doc]] = [(True, content)]
    behind = len(rest)
    while space >= 0:
        if not todo:
            if not behind:
                return True
            behind -= 1
            todo.append(rest[behind][1:])
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
