"""What is alike in all plans, and in those that keep every soft constraint, too: as counting every plan says it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.api.judging import Judge
from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.questions.claims import among_best, beyond_claims, validate_claims
from planspec.solvers.questions.validation import Validation

ALL = ("cpsat", "smt", "sat", "brute")
FIELDS = ("a.n", "a.m", "b.k")
RULES = (
    "a.n >= 1", "a.n == 1", "a.n + b.k == 2", "a.m <= b.k", "a.m == 0", "b.k != 1", "a.n < a.m", "b.k == 2", "a.n > 2",
)  # fmt: skip


def judged(hard: list[str], soft: list[str], unique: list[str], best: list[str], weight: int = 1) -> Judge:
    """A task with three fields of three values each."""
    rules = [f"  h{i}: {{hard: {rule}}}\n" for i, rule in enumerate(hard)]
    rules += [f"  s{i}: {{soft: {rule}, weight: {weight}}}\n" for i, rule in enumerate(soft)]
    text = (
        "planspec: task/1\nid: t\nquery: q\nplan:\n  a: {one: true, n: int, m: int}\n  b: {one: true, k: int}\n"
        "scope: {a: {n: 0..2, m: 0..2}, b: {k: 0..2}}\n"
        f"unique: [{', '.join(unique)}]\nunique_best: [{', '.join(best)}]\n"
    )
    if rules:
        text += "constraints:\n" + "".join(rules)
    return Judge(task_from_text(text, "t.task.yaml"))


def counted(judge: Judge, fields: list[str], *, soft: bool) -> str:
    """The claim, by a verdict on each of the 27 plans."""
    seen = set()
    for n, m, k in product(range(3), repeat=3):
        verdict = judge.decoded({"a": {"n": n, "m": m}, "b": {"k": k}})
        if verdict.status == "pass" and (not soft or verdict.soft.satisfied == verdict.soft.total):
            seen.add(tuple(value for field, value in zip(FIELDS, (n, m, k), strict=True) if field in fields))
    return {0: "infeasible", 1: "unique"}.get(len(seen), "multiple")


def found(judge: Judge) -> tuple[Validation, Validation]:
    made = validate_claims(judge.ground, backends=ALL)
    assert made.best is not None
    return made, made.best


rules = st.lists(st.sampled_from(RULES), max_size=3)
columns = st.lists(st.sampled_from(FIELDS), max_size=2, unique=True)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(hard=rules, soft=rules, unique=columns, best=columns, weight=st.integers(0, 2))
def test_both_claims_are_what_counting_every_plan_says(
    hard: list[str], soft: list[str], unique: list[str], best: list[str], weight: int
) -> None:
    judge = judged(hard, soft, unique, best, weight)
    whole, kept = found(judge)
    wanted = counted(judge, unique, soft=False), counted(judge, [*unique, *best], soft=True)
    assert (whole.unique.status, kept.unique.status) == wanted
    assert {claim.status for claim in kept.unique.backends.values()} == {wanted[1]}


def test_no_plan_that_keeps_every_constraint_is_told() -> None:
    whole, kept = found(judged(["a.n == 1"], ["a.n == 2"], ["a.n"], ["b.k"]))
    assert (whole.unique.status, kept.feasible.status, kept.unique.status) == (
        "unique",
        "infeasible",
        "infeasible",
    )
    assert kept.witness is None
    assert "best infeasible" in repr(whole)


def test_a_second_plan_of_the_best_keeps_every_constraint() -> None:
    judge = judged(["a.n == 1"], ["a.m == 0"], ["a.n"], ["b.k"])
    _, kept = found(judge)
    assert kept.unique.status == "multiple"
    assert kept.witness is not None
    assert kept.second is not None
    for plan in (kept.witness, kept.second):
        verdict = judge.decoded(judge.encode(plan))
        assert verdict.soft.satisfied == verdict.soft.total == 1


def test_a_task_without_the_claim_has_no_best() -> None:
    text = "planspec: task/1\nid: t\nquery: q\nplan: {a: {one: true, n: int}}\nscope: {a: {n: 0..2}}\n"
    made = Judge(task_from_text(text, "t.task.yaml")).ground
    assert among_best(made) is None
    assert validate_claims(made).best is None
    assert beyond_claims(made, validate_claims(made))[1] is None


def test_each_claim_is_asked_beyond_the_scope() -> None:
    judge = judged(["a.n == 1"], ["b.k >= 2"], ["a.n"], ["b.k"])
    within = validate_claims(judge.ground)
    there, best = beyond_claims(judge.ground, within)
    assert there is not None
    assert there.holds
    assert best is not None
    assert (best.claim.status, best.leans_on) == ("unique", ("scope:b.k",))
    assert judge.encode(best.outside["scope:b.k"])["b"]["k"] > 2


def test_what_time_does_not_allow_is_unknown() -> None:
    made = validate_claims(judged([], ["a.n == 1"], [], ["a.n"]).ground, limits=Limits(seconds=1e-9))
    assert made.best is not None
    assert (made.unique.status, made.best.unique.status) == ("unknown", "unknown")
