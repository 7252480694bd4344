"""Every question becomes one about a closed tour; an open path is closed through one more node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planspec.solvers.tour.outcome import Integers, Truths


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """Find a shortest closed tour over the allowed arcs.

    For an open path a node is added, at no distance from any other, and the path begins and ends beside it. A fixed
    start leaves it one arc out, a fixed end one arc in. Where lengths are symmetric this stays a problem without
    directions: the edges to the fixed ends are forced, and the direction is chosen afterwards.

    Attributes:
        cost: lengths from row to column.
        allowed: arcs that may be used; none from a node to itself.
        forced: edges without direction that every tour has; what the allowed arcs say already, for those who read
            them without direction.
        symmetric: each tour may be turned around.
        closed: nothing was added.
        start: the node to begin with, or None.
        end: the node to end with, or None.
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
        """The nodes of the closed tour."""
        return len(self.cost)

    def some(self) -> tuple[int, ...]:
        """A closed tour over allowed arcs, of any length."""
        ends = [node for node in (self.start, self.end) if node is not None]
        between = [node for node in range(self.size) if node not in ends]
        first = [] if self.start is None else [self.start]
        if self.closed:
            return (*first, *between)
        last = [] if self.end is None else [self.end]
        return (self.size - 1, *first, *between[:-1], *last)

    def order(self, cycle: tuple[int, ...]) -> tuple[int, ...]:
        """The nodes in the order that was asked for; among equals always the same one.

        Args:
            cycle: a closed tour, begun anywhere, and in any direction where lengths are symmetric.
        """
        first = (self.start or 0) if self.closed else self.size - 1
        at = cycle.index(first)
        turned = cycle[at:] + cycle[:at]
        if self.closed:
            backwards = self.symmetric and len(turned) > 2 and turned[1] > turned[-1]
            return (turned[0], *turned[:0:-1]) if backwards else turned
        path = turned[1:]
        if not self.symmetric:
            return path
        if self.forced:
            backwards = not (self.allowed[first, path[0]] and self.allowed[path[-1], first])
        else:
            backwards = path[0] > path[-1]
        return path[::-1] if backwards else path


def closing(
    matrix: Integers, *, closed: bool, start: int | None, end: int | None, timed: bool = False
) -> Closed:
    """The closed tour that answers the question.

    Args:
        matrix: lengths from row to column, at least two nodes.
        closed: the tour returns.
        start: the first node, or None for any.
        end: the last node of an open path, or None for any.
        timed: the direction matters though lengths may be symmetric.
    """
    n = len(matrix)
    symmetric = not timed and bool((matrix == matrix.T).all())
    if closed:
        allowed = ~np.eye(n, dtype=bool)
        return Closed(matrix, allowed, (), symmetric, True, start)
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
    return Closed(cost, allowed, forced, symmetric, False, start, end)
