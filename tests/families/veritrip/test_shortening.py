"""Shortened plans pass the verifier, and have no larger margin and no fewer satisfied preferences than before."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

import pytest

from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.api.oracles import best_plan
from planspec.families.veritrip import shortening
from planspec.families.veritrip.facts_check.verdict import facts_of
from planspec.families.veritrip.plan_improvement import shorten_path
from planspec.families.veritrip.shortening import ShortenedPlan, shorten_plan
from planspec.families.veritrip.verdict_metrics import margin
from planspec.scores.detour import detour_of
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions import prove
from planspec.solvers.questions.prove import Solution
from planspec.verifiers.meaning.plan_rows import Plan
from tests.shipped import WORKSPACE

TASKS = ("veritrip-001", "veritrip-033", "veritrip-057")
LONG = "veritrip-057"
CROWDED = "veritrip-006"
"""Task whose plans of equal value have paths of very different lengths."""


@cache
def solve_task(name: str) -> tuple[Judge, Solution]:
    """Return the judge of a task, and a plan found by a solver."""
    judge = Judge(load(name, workspace=WORKSPACE))
    return judge, prove.solve(judge.ground, limits=Limits(seconds=20))


def soft_weight(judge: Judge, plan: Plan) -> int:
    """Return the number of soft constraints that a plan satisfies."""
    return judge.plan(plan).soft.satisfied


def assert_valid(judge: Judge, result: ShortenedPlan) -> None:
    """Check that the plan passes as an answer, and that its margin is correct."""
    verdict = judge.answer(judge.encode(result.plan))
    assert verdict.status == "pass"
    facts = facts_of(verdict)
    assert facts is not None
    assert {cell.status for cell in facts.cells} == {"correct"}
    own = detour_of(result.plan, judge.task.currency)
    assert own == result.detour
    assert result.margin == (margin(own.plane, own.places) if own is not None else None)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_shortened_plan_is_no_worse_in_any_way(name: str) -> None:
    judge, solution = solve_task(name)
    assert solution.plan is not None
    before = detour_of(solution.plan, judge.task.currency)
    assert before is not None
    result = shorten_plan(judge, solution.plan, Limits(seconds=1.5))
    assert_valid(judge, result)
    worst = margin(before.plane, before.places)
    assert result.margin is not None and worst is not None and result.margin[1] <= worst[1]
    assert soft_weight(judge, result.plan) >= soft_weight(judge, solution.plan) == solution.soft_weight


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS[1:])
def test_the_oracle_s_plan_is_no_worse_in_any_way(name: str) -> None:
    judge, solution = solve_task(name)
    result = shorten_path(name, judge, solution, Limits(seconds=2.5))
    assert_valid(judge, result)
    assert soft_weight(judge, result.plan) >= solution.soft_weight


@pytest.mark.slow
def test_with_a_limit_of_effort_the_plan_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, _ = solve_task(CROWDED)
    effort = Limits(seconds=None, effort=0.4)
    plans = [best_plan(judge, name=CROWDED, limits=effort).answer]
    times = count(step=1_000)
    monkeypatch.setattr(shortening, "monotonic", lambda: next(times))
    plans.append(best_plan(judge, name=CROWDED, limits=effort).answer)
    assert plans[0] == plans[1]
    unimproved = prove.solve(judge.ground, limits=effort).plan
    assert unimproved is not None and plans[0] != judge.encode(unimproved)


def test_a_search_without_effort_left_ends_at_once() -> None:
    judge, solution = solve_task(CROWDED)
    assert solution.plan is not None
    assert shorten_plan(judge, solution.plan, Limits(seconds=None, effort=0.0)).plan is solution.plan


def test_a_shortest_path_is_left_unchanged() -> None:
    """The plan has at most three places, and all closed paths through them have the same length."""
    judge, solution = solve_task("veritrip-033")
    assert solution.plan is not None
    result = shorten_plan(judge, solution.plan, Limits(seconds=1.0))
    assert result.margin is not None and result.margin[1] == 0
    assert result.plan is solution.plan


@pytest.mark.slow
def test_without_time_the_plan_is_unchanged_or_better() -> None:
    judge, solution = solve_task(LONG)
    assert solution.plan is not None
    result = shorten_plan(judge, solution.plan, Limits(seconds=0.001))
    assert_valid(judge, result)


@pytest.mark.slow
def test_a_plan_without_places_is_left_unchanged() -> None:
    judge, solution = solve_task(TASKS[0])
    assert solution.plan is not None
    moving: Any = [row for row in solution.plan.tables["itinerary"] if _place_of(row) is None]
    bare = Plan({**solution.plan.tables, "itinerary": tuple(moving), "accommodation": ()})
    result = shorten_plan(judge, bare, Limits(seconds=0.5))
    assert (result.plan, result.detour, result.margin) == (bare, None, None)


def _place_of(row: Any) -> Any:
    return row.attraction or row.restaurant or row.hotel
