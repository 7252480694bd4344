"""Rewards of coordinator and executors match rewards computed by hand."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import pytest

import planspec
from planspec.agents.credit import TrajectoryReward
from planspec.agents.failures import AttemptFailedError
from planspec.families.travelplanner.himap.credit import credit
from tests.families.travelplanner.himap.test_chatting import ScriptedCall
from tests.families.travelplanner.himap.test_pricing import HOUSE
from tests.families.travelplanner.himap.test_roles import REQUEST, ScriptedTrip, day_call, trip

__all__ = ["trip"]


def rewards_by_role(trip: ScriptedTrip, judge: planspec.Judge, answer: Any = None) -> dict[str, TrajectoryReward]:
    """Return the reward of each role of the agents that planned a trip."""
    output = trip.answers[-1] if answer is None else answer
    verdict = asdict(judge.answer(output))
    return {one.role: one for one in credit(verdict, trip.desk.trace("1", "himap", None, None))}


def test_the_rewards_of_coordinator_and_executors_for_a_passing_trip_follow_the_formula(
    trip: ScriptedTrip, judge: planspec.Judge
) -> None:
    trip.play_turn()
    result = rewards_by_role(trip, judge)
    assert judge.answer(trip.answers[0]).status == "pass"
    whole = Fraction(11, 10)
    assert result["coordinator"].reward == Fraction(8, 10) * whole + Fraction(2, 10) - Fraction(1, 10)
    assert set(result) == {"coordinator", *(f"executor day {n}" for n in (1, 2, 3))}
    assert result["executor day 2"].reward == Fraction(7, 10) * whole + Fraction(3, 10)
    assert trip.desk.stages[result["executor day 2"].stage or 0].id == "day 2"


def test_a_wrong_extraction_lowers_the_coordinators_reward(trip: ScriptedTrip, judge: planspec.Judge) -> None:
    trip.play_turn()
    right = rewards_by_role(trip, judge)["coordinator"].reward
    trip.play_turn(request=REQUEST | {"people_number": 2, "room_requirement": "private room"})
    result = rewards_by_role(trip, judge)["coordinator"]
    assert result.terms["extract"] == Fraction(9, 11) and right - result.reward == Fraction(2, 10) * Fraction(2, 11)


def test_overspending_and_uncommitted_days_lower_the_rewards(trip: ScriptedTrip, judge: planspec.Judge) -> None:
    """Day 1 is rejected early, at its second call. The plan costs 529 USD; the budget is 350 USD."""

    def respond(task: Any, results: Any) -> ScriptedCall:
        if task["day"] > 1:
            return day_call(task)
        if results:
            return "reject_task", {"violation_type": "budget"}
        return day_call(task, accommodation=HOUSE)

    trip.play_turn(respond=respond, rounds=1)
    result = rewards_by_role(trip, judge)
    verdict = judge.answer(trip.answers[-1])
    whole = Fraction(verdict.hard.satisfied, 10 * verdict.hard.total) - Fraction(179, 350)
    assert result["executor day 1"].terms == {"global": whole, "local": 0, "early": 1}
    assert result["executor day 1"].reward == Fraction(7, 10) * whole + Fraction(15, 100)
    assert result["executor day 3"].terms["local"] == 1


def test_each_round_has_its_own_trajectories(trip: ScriptedTrip, judge: planspec.Judge) -> None:
    first = True

    def respond(task: Any, results: Any) -> ScriptedCall:
        nonlocal first
        if first and task["day"] == 2:
            first = False
            return "reject_task", {"violation_type": "availability"}
        return day_call(task)

    trip.play_turn(respond=respond)
    verdict = asdict(judge.answer(trip.answers[-1]))
    result = credit(verdict, trip.desk.trace("1", "himap", None, None))
    assert [(one.role, one.round) for one in result] == [
        ("coordinator", None),
        ("executor day 1", 1),
        ("executor day 2", 1),
        ("executor day 1", 2),
        ("executor day 2", 2),
        ("executor day 3", 2),
    ]
    assert result[0].terms["iterations"] == 2 and result[2].terms["local"] == 0


def test_days_that_are_not_planned_again_have_no_trajectories(trip: ScriptedTrip, judge: planspec.Judge) -> None:
    trip.play_turn()
    trip.play_turn()
    assert set(rewards_by_role(trip, judge)) == {"coordinator"}


def test_a_coordinator_that_never_splits_is_rewarded_only_for_its_extraction(
    trip: ScriptedTrip, judge: planspec.Judge
) -> None:
    with pytest.raises(AttemptFailedError):
        trip.play_turn([])
    (result,) = rewards_by_role(trip, judge, []).values()
    assert result.role == "coordinator" and result.reward == Fraction(2, 10) and result.stage is not None


def test_an_agent_without_roles_has_the_global_reward(judge: planspec.Judge, trip: ScriptedTrip) -> None:
    trip.play_turn()
    verdict = asdict(judge.answer(trip.answers[-1]))
    other = trip.desk.trace("1", "react", None, None).model_copy(update={"extra": {}})
    (result,) = credit(verdict, other)
    assert (result.role, result.reward) == ("agent", Fraction(11, 10))
