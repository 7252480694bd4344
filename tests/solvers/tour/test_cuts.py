from __future__ import annotations

import random
from itertools import combinations, permutations

import numpy as np
import pytest

from planspec.solvers.tour.closed_tour_problem import closed_tour_problem
from planspec.solvers.tour.cuts import Cut, Support, components, parity_cuts, subtour_cuts
from planspec.solvers.tour.network import Edge, edge, network
from planspec.solvers.tour.outcome import Integers
from planspec.solvers.tour.relaxation import DualPrices, proved_bound

N = 7
TOURS = [
    frozenset(edge(i, j) for i, j in zip((0, *rest), (*rest, 0), strict=True))
    for rest in permutations(range(1, N))
    if rest[0] < rest[-1]
]


def mixed_solution(seed: int) -> Support:
    """Return a fractional solution in which each node has degree 2: the mean of tours and pairs of cycles."""
    chance = random.Random(seed)
    parts = chance.choice((2, 2, 3, 5))
    total: dict[Edge, float] = {}
    for _ in range(parts):
        nodes = chance.sample(range(N), N)
        at = chance.choice((3, 4, N))
        for cycle in (nodes[:at], nodes[at:]):
            for i, j in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                total[edge(i, j)] = min(1.0, total.get(edge(i, j), 0.0) + 1 / parts)
    return Support(N, np.array(list(total)), np.array(list(total.values())))


def cut_value(cut: Cut, used: dict[Edge, float]) -> float:
    """Return the left side of a cut for this use of the edges."""
    out = {pair: much for pair, much in used.items() if cut.side[pair[0]] != cut.side[pair[1]]}
    return sum(-much if pair in cut.teeth else much for pair, much in out.items())


@pytest.mark.parametrize("seed", range(60))
def test_every_tour_satisfies_every_cut_and_the_separated_solution_does_not(seed: int) -> None:
    support = mixed_solution(seed)
    used = {(i, j): much for (i, j), much in zip(support.ends.tolist(), support.values.tolist(), strict=True)}
    for cut in (*subtour_cuts(support), *parity_cuts(support)):
        assert cut_value(cut, used) < cut.least
        assert all(cut_value(cut, dict.fromkeys(tour, 1.0)) >= cut.least for tour in TOURS)


@pytest.mark.parametrize("seed", range(60))
def test_a_violated_subtour_cut_is_found_if_one_exists(seed: int) -> None:
    support = mixed_solution(seed)
    used = {(i, j): much for (i, j), much in zip(support.ends.tolist(), support.values.tolist(), strict=True)}
    least = min(
        sum(much for (i, j), much in used.items() if (i in side) != (j in side))
        for size in range(2, N - 1)
        for side in map(set, combinations(range(N), size))
    )
    assert bool(subtour_cuts(support)) == (least < 1.99)


def test_a_parity_cut_excludes_the_half_integral_solution_of_a_prism() -> None:
    # two triangles of half edges joined by three whole edges, which no subtour cut excludes
    ends = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (0, 3), (1, 4), (2, 5)]
    support = Support(6, np.array(ends), np.array([0.5] * 6 + [1.0] * 3))
    assert subtour_cuts(support) == []
    assert {cut.teeth for cut in parity_cuts(support)} == {((0, 3), (1, 4), (2, 5))}


def test_the_components_of_a_graph_are_found() -> None:
    assert sorted(map(sorted, components(5, np.array([(0, 3), (3, 4)])))) == [[0, 3, 4], [1], [2]]
    assert components(0, np.zeros((0, 2), dtype=np.int64)) == []


def random_lengths(seed: int, max_length: int) -> Integers:
    """Return a random symmetric matrix of lengths."""
    chance = random.Random(seed)
    matrix = np.zeros((N, N), dtype=np.int64)
    for i, j in combinations(range(N), 2):
        matrix[i, j] = matrix[j, i] = chance.randint(0, max_length)
    return matrix


@pytest.mark.parametrize("max_length", [9, 10**6, 2**53 // N - 1])
@pytest.mark.parametrize("seed", range(20))
def test_any_dual_prices_give_a_valid_bound_and_valid_reduced_costs(seed: int, max_length: int) -> None:
    matrix = random_lengths(seed, max_length)
    chance = random.Random(seed)
    cuts = [*subtour_cuts(mixed_solution(seed)), *parity_cuts(mixed_solution(seed))]
    prices = DualPrices(
        tuple(chance.uniform(-max_length, max_length) / 2 for _ in range(N)),
        tuple(chance.uniform(-max_length, max_length) / 4 for _ in cuts),
    )
    graph = network(closed_tour_problem(matrix, closed=True, start=None, end=None))
    lower = proved_bound(graph, graph.allowed, np.zeros_like(graph.allowed), cuts, prices)
    for tour in TOURS:
        total = sum(int(matrix[i, j]) for i, j in tour)
        assert lower.least <= total
        for i, j in combinations(range(N), 2):
            extra = int(lower.reduced[i, j]) * (1 if (i, j) in tour else -1)
            assert lower.value + max(0, extra) <= total * lower.scale


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_tours_of_a_network_are_found(symmetric: bool) -> None:
    matrix = random_lengths(1, 50) + (0 if symmetric else np.triu(np.ones((N, N), dtype=np.int64), 1))
    problem = closed_tour_problem(matrix, closed=True, start=None, end=None)
    graph = network(problem)
    assert graph.split == (not symmetric)
    for rest in list(permutations(range(1, N)))[:100]:
        cycle = (0, *rest)
        edges = graph.edges(cycle)
        restored = graph.cycle(edges)
        assert problem.order(restored) == problem.order(cycle)
        assert sum(int(graph.cost[i, j]) for i, j in edges) == sum(
            int(matrix[i, j]) for i, j in zip(cycle, (*rest, 0), strict=True)
        )
