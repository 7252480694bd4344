"""Claims about all plans, and about the plans that satisfy every soft constraint, agree with enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.api.judging import Judge
from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.questions.claims import beyond_claims, validate_claims, variant_for_best
from planspec.solvers.questions.validation import Validation
from tests.random_examples import examples

FIELDS = ("a.n", "a.m", "b.k")
RULES = (
    "a.n >= 1",
    "a.n == 1",
    "a.n + b.k == 2",
    "a.m <= b.k",
    "a.m == 0",
    "b.k != 1",
    "a.n < a.m",
    "b.k == 2",
    "a.n > 2",
)


def judge_of(
    hard: list[str],
    soft: list[str],
    unique: list[str] | None,
    best: list[str],
    weight: int = 1,
    objective: str = "",
) -> Judge:
    """Return a judge of a task with three fields of three values each."""
    rules = [f"  h{i}: {{hard: {rule}}}\n" for i, rule in enumerate(hard)]
    rules += [f"  s{i}: {{soft: {rule}, weight: {weight}}}\n" for i, rule in enumerate(soft)]
    text = (
        "planspec: task/1\nid: t\nquery: q\nplan:\n  a: {one: true, n: int, m: int}\n  b: {one: true, k: int}\n"
        "scope: {a: {n: 0..2, m: 0..2}, b: {k: 0..2}}\n"
        f"unique_best: [{', '.join(best)}]\n{objective}\n"
    )
    if unique is not None:
        text += f"unique: [{', '.join(unique)}]\n"
    if rules:
        text += "constraints:\n" + "".join(rules)
    return Judge(task_from_text(text, "t.task.yaml"))


def enumerated_claim(judge: Judge, fields: list[str], *, soft: bool) -> str:
    """Return the claim about all plans that follows from the verdicts on the 27 plans."""
    seen = set()
    for n, m, k in product(range(3), repeat=3):
        verdict = judge.decoded({"a": {"n": n, "m": m}, "b": {"k": k}})
        if verdict.status == "pass" and (not soft or verdict.soft.satisfied == verdict.soft.total):
            seen.add(tuple(value for field, value in zip(FIELDS, (n, m, k), strict=True) if field in fields))
    return {0: "infeasible", 1: "unique"}.get(len(seen), "multiple")


def both_validations(judge: Judge) -> tuple[Validation, Validation]:
    """Return the results about all plans, and about the best plans."""
    validation = validate_claims(judge.ground, backends=BACKENDS)
    assert validation.best is not None
    return validation, validation.best


rules = st.lists(st.sampled_from(RULES), max_size=3)
columns = st.lists(st.sampled_from(FIELDS), max_size=2, unique=True)


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(hard=rules, soft=rules, unique=columns, best=columns, weight=st.integers(0, 2))
def test_both_claims_agree_with_counting_every_plan(
    hard: list[str], soft: list[str], unique: list[str], best: list[str], weight: int
) -> None:
    judge = judge_of(hard, soft, unique, best, weight)
    every, best_of_all = both_validations(judge)
    expected = (
        enumerated_claim(judge, unique, soft=False),
        enumerated_claim(judge, [*unique, *best], soft=True),
    )
    assert (every.unique.status, best_of_all.unique.status) == expected
    assert {claim.status for claim in best_of_all.unique.backends.values()} == {expected[1]}


def test_the_lack_of_a_plan_that_satisfies_every_constraint_is_reported() -> None:
    whole, best = both_validations(judge_of(["a.n == 1"], ["a.n == 2"], ["a.n"], ["b.k"]))
    assert (whole.unique.status, best.feasible.status, best.unique.status) == (
        "unique",
        "infeasible",
        "infeasible",
    )
    assert best.witness is None
    assert "best infeasible" in repr(whole)


def test_another_best_plan_satisfies_every_constraint() -> None:
    judge = judge_of(["a.n == 1"], ["a.m == 0"], ["a.n"], ["b.k"])
    _, best = both_validations(judge)
    assert best.unique.status == "multiple"
    assert best.witness is not None
    assert best.second is not None
    for plan in (best.witness, best.second):
        verdict = judge.decoded(judge.encode(plan))
        assert verdict.soft.satisfied == verdict.soft.total == 1


def test_a_task_without_a_claim_about_best_plans_has_no_proof_of_one() -> None:
    text = "planspec: task/1\nid: t\nquery: q\nplan: {a: {one: true, n: int}}\nscope: {a: {n: 0..2}}\n"
    task = Judge(task_from_text(text, "t.task.yaml")).ground
    assert variant_for_best(task) is None
    assert validate_claims(task).best is None
    assert beyond_claims(task, validate_claims(task))[1] is None


def test_each_claim_is_examined_beyond_the_scope() -> None:
    judge = judge_of(["a.n == 1"], ["b.k >= 2"], ["a.n"], ["b.k"])
    within = validate_claims(judge.ground)
    beyond, best = beyond_claims(judge.ground, within)
    assert beyond is not None
    assert beyond.holds
    assert best is not None
    assert (best.claim.status, best.leans_on) == ("unique", ("scope:b.k",))
    assert judge.encode(best.outside["scope:b.k"])["b"]["k"] > 2


def test_without_time_both_claims_are_unknown() -> None:
    validation = validate_claims(judge_of([], ["a.n == 1"], [], ["a.n"]).ground, limits=Limits(seconds=1e-9))
    assert validation.best is not None
    assert (validation.unique.status, validation.best.unique.status) == ("unknown", "unknown")


OBJECTIVES = (
    "minimize: a.n + 2 * b.k",
    "maximize: [a.m, b.k - a.n]",
    "minimize: [a.n * b.k, 2 - a.m]",
    "maximize: [a.n if a.m > 0 else none, b.k]",
    "minimize: [a.n if a.m > 2 else none, a.m, a.n if b.k < 2 else none]",
)


def best_of(judge: Judge, fields: list[str]) -> str:
    """Return the claim about the best plans that follows from the verdicts on the 27 plans."""
    best: tuple[object, ...] | None = None
    seen: set[tuple[int, ...]] = set()
    for n, m, k in product(range(3), repeat=3):
        verdict = judge.decoded({"a": {"n": n, "m": m}, "b": {"k": k}})
        if verdict.status != "pass" or verdict.soft.satisfied != verdict.soft.total:
            continue
        rank = tuple(
            (value.value is not None, 0 if value.value is None else Fraction(value.value) * sign)
            for value in verdict.objectives
            for sign in [1 if value.goal == "maximize" else -1]
        )
        if best is None or rank > best:
            best, seen = rank, set()
        if rank == best:
            seen.add(tuple(value for field, value in zip(FIELDS, (n, m, k), strict=True) if field in fields))
    return {0: "infeasible", 1: "unique"}.get(len(seen), "multiple")


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(
    hard=rules,
    soft=rules,
    best=st.lists(st.sampled_from(FIELDS), min_size=1, max_size=2, unique=True),
    objective=st.sampled_from(OBJECTIVES),
)
def test_the_claim_about_the_best_plans_agrees_with_counting_them(
    hard: list[str], soft: list[str], best: list[str], objective: str
) -> None:
    judge = judge_of(hard, soft, None, best, objective=objective)
    _, claim = both_validations(judge)
    expected = best_of(judge, best)
    assert claim.unique.status == expected
    assert {each.status for each in claim.unique.backends.values()} == {expected}
