"""The problem of finding a shortest closed tour. Open paths are reduced to it by an additional node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planspec.solvers.tour.outcome import Integers, Truths


@dataclass(frozen=True, slots=True, eq=False)
class ClosedTourProblem:
    """The problem of finding a shortest closed tour over allowed arcs.

    For an open path, a node is added at distance 0 from all others. The path is the closed tour without the added node.
    If the first node is fixed, the added node has only one outgoing arc; if the last node is fixed, only one incoming
    arc. If lengths are symmetric, the problem remains undirected: the edges from the added node to the fixed ends are
    forced, and the direction is chosen afterwards.

    Attributes:
        cost: matrix of lengths from row to column.
        allowed: Boolean matrix of arcs that may be used. No arc leads from a node to itself.
        forced: edges (pairs of nodes) that every tour must use: those from the added node to the fixed ends of a path.
            They matter only to methods that ignore the direction of arcs.
        symmetric: whether the reverse of each tour has the same length.
        closed: whether the original tour is closed; if not, a node was added.
        start: the first node; None if any node may be the first.
        end: the last node; None if any node may be the last.
    """

    cost: Integers
    allowed: Truths
    forced: tuple[tuple[int, int], ...]
    symmetric: bool
    closed: bool
    start: int | None
    end: int | None = None

    @property
    def size(self) -> int:
        """The number of nodes of the closed tour."""
        return len(self.cost)

    def any_tour(self) -> tuple[int, ...]:
        """Return some closed tour over allowed arcs, of any length, as nodes in order."""
        ends = [node for node in (self.start, self.end) if node is not None]
        between = [node for node in range(self.size) if node not in ends]
        first = [] if self.start is None else [self.start]
        if self.closed:
            return (*first, *between)
        last = [] if self.end is None else [self.end]
        return (self.size - 1, *first, *between[:-1], *last)

    def order(self, cycle: tuple[int, ...]) -> tuple[int, ...]:
        """Translate a closed tour into the tour or path of the original problem: nodes in a canonical order.

        The result begins at the required first node, if there is one, and excludes the node that was added for an open
        path. Rotating `cycle` does not change the result; nor does reversing it if lengths are symmetric.

        Args:
            cycle: nodes of a closed tour in order, from any node, in any direction if lengths are symmetric.
        """
        first = (self.start or 0) if self.closed else self.size - 1
        place = cycle.index(first)
        rotated = cycle[place:] + cycle[:place]
        if self.closed:
            is_reversed = self.symmetric and len(rotated) > 2 and rotated[1] > rotated[-1]
            return (rotated[0], *rotated[:0:-1]) if is_reversed else rotated
        path = rotated[1:]
        if not self.symmetric:
            return path
        if self.forced:
            is_reversed = not (self.allowed[first, path[0]] and self.allowed[path[-1], first])
        else:
            is_reversed = path[0] > path[-1]
        return path[::-1] if is_reversed else path


def closed_tour_problem(
    matrix: Integers, *, closed: bool, start: int | None, end: int | None, directed: bool = False
) -> ClosedTourProblem:
    """Return the closed tour problem to which the search for a shortest tour or open path is reduced.

    Args:
        matrix: lengths from row to column, at least two nodes.
        closed: whether the tour returns to its first node.
        start: the first node, or None for any.
        end: the last node of an open path, or None for any.
        directed: whether to treat symmetric lengths as asymmetric, for example because of time windows.
    """
    n = len(matrix)
    symmetric = not directed and bool((matrix == matrix.T).all())
    if closed:
        allowed = ~np.eye(n, dtype=bool)
        return ClosedTourProblem(matrix, allowed, (), symmetric, True, start)
    cost = np.zeros((n + 1, n + 1), dtype=np.int64)
    cost[:n, :n] = matrix
    allowed = ~np.eye(n + 1, dtype=bool)
    forced: tuple[tuple[int, int], ...] = ()
    if start is not None:
        allowed[n, :] = False
        allowed[n, start] = True
        forced += ((start, n),)
    if end is not None:
        allowed[:, n] = False
        allowed[end, n] = True
        forced += ((end, n),)
    return ClosedTourProblem(cost, allowed, forced, symmetric, False, start, end)
