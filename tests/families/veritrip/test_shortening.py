"""Shortened plans never have a worse margin or fewer preferences, and always pass the verifier."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.families.veritrip.facts_check.verdict import facts_of
from planspec.families.veritrip.oracle import nearest
from planspec.families.veritrip.shortening import Shortened, shortened
from planspec.families.veritrip.verdict_metrics import margin
from planspec.measures.detour import detour_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.questions.prove import Solution
from planspec.verifiers.meaning.plan_rows import Plan
from tests.shipped import WORKSPACE

TASKS = ("veritrip-001", "veritrip-033", "veritrip-057")
LONG = "veritrip-057"


@cache
def solved(name: str) -> tuple[Judge, Solution]:
    judge = Judge(load(name, workspace=WORKSPACE))
    return judge, prove.solve(judge.ground, limits=Limits(seconds=20))


def soft(judge: Judge, plan: Plan) -> int:
    return judge.plan(plan).soft.satisfied


def accepted(judge: Judge, result: Shortened) -> None:
    """Require that the plan passes, also as an answer, and that its margin is correct."""
    verdict = judge.answer(judge.encode(result.plan))
    assert verdict.status == "pass"
    facts = facts_of(verdict)
    assert facts is not None
    assert {cell.status for cell in facts.cells} == {"correct"}
    own = detour_of(result.plan, judge.task.currency)
    assert own == result.detour
    assert result.margin == (margin(own.plane, own.places) if own is not None else None)


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_shortened_plan_is_no_worse_in_any_way(name: str) -> None:
    judge, solution = solved(name)
    assert solution.plan is not None
    before = detour_of(solution.plan, judge.task.currency)
    assert before is not None
    result = shortened(judge, solution.plan, 1.5)
    accepted(judge, result)
    worst = margin(before.plane, before.places)
    assert result.margin is not None and worst is not None and result.margin[1] <= worst[1]
    assert soft(judge, result.plan) >= soft(judge, solution.plan) == solution.soft_weight


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS[1:])
def test_the_oracle_s_plan_is_no_worse_in_any_way(name: str) -> None:
    judge, solution = solved(name)
    result = nearest(name, judge, solution, 2.5)
    accepted(judge, result)
    assert soft(judge, result.plan) >= solution.soft_weight


def test_a_shortest_path_is_left_unchanged() -> None:
    """Every path through two or three places is the shortest."""
    judge, solution = solved("veritrip-033")
    assert solution.plan is not None
    result = shortened(judge, solution.plan, 1.0)
    assert result.margin is not None and result.margin[1] == 0
    assert result.plan is solution.plan


@pytest.mark.slow
def test_without_time_the_plan_stays_or_gets_better() -> None:
    judge, solution = solved(LONG)
    assert solution.plan is not None
    result = shortened(judge, solution.plan, 0.001)
    accepted(judge, result)


@pytest.mark.slow
def test_a_plan_without_places_is_left_unchanged() -> None:
    judge, solution = solved(TASKS[0])
    assert solution.plan is not None
    moving: Any = [row for row in solution.plan.tables["itinerary"] if _place(row) is None]
    bare = Plan({**solution.plan.tables, "itinerary": tuple(moving), "accommodation": ()})
    result = shortened(judge, bare, 0.5)
    assert (result.plan, result.detour, result.margin) == (bare, None, None)


def _place(row: Any) -> Any:
    return row.attraction or row.restaurant or row.hotel
