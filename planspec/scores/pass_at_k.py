"""Probabilities that at least one, or all, of k answers to a task pass, estimated from n answers.

Suppose that c of n answers pass. For k answers drawn without replacement,

    pass@k = 1 - C(n - c, k) / C(n, k)    at least one passes
    pass^k = C(c, k) / C(n, k)            all pass

Both are unbiased estimators of the probabilities for k new answers. They are computed exactly.

Sources: Chen et al., "Evaluating large language models trained on code" (2021), section 2.1, for pass@k; Yao
et al., "tau-bench" (2024), section 3, for pass^k.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb

MOST_DRAWN = 128
"""Maximum k that is computed by default."""
CACHED = 1 << 14


@lru_cache(CACHED)
def pass_at(k: int, n: int, passed: int) -> Fraction:
    """Return pass@k, the probability that at least one of k drawn answers passes.

    Args:
        k: number of drawn answers, from 1 to n.
        n: number of answers.
        passed: number of answers that pass.
    """
    return 1 - _all_good_probability(k, n, n - passed)


@lru_cache(CACHED)
def pass_hat(k: int, n: int, passed: int) -> Fraction:
    """Return pass^k, the probability that all k drawn answers pass.

    Args:
        k: number of drawn answers, from 1 to n.
        n: number of answers.
        passed: number of answers that pass.
    """
    return _all_good_probability(k, n, passed)


def _all_good_probability(k: int, n: int, good: int) -> Fraction:
    """Return the probability that k items drawn without replacement from n are all among the `good` good ones."""
    if k > good:
        return Fraction(0)
    return Fraction(1) if good == n else Fraction(comb(good, k), comb(n, k))


def default_draws(n: int) -> tuple[int, ...]:
    """Return the default values of k for n answers: the powers of two and n itself, up to `MOST_DRAWN`."""
    return tuple(sorted({k for k in (*_powers_of_two(n), n) if 0 < k <= MOST_DRAWN}))


def _powers_of_two(n: int) -> Iterator[int]:
    k = 1
    while k <= n:
        yield k
        k *= 2
