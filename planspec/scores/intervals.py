"""95 per cent confidence intervals for the numbers of a run, and a test for pairs of runs.

Every number is a ratio of sums over tasks, sum(part) / sum(weight). In a mean over tasks all weights are 1. In a rate
over constraints a task's weight is its number of constraints. Tasks are resampled, not attempts, because attempts at
one task are correlated. Ten attempts at one task are less informative than one attempt at each of ten tasks.

Rates of single attempts have Wilson's score interval: with p of n, and z = 1.959964,

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)

All other numbers have the percentile interval of the bootstrap: tasks are resampled with replacement by a
seeded generator, and the bounds are the 2.5th and 97.5th percentiles of the ratios. A number to which only one
task contributes has no interval.

The difference of two rates of single attempts at the same tasks has Newcombe's interval, which builds on
Wilson's. All other differences have a bootstrap interval, with tasks resampled for both runs together.

Sources: Wilson, "Probable inference" (1927); Newcombe, "Improved confidence intervals for the difference
between binomial proportions based on paired data" (1998), method 10; Efron, "Bootstrap methods" (1979);
McNemar, "Note on the sampling error" (1947), in its exact form.
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
"""The 97.5th percentile of the standard normal distribution."""
RESAMPLES = 2000
SEED = 20_260_601
DECIMALS = 6
"""Number of decimals to which bounds are rounded."""
_EXTRA = "metrics with intervals need an extra"
Interval: TypeAlias = tuple[float, float]
Pair: TypeAlias = tuple[Fraction, int]
"""Contribution of a task to a ratio: its part of the numerator, and its weight in the denominator."""
Column: TypeAlias = Sequence[Pair]
"""The contribution of each task to one ratio."""


def require_intervals() -> None:
    """Check that the extra for intervals is installed, before a long computation that needs it at the end.

    Raises:
        ModuleNotFoundError: the extra is not installed; the message names it.
    """
    require("numpy", "solve", _EXTRA)


def ratio(column: Column) -> Fraction | None:
    """Return the sum of the parts divided by the sum of the weights; None if all weights are zero."""
    weight = sum(weight for _, weight in column)
    return sum((part for part, _ in column), Fraction(0)) / weight if weight else None


def newcombe(both: int, first_alone: int, second_alone: int, neither: int) -> Interval | None:
    """Return the interval of the difference of two paired rates, second minus first; None without tasks.

    Args:
        both: number of tasks that both runs pass.
        first_alone: number of tasks that only the first passes.
        second_alone: number of tasks that only the second passes.
        neither: number of tasks that neither passes.
    """
    tasks = both + first_alone + second_alone + neither
    first_interval, second_interval = wilson(both + first_alone, tasks), wilson(both + second_alone, tasks)
    if first_interval is None or second_interval is None:
        return None
    first, second = (both + first_alone) / tasks, (both + second_alone) / tasks
    margins = (both + first_alone) * (second_alone + neither) * (both + second_alone) * (first_alone + neither)
    product = float(both * neither - first_alone * second_alone)
    if product > 0:
        product = max(product - tasks / 2, 0.0)
    correlation = product / sqrt(margins) if margins else 0.0

    def distance(a: float, b: float) -> float:
        return sqrt(max(a * a - 2 * correlation * a * b + b * b, 0))

    difference = second - first
    return _round_interval(
        max(-1.0, difference - distance(second - second_interval[0], first_interval[1] - first)),
        min(1.0, difference + distance(second_interval[1] - second, first - first_interval[0])),
    )


def wilson(hits: int, total: int) -> Interval | None:
    """Return the interval of a rate; None if `total` is 0.

    Args:
        hits: number of successes.
        total: number of independent trials.
    """
    if not total:
        return None
    rate, square = hits / total, Z * Z
    middle = rate + square / (2 * total)
    half = Z * sqrt(rate * (1 - rate) / total + square / (4 * total * total))
    low, high = (middle - half) / (1 + square / total), (middle + half) / (1 + square / total)
    return _round_interval(low if hits else 0.0, high if hits < total else 1.0)


def bootstrap(columns: Sequence[Column], seed: int = SEED, resamples: int = RESAMPLES) -> list[Interval | None]:
    """Return the bootstrap intervals of ratios over the same tasks.

    Args:
        columns: columns of equal length.
        seed: seed of the generator.
        resamples: number of resamples of all tasks.

    Returns:
        The interval of each column; None if fewer than two tasks contribute to it.
    """
    resampled = _resampled_ratios(columns, seed, resamples)
    return [
        _percentiles(ratios) if _has_several_tasks(column) else None
        for column, ratios in zip(columns, resampled, strict=True)
    ]


def paired_bootstrap(
    first: Sequence[Column], second: Sequence[Column], seed: int = SEED, resamples: int = RESAMPLES
) -> list[Interval | None]:
    """Return bootstrap intervals of differences between paired ratios of two runs, second minus first.

    Tasks are resampled for both runs together, so that difficulty common to both cancels out.

    Args:
        first: columns of the first run.
        second: columns of the second run, in the same order.
        seed: seed of the generator.
        resamples: number of resamples of all tasks.

    Returns:
        The interval of each difference; None if fewer than two tasks contribute to one of its ratios.
    """
    resampled = _resampled_ratios([*first, *second], seed, resamples)
    half = len(first)
    return [
        _percentiles(resampled[index + half] - resampled[index])
        if _has_several_tasks(one) and _has_several_tasks(other)
        else None
        for index, (one, other) in enumerate(zip(first, second, strict=True))
    ]


def mcnemar(first_alone: int, second_alone: int) -> Fraction:
    """Return the p-value of McNemar's exact test for two runs over the same tasks.

    Args:
        first_alone: number of tasks that only the first run passes.
        second_alone: number of tasks that only the second passes.

    Returns:
        The two-sided exact value min(1, 2 P(X <= min(a, b))), where X is binomial with parameters a + b and
        1/2.
    """
    discordant, ways, tail = first_alone + second_alone, 1, 0
    for k in range(min(first_alone, second_alone) + 1):
        tail += ways
        ways = ways * (discordant - k) // (k + 1)
    return min(Fraction(1), Fraction(2 * tail, 2**discordant))


def _has_several_tasks(column: Column) -> bool:
    return sum(weight > 0 for _, weight in column) > 1


def _resampled_ratios(columns: Sequence[Column], seed: int, resamples: int) -> list[NDArray[Any]]:
    """Return the ratio of each column in every resample; NaN for a resample whose weights are all zero."""
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
    generator = np.random.RandomState(seed)  # the stream of this generator is the same in all versions of NumPy
    sums = np.empty((resamples, 2 * width))
    for index in range(resamples):
        sums[index] = np.bincount(generator.randint(0, tasks, tasks), minlength=tasks) @ both
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(sums[:, width:] > 0, sums[:, :width] / sums[:, width:], np.nan)
    return list(ratios.T)


def _percentiles(values: NDArray[Any]) -> Interval | None:
    import numpy as np

    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return _round_interval(float(low), float(high))


def _round_interval(low: float, high: float) -> Interval:
    return round(low, DECIMALS) + 0.0, round(high, DECIMALS) + 0.0  # adding 0.0 turns -0.0 into 0.0
