"""Intervals of 95 per cent for the numbers of a run, and the test of a pair of runs.

Every number is a ratio of sums over tasks, sum(part) / sum(weight): a mean over tasks has weights of 1, a rate over
constraints has the number of constraints. Tasks are drawn, not attempts: those at one task are alike, so that ten
attempts at a task tell less than one at each of ten.

Rates of single attempts have Wilson's score interval: with p of n, and z = 1.959964,

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)

All else has the percentile interval of the bootstrap: the tasks are drawn again with replacement by a seeded generator;
the bounds are the 2.5th and 97.5th percentile of the ratios. What one task alone tells has no interval.

The difference of two rates of single attempts at the same tasks has Newcombe's interval, which is made of Wilson's; all
other differences have the bootstrap's, with tasks drawn for both runs together.

Sources: Wilson, "Probable inference" (1927); Newcombe, "Improved confidence intervals for the difference between binomial
proportions based on paired data" (1998), method 10; Efron, "Bootstrap methods" (1979); McNemar, "Note on the sampling
error" (1947), in its exact form.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.extras import needing, require

if TYPE_CHECKING:
    from numpy.typing import NDArray

Z = 1.959963984540054
RESAMPLES = 2000
SEED = 20_260_601
DECIMALS = 6
"""The decimals of printed bounds."""
_EXTRA = "metrics with intervals need an extra"
Interval: TypeAlias = tuple[float, float]
Pair: TypeAlias = tuple[Fraction, int]
"""The contribution of one task to a ratio: its part of the numerator and its weight in the denominator."""
Column: TypeAlias = Sequence[Pair]
"""A pair for each task."""


def require_intervals() -> None:
    """Refuse to begin what ends with metrics where their intervals cannot be made.

    Raises:
        ModuleNotFoundError: the extra is not installed; the message names it.
    """
    require("numpy", "solve", _EXTRA)


def ratio(column: Column) -> Fraction | None:
    """The ratio of the sums; None without weight."""
    weight = sum(weight for _, weight in column)
    return sum((part for part, _ in column), Fraction(0)) / weight if weight else None


def newcombe(both: int, first_alone: int, second_alone: int, neither: int) -> Interval | None:
    """The interval of the difference of two rates over the same tasks, second less first; None of no task.

    Args:
        both: tasks that both runs pass.
        first_alone: tasks that only the first passes.
        second_alone: tasks that only the second passes.
        neither: tasks that neither passes.
    """
    tasks = both + first_alone + second_alone + neither
    one, other = wilson(both + first_alone, tasks), wilson(both + second_alone, tasks)
    if one is None or other is None:
        return None
    first, second = (both + first_alone) / tasks, (both + second_alone) / tasks
    margins = (
        (both + first_alone) * (second_alone + neither) * (both + second_alone) * (first_alone + neither)
    )
    product = float(both * neither - first_alone * second_alone)
    if product > 0:
        product = max(product - tasks / 2, 0.0)
    correlation = product / sqrt(margins) if margins else 0.0

    def apart(a: float, b: float) -> float:
        return sqrt(max(a * a - 2 * correlation * a * b + b * b, 0))

    difference = second - first
    return _told(
        max(-1.0, difference - apart(second - other[0], one[1] - first)),
        min(1.0, difference + apart(other[1] - second, first - one[0])),
    )


def wilson(hits: int, of: int) -> Interval | None:
    """The interval of a rate; None of nothing.

    Args:
        hits: how often it is so.
        of: of how many that do not hang together.
    """
    if not of:
        return None
    rate, square = hits / of, Z * Z
    middle = rate + square / (2 * of)
    half = Z * sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    low, high = (middle - half) / (1 + square / of), (middle + half) / (1 + square / of)
    return _told(low if hits else 0.0, high if hits < of else 1.0)


def bootstrap(
    columns: Sequence[Column], seed: int = SEED, resamples: int = RESAMPLES
) -> list[Interval | None]:
    """The intervals of some ratios over the same tasks.

    Args:
        columns: equally long.
        seed: seed of the generator.
        resamples: how often all tasks are drawn.

    Returns:
        For each column its interval; None of a column to which fewer than two tasks bring anything.
    """
    drawn = _drawn(columns, seed, resamples)
    return [
        _percentiles(ratios) if _several(column) else None
        for column, ratios in zip(columns, drawn, strict=True)
    ]


def paired_bootstrap(
    first: Sequence[Column], second: Sequence[Column], seed: int = SEED, resamples: int = RESAMPLES
) -> list[Interval | None]:
    """The intervals of differences between ratios of two runs over the same tasks, second less first.

    A task is drawn for both runs together, so that what makes it hard for both drops out.

    Args:
        first: columns of one run.
        second: the same of the other.
        seed: seed of the generator.
        resamples: how often all tasks are drawn.
    """
    drawn = _drawn([*first, *second], seed, resamples)
    half = len(first)
    return [
        _percentiles(drawn[place + half] - drawn[place]) if _several(one) and _several(other) else None
        for place, (one, other) in enumerate(zip(first, second, strict=True))
    ]


def mcnemar(first_alone: int, second_alone: int) -> Fraction:
    """The probability of a split of the tasks on which two runs part that is at least so uneven, were neither better.

    Args:
        first_alone: tasks that only one run passes.
        second_alone: tasks that only the other passes.

    Returns:
        Two-sided and exact: min(1, 2 P(X <= the smaller)) with X binomial of all of them and 1/2.
    """
    parted, ways, tail = first_alone + second_alone, 1, 0
    for k in range(min(first_alone, second_alone) + 1):
        tail += ways
        ways = ways * (parted - k) // (k + 1)
    return min(Fraction(1), Fraction(2 * tail, 2**parted))


def _several(column: Column) -> bool:
    return sum(weight > 0 for _, weight in column) > 1


def _drawn(columns: Sequence[Column], seed: int, resamples: int) -> list[NDArray[Any]]:
    """For each column its ratio in every resample; NaN where a resample has no weight."""
    with needing("solve", _EXTRA):
        import numpy as np

    tasks, width = len(columns[0]) if columns else 0, len(columns)
    if not tasks:
        return [np.full(resamples, np.nan) for _ in columns]
    both = np.array(
        [
            *([float(part) for part, _ in column] for column in columns),
            *([float(weight) for _, weight in column] for column in columns),
        ]
    ).T
    draw = np.random.RandomState(seed)  # its stream is the same in every version
    sums = np.empty((resamples, 2 * width))
    for place in range(resamples):
        sums[place] = np.bincount(draw.randint(0, tasks, tasks), minlength=tasks) @ both
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(sums[:, width:] > 0, sums[:, :width] / sums[:, width:], np.nan)
    return list(ratios.T)


def _percentiles(values: NDArray[Any]) -> Interval | None:
    import numpy as np

    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return _told(float(low), float(high))


def _told(low: float, high: float) -> Interval:
    return round(low, DECIMALS) + 0.0, round(high, DECIMALS) + 0.0  # no -0.0
