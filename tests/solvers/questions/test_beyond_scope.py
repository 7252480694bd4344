"""Claims without the scope's bounds: they hold, or the bounds that carry them are named, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.lowering.problem import same_plan
from planspec.solvers.questions.beyond_scope import Beyond, beyond, claim_with
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge

ALL = ("cpsat", "smt", "sat", "brute")


def grounded(plan: str, scope: str, rules: str, more: str = "") -> Ground:
    """A task of a few lines."""
    text = f"planspec: task/1\nid: t\nquery: q\n{more}plan: {{{plan}}}\nscope: {{{scope}}}\nconstraints:\n{rules}"
    return ground(task_from_text(text, "t.task.yaml"))


def found(made: Ground, backends: tuple[str, ...] = ("cpsat", "smt")) -> Beyond:
    """What is left of the claim that is proved within the scope."""
    within = validate(made, backends=backends)
    assert within.unique.status in ("unique", "infeasible")
    there = beyond(made, within, backends=backends)
    assert there is not None
    return there


PEOPLE = "types: {P: anna | bert | carl}\n"
CASES: dict[str, tuple[Ground, tuple[str, ...]]] = {
    "a rule says it all": (
        grounded("a: {one: true, at: time}", "a: {at: 09:00..12:00 step 1h}", "  c: {hard: a.at == 10:00}\n"),
        (),
    ),
    "a grid": (
        grounded("a: {one: true, at: time}", "a: {at: 09:00..12:00 step 1h}", "  c:\n    hard: a.at > 10:30 and a.at <= 11:30\n"),
        ("scope:a.at",),
    ),
    "an end of a range": (
        grounded("a: {one: true, n: int}", "a: {n: 1..5}", "  c: {hard: a.n >= 5}\n"),
        ("scope:a.n",),
    ),
    "a constant": (
        grounded("a: {one: true, n: int, m: int}", "a: {n: 1..5, m: 2}", "  c: {hard: a.n + a.m == 7}\n"),
        ("scope:a.m",),
    ),
    "a default that the scope leaves out is no bound": (
        grounded("a: {one: true, n: int, m: int = 2}", "a: {n: 1..5}", "  c: {hard: a.n + a.m == 7}\n"),
        (),
    ),
    "a filter": (
        grounded("a: {one: true, who: P}", "a: {who: (p for p in P if p != carl)}", "  c: {hard: a.who != anna}\n", PEOPLE),
        ("scope:a.who",),
    ),
    "no question mark": (
        grounded("a: {one: true, who: P?}", "a: {who: P}", "  c: {hard: not (a.who == anna or a.who == carl)}\n", PEOPLE),
        ("scope:a.who",),
    ),
    "minor units": (
        grounded("a: {one: true, cost: money}", "a: {cost: 0 EUR..9 EUR step 1 EUR}", "  c:\n    hard: a.cost > 4.50 EUR and a.cost < 6 EUR\n", "currency: EUR\n"),
        ("scope:a.cost",),
    ),
    "rows that must be there": (
        grounded("a: {who: key P, at: time}", "a: [{for: p in P, who: p, at: 09:00..10:00}]", "  c: {hard: all(x.at == 09:30 for x in a)}\n", PEOPLE),
        ("scope:a",),
    ),
    "rows of other keys": (
        grounded("a: {who: key P, at: time}", "a: [{who: anna, at: 09:00..10:00}]", "  c:\n    hard: all(x.at == 09:30 for x in a) and any(x.who == anna for x in a)\n", PEOPLE),
        ("scope:a",),
    ),
    "rows that a rule asks for, and no others": (
        grounded("a: {who: key P, at: time}", "a: [{who: anna, at: 09:00..10:00}]", "  c:\n    hard: all(x.at == 09:30 and x.who == anna for x in a) and count(x for x in a) == 1\n", PEOPLE),
        (),
    ),
    "rows without a key": (
        grounded("a: {who: P}", "a: [{who: P}]", "  c: {hard: all(x.who == anna for x in a)}\n", PEOPLE),
        ("scope:a",),
    ),
    "two bounds, each needed": (
        grounded("a: {one: true, n: int, m: int}", "a: {n: 1..3, m: 1..3}", "  c: {hard: a.n + a.m == 6}\n"),
        ("scope:a.n", "scope:a.m"),
    ),
    "one of two bounds, where either would do": (
        grounded("a: {one: true, n: int, m: int}", "a: {n: 1..3, m: 1..3}", "  c: {hard: a.n == 3 and a.m == 3 or a.n > 3 and a.m > 3}\n"),
        ("scope:a.m",),
    ),
    "a text has no end": (
        grounded("a: {one: true, n: int, said: text}", 'a: {n: 1..3, said: {"yes", "no"}}', '  c: {hard: a.n == 2 and a.said == "no"}\n'),
        ("scope:a.said",),
    ),
    "no plan, whatever the scope": (
        grounded("a: {one: true, n: int}", "a: {n: 1..3}", "  c: {hard: a.n + a.n == 5}\n"),
        (),
    ),
    "no plan within the scope": (
        grounded("a: {one: true, n: int}", "a: {n: 1..3}", "  c: {hard: a.n == 4}\n"),
        ("scope:a.n",),
    ),
}  # fmt: skip
"""A task, and the bounds that its claim leans on."""
TEXT = "scope:a.said"
"""A bound that cannot be taken off."""


@pytest.mark.parametrize("name", CASES)
def test_the_bounds_that_carry_a_claim_are_named(name: str) -> None:
    """By CP-SAT, and by Z3 on its own."""
    made, leans_on = CASES[name]
    for backends in (("cpsat", "smt"), ("smt",)):
        there = found(made, backends)
        assert there.leans_on == leans_on
        assert there.minimal
        assert there.holds == (not leans_on)
        assert there.claim.status != "unknown"


@pytest.mark.parametrize("name", CASES)
def test_what_lies_beyond_a_bound_passes_and_is_another_plan_outside_the_scope(name: str) -> None:
    """The verifier says so."""
    made, leans_on = CASES[name]
    there = found(made)
    assert set(there.outside) == set(leans_on) - {TEXT}
    witness = validate(made, backends=("cpsat",)).witness
    for plan in there.outside.values():
        verdict = judge(made, plan)
        assert (verdict.status, verdict.in_scope) == ("pass", False)
        assert witness is None or not same_plan(made, witness, plan)


@pytest.mark.parametrize(
    "name",
    [name for name, (made, _) in CASES.items() if not {"at", "cost"} & set(made.task.tables["a"].columns)],
)
def test_every_back_end_says_the_same_with_the_bounds_and_without_any_one_of_them(name: str) -> None:
    """Brute force looks at every plan of the wider scope; of minutes and cents there are too many."""
    made, leans_on = CASES[name]
    within = validate(made, backends=("cpsat",))
    other = "feasible" if within.witness is None else "multiple"
    keeping = [(leans_on, within.unique.status)]
    keeping += [
        (tuple(b for b in leans_on if b != bound), other) for bound in leans_on if bound != "scope:a.said"
    ]
    for keep, expected in keeping:
        claim = claim_with(made, within.witness, keep, backends=ALL, limits=Limits())
        assert {name: c.status for name, c in claim.backends.items()} == dict.fromkeys(ALL, expected)


def test_a_second_plan_within_the_scope_is_one_beyond_it() -> None:
    """Nothing has to be asked."""
    made = grounded("a: {one: true, n: int}", "a: {n: 1..3}", "  c: {hard: a.n >= 2}\n")
    assert beyond(made, validate(made)) is None


def test_rows_of_a_closed_task_are_law() -> None:
    """They are no bound."""
    plan, scope = "a: {who: key P, at: time}", "a: [{for: p in P, who: p, at: 09:00..10:00}]"
    made = grounded(plan, scope, "  c: {hard: all(x.at == 09:30 for x in a)}\n", PEOPLE + "closed: true\n")
    assert found(made).leans_on == ()


def test_without_time_nothing_is_claimed() -> None:
    """A time-out is no proof, and what was not tried stays."""
    made, _ = CASES["two bounds, each needed"]
    there: Any = beyond(made, validate(made), limits=Limits(seconds=1e-9))
    assert there.leans_on == ("scope:a.n", "scope:a.m")
    assert not there.minimal
    assert not there.holds
