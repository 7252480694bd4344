"""The planning horizon: the share of passed tasks against the number of things that a task asks at once.

Published results on trips fall with the number of hard constraints and collapse near 10 of them, in bins two
constraints wide. Here the number is of hard constraints that apply to the task, and of temporal
anchors as `planspec difficulty` counts them. Beside the rates in bins stands the non-increasing function that fits
best, which needs no bins.

Source: Ayer et al., "An empirical distribution function for sampling with incomplete information" (1955), the pooling of
adjacent violators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from planspec.measures.intervals import Pair, bootstrap, ratio
from planspec.scores.metrics import with_interval
from planspec.scores.record import Bin, Curve, Estimate, Step

WIDTHS = {"hard": 2, "anchors": 1}
"""The widths of the narrowest bins, as in the paper's figure."""
MOST_BINS = 10
Passed = tuple[int | None, int, int]
"""A task's count, its attempts that pass, and the attempts that the run is to make."""


def curve(
    of: Literal["hard", "anchors"], tasks: Sequence[Passed], repeats: int, seed: int, resamples: int
) -> Curve:
    """The share of passed tasks by a count that each task has.

    Args:
        of: what is counted.
        tasks: how many each has, None where it is not known; its attempts that pass, and those wanted.
        repeats: attempts at each task.
        seed: seed of the bootstrap.
        resamples: of the bootstrap.
    """
    counted = sorted((n, passed, wanted) for n, passed, wanted in tasks if n is not None)
    numbers = [n for n, _, _ in counted]
    bins = []
    for least, most in spans(numbers, WIDTHS[of]):
        inside: list[Pair] = [
            (Fraction(passed), wanted) for n, passed, wanted in counted if least <= n <= most
        ]
        if inside:
            bins.append(
                Bin(
                    least=least, most=most, tasks=len(inside), passed=int(sum(part for part, _ in inside)),
                    pass_rate=rate(inside, repeats, seed, resamples),
                )
            )  # fmt: skip
    pooled: dict[int, list[Pair]] = {}
    for n, passed, wanted in counted:
        pooled.setdefault(n, []).append((Fraction(passed), wanted))
    return Curve(of=of, bins=tuple(bins), falling=falling(pooled), unknown=len(tasks) - len(counted))


def rate(column: Sequence[Pair], repeats: int, seed: int, resamples: int) -> Estimate:
    """A rate of attempts with its interval.

    Args:
        column: column of each task, attempts of which it is so, and all of them.
        repeats: attempts at each task.
        seed: seed of the bootstrap.
        resamples: of the bootstrap.
    """
    value = ratio(column)
    told = Estimate(
        value=None if value is None else float(value),
        n=sum(weight for _, weight in column),
        better="higher",
    )
    (drawn,) = bootstrap([column], seed, resamples)
    return with_interval(told, column, drawn, kind="rate", repeats=repeats)


def spans(numbers: Sequence[int], narrowest: int) -> list[tuple[int, int]]:
    """Bins of one width that begin at multiples of it, no more than ten, from the least number to the greatest."""
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


def falling(pooled: Mapping[int, Sequence[Pair]]) -> tuple[Step, ...]:
    """The non-increasing function of a number with the least squared error from the rates, as steps.

    Args:
        pooled: by the number, for each task attempts that pass and those wanted; a task weighs what it wants.
    """
    blocks: list[tuple[int, int, int, Fraction, int]] = []  # least, most, tasks, passed, wanted
    for n in sorted(pooled):
        tasks = pooled[n]
        block = n, n, len(tasks), sum((p for p, _ in tasks), Fraction(0)), sum(w for _, w in tasks)
        while blocks and blocks[-1][3] * block[4] <= block[3] * blocks[-1][4]:
            before = blocks.pop()
            block = (
                before[0], block[1], before[2] + block[2], before[3] + block[3], before[4] + block[4],
            )  # fmt: skip
        blocks.append(block)
    return tuple(
        Step(least=least, most=most, tasks=tasks, rate=float(passed / wanted))
        for least, most, tasks, passed, wanted in blocks
    )
