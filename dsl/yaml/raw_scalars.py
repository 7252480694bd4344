"""Raw lines of scalars, so that the formatter can change their indentation and nothing else."""

from __future__ import annotations

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.yaml.reader import Scalar


def block_lines(node: Scalar, text: str) -> tuple[str, list[str], int]:
    """Return the header of a `|` or `>` scalar, its lines without indentation, and the offset after them.

    Spaces at the end of a line belong to the text. Blank lines at the end belong to it only if the header has a `+`.
    """
    end = text.find("\n", node.span.start)
    indicator, mark, comment = text[node.span.start : end].partition("#")
    indicator = indicator.rstrip()
    head = f"{indicator}  {mark}{comment.rstrip()}" if mark else indicator
    width = None
    lines: list[str] = []
    ends: list[int] = []
    at = end
    while at != -1 and at + 1 < len(text):
        stop = text.find("\n", at + 1)
        line = text[at + 1 : stop if stop != -1 else len(text)]
        if line.strip(" "):
            indent = len(line) - len(line.lstrip(" "))
            if width is None and not node.text.strip("\n"):
                break
            width = indent if width is None else width
            if indent < width:
                break
        lines.append(line)
        ends.append(at + 1 + len(line))
        at = stop
    lines = [line[width or 0 :] if line.strip(" ") or width is not None else "" for line in lines]
    count = len(lines) if "+" in indicator else next((i for i in range(len(lines), 0, -1) if lines[i - 1]), 0)
    return head, lines[:count], ends[count - 1] if count else end


def flow_lines(node: Scalar) -> list[str]:
    """Return the lines of a plain or quoted scalar without the spaces at their ends, which YAML ignores."""
    first, *rest = node.span.text.split("\n")
    return (
        [first, *(line.lstrip(" \t") for line in rest)]
        if not rest
        else [without_trailing_spaces(first), *_inner_lines(rest)]
    )


def _inner_lines(lines: list[str]) -> list[str]:
    return [without_trailing_spaces(line.lstrip(" \t")) for line in lines]


def without_trailing_spaces(line: str) -> str:
    """Return the line without spaces at its end, except for a space after a backslash."""
    short = line.rstrip(" \t")
    slashes = len(short) - len(short.rstrip("\\"))
    return line[: len(short) + 1] if slashes % 2 and len(short) < len(line) else short


def reindented_lines(span: Span, prefix: str, min_indent: int) -> list[str]:
    """Return the lines of a flow collection, the first one after a prefix.

    Later lines keep their indentation relative to the first one.

    Args:
        span: the collection.
        prefix: text before it on its line.
        min_indent: minimum indentation of its further lines.
    """
    first, *rest = span.text.split("\n")
    moved = len(prefix) - (span.column - 1)
    lines = [prefix + without_trailing_spaces(first)]
    for line in rest:
        inner = line.lstrip(" \t")
        indent = max(min_indent, len(line) - len(inner) + moved)
        lines.append(" " * indent + without_trailing_spaces(inner) if inner else "")
    return lines
