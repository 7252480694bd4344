"""Rows of text in columns, for people; machines have JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest

GAP = "  "


def align(
    rows: Sequence[Sequence[str]], *, least: Sequence[int] = (), right: Collection[int] = ()
) -> list[str]:
    """Pad the cells of rows, so that each column is as wide as its widest cell.

    Args:
        rows: of cells; shorter rows end early.
        least: the least width of each column, from the first on; 0 of those that it does not reach.
        right: the places of the columns whose cells stand at the right.

    Returns:
        A line for each row, without spaces at its end.
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
