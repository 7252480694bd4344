"""Text tables for people; machines read JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest

GAP = "  "


def align(
    rows: Sequence[Sequence[str]], *, least: Sequence[int] = (), right: Collection[int] = ()
) -> list[str]:
    """Pad the cells of rows, so that each column is as wide as its widest cell.

    Args:
        rows: rows of cells; they may differ in length.
        least: minimum widths of the first columns; the others have none.
        right: indices of right-aligned columns.

    Returns:
        A line for each row, without trailing spaces.
    """
    columns = list(zip_longest(*rows, fillvalue=""))
    floors = [*least, *[0] * len(columns)]
    widths = [max(floor, *map(len, column)) for column, floor in zip(columns, floors, strict=False)]
    return [
        GAP.join(
            f"{cell:>{width}}" if place in right else f"{cell:<{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in rows
    ]
