"""The rewards of both roles of an attempt, by its verdict and its trace (sections 4.5 and A.2).

The global reward is that of the answer. Its scores are the share of the hard rules that hold, since TravelPlanner has no soft ones;
what is overspent is measured in budgets. R_extract was worked out when the request was taken down, and is 0 where it was not. N_iter
counts the splits of the trip, the first one included, as the paper's table of convergence does. The paper does not say what R_local is:
here it is 1 for a day that is committed and 0 for one that is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.agents.credit import Earned
from planspec.families.travelplanner.himap.recording import NOTE
from planspec.families.travelplanner.himap.rewards import (
    EARLY_TOOL_CALLS,
    coordinator_reward,
    executor_reward,
    reward_of,
)
from planspec.traces.record import Trace

COST_RULE, COST_METRIC = "valid_cost", "total"
"""The rule on the budget, and the measure of what a plan costs, in the family's library."""


def credit(verdict: Mapping[str, Any], trace: Trace) -> tuple[Earned, ...]:
    """What each trajectory of an attempt earns; at conversations, those of the last turn, whose answer is judged.

    Args:
        verdict: of the attempt, as its record has it.
        trace: of the attempt; if no coordinator and no executors made it, it is one trajectory, of the role `agent`.
    """
    turns = trace.extra.get(NOTE)
    earned = _global(verdict)
    if not isinstance(turns, list) or not turns:
        return (Earned("agent", earned, {"global": earned}),)
    return tuple(_roles(turns[-1], earned))


def _roles(turn: Any, earned: Fraction) -> Iterator[Earned]:
    iterations, extracted = turn["iterations"], Fraction(turn.get("extracted", {}).get("share", 0))
    yield Earned(
        "coordinator",
        coordinator_reward(earned, extracted, iterations),
        {"global": earned, "extract": extracted, "iterations": Fraction(iterations)},
        stage=next((one["stage"] for one in turn["rounds"]), turn.get("coordinator_stage")),
    )
    for number, one in enumerate(turn["rounds"], 1):
        for day in one["days"]:
            if day["kept"] or (day["stage"] is None):
                continue  # nobody planned it
            local = Fraction(day["outcome"] == "committed")
            early = day["before_violation"] is not None and day["before_violation"] < EARLY_TOOL_CALLS
            yield Earned(
                f"executor day {day['day']}",
                executor_reward(earned, local, early),
                {"global": earned, "local": local, "early": Fraction(early)},
                round=number,
                stage=day["stage"],
            )


def _global(verdict: Mapping[str, Any]) -> Fraction:
    hard = verdict["hard"]
    share = Fraction(hard["satisfied"], hard["total"] or 1)
    return reward_of(verdict["status"] == "pass", share, _overspent(verdict))


def _overspent(verdict: Mapping[str, Any]) -> Fraction:
    """By how many budgets the plan passes its budget; below 0 where it does not."""
    margin = next((one.get("margin") for one in verdict["findings"] if one["constraint"] == COST_RULE), None)
    total = verdict["metrics"].get(COST_METRIC)
    if not isinstance(margin, int) or not isinstance(total, str):
        return Fraction(0)
    budget = Fraction(Decimal(total.split()[0])) * 100 + margin
    return Fraction(-margin) / budget if budget > 0 else Fraction(0)
