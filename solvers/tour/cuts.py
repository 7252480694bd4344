"""Subtour and parity cuts: inequalities that every tour satisfies and a fractional solution violates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planspec.solvers.tour.outcome import Reals, Truths

VIOLATION = 1e-4
"""Minimum violation of a subtour cut that is used. Smaller ones may be rounding errors of the linear program."""
INTEGER_TOLERANCE = 1e-7
"""Distance to 0 or 1 within which an edge's value in a fractional solution counts as integer."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """An inequality that every tour satisfies, described by a set of nodes and some of the edges that leave it (teeth).

    Without teeth, the inequality is that a tour uses at least two edges that leave the set. With teeth, it follows from
    parity. A tour uses an even number of edges that leave the set. If it uses all teeth, of which there is an odd
    number, it therefore uses another leaving edge: x(leaving edges except teeth) - x(teeth) >= 1 - |teeth|.

    Attributes:
        side: Boolean array of the nodes in the set.
        teeth: edges that leave the set: an odd number of them, or none.
    """

    side: Truths
    teeth: tuple[tuple[int, int], ...] = ()

    @property
    def least(self) -> int:
        """The right-hand side of the cut's inequality: 2 without teeth, else 1 - |teeth|."""
        return 1 - len(self.teeth) if self.teeth else 2

    def key(self) -> tuple[bytes, tuple[tuple[int, int], ...]]:
        """Return a key for finding equal cuts. A set of nodes and its complement give the same cut and the same key."""
        side = ~self.side if self.side[0] else self.side
        return side.tobytes(), tuple(sorted(self.teeth))


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """The edges with positive values in a solution of the linear relaxation, and these values.

    Attributes:
        n: number of nodes.
        ends: the two nodes of each edge, one edge per row.
        values: values of the edges, between 0 and 1.
    """

    n: int
    ends: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    values: Reals


def components(n: int, ends: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[list[int]]:
    """Return the nodes of each connected component of a graph, as lists.

    Args:
        n: number of nodes.
        ends: the two nodes of each edge, one edge per row.
    """
    parent = list(range(n))
    for i, j in ends.tolist():
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        while parent[j] != j:
            parent[j] = j = parent[parent[j]]
        if i != j:
            parent[i] = j
    parts: dict[int, list[int]] = {}
    for node in range(n):
        root = node
        while parent[root] != root:
            root = parent[root]
        parts.setdefault(root, []).append(node)
    return list(parts.values())


def subtour_cuts(support: Support) -> list[Cut]:
    """Return subtour cuts that a fractional solution violates. The list is empty if and only if it violates none.

    If the graph of the solution's edges is not connected, its components give the cuts. If it is connected, a minimum
    cut decides whether there are any. Before this cut is computed, the two ends of an edge are merged if the edge has
    at least half of the total value of the edges at one of its ends: if any cut has a weight below 2, then some minimum
    cut does not separate these ends.

    Source: M. Padberg and G. Rinaldi, An efficient algorithm for the minimum capacity cut problem (1990); M. Stoer and
    F. Wagner, A simple min-cut algorithm (1997). Each phase of Stoer and Wagner's algorithm gives a cut, which is used
    if its weight is below 2.

    Args:
        support: a solution in which the edges at each node sum to 2.
    """
    parts = components(support.n, support.ends)
    if len(parts) > 1:
        return [Cut(_mask(support.n, part)) for part in (parts if len(parts) > 2 else parts[:1])]
    weights, groups = _merge_nodes(support)
    cuts = []
    for value, side in _minimum_cut_phases(weights):
        if value < 2 - VIOLATION:
            cuts.append(Cut(_mask(support.n, [node for group in side for node in groups[group]])))
    return cuts


def parity_cuts(support: Support) -> list[Cut]:
    """Return parity cuts (cuts with teeth) that a fractional solution violates.

    The search for sets of nodes is heuristic, so some cuts may be missed.

    Candidate sets are the connected components and the minimum cuts of the graph of fractional edges. The weight of an
    edge in this graph is the distance of its value to the nearer of 0 and 1. The best teeth for each set are found
    exactly.

    Source: A. N. Letchford, G. Reinelt and D. O. Theis, A faster exact separation algorithm for blossom
    inequalities (2004). The paper computes a cut tree; instead, we use the cuts of the phases of Stoer and Wagner's
    algorithm.

    Args:
        support: a solution in which the edges at each node sum to 2.
    """
    ends, values, n = support.ends, support.values, support.n
    fractional = (values > INTEGER_TOLERANCE) & (values < 1 - INTEGER_TOLERANCE)
    sets: list[list[int]] = []
    for part in components(n, ends[fractional]):
        if len(part) < 2:
            continue
        if len(part) > 2:
            sets.append(part)
        index = {node: place for place, node in enumerate(part)}
        weights = np.zeros((len(part), len(part)))
        for (i, j), value in zip(ends[fractional].tolist(), values[fractional].tolist(), strict=True):
            if i in index:
                weights[index[i], index[j]] = weights[index[j], index[i]] = min(value, 1 - value)
        sets.extend([part[place] for place in side] for _, side in _minimum_cut_phases(weights))
    for least in (0.25, 0.5, 0.75):
        large = fractional & (values > least)
        sets.extend(part for part in components(n, ends[large]) if len(part) > 2)
    cuts: dict[object, Cut] = {}
    for part in sets:
        cut = _most_violated_cut(support, _mask(n, part))
        if cut is not None:
            cuts.setdefault(cut.key(), cut)
    return list(cuts.values())


def _most_violated_cut(support: Support, side: Truths) -> Cut | None:
    """Choose teeth for a set of nodes so that a fractional solution violates the cut most, and return this parity cut.

    Return None if the solution violates no parity cut of the set by more than a tolerance.

    Args:
        support: the fractional solution.
        side: Boolean array of the nodes in the set.
    """
    ends, values = support.ends, support.values
    out = np.flatnonzero(side[ends[:, 0]] != side[ends[:, 1]])
    if not len(out):
        return None
    crossing = values[out]
    tooth = crossing > 0.5
    if int(tooth.sum()) % 2 == 0:
        flipped = int(np.argmin(np.abs(crossing - 0.5)))
        tooth[flipped] = not tooth[flipped]
    if 1 - float(np.where(tooth, 1 - crossing, crossing).sum()) < 10 * VIOLATION:
        return None
    teeth = tuple((int(i), int(j)) for i, j in ends[out[tooth]])
    return Cut(side, teeth)


def _mask(n: int, nodes: list[int]) -> Truths:
    side = np.zeros(n, dtype=bool)
    side[nodes] = True
    return side


def _merge_nodes(support: Support) -> tuple[Reals, list[list[int]]]:
    """Group nodes that some minimum cut does not separate, to make the graph smaller.

    Return the matrix of total values of the edges between the groups, and the nodes of each group.
    """
    near: list[dict[int, float]] = [{} for _ in range(support.n)]
    for (i, j), value in zip(support.ends.tolist(), support.values.tolist(), strict=True):
        near[i][j] = near[j][i] = value
    groups: list[list[int]] = [[node] for node in range(support.n)]
    queue = list(range(support.n))
    while queue:
        node = queue.pop()
        if not groups[node] or len(near[node]) < 2:
            continue
        own = sum(near[node].values())
        for other, value in near[node].items():
            # A group is merged only if the edges that leave it have a total value of at least 2. Otherwise the group
            # itself gives a violated cut, which merging would hide.
            if 2 * value >= min(own, sum(near[other].values())) - INTEGER_TOLERANCE and own >= 2 - VIOLATION:
                break
        else:
            continue
        if len(near[other]) < 2 or sum(near[other].values()) < 2 - VIOLATION:
            continue
        del near[node][other], near[other][node]
        for third, value in near[other].items():
            near[node][third] = near[third][node] = near[node].get(third, 0.0) + value
            del near[third][other]
        near[other] = {}
        groups[node] += groups[other]
        groups[other] = []
        queue.extend((node, *near[node]))
    remaining = [node for node in range(support.n) if groups[node]]
    index = {node: place for place, node in enumerate(remaining)}
    weights = np.zeros((len(remaining), len(remaining)))
    for node in remaining:
        for other, value in near[node].items():
            weights[index[node], index[other]] = value
    return weights, [groups[node] for node in remaining]


def _minimum_cut_phases(weights: Reals) -> Iterator[tuple[float, list[int]]]:
    """Yield the cut of each phase of Stoer and Wagner's algorithm: its weight and the nodes on one side.

    The lightest of these cuts is a minimum cut of the graph.

    Args:
        weights: symmetric matrix of the weights of edges.
    """
    weights = weights.copy()
    n = len(weights)
    groups = [[place] for place in range(n)]
    alive = np.ones(n, dtype=bool)
    for remaining in range(n, 1, -1):
        attachment = np.where(alive, 0.0, -np.inf)
        last = before = -1
        value = 0.0
        for _ in range(remaining):
            before, last = last, int(np.argmax(attachment))
            value = float(attachment[last])
            attachment += weights[last]
            attachment[last] = -np.inf
        yield value, list(groups[last])
        weights[before] += weights[last]
        weights[:, before] += weights[:, last]
        weights[before, before] = 0.0
        alive[last] = False
        groups[before] += groups[last]
