"""Rates of several answers to a task: what is expected of k of them, drawn from the n that were made.

Of n answers c pass. Of k that are drawn without replacement

    pass@k = 1 - C(n - c, k) / C(n, k)    at least one passes
    pass^k = C(c, k) / C(n, k)            all pass

Both are unbiased estimators of the same for k fresh answers, and exact here.

Sources: Chen et al., "Evaluating large language models trained on code" (2021), section 2.1, for pass@k; Yao et al.,
"tau-bench" (2024), section 3, for pass^k.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb

MOST_DRAWN = 128
"""The largest k that is worked out unasked."""
CACHED = 1 << 14


@lru_cache(CACHED)
def pass_at(k: int, n: int, passed: int) -> Fraction:
    """The probability that of k drawn answers one passes.

    Args:
        k: from 1 to n.
        n: answers.
        passed: of them.
    """
    return 1 - _all_of(k, n, n - passed)


@lru_cache(CACHED)
def pass_hat(k: int, n: int, passed: int) -> Fraction:
    """The probability that k drawn answers all pass.

    Args:
        k: from 1 to n.
        n: answers.
        passed: of them.
    """
    return _all_of(k, n, passed)


def _all_of(k: int, n: int, good: int) -> Fraction:
    """The probability that k drawn of n are all among the good ones."""
    if k > good:
        return Fraction(0)
    return Fraction(1) if good == n else Fraction(comb(good, k), comb(n, k))


def usual_draws(n: int) -> tuple[int, ...]:
    """The numbers of answers to draw of n: powers of two, and n itself, up to `MOST_DRAWN`."""
    return tuple(sorted({k for k in (*_powers(n), n) if 0 < k <= MOST_DRAWN}))


def _powers(n: int) -> Iterator[int]:
    k = 1
    while k <= n:
        yield k
        k *= 2
