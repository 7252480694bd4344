"""A claim is proved also outside the scope, or the bounds of the scope on which it depends are named."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.lowering.problem import same_plan
from planspec.solvers.questions.beyond_scope import Beyond, beyond, claim_with
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge


def build_task(plan: str, scope: str, rules: str, head: str = "") -> Ground:
    """Return the ground task with this plan, scope and constraints, after a `head` of other sections."""
    text = f"planspec: task/1\nid: t\nquery: q\n{head}plan: {{{plan}}}\nscope: {{{scope}}}\nconstraints:\n{rules}"
    return ground(task_from_text(text, "t.task.yaml"))


def beyond_result(task: Ground, backends: tuple[str, ...] = ("cpsat", "smt")) -> Beyond:
    """Prove a claim within the scope, and return the result of the proof beyond it."""
    within = validate(task, backends=backends)
    assert within.unique.status in ("unique", "infeasible")
    result = beyond(task, within, backends=backends)
    assert result is not None
    return result


PEOPLE = "types: {P: anna | bert | carl}\n"
CASES: dict[str, tuple[Ground, tuple[str, ...]]] = {
    "a rule decides alone": (
        build_task("a: {one: true, at: time}", "a: {at: 09:00..12:00 step 1h}", "  c: {hard: a.at == 10:00}\n"),
        (),
    ),
    "a grid": (
        build_task(
            "a: {one: true, at: time}",
            "a: {at: 09:00..12:00 step 1h}",
            "  c:\n    hard: a.at > 10:30 and a.at <= 11:30\n",
        ),
        ("scope:a.at",),
    ),
    "an end of a range": (
        build_task("a: {one: true, n: int}", "a: {n: 1..5}", "  c: {hard: a.n >= 5}\n"),
        ("scope:a.n",),
    ),
    "a constant": (
        build_task("a: {one: true, n: int, m: int}", "a: {n: 1..5, m: 2}", "  c: {hard: a.n + a.m == 7}\n"),
        ("scope:a.m",),
    ),
    "a default that the scope leaves out is no bound": (
        build_task("a: {one: true, n: int, m: int = 2}", "a: {n: 1..5}", "  c: {hard: a.n + a.m == 7}\n"),
        (),
    ),
    "a filter": (
        build_task(
            "a: {one: true, who: P}", "a: {who: (p for p in P if p != carl)}", "  c: {hard: a.who != anna}\n", PEOPLE
        ),
        ("scope:a.who",),
    ),
    "no question mark": (
        build_task(
            "a: {one: true, who: P?}", "a: {who: P}", "  c: {hard: not (a.who == anna or a.who == carl)}\n", PEOPLE
        ),
        ("scope:a.who",),
    ),
    "minor units": (
        build_task(
            "a: {one: true, cost: money}",
            "a: {cost: 0 EUR..9 EUR step 1 EUR}",
            "  c:\n    hard: a.cost > 4.50 EUR and a.cost < 6 EUR\n",
            "currency: EUR\n",
        ),
        ("scope:a.cost",),
    ),
    "required rows": (
        build_task(
            "a: {who: key P, at: time}",
            "a: [{for: p in P, who: p, at: 09:00..10:00}]",
            "  c: {hard: all(x.at == 09:30 for x in a)}\n",
            PEOPLE,
        ),
        ("scope:a",),
    ),
    "rows of other keys": (
        build_task(
            "a: {who: key P, at: time}",
            "a: [{who: anna, at: 09:00..10:00}]",
            "  c:\n    hard: all(x.at == 09:30 for x in a) and any(x.who == anna for x in a)\n",
            PEOPLE,
        ),
        ("scope:a",),
    ),
    "rows that a rule requires, and no others": (
        build_task(
            "a: {who: key P, at: time}",
            "a: [{who: anna, at: 09:00..10:00}]",
            "  c:\n    hard: all(x.at == 09:30 and x.who == anna for x in a) and count(x for x in a) == 1\n",
            PEOPLE,
        ),
        (),
    ),
    "rows without a key": (
        build_task("a: {who: P}", "a: [{who: P}]", "  c: {hard: all(x.who == anna for x in a)}\n", PEOPLE),
        ("scope:a",),
    ),
    "two bounds, each needed": (
        build_task("a: {one: true, n: int, m: int}", "a: {n: 1..3, m: 1..3}", "  c: {hard: a.n + a.m == 6}\n"),
        ("scope:a.n", "scope:a.m"),
    ),
    "one of two bounds, if either suffices": (
        build_task(
            "a: {one: true, n: int, m: int}",
            "a: {n: 1..3, m: 1..3}",
            "  c: {hard: a.n == 3 and a.m == 3 or a.n > 3 and a.m > 3}\n",
        ),
        ("scope:a.m",),
    ),
    "a text has no end": (
        build_task(
            "a: {one: true, n: int, said: text}",
            'a: {n: 1..3, said: {"yes", "no"}}',
            '  c: {hard: a.n == 2 and a.said == "no"}\n',
        ),
        ("scope:a.said",),
    ),
    "no plan, whatever the scope": (
        build_task("a: {one: true, n: int}", "a: {n: 1..3}", "  c: {hard: a.n + a.n == 5}\n"),
        (),
    ),
    "no plan within the scope": (
        build_task("a: {one: true, n: int}", "a: {n: 1..3}", "  c: {hard: a.n == 4}\n"),
        ("scope:a.n",),
    ),
}
"""Tasks keyed by name, each with the bounds on which its claim depends."""
TEXT = "scope:a.said"
"""Name of a bound that cannot be removed."""


@pytest.mark.parametrize("name", CASES)
def test_the_bounds_on_which_a_claim_depends_are_named(name: str) -> None:
    """CP-SAT together with Z3 names the same bounds as Z3 without CP-SAT."""
    task, leans_on = CASES[name]
    for backends in (("cpsat", "smt"), ("smt",)):
        result = beyond_result(task, backends)
        assert result.leans_on == leans_on
        assert result.minimal
        assert result.holds == (not leans_on)
        assert result.claim.status != "unknown"


@pytest.mark.parametrize("name", CASES)
def test_a_plan_beyond_a_bound_passes_and_is_another_plan_outside_the_scope(name: str) -> None:
    """The verifier judges the plan."""
    task, leans_on = CASES[name]
    result = beyond_result(task)
    assert set(result.outside) == set(leans_on) - {TEXT}
    witness = validate(task, backends=("cpsat",)).witness
    for plan in result.outside.values():
        verdict = judge(task, plan)
        assert (verdict.status, verdict.in_scope) == ("pass", False)
        assert witness is None or not same_plan(task, witness, plan)


@pytest.mark.parametrize(
    "name",
    [name for name, (task, _) in CASES.items() if not {"at", "cost"} & set(task.task.tables["a"].columns)],
)
def test_all_back_ends_agree_on_the_claim_with_its_bounds_and_without_each_of_them(name: str) -> None:
    """Brute force tries every plan in the scope without the bound.

    Tasks with minutes or cents are left out, as they have too many.
    """
    task, leans_on = CASES[name]
    within = validate(task, backends=("cpsat",))
    other = "feasible" if within.witness is None else "multiple"
    bounds_and_status = [(leans_on, within.unique.status)]
    bounds_and_status += [
        (tuple(b for b in leans_on if b != bound), other) for bound in leans_on if bound != "scope:a.said"
    ]
    for kept_bounds, expected in bounds_and_status:
        claim = claim_with(task, within.witness, kept_bounds, backends=BACKENDS, limits=Limits())
        assert {name: c.status for name, c in claim.backends.items()} == dict.fromkeys(BACKENDS, expected)


def test_nothing_is_proved_beyond_the_scope_if_a_second_plan_is_within_it() -> None:
    task = build_task("a: {one: true, n: int}", "a: {n: 1..3}", "  c: {hard: a.n >= 2}\n")
    assert beyond(task, validate(task)) is None


def test_rows_of_a_closed_task_are_rules_and_not_bounds() -> None:
    plan, scope = "a: {who: key P, at: time}", "a: [{for: p in P, who: p, at: 09:00..10:00}]"
    task = build_task(plan, scope, "  c: {hard: all(x.at == 09:30 for x in a)}\n", PEOPLE + "closed: true\n")
    assert beyond_result(task).leans_on == ()


def test_nothing_is_claimed_after_the_time_limit() -> None:
    """A timeout is not a proof. Bounds that were not tried are still named."""
    task, _ = CASES["two bounds, each needed"]
    result: Any = beyond(task, validate(task), limits=Limits(seconds=1e-9))
    assert result.leans_on == result.undecided == ("scope:a.n", "scope:a.m")
    assert not result.minimal
    assert not result.holds
