"""Leaving a place out costs what is asked of it: no rule of a place holds of a plan that does not go there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from planspec import Judge
from planspec.families.worldtravel.verdict_metrics import WorldTravelMetrics
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import Scored
from tests.families.worldtravel.test_suite import TASKS, judge

pytestmark = pytest.mark.slow


def reference(task: str) -> Plan:
    """The author's plan."""
    plan = judge(task).reference_plan()
    assert plan is not None
    return plan


def hotel_only(task: str) -> Any:
    """An answer that names the right hotel for each day, and nothing else."""
    days = judge(task).task.reference["itinerary"]
    return {
        "itinerary": [
            {**day, "schedule": [item for item in day["schedule"] if item["item"] == "hotel"]} for day in days
        ]
    }


@pytest.mark.parametrize("task", TASKS)
def test_every_rule_of_a_place_is_violated_where_that_is_left_out(task: str) -> None:
    """Hard and soft ones; a lower bill does not make up for it."""
    plan = reference(task)
    for visit in plan.tables["visits"]:
        place: Any = visit.place  # type: ignore[attr-defined]
        rest = tuple(row for row in plan.tables["visits"] if row is not visit)
        verdict = judge(task).plan(replace(plan, tables={**plan.tables, "visits": rest}))
        asked = {f.constraint for f in verdict.findings if f.constraint.endswith(f"[{place.id}]")}
        violated = {f.constraint for f in verdict.findings if f.status == "violated"}
        assert len(asked) >= 2
        assert asked | {"as-asked"} <= violated


def test_a_hotel_and_nothing_else_keeps_no_more_than_what_it_costs() -> None:
    """The budget is all that such plans keep, and most of what they violate counts."""
    scored = []
    for task in TASKS:
        verdict = judge(task).decoded(hotel_only(task))
        assert {f.constraint for f in verdict.findings if f.level == "hard" and f.status == "satisfied"} <= {
            "purse"
        }
        scored.append(Scored(verdict=verdict))
    metrics = WorldTravelMetrics.over(scored)
    assert metrics.delivered == len(TASKS)
    assert metrics.constraint_violation is not None
    assert metrics.constraint_violation > 0.93


def test_a_bundle_and_the_rides_are_not_paid_by_staying_at_home() -> None:
    """Soft constraints on nothing hold of nothing."""
    verdict = judge("berlin-004").decoded(hotel_only("berlin-004"))
    soft = {f.constraint for f in verdict.findings if f.level == "soft" and f.status == "satisfied"}
    assert soft == {"rooms"}
    assert "day-ticket" in {f.constraint for f in verdict.findings if f.status == "violated"}


class TestFares:
    """The cheapest mix of single tickets and family passes."""

    @staticmethod
    def fare(place: str, **given: int) -> int:
        task = judge("berlin-001").task
        people = {"adults": 0, "children": 0, "students": 0, "seniors": 0, **given}
        changed = Judge(replace(task, givens={**task.givens, **people}))
        definition = changed.task.definitions["fare"]
        row = changed.task.facts["Place"].by_key[(place,)]
        return int(changed.ground.interpreter.value(definition.body, {definition.params[0]: row}))

    @pytest.mark.parametrize(
        ("place", "people", "cents"),
        [
            ("zoo", {"seniors": 2}, 3400),
            ("zoo", {"students": 1, "seniors": 1}, 3400),
            ("zoo", {"adults": 1, "students": 1}, 4000),
            ("neues_museum", {"students": 2, "children": 1}, 1400),
            ("tv_tower", {"adults": 1, "seniors": 1, "children": 1}, 6600),  # the pass, else 73.50
            ("tv_tower", {"students": 2}, 4900),  # the pass is dearer
            ("zoo", {"adults": 2, "children": 2}, 5700),
            ("zoo", {"adults": 2, "students": 1, "children": 1}, 7400),  # pass for the adults and the child
            ("zoo", {"adults": 1, "students": 2, "children": 1}, 6900),  # single tickets
            ("reichstag", {"adults": 2}, 0),
        ],
    )
    def test_a_fare(self, place: str, people: dict[str, int], cents: int) -> None:
        assert self.fare(place, **people) == cents
