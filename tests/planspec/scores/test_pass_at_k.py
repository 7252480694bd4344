"""pass@k and pass^k, compared with an enumeration of all draws."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest

from planspec.scores.pass_at_k import MOST_DRAWN, default_draws, pass_at, pass_hat


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_a_rate_is_the_share_of_all_draws(n: int) -> None:
    for passed in range(n + 1):
        answers = [place < passed for place in range(n)]
        for k in range(1, n + 1):
            draws = list(combinations(answers, k))
            assert pass_at(k, n, passed) == Fraction(sum(map(any, draws)), len(draws))
            assert pass_hat(k, n, passed) == Fraction(sum(map(all, draws)), len(draws))


def test_pass_at_1_is_the_share_of_answers_that_pass() -> None:
    assert pass_at(1, 12, 5) == pass_hat(1, 12, 5) == Fraction(5, 12)


def test_pass_at_5_equals_a_published_example() -> None:
    """If 3 of 10 answers pass, pass@5 is 1 - C(7, 5) / C(10, 5) = 1 - 21 / 252."""
    assert pass_at(5, 10, 3) == 1 - Fraction(21, 252)


@pytest.mark.parametrize(("n", "ks"), [(1, (1,)), (6, (1, 2, 4, 6)), (8, (1, 2, 4, 8)), (0, ())])
def test_default_draws_are_powers_of_two_and_the_number_of_answers(n: int, ks: tuple[int, ...]) -> None:
    assert default_draws(n) == ks


def test_default_draws_have_a_limit() -> None:
    assert max(default_draws(10**6)) == MOST_DRAWN
