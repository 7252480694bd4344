"""Text output for users: aligned columns, and formatting of lines with or without colours."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest
from typing import Any, Protocol

GAP = "  "


def align(rows: Sequence[Sequence[str]], *, min_widths: Sequence[int] = (), right: Collection[int] = ()) -> list[str]:
    """Return the rows of a table as lines, with each column as wide as its widest cell.

    Args:
        rows: rows of cells, possibly of different lengths.
        min_widths: minimum widths of the first columns.
        right: indices of right-aligned columns.

    Returns:
        A line for each row, without trailing spaces.
    """
    columns = list(zip_longest(*rows, fillvalue=""))
    floors = [*min_widths, *[0] * len(columns)]
    widths = [max(floor, *map(len, column)) for column, floor in zip(columns, floors, strict=False)]
    return [
        GAP.join(
            f"{cell:>{width}}" if index in right else f"{cell:<{width}}"
            for index, (cell, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in rows
    ]


class LineFormatter(Protocol):
    """Formatter of lines for a medium, such as a terminal."""

    def style(self, text: str, **style: Any) -> str:
        """Return the text in a style, such as `bold=True`."""

    def line(self, head: str, text: str, place: str) -> str:
        """Return a line with a head, a text and, at its end, a source location."""


class PlainFormatter:
    """Formatter of lines without colours or maximum width."""

    def style(self, text: str, **style: Any) -> str:  # noqa: ARG002
        return text

    def line(self, head: str, text: str, place: str) -> str:
        return "  ".join(part for part in (f"{head} {text}".rstrip(), place) if part)
