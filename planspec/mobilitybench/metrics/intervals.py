"""How far a rate or a mean could lie from what a run shows: intervals of 95 per cent.

Rates have Wilson's score interval: with p of n, and z = 1.959964,

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)

Means have the percentile interval of the bootstrap: episodes are drawn again with replacement, `RESAMPLES` times, by a
seeded generator; the bounds are the 2.5th and 97.5th percentile of the means. All metrics of a group are drawn together.

Sources: Wilson, "Probable inference" (1927); Efron, "Bootstrap methods" (1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TypeAlias

Z = 1.959963984540054
RESAMPLES = 1000
SEED = 20_260_601
DECIMALS = 6
"""Of the bounds that are told."""
Interval: TypeAlias = tuple[float, float]


def wilson(hits: int, of: int) -> Interval | None:
    """The interval of a rate; None of nothing.

    Args:
        hits: how often it is so.
        of: of how many.
    """
    if not of:
        return None
    rate, square = hits / of, Z * Z
    middle = rate + square / (2 * of)
    half = Z * sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    low, high = (middle - half) / (1 + square / of), (middle + half) / (1 + square / of)
    return _told(low if hits else 0.0, high if hits < of else 1.0)


def bootstrap(
    columns: Sequence[Sequence[float | None]], seed: int = SEED, resamples: int = RESAMPLES
) -> list[Interval | None]:
    """The intervals of the means of some columns over the same episodes.

    Args:
        columns: equally long; None where an episode has no value, and no part in the mean.
        seed: of the generator.
        resamples: how often all episodes are drawn.

    Returns:
        For each column its interval; None of a column without a value.
    """
    import numpy as np

    episodes = len(columns[0]) if columns else 0
    if not episodes:
        return [None] * len(columns)
    there = np.array([[value is not None for value in column] for column in columns], dtype=np.float64).T
    values = np.array([[value or 0.0 for value in column] for column in columns], dtype=np.float64).T
    both = np.hstack([values, there])
    draw = np.random.RandomState(seed)
    sums = np.empty((resamples, both.shape[1]))
    for place in range(resamples):
        times = np.bincount(draw.randint(0, episodes, episodes), minlength=episodes)
        sums[place] = times @ both
    made: list[Interval | None] = []
    width = len(columns)
    for column in range(width):
        counts = sums[:, width + column]
        means = sums[counts > 0, column] / counts[counts > 0]
        if not len(means):
            made.append(None)
            continue
        low, high = np.percentile(means, [2.5, 97.5])
        made.append(_told(float(low), float(high)))
    return made


def _told(low: float, high: float) -> Interval:
    return round(low, DECIMALS), round(high, DECIMALS)
