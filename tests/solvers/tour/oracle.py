"""Lengths of shortest tours by brute force, and strategies for small problems.

This module shares no code with the methods under test.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from hypothesis import strategies as st

Rows = list[list[int]]
Window = tuple[int, int] | None


def tour_length(matrix: Rows, order: Sequence[int], closed: bool) -> int:
    """Return the length of a tour or, if `closed` is false, of a path."""
    total = 0
    for place in range(1, len(order)):
        total += matrix[order[place - 1]][order[place]]
    return total + (matrix[order[-1]][order[0]] if closed and len(order) > 1 else 0)


def respects_windows(
    matrix: Rows, order: Sequence[int], closed: bool, windows: Sequence[Window], service: Sequence[int]
) -> bool:
    """Return whether each node is visited within its time window. Waiting is allowed."""
    now = None
    for place, node in enumerate(order):
        if place:
            assert now is not None
            before = order[place - 1]
            now += service[before] + matrix[before][node]
        window = windows[node]
        if window is not None:
            now = window[0] if now is None else max(now, window[0])
            if now > window[1]:
                return False
        elif now is None:
            now = -(10**9)
    if not closed or len(order) < 2:
        return True
    assert now is not None
    back = now + service[order[-1]] + matrix[order[-1]][order[0]]
    first = windows[order[0]]
    return first is None or back <= first[1]


def shortest_by_trying(
    matrix: Rows,
    *,
    closed: bool = True,
    start: int | None = None,
    end: int | None = None,
    windows: Sequence[Window] | None = None,
    service: Sequence[int] | None = None,
) -> int | None:
    """Return the length of a shortest tour or, if `closed` is false, of a shortest path, by trying every order.

    Return None if no order respects the time windows.
    """
    n = len(matrix)
    best = None
    if closed and n:
        start = start or 0
    for order in permutations(range(n)):
        if n and start is not None and order[0] != start:
            continue
        if n and end is not None and order[-1] != end:
            continue
        if windows is not None and not respects_windows(matrix, order, closed, windows, service or [0] * n):
            continue
        total = tour_length(matrix, order, closed) if n else 0
        best = total if best is None else min(best, total)
    return best


@st.composite
def matrices(
    draw: st.DrawFn, min_nodes: int, max_nodes: int, symmetric: bool | None = None, max_length: int = 30
) -> Rows:
    """Draw a matrix of lengths. Ties and zeros are frequent, and the diagonal is arbitrary."""
    n = draw(st.integers(min_nodes, max_nodes))
    cells = draw(st.lists(st.integers(0, max_length), min_size=n * n, max_size=n * n))
    rows = [cells[i * n : (i + 1) * n] for i in range(n)]
    if draw(st.booleans()) if symmetric is None else symmetric:
        return [[rows[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    return rows


@st.composite
def planes(draw: st.DrawFn, min_nodes: int, max_nodes: int) -> Rows:
    """Draw a matrix of taxicab distances between points on a small grid. Points may coincide."""
    spot = st.tuples(st.integers(0, 12), st.integers(0, 12))
    spots = draw(st.lists(spot, min_size=min_nodes, max_size=max_nodes))
    return [[abs(a - c) + abs(b - d) for c, d in spots] for a, b in spots]
