"""For a variant of a constraint, the search finds a plan that only one of the two accepts, or proves that none exists."""

from __future__ import annotations

import pytest

import planspec
from planspec.api.cases.mutation import applied_mutants
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.variants import Distinction, VariantSearch

TASK = """\
planspec: task/1
id: pair
query: Two numbers.
given: {late: false}
plan: {pair: {one: true, a: int, b: int}}
scope: {pair: {a: 0..9, b: 0..9 step 3}}
constraints:
  least: {hard: pair.a >= 2}
  most: {hard: pair.b <= 6}
  sum: {hard: pair.a + pair.b == 9}
  large: {when: late, hard: pair.a > 5}
  good: {soft: pair.a > 3}
reference: {pair: {a: 3, b: 6}}
"""
"""A task that accepts (3, 6), (6, 3) and (9, 0)."""


def ask(constraint: str, change: str, text: str = TASK, limits: Limits = Limits(seconds=20)) -> Distinction:  # noqa: B008
    """Search for a plan that only the task or one of its mutants accepts. The plan is close to the reference."""
    judge = planspec.Judge(planspec.loads(text))
    mutant = next(m for m in applied_mutants(judge.ground) if m.key[:2] == (constraint, change))
    return VariantSearch(judge.ground, mutant.constraint, judge.reference_plan()).ask(
        mutant.instances(), TimeBudget(limits)
    )


def cells(distinction: Distinction) -> tuple[int, int]:
    """Return the two numbers in the plan that distinguishes two variants."""
    assert distinction.status == "different"
    assert distinction.plan is not None
    (row,) = distinction.plan.tables["pair"]
    return getattr(row, "a"), getattr(row, "b")  # noqa: B009 - mypy knows no columns


def test_a_weaker_variant_is_distinguished_by_a_plan_that_only_the_variant_accepts() -> None:
    a, b = cells(ask("sum", "`<=` for `==`"))
    assert a + b < 9
    assert a >= 2
    assert b <= 6
    assert (a == 3) + (b == 6) == 1  # one cell of the reference is changed


def test_a_stronger_variant_is_distinguished_by_a_plan_that_only_the_task_accepts() -> None:
    assert cells(ask("large", "`when` left out")) == (3, 6)


def test_a_variant_of_a_soft_constraint_is_distinguished_by_an_accepted_plan() -> None:
    assert cells(ask("good", "dropped")) == (3, 6)
    assert cells(ask("good", "`>=` for `>`")) == (3, 6)


@pytest.mark.parametrize(
    ("constraint", "change"),
    [("least", "dropped"), ("least", "`2` one unit less"), ("most", "dropped"), ("large", "dropped")],
)
def test_a_variant_that_accepts_the_same_plans_of_the_scope_is_equal(constraint: str, change: str) -> None:
    distinction = ask(constraint, change)
    assert (distinction.status, distinction.plan) == ("same", None)
    assert distinction.by[0] == "cpsat"


def test_the_result_is_unknown_if_a_limit_is_reached() -> None:
    distinction = ask("sum", "dropped", limits=Limits(seconds=1e-6))
    assert (distinction.status, distinction.reason) == ("unknown", "time ran out")


def test_the_result_is_unknown_for_a_constraint_without_an_encoding() -> None:
    text = TASK.replace("a: 0..9, b: 0..9 step 3", "a: 1..99999, b: 1..99999")
    text = text.replace("pair.b <= 6", "pair.b <= 60000").replace(
        "pair.a + pair.b == 9", "(pair.a // pair.b ?? 0) == 2"
    )
    distinction = ask("sum", "dropped", text)
    assert distinction.status == "unknown"
    assert distinction.reason is not None
    assert "PS50" in distinction.reason
