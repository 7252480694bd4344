"""Inequalities that every tour satisfies and a fractional solution does not: subtours and parity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planspec.solvers.tour.outcome import Reals, Truths

VIOLATION = 1e-4
"""The least worth of a cut; below lies the rounding of a linear program."""
SLIGHT = 1e-7
"""Values closer than this to 0 or 1 are taken for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A cut: the least number of edges out of a set, without its teeth, less its teeth.

    Without teeth a tour leaves the set at least twice. A tour leaves it an even number of times, so if it uses all of
    an odd number of teeth, it uses one more edge: x(out, no teeth) - x(teeth) >= 1 - |teeth|.

    Attributes:
        side: which nodes are in the set.
        teeth: edges out of it, an odd number of them or none.
    """

    side: Truths
    teeth: tuple[tuple[int, int], ...] = ()

    @property
    def least(self) -> int:
        """The right-hand side."""
        return 1 - len(self.teeth) if self.teeth else 2

    def key(self) -> tuple[bytes, tuple[tuple[int, int], ...]]:
        """Equal for equal cuts, whichever of the two sides was named."""
        side = ~self.side if self.side[0] else self.side
        return side.tobytes(), tuple(sorted(self.teeth))


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """The edges that a solution uses, and how much.

    Attributes:
        n: nodes.
        ends: an edge in each row.
        values: of the edges, between 0 and 1.
    """

    n: int
    ends: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    values: Reals


def components(n: int, ends: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[list[int]]:
    """The nodes of each connected part of a graph.

    Args:
        n: nodes.
        ends: an edge in each row.
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


def subtours(support: Support) -> list[Cut]:
    """Violated subtour cuts; none only if there is none at all.

    Where the graph hangs together, a minimum cut decides. Before it is looked for, nodes are merged along edges that
    carry at least half of what a node has: some minimum cut does not part them.

    Source: M. Padberg and G. Rinaldi, An efficient algorithm for the minimum capacity cut problem (1990); M. Stoer
    and F. Wagner, A simple min-cut algorithm (1997), of which each phase's cut is kept that is below 2.

    Args:
        support: a solution in which the edges at each node sum to 2.
    """
    parts = components(support.n, support.ends)
    if len(parts) > 1:
        return [Cut(_side(support.n, part)) for part in (parts if len(parts) > 2 else parts[:1])]
    weights, groups = _merged(support)
    found = []
    for value, side in _phases(weights):
        if value < 2 - VIOLATION:
            found.append(Cut(_side(support.n, [node for group in side for node in groups[group]])))
    return found


def parities(support: Support) -> list[Cut]:
    """Violated parity cuts, as far as the search for their sets goes.

    Sets are the connected parts of the graph of fractional edges, and minimum cuts of that graph where an edge
    weighs as much as it lies from 0 or 1; for each set the best teeth are exact.

    Source: A. N. Letchford, G. Reinelt and D. O. Theis, A faster exact separation algorithm for blossom
    inequalities (2004); the phase cuts stand here for their cut tree, so some violated cuts are missed.

    Args:
        support: a solution in which the edges at each node sum to 2.
    """
    ends, values, n = support.ends, support.values, support.n
    broken = (values > SLIGHT) & (values < 1 - SLIGHT)
    sets: list[list[int]] = []
    for part in components(n, ends[broken]):
        if len(part) < 2:
            continue
        if len(part) > 2:
            sets.append(part)
        index = {node: place for place, node in enumerate(part)}
        weights = np.zeros((len(part), len(part)))
        for (i, j), value in zip(ends[broken].tolist(), values[broken].tolist(), strict=True):
            if i in index:
                weights[index[i], index[j]] = weights[index[j], index[i]] = min(value, 1 - value)
        sets.extend([part[place] for place in side] for _, side in _phases(weights))
    for least in (0.25, 0.5, 0.75):
        some = broken & (values > least)
        sets.extend(part for part in components(n, ends[some]) if len(part) > 2)
    found: dict[object, Cut] = {}
    for part in sets:
        cut = _teeth(support, _side(n, part))
        if cut is not None:
            found.setdefault(cut.key(), cut)
    return list(found.values())


def _teeth(support: Support, side: Truths) -> Cut | None:
    """The most violated parity cut of a set, if one is."""
    ends, values = support.ends, support.values
    out = np.flatnonzero(side[ends[:, 0]] != side[ends[:, 1]])
    if not len(out):
        return None
    crossing = values[out]
    tooth = crossing > 0.5
    if int(tooth.sum()) % 2 == 0:
        turned = int(np.argmin(np.abs(crossing - 0.5)))
        tooth[turned] = not tooth[turned]
    if 1 - float(np.where(tooth, 1 - crossing, crossing).sum()) < 10 * VIOLATION:
        return None
    teeth = tuple((int(i), int(j)) for i, j in ends[out[tooth]])
    return Cut(side, teeth)


def _side(n: int, nodes: list[int]) -> Truths:
    side = np.zeros(n, dtype=bool)
    side[nodes] = True
    return side


def _merged(support: Support) -> tuple[Reals, list[list[int]]]:
    """Weights between groups of nodes that some minimum cut leaves together, and the groups."""
    near: list[dict[int, float]] = [{} for _ in range(support.n)]
    for (i, j), value in zip(support.ends.tolist(), support.values.tolist(), strict=True):
        near[i][j] = near[j][i] = value
    groups: list[list[int]] = [[node] for node in range(support.n)]
    queue = list(range(support.n))
    while queue:
        node = queue.pop()
        if not groups[node] or len(near[node]) < 2:
            continue
        mine = sum(near[node].values())
        for other, value in near[node].items():
            # 2 is what any group has at least, unless it is itself what is looked for
            if 2 * value >= min(mine, sum(near[other].values())) - SLIGHT and mine >= 2 - VIOLATION:
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
    left = [node for node in range(support.n) if groups[node]]
    index = {node: place for place, node in enumerate(left)}
    weights = np.zeros((len(left), len(left)))
    for node in left:
        for other, value in near[node].items():
            weights[index[node], index[other]] = value
    return weights, [groups[node] for node in left]


def _phases(weights: Reals) -> Iterator[tuple[float, list[int]]]:
    """The cut of each phase of Stoer and Wagner's algorithm; one of them is a minimum cut."""
    weights = weights.copy()
    n = len(weights)
    groups = [[place] for place in range(n)]
    alive = np.ones(n, dtype=bool)
    for left in range(n, 1, -1):
        tied = np.where(alive, 0.0, -np.inf)
        last = before = -1
        value = 0.0
        for _ in range(left):
            before, last = last, int(np.argmax(tied))
            value = float(tied[last])
            tied += weights[last]
            tied[last] = -np.inf
        yield value, list(groups[last])
        weights[before] += weights[last]
        weights[:, before] += weights[:, last]
        weights[before, before] = 0.0
        alive[last] = False
        groups[before] += groups[last]
