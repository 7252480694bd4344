"""Search for other plans: the most different one, the most similar one, and further ones that differ from all
before.
"""

from __future__ import annotations

import planspec
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.other_plans import OtherPlan, OtherPlans

KEYED = """\
planspec: task/1
id: keyed
query: Three numbers of which one is even.
types: {Name: x | y | z}
plan: {numbers: {name: key Name, value: int}}
scope: {numbers: [{for: n in Name, name: n, value: 0..3}]}
constraints:
  even: {hard: count(n for n in numbers if n.value % 2 == 0) == 1}
minimize: {total: sum(n.value for n in numbers)}
reference: {numbers: [{name: x, value: 0}, {name: y, value: 1}, {name: z, value: 1}]}
"""
KEYLESS = """\
planspec: task/1
id: keyless
query: Two stops at different hours.
plan: {stops: {hour: int}}
scope: {stops: [{for: n in 1..2, hour: 0..4}]}
constraints:
  apart: {hard: all_different(s.hour for s in stops)}
reference: {stops: [{hour: 0}, {hour: 1}]}
"""


def other_plans_of(text: str, *, no_worse: bool = False) -> OtherPlans:
    """Return a search for other plans than the reference."""
    judge = planspec.Judge(planspec.loads(text))
    plan = judge.reference_plan()
    assert plan is not None
    return OtherPlans(judge.ground, plan, clock(), no_worse=no_worse)


def clock(seconds: float = 20.0) -> TimeBudget:
    """Return a time limit."""
    return TimeBudget(Limits(seconds=seconds))


def cells(other_plan: OtherPlan, column: str) -> list[int]:
    """Return the values of a column in the rows of a plan."""
    assert other_plan.plan is not None
    return [getattr(row, column) for rows in other_plan.plan.tables.values() for row in rows]


def test_the_farthest_plan_differs_in_every_field_and_the_nearest_in_one() -> None:
    plans = other_plans_of(KEYED)
    far, near = plans.farthest(clock()), plans.nearest(clock())
    assert all(value != other for value, other in zip(cells(far, "value"), (0, 1, 1), strict=True))
    assert sum(value != other for value, other in zip(cells(near, "value"), (0, 1, 1), strict=True)) == 1
    assert far.by[0] == near.by[0] == "cpsat"


def test_rows_without_a_key_are_compared_as_a_set() -> None:
    far = other_plans_of(KEYLESS).farthest(clock())
    assert not {0, 1} & set(cells(far, "hour"))


def test_all_plans_are_as_good_as_the_given_one_if_requested() -> None:
    plans = other_plans_of(KEYED, no_worse=True)
    values = {tuple(cells(plans.farthest(clock()), "value")), tuple(cells(plans.another(clock()), "value"))}
    assert values == {(1, 0, 1), (1, 1, 0)}
    last = plans.another(clock())
    assert (last.status, last.plan) == ("none", None)
    assert last.by


def test_a_search_that_reaches_its_limit_is_undecided() -> None:
    found = other_plans_of(KEYED).farthest(clock(0.0))
    assert (found.status, found.plan, found.reason) == ("unknown", None, "time ran out")
