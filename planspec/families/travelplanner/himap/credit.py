"""Rewards of both roles in an attempt, computed from its verdict and its trace (sections 4.5 and A.2).

- The global reward is computed from the verdict on the answer. Its only score is the share of satisfied hard
  constraints, since TravelPlanner has no soft ones. Overspending is measured as a multiple of the budget.
- R_extract is 0 if the coordinator did not extract the request.
- N_iter counts the splits of the trip, including the first, as in the paper's table of convergence.
- The paper does not define R_local. This module uses 1 for a committed day and 0 for other days.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.agents.credit import TrajectoryReward
from planspec.families.travelplanner.himap.recording import NOTE
from planspec.families.travelplanner.himap.rewards import (
    EARLY_TOOL_CALLS,
    coordinator_reward,
    executor_reward,
    reward_of,
)
from planspec.traces.record import Trace

COST_RULE, COST_METRIC = "valid_cost", "total"
"""Id of the constraint on the budget, and name of the metric for the cost, in the constraint library."""


def credit(verdict: Mapping[str, Any], trace: Trace) -> tuple[TrajectoryReward, ...]:
    """Return the reward of each trajectory of an attempt: the coordinator's, and one for each executor.

    In a conversation, only the last turn counts, since only its answer is judged.

    Args:
        verdict: verdict of the attempt, as JSON in the attempt's record.
        trace: trace of the attempt. Without coordinator and executors, it is one trajectory of the role `agent`.
    """
    turns = trace.extra.get(NOTE)
    reward = _global_reward(verdict)
    if not isinstance(turns, list) or not turns:
        return (TrajectoryReward("agent", reward, {"global": reward}),)
    return tuple(_rewards_of_turn(turns[-1], reward))


def _rewards_of_turn(turn: Any, reward: Fraction) -> Iterator[TrajectoryReward]:
    iterations, extracted = turn["iterations"], Fraction(turn.get("extracted", {}).get("share", 0))
    yield TrajectoryReward(
        "coordinator",
        coordinator_reward(reward, extracted, iterations),
        {"global": reward, "extract": extracted, "iterations": Fraction(iterations)},
        stage=next((round_["stage"] for round_ in turn["rounds"]), turn.get("coordinator_stage")),
    )
    for number, round_ in enumerate(turn["rounds"], 1):
        for day in round_["days"]:
            if day["kept"] or (day["stage"] is None):
                continue  # no executor planned the day
            local = Fraction(day["outcome"] == "committed")
            violation = day["before_violation"]
            early = turn.get("early", True) and violation is not None and violation < EARLY_TOOL_CALLS
            yield TrajectoryReward(
                f"executor day {day['day']}",
                executor_reward(reward, local, early),
                {"global": reward, "local": local, "early": Fraction(early)},
                round=number,
                stage=day["stage"],
            )


def _global_reward(verdict: Mapping[str, Any]) -> Fraction:
    hard = verdict["hard"]
    share = Fraction(hard["satisfied"], hard["total"] or 1)
    return reward_of(verdict["status"] == "pass", share, _overspent_share(verdict))


def _overspent_share(verdict: Mapping[str, Any]) -> Fraction:
    """Return the cost beyond the budget as a multiple of the budget; negative if the plan is within the budget."""
    margin = next(
        (finding.get("margin") for finding in verdict["findings"] if finding["constraint"] == COST_RULE), None
    )
    total = verdict["metrics"].get(COST_METRIC)
    if not isinstance(margin, int) or not isinstance(total, str):
        return Fraction(0)
    budget = Fraction(Decimal(total.split()[0])) * 100 + margin
    return Fraction(-margin) / budget if budget > 0 else Fraction(0)
