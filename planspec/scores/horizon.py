"""Planning horizon: the pass rate as a function of the number of simultaneous requirements in a task.

Published pass rates on trips, in bins of two hard constraints, fall with the number of constraints and collapse near
10. Requirements are the hard constraint instances that apply to a task, or its temporal anchors as counted by `planspec
difficulty`. The results are rates in bins, and the best-fitting non-increasing function, which needs no bins.

Source: Ayer et al., "An empirical distribution function for sampling with incomplete information" (1955), the
pooling of adjacent violators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from planspec.scores.estimates import Estimate, add_interval
from planspec.scores.intervals import Pair, bootstrap, ratio
from planspec.scores.record import HorizonBin, HorizonStep, PassRateCurve

WIDTHS = {"hard": 2, "anchors": 1}
"""Minimum width of the bins, by what is counted."""
MOST_BINS = 10
TaskPasses = tuple[int | None, int, int]
"""A task's number of requirements or None, its number of passing attempts, and its number of all attempts."""


def pass_rate_curve(
    of: Literal["hard", "anchors"], tasks: Sequence[TaskPasses], repeats: int, seed: int, resamples: int
) -> PassRateCurve:
    """Return the pass rate as a function of the tasks' number of hard constraints or of temporal anchors.

    Args:
        of: what is counted: applicable hard constraints, or temporal anchors.
        tasks: for each task its number of requirements, or None if unknown, and its numbers of passing and of all
            attempts.
        repeats: number of attempts at each task.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    counted = sorted((n, passed, attempts) for n, passed, attempts in tasks if n is not None)
    numbers = [n for n, _, _ in counted]
    bins = []
    for least, most in bin_ranges(numbers, WIDTHS[of]):
        inside: list[Pair] = [(Fraction(passed), attempts) for n, passed, attempts in counted if least <= n <= most]
        if inside:
            bins.append(
                HorizonBin(
                    least=least,
                    most=most,
                    tasks=len(inside),
                    passed=int(sum(part for part, _ in inside)),
                    pass_rate=rate_estimate(inside, repeats, seed, resamples),
                )
            )
    pooled: dict[int, list[Pair]] = {}
    for n, passed, attempts in counted:
        pooled.setdefault(n, []).append((Fraction(passed), attempts))
    return PassRateCurve(of=of, bins=tuple(bins), falling=fit_falling_steps(pooled), unknown=len(tasks) - len(counted))


def rate_estimate(column: Sequence[Pair], repeats: int, seed: int, resamples: int) -> Estimate:
    """Return a share of attempts, such as those that pass, with its interval.

    Args:
        column: for each task, the number of attempts in question, and the number of all attempts.
        repeats: number of attempts at each task.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    value = ratio(column)
    estimate = Estimate(
        value=None if value is None else float(value),
        n=sum(weight for _, weight in column),
        better="higher",
    )
    (interval,) = bootstrap([column], seed, resamples)
    return add_interval(estimate, column, interval, kind="rate", repeats=repeats)


def bin_ranges(numbers: Sequence[int], narrowest: int) -> list[tuple[int, int]]:
    """Return at most ten bins that cover the numbers.

    All bins have the same width, and each begins at a multiple of the width.

    Args:
        numbers: numbers to cover.
        narrowest: minimum width. The width is `narrowest` times 1, 2 or 5 times a power of ten.

    Returns:
        The first and the last number of each bin.
    """
    if not numbers:
        return []
    low, high = min(numbers), max(numbers)
    width = next(
        width
        for power in range(40)
        for width in (narrowest * 10**power, 2 * narrowest * 10**power, 5 * narrowest * 10**power)
        if high // width - low // width < MOST_BINS
    )
    return [(at * width, (at + 1) * width - 1) for at in range(low // width, high // width + 1)]


def fit_falling_steps(pooled: Mapping[int, Sequence[Pair]]) -> tuple[HorizonStep, ...]:
    """Fit a non-increasing step function to the pass rates by least squares (isotonic regression).

    Args:
        pooled: tasks by number of constraints or anchors. Each task is a pair of its passing attempts and all its
            attempts, which are its weight.
    """
    blocks: list[tuple[int, int, int, Fraction, int]] = []  # (low, high, tasks, passing attempts, attempts)
    for n in sorted(pooled):
        tasks = pooled[n]
        block = n, n, len(tasks), sum((p for p, _ in tasks), Fraction(0)), sum(w for _, w in tasks)
        while blocks and blocks[-1][3] * block[4] <= block[3] * blocks[-1][4]:
            before = blocks.pop()
            block = (
                before[0],
                block[1],
                before[2] + block[2],
                before[3] + block[3],
                before[4] + block[4],
            )
        blocks.append(block)
    return tuple(
        HorizonStep(least=least, most=most, tasks=tasks, rate=float(passed / attempts))
        for least, most, tasks, passed, attempts in blocks
    )
