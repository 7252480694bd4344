"""Proofs that no tour is shorter than a bound, by integer dual prices and branching, and their checker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Edge = tuple[int, int]
"""The two nodes of an undirected edge."""


@dataclass(frozen=True, slots=True)
class PricedCut:
    """A cut with its dual price; see `planspec.solvers.tour.cuts.Cut`.

    Attributes:
        price: dual price: the factor of the cut's inequality in the sum that proves the bound, times
            `IntegerPrices.scale`; at least 0.
        side: nodes in the cut's set.
        teeth: edges that leave the set: an odd number of them, or none.
    """

    price: int
    side: tuple[int, ...]
    teeth: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class IntegerPrices:
    """Integer dual prices of nodes and cuts.

    Attributes:
        scale: factor by which the prices are multiplied to be integers.
        nodes: price of each node: the factor of the equation that a tour uses two edges at the node.
        cuts: cuts with a positive price.
    """

    scale: int
    nodes: tuple[int, ...]
    cuts: tuple[PricedCut, ...]


@dataclass(slots=True)
class TourPart:
    """A node of the tree that proves a lower bound on all tours. It stands for a subset of all tours.

    Either dual prices prove the bound for all tours of the subset, or the subset is split on an edge.

    Attributes:
        prices: sets of dual prices in the order in which they are applied. Each set excludes or fixes edges before the
            next is applied.
        split: edge on which the subset is split; None if its prices prove the bound.
        without: the tours that do not use the edge `split`; None if the subset is not split.
        having: the tours that use that edge; None if the subset is not split.
    """

    prices: list[IntegerPrices] = field(default_factory=list)
    split: Edge | None = None
    without: TourPart | None = None
    having: TourPart | None = None


class InvalidTourProofError(Exception):
    """A proof of a tour's bound is wrong or malformed."""


@dataclass(slots=True)
class _Edges:
    """The edges that the tours in one subset of all tours may use (`alive`) and those that they must use (`fixed`)."""

    alive: set[Edge]
    fixed: set[Edge]

    def propagate_degrees(self, n: int) -> None:
        """Fix (require) and exclude edges by the number of edges at each node until nothing changes.

        A node with two fixed edges loses its other edges. A node with only two edges left uses both.

        Args:
            n: number of nodes.
        """
        changed = True
        while changed:
            changed = False
            edges_at: list[list[Edge]] = [[] for _ in range(n)]
            for i, j in self.alive:
                edges_at[i].append((i, j))
                edges_at[j].append((i, j))
            for own in edges_at:
                fixed = [each for each in own if each in self.fixed]
                if len(fixed) >= 2 and len(own) > len(fixed):
                    self.alive -= set(own) - self.fixed
                    changed = True
                elif len(own) == 2 > len(fixed):
                    self.fixed |= set(own)
                    changed = True


def check_bound(
    cost: Sequence[Sequence[int]], allowed: set[Edge], forced: set[Edge], least: int, proof: TourPart
) -> int:
    """Check a proof that no tour is shorter than a bound.

    A tour visits all nodes once along allowed edges and uses all forced edges. A subset of the tours needs no further
    split if dual prices prove the bound for all its tours. Each tour has two edges at every node, satisfies each cut,
    and uses no edge twice. Its length is therefore at least the sum of the right-hand sides times their prices, plus
    the minimum sum of reduced costs. All sums are computed with Python integers, without rounding.

    Args:
        cost: symmetric matrix of non-negative lengths.
        allowed: edges that may be used, smaller node first.
        forced: edges that every tour must use.
        least: the bound.
        proof: root of the proof's tree, which stands for all tours.

    Returns:
        The number of nodes of the proof's tree.

    Raises:
        InvalidTourProofError: the proof does not prove the bound.
    """
    parts = 0
    waiting = [(proof, _Edges(set(allowed), set(forced)))]
    while waiting:
        part, edges = waiting.pop()
        parts += 1
        edges.propagate_degrees(len(cost))
        if any(_proves_bound(cost, edges, least, prices) for prices in part.prices) or _has_no_shorter_tour(
            cost, edges, least
        ):
            continue
        if part.split is None or part.without is None or part.having is None:
            raise InvalidTourProofError(f"the prices of a part do not reach {least}, and it is not split")
        waiting.append((part.without, _Edges(edges.alive - {part.split}, set(edges.fixed))))
        waiting.append((part.having, _Edges(set(edges.alive), edges.fixed | {part.split})))
    return parts


def _proves_bound(cost: Sequence[Sequence[int]], edges: _Edges, least: int, prices: IntegerPrices) -> bool:
    """Return whether dual prices prove that no tour over the given edges is shorter than `least`.

    If they do not, change `edges`: fix those that every shorter tour uses, and exclude those that no shorter tour uses.

    Args:
        cost: symmetric matrix of lengths.
        edges: edges that tours may use and edges that they must use.
        least: the bound to prove.
        prices: dual prices of nodes and cuts.

    Raises:
        InvalidTourProofError: the prices or cuts are malformed.
    """
    n = len(cost)
    if prices.scale < 1 or len(prices.nodes) != n:
        raise InvalidTourProofError("prices are for another number of nodes")
    sides = [0] * n  # for each node, a bit set of the cuts whose set contains it
    total = 2 * sum(prices.nodes)
    teeth: dict[Edge, int] = {}
    for index, cut in enumerate(prices.cuts):
        inside = set(cut.side)
        if cut.price < 0 or not 0 < len(inside) < n or not inside <= set(range(n)):
            raise InvalidTourProofError("a cut has no two sides, or a price below 0")
        crossing = {(min(edge), max(edge)) for edge in cut.teeth if (edge[0] in inside) != (edge[1] in inside)}
        if len(crossing) != len(cut.teeth) or (cut.teeth and len(cut.teeth) % 2 == 0):
            raise InvalidTourProofError("the teeth of a cut are not an odd number of edges out of it")
        total += cut.price * (1 - len(crossing) if crossing else 2)
        for node in inside:
            sides[node] |= 1 << index
        for edge in crossing:
            teeth[edge] = teeth.get(edge, 0) + 2 * cut.price
    cache: dict[int, int] = {0: 0}  # total price of the cuts in a bit set

    def total_price(cut_set: int) -> int:
        price = cache.get(cut_set)
        if price is None:
            price = cache[cut_set] = sum(cut.price for index, cut in enumerate(prices.cuts) if cut_set >> index & 1)
        return price

    reduced = {
        (i, j): cost[i][j] * prices.scale
        - prices.nodes[i]
        - prices.nodes[j]
        - total_price(sides[i] ^ sides[j])
        + teeth.get((i, j), 0)
        for i, j in edges.alive | edges.fixed
    }
    total += sum(each if edge in edges.fixed else min(each, 0) for edge, each in reduced.items())
    if total > (least - 1) * prices.scale:
        return True
    slack = (least - 1) * prices.scale - total
    edges.fixed |= {edge for edge, each in reduced.items() if each < -slack and edge in edges.alive}
    edges.alive = {edge for edge in edges.alive if edge in edges.fixed or reduced[edge] <= slack}
    edges.propagate_degrees(n)
    return False


def _has_no_shorter_tour(cost: Sequence[Sequence[int]], edges: _Edges, least: int) -> bool:
    """Return whether it is clear, even without dual prices, that no tour over the given edges is shorter than `least`.

    This is the case if a node cannot have two edges, or if all remaining edges are fixed and form no shorter tour.
    """
    near: list[list[int]] = [[] for _ in cost]
    fixed_degrees = [0] * len(cost)
    for i, j in edges.alive:
        near[i].append(j)
        near[j].append(i)
    for i, j in edges.fixed:
        fixed_degrees[i] += 1
        fixed_degrees[j] += 1
    if min(map(len, near)) < 2 or max(fixed_degrees) > 2 or not edges.fixed <= edges.alive:
        return True
    if edges.alive != edges.fixed:
        return False
    seen, node = {0}, near[0][0]
    while node not in seen:
        seen.add(node)
        node = next((other for other in near[node] if other not in seen), 0)
    return len(seen) < len(cost) or sum(cost[i][j] for i, j in edges.fixed) >= least
