"""Heuristic for short tours: nearest neighbour, 2-opt and Or-opt moves, repeated after small changes (kicks)."""

from __future__ import annotations

import random
import time
from itertools import pairwise
from math import inf

import numpy as np

from planspec.solvers.tour.budget import KICKS_PER_UNIT, SearchBudget
from planspec.solvers.tour.closed_tour_problem import ClosedTourProblem
from planspec.solvers.tour.outcome import EXACT

NEIGHBOURS = 10
"""Number of nearest neighbours of each node that moves of the local search try."""
SEGMENT = 3
"""Maximum number of nodes in a segment that an Or-opt move takes if lengths are symmetric; 2-opt covers longer ones."""
DIRECTED_SEGMENT = 30
"""Maximum number of nodes in a segment that an Or-opt move takes if lengths are asymmetric, so 2-opt is not used."""
MAX_KICK_SEGMENT = 30
"""Maximum number of nodes in each of the two segments that a kick (random change of the tour) exchanges."""
_SEED = 0
"""Seed of the random kicks."""


def improve(problem: ClosedTourProblem, kicks: int, budget: SearchBudget, *, share: float) -> tuple[int, ...]:
    """Return the nodes of a short closed tour over allowed arcs, in order.

    The method is iterated local search. A kick exchanges two neighbouring segments of the tour at random. Moves then
    shorten the tour around them, and the result is rejected if it is longer than before. The kicks are the same on
    every machine unless time runs out.

    Source: J. L. Bentley, Fast algorithms for geometric traveling salesman problems (1992), for neighbour
    lists and the queue of nodes; O. Martin, S. W. Otto and E. W. Felten (1991), for the kick.

    Args:
        problem: the closed tour problem.
        kicks: maximum number of kicks.
        budget: remaining budget of the whole search. Kicks are subtracted from its effort.
        share: share of the budget that may be used, from 0 to 1.
    """
    n = problem.size
    own = budget.part(share)
    if own.effort < inf:
        kicks = min(kicks, int(own.effort * KICKS_PER_UNIT))
    cost = np.where(problem.allowed | problem.allowed.T if problem.symmetric else problem.allowed, problem.cost, EXACT)
    if problem.symmetric:
        for i, j in problem.forced:
            cost[i, j] = cost[j, i] = -EXACT  # a forced edge outweighs all other edges
    search = _LocalSearch(cost, problem.symmetric)
    if n > 4:
        search.descend(list(range(n)), own.deadline)
    random_source = random.Random(_SEED)
    for _ in range(kicks if n > 7 else 0):
        if own.seconds < 0:
            break
        search.kick(random_source, own.deadline)
        budget.spend(1 / KICKS_PER_UNIT)
    tour = tuple(search.tour)
    return tour if _is_allowed(problem, tour) else problem.any_tour()


def _is_allowed(problem: ClosedTourProblem, tour: tuple[int, ...]) -> bool:
    arcs = [*pairwise(tour), (tour[-1], tour[0])]
    if not problem.symmetric:
        return all(problem.allowed[i, j] for i, j in arcs)
    edges = {(i, j) if i < j else (j, i) for i, j in arcs}
    return all(problem.allowed[i, j] or problem.allowed[j, i] for i, j in arcs) and edges.issuperset(
        (i, j) if i < j else (j, i) for i, j in problem.forced
    )


class _LocalSearch:
    """Local search over a tour. No step makes the tour longer."""

    def __init__(self, cost: np.ndarray[tuple[int, ...], np.dtype[np.int64]], symmetric: bool) -> None:
        n = len(cost)
        self.symmetric = symmetric
        self.cost: list[list[int]] = cost.tolist()
        inward = cost.T.copy()
        np.fill_diagonal(inward, 2 * EXACT)
        order = np.argsort(inward, axis=1, kind="stable")[:, : min(NEIGHBOURS, n - 1)]
        self.near: list[list[int]] = order.tolist()  # for each node, the nodes with the shortest arcs to it
        self.tour = self._nearest_neighbour_tour(cost)
        self.position = [0] * n
        self._update_positions()

    @staticmethod
    def _nearest_neighbour_tour(cost: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[int]:
        n = len(cost)
        free = np.zeros(n, dtype=np.int64)
        tour = [n - 1]  # the additional node of an open path: its forced edges come first
        for _ in range(n - 1):
            free[tour[-1]] = 4 * EXACT
            tour.append(int(np.argmin(cost[tour[-1]] + free)))
        return tour

    def _update_positions(self) -> None:
        position = self.position
        for index, node in enumerate(self.tour):
            position[node] = index

    def kick(self, random_source: random.Random, deadline: float) -> None:
        """Exchange two neighbouring segments at random and improve the tour. Undo all changes if it becomes longer.

        Args:
            random_source: source of the positions and lengths of the segments.
            deadline: value of `time.perf_counter()` at which to stop improving.
        """
        n = len(self.tour)
        before = self.tour
        longest = min(MAX_KICK_SEGMENT, (n - 2) // 2)
        one, two = random_source.randint(1, longest), random_source.randint(1, longest)
        start = random_source.randrange(n)
        rotated = before[start:] + before[:start]
        a, b, c = rotated[1 : 1 + one], rotated[1 + one : 1 + one + two], rotated[1 + one + two :]
        self.tour = [rotated[0], *b, *a, *c]
        self._update_positions()
        head, tail = rotated[0], c[0] if c else rotated[0]
        cost = self.cost
        change = (
            cost[head][b[0]]
            + cost[b[-1]][a[0]]
            + cost[a[-1]][tail]
            - cost[head][a[0]]
            - cost[a[-1]][b[0]]
            - cost[b[-1]][tail]
        )
        change -= self.descend([head, a[0], a[-1], b[0], b[-1], tail], deadline)
        if change > 0:
            self.tour = before
            self._update_positions()

    def descend(self, queue: list[int], deadline: float) -> int:
        """Make 2-opt and Or-opt moves at nodes until no move shortens the tour. Return the decrease in length.

        Args:
            queue: nodes at which moves are tried; the last comes first. The list is emptied. Nodes whose edges change
                are tried again.
            deadline: value of `time.perf_counter()` at which to stop.
        """
        total_gain = 0
        waiting = set(queue)
        while queue:
            node = queue.pop()
            waiting.discard(node)
            while True:
                gain, touched = self._two_opt_move(node)
                if not gain:
                    gain, touched = self._or_opt_move(node)
                if not gain:
                    break
                total_gain += gain
                for other in touched:
                    if other not in waiting:
                        waiting.add(other)
                        queue.append(other)
                if time.perf_counter() > deadline:
                    return total_gain
        return total_gain

    def _two_opt_move(self, node: int) -> tuple[int, tuple[int, ...]]:
        """Make the first 2-opt move at a node that shortens the tour.

        The move replaces the edges from two nodes to their successors, or to their predecessors. Return the decrease in
        length and the nodes that lost an edge; 0 and no nodes if no such move shortens the tour.
        """
        tour, position, cost = self.tour, self.position, self.cost
        n = len(tour)
        row = cost[node]
        for step in (1, -1) if self.symmetric else ():
            neighbour = tour[(position[node] + step) % n]
            current = row[neighbour]
            for other in self.near[node]:
                if row[other] >= current:
                    break
                third = tour[(position[other] + step) % n]
                gain = current - row[other] + cost[other][third] - cost[neighbour][third]
                if gain > 0:
                    if step == 1:
                        self._reverse_segment(position[neighbour], position[other])
                    else:
                        self._reverse_segment(position[node], position[third])
                    return gain, (node, neighbour, other, third)
        return 0, ()

    def _reverse_segment(self, low: int, high: int) -> None:
        """Reverse the tour between two positions, both included; if it wraps around (`low > high`), the other nodes.

        Reversing a segment or all other nodes gives the same closed tour, in opposite directions.
        """
        if low > high:
            low, high = high + 1, low - 1
        if low < high:
            part = self.tour[low : high + 1][::-1]
            self.tour[low : high + 1] = part
            for index, node in enumerate(part, low):
                self.position[node] = index

    def _or_opt_move(self, node: int) -> tuple[int, tuple[int, ...]]:
        """Make the first Or-opt move at a node that shortens the tour.

        The move takes a short segment that begins or ends with the node, and inserts it next to a near neighbour of the
        node. Return the decrease in length and the nodes that lost an edge; 0 and no nodes if no such move shortens the
        tour.
        """
        tour, position, cost = self.tour, self.position, self.cost
        n = len(tour)
        longest = min(SEGMENT if self.symmetric else DIRECTED_SEGMENT, n - 3)
        for step in (1, -1) if self.symmetric else (1,):
            start = position[node]
            before = tour[(start - step) % n]
            for length in range(1, longest + 1):
                last = tour[(start + step * (length - 1)) % n]
                after = tour[(start + step * length) % n]
                removed = cost[before][node] + cost[last][after] - cost[before][after]
                for other in self.near[node]:
                    joined = cost[other][node]
                    if joined >= removed:
                        break
                    if (position[other] - start) * step % n < length:
                        continue
                    # the order in the direction of `step` is: other, node ... last, beyond
                    beyond = after if other == before else tour[(position[other] + step) % n]
                    gain = removed + cost[other][beyond] - joined - cost[last][beyond]
                    if gain > 0 and other != before:
                        self._move_segment(start, step, length, other, flipped=False)
                        return gain, (before, node, last, after, other, beyond)
                    if not self.symmetric:
                        continue
                    # the order against the direction of `step` is: other, node ... last, beyond
                    beyond = before if other == after else tour[(position[other] - step) % n]
                    gain = removed + cost[other][beyond] - joined - cost[last][beyond]
                    if gain > 0:
                        self._move_segment(start, step, length, other, flipped=True)
                        return gain, (before, node, last, after, other, beyond)
        return 0, ()

    def _move_segment(self, position: int, step: int, length: int, other: int, *, flipped: bool) -> None:
        tour = self.tour
        low = position if step == 1 else position - length + 1
        n = len(tour)
        segment = [tour[(low + k) % n] for k in range(length)]  # its nodes in the order of the tour
        rest = [tour[(low + length + k) % n] for k in range(n - length)]
        index = rest.index(other)
        # If `flipped` is false, the segment follows `other` in the direction of `step`: it is after `other` in the list
        # if `step` is 1, and before `other` if `step` is -1. If `flipped` is true, the segment is reversed and goes to
        # the opposite side of `other`.
        after = (step == 1) != flipped
        if flipped:
            segment.reverse()
        cut = index + 1 if after else index
        self.tour = rest[:cut] + segment + rest[cut:]
        self._update_positions()
