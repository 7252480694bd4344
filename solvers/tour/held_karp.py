"""Held and Karp's dynamic program over subsets of nodes, in layers of subsets of equal size."""

from __future__ import annotations

import numpy as np

from planspec.solvers.tour.closed_tour_problem import ClosedTourProblem

LARGEST = 20
"""Maximum number of nodes of the dynamic program, including the additional node of an open path. It needs 160 MB."""
_NEVER = 2**60
"""Length that stands for "there is no such path"."""


def held_karp(problem: ClosedTourProblem) -> tuple[int, ...]:
    """Return the nodes of a shortest closed tour in order, by dynamic programming with integers.

    The table has an entry for each subset S of the nodes except node n - 1, and each node v in S: the length of a
    shortest path that starts at node n - 1, visits S and ends at v. Time O(n^2 2^n), memory O(n 2^n).

    Source: M. Held and R. M. Karp, A dynamic programming approach to sequencing problems (1962).

    Args:
        problem: a feasible problem of 2 to `LARGEST` nodes.
    """
    n = problem.size - 1
    cost = np.where(problem.allowed, problem.cost, _NEVER)
    table = np.full((1 << n, n), _NEVER, dtype=np.int64)
    table[1 << np.arange(n), np.arange(n)] = cost[n, :n]
    subsets = np.arange(1 << n)
    layers = np.bitwise_count(subsets)
    for size in range(2, n + 1):
        layer = subsets[layers == size]
        for node in range(n):
            having = layer[(layer >> node) & 1 == 1]
            through = table[having ^ (1 << node)] + cost[:n, node]
            table[having, node] = np.minimum(through.min(axis=1), _NEVER)
    remaining = (1 << n) - 1
    following, backwards = n, [n]
    while remaining:
        node = int(np.argmin(table[remaining] + cost[:n, following]))
        backwards.append(node)
        remaining ^= 1 << node
        following = node
    return tuple(reversed(backwards))
