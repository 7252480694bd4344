"""Slack of a path: how much shorter some path is known to be. It never exceeds what the shortest path would save."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.veritrip import slack as module
from planspec.families.veritrip.slack import MAX_MOVED, Integers, slack
from planspec.solvers.tour import shortest


@st.composite
def matrices(draw: st.DrawFn, max_size: int = 8) -> Integers:
    """Draw symmetric matrices of distances, which need not satisfy the triangle inequality."""
    n = draw(st.integers(0, max_size))
    values = draw(st.lists(st.integers(0, 60), min_size=n * n, max_size=n * n))
    metres = np.array(values, dtype=np.int64).reshape(n, n)
    metres = np.minimum(metres, metres.T)
    np.fill_diagonal(metres, 0)
    return metres


def path_length(metres: Integers, order: list[int] | None = None) -> int:
    """Return the length of a closed path through all places, by default in the order of their numbers."""
    order = list(range(len(metres))) if order is None else order
    return int(sum(metres[a, b] for a, b in zip(order, [*order[1:], *order[:1]], strict=True)))


def shortest_length(metres: Integers) -> int:
    """Return the length of the shortest closed path, by enumeration."""
    return min(path_length(metres, [0, *rest]) for rest in permutations(range(1, len(metres))))


@given(matrices(7))
def test_no_path_is_shortened_below_the_shortest(metres: Integers) -> None:
    saved = slack(metres)
    assert saved >= 0
    if len(metres):
        assert saved <= path_length(metres) - shortest_length(metres)


@given(matrices(3))
def test_three_places_have_only_one_path(metres: Integers) -> None:
    assert slack(metres) == 0


def single_changes(n: int) -> list[list[int]]:
    """Return all orders of n places after one reversal or one move of a block, by enumeration."""
    orders = []
    for i in range(n):
        orders += [[*range(i), *reversed(range(i, j)), *range(j, n)] for j in range(i + 2, n + 1)]
    for size in range(1, min(MAX_MOVED, n - 3) + 1):
        for i in range(n):
            block = [(i + k) % n for k in range(size)]
            rest = [k for k in range(n) if k not in block]
            for at in range(len(rest) + 1):
                orders += [[*rest[:at], *block, *rest[at:]], [*rest[:at], *reversed(block), *rest[at:]]]
    return orders


@given(matrices())
def test_the_best_single_change_is_found(metres: Integers) -> None:
    n = len(metres)
    if n < 4:
        return
    gain = max(
        module._best_reversal(metres)[0],
        *(module._best_move(metres, size)[0] for size in range(1, min(MAX_MOVED, n - 3) + 1)),
    )
    assert max(gain, 0) == max(path_length(metres) - min(path_length(metres, o) for o in single_changes(n)), 0)


@given(matrices())
def test_each_improvement_permutes_all_places_and_saves_the_stated_length(metres: Integers) -> None:
    n = len(metres)
    if n < 4:
        return
    changes = [module._best_reversal(metres)]
    changes += [module._best_move(metres, size) for size in range(1, min(MAX_MOVED, n - 3) + 1)]
    for gained, order in changes:
        if gained > 0:
            assert sorted(order) == list(range(n))
            assert path_length(metres) - path_length(metres, order) == gained


@given(matrices())
def test_a_path_without_slack_has_no_improving_change(metres: Integers) -> None:
    n = len(metres)
    if n >= 4 and slack(metres) == 0:
        assert all(path_length(metres, order) >= path_length(metres) for order in single_changes(n))


@pytest.mark.parametrize("seed", range(6))
def test_the_slack_is_most_of_the_exact_saving_on_a_map(seed: int) -> None:
    """The map has sixteen places. The slack never exceeds the exact saving."""
    random = Random(seed)
    points = np.array([[random.randrange(10_000) for _ in range(2)] for _ in range(16)])
    metres = np.rint(np.hypot(*(points[:, None] - points[None]).T)).astype(np.int64)
    shortest_ = shortest(metres, limit_seconds=10)
    assert shortest_.length is not None and shortest_.bound == shortest_.length
    exact_saving = path_length(metres) - shortest_.length
    assert 0.85 * exact_saving <= slack(metres) <= exact_saving


def test_the_shortest_path_has_no_slack() -> None:
    square = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]], dtype=np.int64)
    assert slack(square) == 0
    crossed = square[np.ix_([0, 2, 1, 3], [0, 2, 1, 3])]
    assert slack(crossed) == 2
