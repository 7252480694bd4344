"""Plans with shorter ways: never a worse margin, never a preference less, and always what the verifier accepts."""

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


def accepted(judge: Judge, made: Shortened) -> None:
    """The plan passes, also as an answer, and its margin is its own."""
    verdict = judge.answer(judge.encode(made.plan))
    assert verdict.status == "pass"
    facts = facts_of(verdict)
    assert facts is not None
    assert {cell.status for cell in facts.cells} == {"correct"}
    own = detour_of(made.plan, judge.task.currency)
    assert own == made.detour
    assert made.margin == (margin(own.plane, own.places) if own is not None else None)


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS)
def test_a_shortened_plan_is_no_worse_in_any_way(name: str) -> None:
    judge, found = solved(name)
    assert found.plan is not None
    before = detour_of(found.plan, judge.task.currency)
    assert before is not None
    made = shortened(judge, found.plan, 1.5)
    accepted(judge, made)
    worst = margin(before.plane, before.places)
    assert made.margin is not None and worst is not None and made.margin[1] <= worst[1]
    assert soft(judge, made.plan) >= soft(judge, found.plan) == found.soft_weight


@pytest.mark.slow
@pytest.mark.parametrize("name", TASKS[1:])
def test_the_oracle_s_plan_is_no_worse_in_any_way(name: str) -> None:
    judge, found = solved(name)
    made = nearest(name, judge, found, 2.5)
    accepted(judge, made)
    assert soft(judge, made.plan) >= found.soft_weight


def test_a_way_that_is_the_shortest_is_left_alone() -> None:
    """As any way through two or three places is."""
    judge, found = solved("veritrip-033")
    assert found.plan is not None
    made = shortened(judge, found.plan, 1.0)
    assert made.margin is not None and made.margin[1] == 0
    assert made.plan is found.plan


@pytest.mark.slow
def test_without_time_the_plan_stays_or_gets_better() -> None:
    judge, found = solved(LONG)
    assert found.plan is not None
    made = shortened(judge, found.plan, 0.001)
    accepted(judge, made)


@pytest.mark.slow
def test_a_plan_without_places_is_left_alone() -> None:
    judge, found = solved(TASKS[0])
    assert found.plan is not None
    moving: Any = [row for row in found.plan.tables["itinerary"] if _place(row) is None]
    bare = Plan({**found.plan.tables, "itinerary": tuple(moving), "accommodation": ()})
    made = shortened(judge, bare, 0.5)
    assert (made.plan, made.detour, made.margin) == (bare, None, None)


def _place(row: Any) -> Any:
    return row.attraction or row.restaurant or row.hotel
