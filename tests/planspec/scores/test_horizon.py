"""Pass rates by a count, such as the number of constraints: bins of equal width, and the best non-increasing step
function.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from planspec.scores.horizon import bin_ranges, fit_falling_steps, pass_rate_curve
from planspec.scores.intervals import Pair, wilson


@pytest.mark.parametrize(
    ("numbers", "narrowest", "bins"),
    [
        ([], 2, []),
        ([7], 2, [(6, 7)]),
        ([6, 13], 2, [(6, 7), (8, 9), (10, 11), (12, 13)]),
        ([0, 3], 1, [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ([1, 30], 2, [(0, 3), (4, 7), (8, 11), (12, 15), (16, 19), (20, 23), (24, 27), (28, 31)]),
        ([0, 950], 1, [(n * 100, n * 100 + 99) for n in range(10)]),
    ],
)
def test_there_are_at_most_ten_bins_of_equal_width(
    numbers: list[int], narrowest: int, bins: list[tuple[int, int]]
) -> None:
    assert bin_ranges(numbers, narrowest) == bins


def pairs(passed: int, total: int) -> list[Pair]:
    """Return `total` pairs of an outcome and a weight, `passed` of which passed."""
    return [(Fraction(n < passed), 1) for n in range(total)]


def test_rates_that_rise_are_pooled_by_their_weights() -> None:
    steps = fit_falling_steps({6: pairs(3, 4), 7: pairs(1, 4), 8: pairs(2, 4), 9: pairs(0, 2), 12: pairs(1, 10)})
    # 1/4 and 2/4 are pooled to 3/8; 0/2 and 1/10 to 1/12
    assert [(step.least, step.most, step.tasks, step.rate) for step in steps] == [
        (6, 6, 4, 0.75),
        (7, 8, 8, 0.375),
        (9, 12, 12, 1 / 12),
    ]


def test_rising_rates_are_pooled_with_all_earlier_steps_below_them() -> None:
    steps = fit_falling_steps({1: pairs(1, 2), 2: pairs(0, 2), 3: pairs(2, 2)})
    assert [(step.least, step.most, step.rate) for step in steps] == [(1, 3, 0.5)]


def test_without_tasks_the_falling_curve_has_no_steps() -> None:
    assert fit_falling_steps({}) == ()


def test_a_curve_counts_tasks_with_unknown_counts() -> None:
    result = pass_rate_curve("hard", [(6, 1, 1), (7, 0, 1), (10, 0, 1), (None, 1, 1)], 1, seed=1, resamples=100)
    assert result.unknown == 1
    assert [(one.least, one.most, one.tasks, one.passed, one.pass_rate.value) for one in result.bins] == [
        (6, 7, 2, 1, 0.5),
        (10, 11, 1, 0, 0.0),
    ]
    assert (result.bins[0].pass_rate.low, result.bins[0].pass_rate.high) == wilson(1, 2)


def test_repeats_of_a_task_count_as_one_task() -> None:
    result = pass_rate_curve("anchors", [(0, 4, 4), (0, 4, 4)], 4, seed=1, resamples=100)
    (only,) = result.bins
    assert (only.tasks, only.passed, only.pass_rate.n) == (2, 8, 8)
    assert (only.pass_rate.low, only.pass_rate.high) == wilson(2, 2)
