"""Rewards computed by hand from the formulas."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.families.travelplanner.himap.rewards import (
    coordinator_reward,
    early_detection,
    executor_reward,
    global_reward,
    group_relative_advantages,
)
from planspec.verifiers.meaning.verdict import Tally, Verdict


def verdict(status: Literal["pass", "fail", "undelivered"], soft: int = 0) -> Verdict:
    """Return a verdict with this status and this number of satisfied soft constraints."""
    return Verdict(
        task="t",
        profile="strict",
        status=status,
        hard=Tally(satisfied=1, total=1),
        soft=Tally(satisfied=soft, total=3),
        metrics={},
        in_scope=True,
        findings=(),
    )


def test_the_global_reward_adds_validity_and_scores_and_subtracts_overspending() -> None:
    assert global_reward(verdict("pass")) == 1
    assert global_reward(verdict("fail")) == global_reward(verdict("undelivered")) == 0
    assert global_reward(verdict("pass", soft=2)) == Fraction(12, 10)
    assert global_reward(verdict("fail"), 120, 100, beta=Fraction(1, 100)) == Fraction(-1, 5)
    assert global_reward(verdict("pass"), 80, 100) == 1, "what is saved earns nothing"
    assert global_reward(verdict("fail"), 80) == 0, "without a budget nothing is overspent"
    assert global_reward(verdict("pass"), soft=[Fraction(1, 2), Decimal("0.25")], alpha=2) == Fraction(5, 2)


def test_each_round_of_bargaining_lowers_the_coordinators_reward() -> None:
    assert coordinator_reward(1, 1, 0) == 1
    assert coordinator_reward(1, Fraction(1, 2), 3) == Fraction(8, 10) + Fraction(1, 10) - Fraction(3, 10)


def test_an_executor_is_rewarded_for_its_own_day_and_for_early_detection() -> None:
    assert executor_reward(1, 1, early=False) == 1
    assert executor_reward(0, Fraction(1, 3), early=True) == Fraction(1, 10) + Fraction(15, 100)


@pytest.mark.parametrize(("violations", "calls", "early"), [(1, 4, True), (1, 5, False), (0, 1, False), (3, 0, True)])
def test_a_violation_before_the_fifth_call_is_detected_early(violations: int, calls: int, early: bool) -> None:
    assert early_detection(violations, calls) is early


def test_advantages_are_standard_scores_within_the_group() -> None:
    assert group_relative_advantages([1, 3], 0.0) == (-1.0, 1.0)
    assert group_relative_advantages([0, 0, 0, 4], 0.0) == pytest.approx(
        (-0.5773502691896258,) * 3 + (1.7320508075688772,)
    )
    assert group_relative_advantages([1, 3], 1.0) == (-0.5, 0.5)
    assert group_relative_advantages([]) == ()
    with pytest.raises(ValueError, match="epsilon"):
        group_relative_advantages([1], -1.0)


@given(st.lists(st.fractions(-10, 10, max_denominator=50), min_size=1, max_size=8))
def test_advantages_sum_to_zero_and_keep_the_order(rewards: list[Fraction]) -> None:
    result = group_relative_advantages(rewards)
    assert sum(result) == pytest.approx(0, abs=1e-6)
    assert [a for _, a in sorted(zip(rewards, result, strict=True))] == sorted(result)
    if len(set(rewards)) == 1:
        assert set(result) == {0.0}
