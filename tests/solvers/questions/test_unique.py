"""Two plans count as different if they differ in a field that `unique` lists, or in a key of such a field's table."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.lowering.problem import lower, same_plan
from planspec.solvers.questions.enumerate import PlanEnumeration, count
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan

TASK = """planspec: task/1
id: t
query: q
types: {Inn: oak | elm}
plan:
  calls: {at: key int, who: int}
  nights: {inn: key Inn, rooms: int}
scope:
  calls: [{at: 1, who: 1..2}]
  nights: [{inn: Inn, rooms: 1..2}]
constraints:
  first: {hard: "all(c.who == 1 for c in calls)"}
UNIQUE
"""


@pytest.mark.parametrize(
    ("unique", "plans"),
    [
        ("", 4),  # every key and open field of every table counts
        ("unique: [calls.who]", 1),  # nights are not compared
        ("unique: [nights.rooms]", 4),  # the key, the inn, is compared
        ("unique: [nights.inn]", 2),
        ("unique: [calls.who, nights.inn]", 2),
    ],
)
def test_tables_without_a_listed_field_do_not_distinguish_plans(unique: str, plans: int) -> None:
    task = ground(task_from_text(TASK.replace("UNIQUE", unique).replace('"', "")))
    distinct = list(PlanEnumeration(lower(task)))
    assert len(distinct) == plans
    assert not any(same_plan(task, a, b) for i, a in enumerate(distinct) for b in distinct[:i])
    unique_claim = validate(task).unique
    assert {claim.status for claim in unique_claim.backends.values()} == {"unique" if plans == 1 else "multiple"}


@pytest.mark.parametrize(("most", "exact"), [(3, False), (4, True), (1, False)])
def test_plans_found_earlier_are_counted_first(most: int, exact: bool) -> None:
    lowered = lower(ground(task_from_text(TASK.replace("UNIQUE", "").replace('"', ""))))
    earlier = list(PlanEnumeration(lowered))[:2]
    found: list[Plan] = []
    number = count(lowered, most=most, on_plan=found.append, earlier=earlier)
    assert (number.count, number.exact) == (most, exact)
    assert found[: min(most, 2)] == earlier[:most]
    assert not any(same_plan(lowered.ground, a, b) for i, a in enumerate(found) for b in found[:i])
