"""The reward of an attempt, shared among the parts of the agent that earned it, and its advantage in a group.

The formulas are those of Bui et al. (2026). Of integers, fractions and decimals the results are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

Amount: TypeAlias = int | Fraction | Decimal
"""An exact number."""

ALPHA = Fraction(1, 10)
"""Weight of each soft constraint in the global reward; the paper gives none."""
BETA = Fraction(1)
"""Weight of the overspent amount in the global reward; the paper gives none."""
EPSILON = 1e-8
"""Keeps advantages finite where all rewards are equal; the paper gives none."""


@dataclass(frozen=True, slots=True)
class Earned:
    """What one trajectory of a part of an agent earns.

    Attributes:
        role: of the part, with what tells it from others of its kind: `coordinator`, `executor day 2`, or `agent` for the whole.
        reward: what it earns.
        terms: of which the reward is made up, by name.
        round: of bargaining, from 1; None where it goes on through all of them.
        stage: the place of the trajectory in the trace's stages; None where the trace has none.
    """

    role: str
    reward: Fraction
    terms: Mapping[str, Fraction] = field(default_factory=dict)
    round: int | None = None
    stage: int | None = None


def reward_of(
    valid: bool, score: Amount, over: Amount, *, alpha: Amount = ALPHA, beta: Amount = BETA
) -> Fraction:
    """The global reward, of its three terms.

    Args:
        valid: the plan passes.
        score: the sum of the scores of the constraints.
        over: by how much the budget is passed; below 0 where some of it is left.
        alpha: weight of the scores.
        beta: weight of the overspent amount.
    """
    return (
        Fraction(valid)
        + Fraction(alpha) * Fraction(score)
        - Fraction(beta) * max(Fraction(0), Fraction(over))
    )


def group_relative_advantages(
    rewards: Sequence[Amount | float], epsilon: float = EPSILON
) -> tuple[float, ...]:
    """A_i = (R_i - mean) / (std + epsilon) over the rewards of one group (section 4.6).

    The standard deviation is that of the group itself (divided by its size, not by one less). Mean, differences and
    variance are exact; only the root and the quotients are floats, so equal rewards have advantages of exactly 0.

    Args:
        rewards: of the trajectories of one group.
        epsilon: at least 0; with 0 equal rewards still have advantages of 0.

    Returns:
        One for each reward, in order; none for an empty group.

    Raises:
        ValueError: epsilon is negative.
    """
    if epsilon < 0:
        raise ValueError("epsilon is at least 0")
    exact = [Fraction(reward) for reward in rewards]
    if not exact:
        return ()
    mean = sum(exact, Fraction(0)) / len(exact)
    apart = [reward - mean for reward in exact]
    deviation = sqrt(sum((d * d for d in apart), Fraction(0)) / len(exact))
    scale = deviation + epsilon
    return tuple(float(d) / scale if d else 0.0 for d in apart)
