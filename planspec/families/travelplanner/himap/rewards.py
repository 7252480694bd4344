"""Rewards of HiMAP-Travel for agents that plan together (sections 4.5, 4.6 and A.2 of the paper).

All are pure functions of verdicts and counts. If the inputs are integers, fractions or decimals, the results are
exact fractions. Only the standard deviation of the advantages, a square root, is computed in floating point.

The paper specifies the weights of both objectives, but not alpha and beta of the global reward, or epsilon of the
advantages. The defaults here are 1/10 for alpha and 1 for beta, for an overspent amount measured as a multiple of the
budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from planspec.agents.credit import (
    ALPHA,
    BETA,
    EPSILON,
    Amount,
    group_relative_advantages,
    reward_of,
)
from planspec.verifiers.meaning.verdict import Verdict

LAMBDA_GLOBAL, LAMBDA_EXTRACT, LAMBDA_ITER = Fraction(8, 10), Fraction(2, 10), Fraction(1, 10)
"""Weights of the coordinator's objective (A.2)."""
GAMMA_GLOBAL, GAMMA_LOCAL, GAMMA_EARLY = Fraction(7, 10), Fraction(3, 10), Fraction(15, 100)
"""Weights of an executor's objective (A.2)."""
EARLY_TOOL_CALLS = 5
"""Number of tool calls. A violation after fewer calls counts as detected early (A.2)."""


def global_reward(
    verdict: Verdict,
    used: Amount = 0,
    total: Amount | None = None,
    *,
    soft: Iterable[Amount] | None = None,
    alpha: Amount = ALPHA,
    beta: Amount = BETA,
) -> Fraction:
    """Return R_global = 1[valid] + alpha * sum of s(c) - beta * max(0, B_used - B_total) (section 4.5).

    Args:
        verdict: verdict on the plan. The plan is valid if it passes.
        used: cost of the plan, in any unit.
        total: budget in the same unit; None for no budget. To make rewards of different tasks comparable, pass the cost
            as a multiple of the budget for `used`, and 1 for `total`.
        soft: score of each soft constraint, from 0 to 1; by default 1 for each satisfied constraint.
        alpha: weight of the scores.
        beta: weight of the overspent amount.
    """
    score = Fraction(verdict.soft.satisfied) if soft is None else sum((Fraction(score) for score in soft), Fraction(0))
    over = 0 if total is None else Fraction(used) - Fraction(total)
    return reward_of(verdict.status == "pass", score, over, alpha=alpha, beta=beta)


def coordinator_reward(reward: Amount, extracted: Amount, iterations: int) -> Fraction:
    """Return J_coord = 0.8 R_global + 0.2 R_extract - 0.1 N_iter (section A.2).

    Args:
        reward: global reward.
        extracted: share of the request that was read correctly, from 0 to 1.
        iterations: number of bargaining rounds.
    """
    return LAMBDA_GLOBAL * Fraction(reward) + LAMBDA_EXTRACT * Fraction(extracted) - LAMBDA_ITER * iterations


def executor_reward(reward: Amount, local: Amount, early: bool) -> Fraction:
    """Return J_exec = 0.7 R_global + 0.3 R_local + 0.15 1[early] (section A.2).

    Args:
        reward: global reward.
        local: reward of the executor's own day. The paper does not define it.
        early: whether a violation was detected early (see `early_detection`).
    """
    return GAMMA_GLOBAL * Fraction(reward) + GAMMA_LOCAL * Fraction(local) + GAMMA_EARLY * early


def early_detection(violations: int, tool_calls: int) -> bool:
    """Return 1[early]: whether the first violation came after fewer than 5 tool calls (section A.2).

    Args:
        violations: number of refused actions, errors beyond the third, and failed executions.
        tool_calls: number of tool calls before the first violation.
    """
    return violations > 0 and tool_calls < EARLY_TOOL_CALLS


__all__ = [
    "ALPHA",
    "BETA",
    "EPSILON",
    "Amount",
    "coordinator_reward",
    "early_detection",
    "executor_reward",
    "global_reward",
    "group_relative_advantages",
    "reward_of",
]
