"""Rewards of both roles, computed by hand from a trace."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import pytest

import planspec
from planspec.agents.credit import TrajectoryReward
from planspec.agents.failures import AttemptFailedError
from planspec.families.travelplanner.himap.credit import credit
from tests.families.travelplanner.himap.test_chatting import Said
from tests.families.travelplanner.himap.test_pricing import HOUSE
from tests.families.travelplanner.himap.test_roles import REQUEST, Trip, day, judge, trip

__all__ = ["judge", "trip"]


def earned(trip: Trip, judge: planspec.Judge, answer: Any = None) -> dict[str, TrajectoryReward]:
    output = trip.answers[-1] if answer is None else answer
    verdict = asdict(judge.answer(output))
    return {one.role: one for one in credit(verdict, trip.desk.trace("1", "himap", None, None))}


def test_a_trip_that_passes(trip: Trip, judge: planspec.Judge) -> None:
    trip.turn()
    result = earned(trip, judge)
    assert judge.answer(trip.answers[0]).status == "pass"
    whole = Fraction(11, 10)
    assert result["coordinator"].reward == Fraction(8, 10) * whole + Fraction(2, 10) - Fraction(1, 10)
    assert set(result) == {"coordinator", *(f"executor day {n}" for n in (1, 2, 3))}
    assert result["executor day 2"].reward == Fraction(7, 10) * whole + Fraction(3, 10)
    assert trip.desk.stages[result["executor day 2"].stage or 0].id == "day 2"


def test_a_wrong_extraction_costs_the_coordinator(trip: Trip, judge: planspec.Judge) -> None:
    trip.turn()
    right = earned(trip, judge)["coordinator"].reward
    trip.turn(request=REQUEST | {"people_number": 2, "room_requirement": "private room"})
    result = earned(trip, judge)["coordinator"]
    assert result.terms["extract"] == Fraction(9, 11) and right - result.reward == Fraction(2, 10) * Fraction(
        2, 11
    )


def test_what_is_overspent_and_never_committed(trip: Trip, judge: planspec.Judge) -> None:
    """Day 1 rejects at once, which is early; the plan with the whole house costs 529 USD of 350."""

    def says(task: Any, results: Any) -> Said:
        if task["day"] > 1:
            return day(task)
        if results:
            return "reject_task", {"violation_type": "budget"}
        return day(task, accommodation=HOUSE)

    trip.turn(says=says, rounds=1)
    result = earned(trip, judge)
    verdict = judge.answer(trip.answers[-1])
    whole = Fraction(verdict.hard.satisfied, 10 * verdict.hard.total) - Fraction(179, 350)
    assert result["executor day 1"].terms == {"global": whole, "local": 0, "early": 1}
    assert result["executor day 1"].reward == Fraction(7, 10) * whole + Fraction(15, 100)
    assert result["executor day 3"].terms["local"] == 1


def test_each_round_has_its_own_trajectories(trip: Trip, judge: planspec.Judge) -> None:
    first = True

    def says(task: Any, results: Any) -> Said:
        nonlocal first
        if first and task["day"] == 2:
            first = False
            return "reject_task", {"violation_type": "availability"}
        return day(task)

    trip.turn(says=says)
    verdict = asdict(judge.answer(trip.answers[-1]))
    result = credit(verdict, trip.desk.trace("1", "himap", None, None))
    assert [(one.role, one.round) for one in result] == [
        ("coordinator", None), ("executor day 1", 1), ("executor day 2", 1),
        ("executor day 1", 2), ("executor day 2", 2), ("executor day 3", 2),
    ]  # fmt: skip
    assert result[0].terms["iterations"] == 2 and result[2].terms["local"] == 0


def test_days_that_were_kept_are_no_trajectories(trip: Trip, judge: planspec.Judge) -> None:
    trip.turn()
    trip.turn()
    assert set(earned(trip, judge)) == {"coordinator"}


def test_a_coordinator_that_never_splits_earns_what_it_extracted(trip: Trip, judge: planspec.Judge) -> None:
    with pytest.raises(AttemptFailedError):
        trip.turn([])
    (result,) = earned(trip, judge, []).values()
    assert result.role == "coordinator" and result.reward == Fraction(2, 10) and result.stage is not None


def test_an_agent_without_roles_has_the_global_reward(judge: planspec.Judge, trip: Trip) -> None:
    trip.turn()
    verdict = asdict(judge.answer(trip.answers[-1]))
    other = trip.desk.trace("1", "react", None, None).model_copy(update={"extra": {}})
    (result,) = credit(verdict, other)
    assert (result.role, result.reward) == ("agent", Fraction(11, 10))
