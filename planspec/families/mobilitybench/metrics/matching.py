"""Assignment of rows to columns that maximises the total worth of the pairs."""

from __future__ import annotations

from collections.abc import Sequence


def best_pairs(worth: Sequence[Sequence[int]]) -> list[int]:
    """Assign rows to distinct columns so that the total worth is maximal (maximum-weight bipartite matching).

    Hungarian method with potentials (Kuhn, 1955; Munkres, 1957), in O(rows^2 * columns).

    Args:
        worth: matrix with the worth of each pair of a row and a column, a nonnegative integer. There may be more rows
            than columns.

    Returns:
        The column of each row, or -1 if the row has none.
    """
    rows, columns = len(worth), len(worth[0]) if worth else 0
    if not columns:
        return [-1] * rows
    column_count = max(rows, columns)  # columns are added, with worth 0, so that each row gets one
    cost = [[0] + [-value for value in row] + [0] * (column_count - columns) for row in worth]
    by_row, by_column = [0] * (rows + 1), [0] * (column_count + 1)
    row_of_column = [0] * (column_count + 1)  # row of each column, from 1
    for row in range(1, rows + 1):
        _assign_row(row, cost, row_of_column, by_row, by_column)
    assigned = [-1] * rows
    for column in range(1, columns + 1):
        if row_of_column[column]:
            assigned[row_of_column[column] - 1] = column - 1
    return assigned


def _assign_row(
    row: int, cost: Sequence[Sequence[int]], row_of_column: list[int], by_row: list[int], by_column: list[int]
) -> None:
    """Extend an optimal assignment of earlier rows by one row. Earlier rows may get other columns.

    Args:
        row: the row, from 1.
        cost: cost of each pair, at most 0; column 0 is unused.
        row_of_column: row of each column, updated.
        by_row: potential of each row, updated.
        by_column: potential of each column, updated.
    """
    column_count = len(row_of_column) - 1
    infinite = sum(map(sum, cost)) * -2 + column_count + 1
    least, previous, done = (
        [infinite] * (column_count + 1),
        [0] * (column_count + 1),
        [False] * (column_count + 1),
    )
    row_of_column[0], at = row, 0
    while row_of_column[at]:
        done[at] = True
        here, step, to = row_of_column[at], infinite, 0
        for column in range(1, column_count + 1):
            if done[column]:
                continue
            reduced = cost[here - 1][column] - by_row[here] - by_column[column]
            if reduced < least[column]:
                least[column], previous[column] = reduced, at
            if least[column] < step:
                step, to = least[column], column
        for column in range(column_count + 1):
            if done[column]:
                by_row[row_of_column[column]] += step
                by_column[column] -= step
            else:
                least[column] -= step
        at = to
    while at:
        row_of_column[at] = row_of_column[previous[at]]
        at = previous[at]
