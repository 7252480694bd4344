"""Intervals and tests, compared with SciPy, published values, manual calculations, and simulations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from planspec.scores.intervals import Column, bootstrap, mcnemar, newcombe, paired_bootstrap, ratio, wilson


def column(*values: float) -> Column:
    """Return the values of a metric by task, each with the weight 1."""
    return [(Fraction(value), 1) for value in values]


@pytest.mark.parametrize(
    ("hits", "total", "interval"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_the_interval_of_a_rate_is_wilsons_as_published(hits: int, total: int, interval: tuple[float, float]) -> None:
    assert wilson(hits, total) == pytest.approx(interval, abs=6e-5)


@pytest.mark.slow
@pytest.mark.parametrize("total", [1, 2, 3, 7, 20, 41, 1000])
def test_the_interval_of_a_rate_equals_scipys(total: int) -> None:
    from scipy import stats  # importing it takes a second

    for hits in {0, 1, 2, total // 3, total // 2, total - 1, total} & set(range(total + 1)):
        expected = stats.binomtest(hits, total).proportion_ci(0.95, method="wilson")
        assert wilson(hits, total) == pytest.approx((expected.low, expected.high), abs=1e-6)


def test_the_interval_of_a_rate_of_1_ends_at_1_and_a_rate_over_nothing_has_no_interval() -> None:
    # by hand: 0 of 10 ends at z^2 / (10 + z^2) = 3.841459 / 13.841459
    assert wilson(0, 10) == (0.0, 0.277533)
    assert wilson(10, 10) == (0.722467, 1.0)
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("cells", "interval"),
    [
        # the first run has 48 of 50, the second 38; by hand with phi = -24 / sqrt(48 * 2 * 38 * 12) = -0.1147
        ((36, 12, 2, 0), (-0.3404, -0.0569)),
        # phi is 0 if one margin is empty
        ((0, 0, 4, 0), (0.30719, 1.0)),
        ((4, 0, 0, 0), (-0.489891, 0.489891)),
    ],
)
def test_the_interval_of_a_difference_of_paired_rates_is_newcombes(
    cells: tuple[int, int, int, int], interval: tuple[float, float]
) -> None:
    assert newcombe(*cells) == pytest.approx(interval, abs=6e-5)


def test_exchanged_runs_have_the_opposite_difference() -> None:
    one, other = newcombe(10, 7, 3, 5), newcombe(10, 3, 7, 5)
    assert one is not None
    assert other == (-one[1], -one[0])
    assert newcombe(0, 0, 0, 0) is None


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (0, 0, Fraction(1)),
        (1, 0, Fraction(1)),
        (5, 5, Fraction(1)),
        (0, 6, Fraction(2, 64)),
        (1, 9, Fraction(2 * (1 + 10), 1024)),
        (12, 2, Fraction(2 * (1 + 14 + 91), 2**14)),
    ],
)
def test_mcnemars_test_is_exact_and_two_sided(first: int, second: int, p: Fraction) -> None:
    assert mcnemar(first, second) == p == mcnemar(second, first)


def test_mcnemars_test_is_scipys_sign_test() -> None:
    from scipy import stats  # importing it takes a second

    for first in range(25):
        for second in range(1, 25):
            expected = stats.binomtest(first, first + second, 0.5).pvalue
            assert float(mcnemar(first, second)) == pytest.approx(expected, rel=1e-9)


def test_thousands_of_discordant_tasks_are_handled() -> None:
    assert 0 < mcnemar(1900, 2100) < Fraction(1, 500)


def test_a_ratio_is_weighted_by_task() -> None:
    assert ratio([(Fraction(1), 1), (Fraction(1), 3)]) == Fraction(1, 2)
    assert ratio([(Fraction(0), 0)]) is None


def test_the_bootstrap_is_reproducible_by_seed_and_its_interval_contains_the_ratio() -> None:
    draw = random.Random(3)
    values = column(*(draw.random() for _ in range(200)))
    (one,) = bootstrap([values], seed=1)
    assert [one] == bootstrap([values], seed=1)
    assert [one] != bootstrap([values], seed=2)
    value = ratio(values)
    assert one is not None and value is not None
    assert one[0] < value < one[1]
    # the standard error is sqrt(1/12/200) = 0.0204, so that the interval is about 0.08 wide
    assert 0.06 < one[1] - one[0] < 0.10


def _quotient(part: Any, weight: Any, axis: int) -> Any:
    """Return the weighted mean along an axis."""
    return part.sum(axis) / weight.sum(axis)


def _difference(part: Any, weight: Any, other: Any, other_weight: Any, axis: int) -> Any:
    """Return the difference of two weighted means along an axis."""
    return _quotient(other, other_weight, axis) - _quotient(part, weight, axis)


def _scipy_interval(statistic: Any, columns: Sequence[Column]) -> tuple[float, float]:
    """Return the percentile interval of SciPy's bootstrap. It resamples tasks, each with its values in all columns."""
    from scipy import stats

    data = [np.array([float(pair[side]) for pair in column]) for column in columns for side in (0, 1)]
    bootstrapped = stats.bootstrap(
        data,
        statistic,
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=10_000,
        rng=np.random.default_rng(1),
        batch=1000,
    ).confidence_interval
    return bootstrapped.low, bootstrapped.high


def test_the_bootstrap_intervals_nearly_equal_those_of_scipy() -> None:
    draw = random.Random(8)
    weights = [draw.randint(1, 9) for _ in range(80)]
    one, other = (
        [(Fraction(sum(draw.random() < rate for _ in range(weight))), weight) for weight in weights]
        for rate in (0.5, 0.7)
    )
    (alone,) = bootstrap([one], resamples=10_000)
    (paired,) = paired_bootstrap([one], [other], resamples=10_000)
    # a percentile of 10,000 draws from an interval of width 0.1 differs between two seeds by about 0.001
    assert alone == pytest.approx(_scipy_interval(_quotient, [one]), abs=0.005)
    assert paired == pytest.approx(_scipy_interval(_difference, [one, other]), abs=0.005)


def test_the_interval_of_a_column_does_not_depend_on_other_columns() -> None:
    one, other = column(0, 1, 1, 0, 1), column(5, 3, 2, 2, 1)
    assert bootstrap([one, other]) == [*bootstrap([one]), *bootstrap([other])]


def test_a_mean_over_one_task_has_no_interval() -> None:
    assert bootstrap([[(Fraction(1), 1)], [(Fraction(0), 0)]]) == [None, None]
    assert bootstrap([[(Fraction(1), 1), (Fraction(0), 0), (Fraction(0), 0)]]) == [None]
    assert bootstrap([]) == []
    assert bootstrap([[]]) == [None]


def test_resamples_without_weight_are_ignored() -> None:
    (bootstrapped,) = bootstrap([[(Fraction(1), 1), (Fraction(2), 1), *[(Fraction(0), 0)] * 8]])
    assert bootstrapped == (1.0, 2.0)


@pytest.mark.slow
def test_nineteen_of_twenty_intervals_contain_the_true_mean() -> None:
    """Intervals of the mean of 60 exponential values are computed 200 times. The skew of the values lowers the
    coverage a little.
    """
    draw = random.Random(11)
    held = 0
    for at in range(200):
        values = column(*(draw.expovariate(1.0) for _ in range(60)))
        (bootstrapped,) = bootstrap([values], seed=at, resamples=300)
        assert bootstrapped is not None
        held += bootstrapped[0] <= 1.0 <= bootstrapped[1]
    assert 0.89 <= held / 200 <= 0.98


@pytest.mark.thorough
@pytest.mark.slow
def test_nineteen_of_twenty_intervals_contain_the_true_difference_of_a_pair() -> None:
    draw = random.Random(12)
    held = 0
    for at in range(200):
        hard = [draw.random() for _ in range(60)]
        one = column(*(draw.random() < 0.8 * ease for ease in hard))
        other = column(*(draw.random() < 0.8 * ease + 0.1 for ease in hard))
        (bootstrapped,) = paired_bootstrap([one], [other], seed=at, resamples=300)
        assert bootstrapped is not None
        held += bootstrapped[0] <= 0.1 <= bootstrapped[1]
    assert 0.90 <= held / 200 <= 0.99


def test_difficulty_common_to_both_runs_cancels_out_of_a_pair() -> None:
    draw = random.Random(5)
    hard = [draw.random() for _ in range(100)]
    one, other = column(*hard), column(*(value + 0.01 for value in hard))
    (paired,) = paired_bootstrap([one], [other])
    (alone,) = bootstrap([one])
    assert paired is not None and alone is not None
    assert paired == pytest.approx((0.01, 0.01), abs=1e-6)
    assert alone[1] - alone[0] > 0.08
