"""Assignment of rows to columns with the greatest total worth."""

from __future__ import annotations

from collections.abc import Sequence


def best_pairs(worth: Sequence[Sequence[int]]) -> list[int]:
    """Assign each row a column of its own so that the total worth is greatest.

    Hungarian method with potentials (Kuhn, 1955; Munkres, 1957), in O(rows^2 * columns).

    Args:
        worth: worth of each pair of a row and a column, a whole number from 0. There may be more rows than
            columns.

    Returns:
        The column of each row, or -1 if the row has none.
    """
    rows, columns = len(worth), len(worth[0]) if worth else 0
    if not columns:
        return [-1] * rows
    wide = max(rows, columns)  # additional columns are worth nothing
    cost = [[0] + [-value for value in row] + [0] * (wide - columns) for row in worth]
    by_row, by_column = [0] * (rows + 1), [0] * (wide + 1)
    held = [0] * (wide + 1)  # row of each column, from 1
    for row in range(1, rows + 1):
        _assign_row(row, cost, held, by_row, by_column)
    assigned = [-1] * rows
    for column in range(1, columns + 1):
        if held[column]:
            assigned[held[column] - 1] = column - 1
    return assigned


def _assign_row(
    row: int, cost: Sequence[Sequence[int]], held: list[int], by_row: list[int], by_column: list[int]
) -> None:
    """Assign a column to one more row, and move earlier rows to other columns if that is cheaper.

    Args:
        row: the row, from 1.
        cost: cost of each pair, at most 0; column 0 is unused.
        held: row of each column, updated.
        by_row: potential of each row, updated.
        by_column: potential of each column, updated.
    """
    wide = len(held) - 1
    infinite = sum(map(sum, cost)) * -2 + wide + 1
    least, previous, done = [infinite] * (wide + 1), [0] * (wide + 1), [False] * (wide + 1)
    held[0], at = row, 0
    while held[at]:
        done[at] = True
        here, step, to = held[at], infinite, 0
        for column in range(1, wide + 1):
            if done[column]:
                continue
            reduced = cost[here - 1][column] - by_row[here] - by_column[column]
            if reduced < least[column]:
                least[column], previous[column] = reduced, at
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
        held[at] = held[previous[at]]
        at = previous[at]
