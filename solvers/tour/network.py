"""The undirected graph of a closed tour problem. A tour uses two edges at every node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from planspec.solvers.tour.closed_tour_problem import ClosedTourProblem
from planspec.solvers.tour.outcome import Integers, Truths

Edge = tuple[int, int]
"""The two nodes of an edge, smaller node first."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The undirected graph of a closed tour problem.

    For a symmetric problem, the nodes are those of the problem. For an asymmetric problem, node i becomes the arrival
    node i and the departure node i + n, and a forced edge of length 0 joins them. Arcs become edges from departure
    nodes to arrival nodes.

    Source: R. Jonker and T. Volgenant, Transforming asymmetric into symmetric traveling salesman problems
    (1983). The paper gives the edge that joins the two nodes a large negative length; here it is forced instead.

    Attributes:
        n: number of nodes.
        cost: symmetric matrix of lengths.
        allowed: symmetric Boolean matrix of edges that may be used.
        forced: edges that every tour must use, smaller node first.
        split: whether each node of the problem is split into an arrival node and a departure node.
    """

    n: int
    cost: Integers
    allowed: Truths
    forced: tuple[Edge, ...]
    split: bool

    def edges(self, cycle: tuple[int, ...]) -> list[Edge]:
        """Return the edges of this graph that a closed tour uses. `cycle` lists the problem's nodes in tour order."""
        n = len(cycle)
        cycle_edges = []
        for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            cycle_edges.append((j, i + n) if self.split else edge(i, j))
        return cycle_edges + list(self.forced) if self.split else cycle_edges

    def cycle(self, edges: Iterable[Edge]) -> tuple[int, ...]:
        """Return the closed tour that consists of the given edges of this graph, as the problem's nodes in tour order.

        This is the inverse of the method `Network.edges`.
        """
        near: list[list[int]] = [[] for _ in range(self.n)]
        for i, j in edges:
            near[i].append(j)
            near[j].append(i)
        path = [0, self.n // 2 if self.split else near[0][0]]
        while len(path) < self.n:
            one, two = near[path[-1]]
            path.append(two if one == path[-2] else one)
        return tuple(path[::2]) if self.split else tuple(path)


def edge(i: int, j: int) -> Edge:
    """Return the edge between two nodes, smaller node first."""
    return (i, j) if i < j else (j, i)


def network(problem: ClosedTourProblem) -> Network:
    """Return the undirected graph of a closed tour problem with at least three nodes."""
    if problem.symmetric:
        forced = tuple(edge(i, j) for i, j in problem.forced)
        return Network(problem.size, problem.cost, problem.allowed | problem.allowed.T, forced, False)
    n = problem.size
    cost = np.zeros((2 * n, 2 * n), dtype=np.int64)
    cost[n:, :n] = problem.cost
    cost[:n, n:] = problem.cost.T
    allowed = np.zeros((2 * n, 2 * n), dtype=bool)
    allowed[n:, :n] = problem.allowed
    allowed[:n, n:] = problem.allowed.T
    own = np.arange(n)
    allowed[own, own + n] = allowed[own + n, own] = True
    cost[own, own + n] = cost[own + n, own] = 0
    return Network(2 * n, cost, allowed, tuple((i, i + n) for i in range(n)), True)
