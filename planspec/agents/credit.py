"""Credit assignment: rewards for the parts of an agent in an attempt, and advantages in a group of attempts.

The formulas are those of Bui et al. (2026). Results are exact for integers, fractions and decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import Any, TypeAlias

from planspec.deprecation import former_parameters
from planspec.family.descriptor import Part
from planspec.traces.record import Trace

Amount: TypeAlias = int | Fraction | Decimal
"""An exact number."""

ALPHA = Fraction(1, 10)
"""Weight of each soft constraint in the global reward. Bui et al. (2026) give no value."""
BETA = Fraction(1)
"""Weight of the overspent amount in the global reward. Bui et al. (2026) give no value."""
EPSILON = 1e-8
"""Number added to the standard deviation, which keeps advantages finite. Bui et al. (2026) give no value."""


@dataclass(frozen=True, slots=True)
class TrajectoryReward:
    """The reward of one trajectory of a part of an agent.

    Attributes:
        role: unique name of the part: `coordinator`, `executor day 2`, or `agent` for the whole agent.
        reward: sum of `terms`.
        terms: terms of the reward, by name.
        round: round of bargaining, counted from 1; None for a trajectory over all rounds.
        stage: index of the trajectory in the trace's stages; None if the trace has none.
    """

    role: str
    reward: Fraction
    terms: Mapping[str, Fraction] = field(default_factory=dict)
    round: int | None = None
    stage: int | None = None


Credit: TypeAlias = Callable[[Mapping[str, Any], Trace], Sequence[TrajectoryReward]]
"""Function that distributes the reward of an attempt over the parts of an agent.

It takes the verdict as JSON and the trace.
"""
CREDIT: Part[Credit | None] = Part("credit", None)
"""Distribution of the reward over an agent's parts, for families with such agents."""


@former_parameters(over="overspent")
def reward_of(valid: bool, score: Amount, overspent: Amount, *, alpha: Amount = ALPHA, beta: Amount = BETA) -> Fraction:
    """Return the global reward: 1 for a valid plan, plus the weighted score, minus the weighted overspending.

    Args:
        valid: whether the plan passes.
        score: sum of the scores of the constraints.
        overspent: amount over the budget; negative below the budget.
        alpha: weight of the scores.
        beta: weight of the overspent amount.
    """
    return Fraction(valid) + Fraction(alpha) * Fraction(score) - Fraction(beta) * max(Fraction(0), Fraction(overspent))


def group_relative_advantages(rewards: Sequence[Amount | float], epsilon: float = EPSILON) -> tuple[float, ...]:
    """Return A_i = (R_i - mean) / (std + epsilon) over the rewards of one group (Bui et al., 2026, section 4.6).

    The standard deviation is the population's: the sum of squares is divided by the size of the group. Mean,
    differences and variance are exact; only the root and the quotients are floats.

    Args:
        rewards: rewards of the trajectories of one group.
        epsilon: number added to the standard deviation, at least 0. Equal rewards have advantages of exactly 0, even
            with `epsilon` 0.

    Returns:
        One advantage for each reward, in order.

    Raises:
        ValueError: `epsilon` is negative.
    """
    if epsilon < 0:
        raise ValueError("epsilon must be at least 0")
    exact = [Fraction(reward) for reward in rewards]
    if not exact:
        return ()
    mean = sum(exact, Fraction(0)) / len(exact)
    differences = [reward - mean for reward in exact]
    deviation = sqrt(sum((d * d for d in differences), Fraction(0)) / len(exact))
    scale = deviation + epsilon
    return tuple(float(d) / scale if d else 0.0 for d in differences)
