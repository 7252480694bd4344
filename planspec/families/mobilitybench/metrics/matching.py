"""Pairing one list with another so that the pairs are worth the most."""

from __future__ import annotations

from collections.abc import Sequence


def best_pairs(worth: Sequence[Sequence[int]]) -> list[int]:
    """For each row a column of its own so that what they are worth together is the most.

    The Hungarian method with potentials (Kuhn, 1955; Munkres, 1957), in O(rows^2 * columns).

    Args:
        worth: whole numbers from 0; all rows are equally long. Rows may be more than columns.

    Returns:
        By row its column, -1 of a row that has none.
    """
    rows, columns = len(worth), len(worth[0]) if worth else 0
    if not columns:
        return [-1] * rows
    wide = max(rows, columns)  # columns that nobody has are worth nothing
    cost = [[0] + [-value for value in row] + [0] * (wide - columns) for row in worth]
    by_row, by_column = [0] * (rows + 1), [0] * (wide + 1)
    held = [0] * (wide + 1)  # by column its row, from 1
    for row in range(1, rows + 1):
        _give(row, cost, held, by_row, by_column)
    found = [-1] * rows
    for column in range(1, columns + 1):
        if held[column]:
            found[held[column] - 1] = column - 1
    return found


def _give(
    row: int, cost: Sequence[Sequence[int]], held: list[int], by_row: list[int], by_column: list[int]
) -> None:
    """Give one more row a column, moving others where that is cheaper."""
    wide = len(held) - 1
    infinite = sum(map(sum, cost)) * -2 + wide + 1
    least, came, done = [infinite] * (wide + 1), [0] * (wide + 1), [False] * (wide + 1)
    held[0], at = row, 0
    while held[at]:
        done[at] = True
        here, step, to = held[at], infinite, 0
        for column in range(1, wide + 1):
            if done[column]:
                continue
            now = cost[here - 1][column] - by_row[here] - by_column[column]
            if now < least[column]:
                least[column], came[column] = now, at
            if least[column] < step:
                step, to = least[column], column
        for column in range(wide + 1):
            if done[column]:
                by_row[held[column]] += step
                by_column[column] -= step
            else:
                least[column] -= step
        at = to
    while at:
        held[at] = held[came[at]]
        at = came[at]
