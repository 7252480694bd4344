"""The reasons of a claim are sufficient: even without all other rules and bounds, there is no other plan."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.proofs.obligation import NoOtherPlan, obligation
from planspec.solvers.proofs.reasons import reasons_of
from planspec.solvers.proofs.refutation import Refutation, refute
from planspec.solvers.questions.prove import solve
from planspec.solvers.questions.relaxed_scope import widen_beyond
from planspec.verifiers.meaning.ground import FieldDomain, Ground, ground
from tests.random_examples import examples

TASK = """\
planspec: task/1
id: pick
query: Pick two numbers.
plan: {{pick: {{one: true, a: int, b: int}}}}
scope: {{pick: {{a: {a}, b: {b}}}}}
constraints:
{rules}
unique: [pick.a, pick.b]
"""
RULES = st.builds(
    str.format,
    st.sampled_from(
        (
            "pick.a >= {0}",
            "pick.b <= {0}",
            "pick.a + pick.b >= {0}",
            "pick.a == pick.b",
            "pick.a != {0}",
            "2 * pick.a > pick.b",
            "pick.a * pick.b == {0}",
            "pick.a < pick.b or pick.b == {0}",
        )
    ),
    st.integers(0, 9),
)
LIMITS = Limits(seconds=30)


def pick_task(a: tuple[int, int], b: tuple[int, int], rules: list[str]) -> Ground:
    """Return a ground task about two numbers in these ranges, with these rules."""
    listed = "".join(f"  r{number}:\n    hard: {rule}\n" for number, rule in enumerate(rules)) or "  {}\n"
    text = TASK.format(a=f"{a[0]}..{a[1]}", b=f"{b[0]}..{b[1]}", rules=listed.rstrip())
    return ground(task_from_text(text, "pick"))


def reasons_of_claim(task: Ground, claim: NoOtherPlan) -> tuple[str, ...]:
    """Return the names of the constraints and bounds that a proof of the claim uses."""
    claimed = obligation(task, claim)
    assert claimed is not None
    refutation = refute(claimed.formula, LIMITS)
    assert isinstance(refutation, Refutation)
    return reasons_of(task, claimed, refutation, LIMITS)


def domain_values(domain: FieldDomain) -> list[int]:
    """Return the values of a field."""
    if domain.values is not None:
        return [value for value in domain.values if isinstance(value, int)]
    assert domain.interval is not None
    low, high, step = domain.interval
    return list(range(low, high + 1, step))


def remaining_pairs(task: Ground, rules: list[str], names: tuple[str, ...]) -> set[tuple[int, int]]:
    """Return all pairs that satisfy the named rules and bounds. Other rules and bounds are ignored."""
    row = widen_beyond(task, names).ground.rows["pick"][0]
    named_rules = [rule for number, rule in enumerate(rules) if f"r{number}" in names]
    return {
        (a, b)
        for a, b in product(domain_values(row.fields["a"]), domain_values(row.fields["b"]))
        if all(eval(rule.replace("pick.a", str(a)).replace("pick.b", str(b))) for rule in named_rules)
    }


ENDS = st.tuples(st.integers(0, 4), st.integers(0, 4)).map(lambda ends: (ends[0], ends[0] + ends[1]))


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=examples(60))
@given(ENDS, ENDS, st.lists(RULES, min_size=1, max_size=3))
def test_the_constraints_and_bounds_named_as_reasons_suffice_for_the_claim(
    a: tuple[int, int], b: tuple[int, int], rules: list[str]
) -> None:
    task = pick_task(a, b, rules)
    scope = set(product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)))
    every = tuple(f"r{number}" for number in range(len(rules)))
    plans = remaining_pairs(task, rules, (*every, "scope:pick.a", "scope:pick.b")) & scope
    assume(len(plans) < 2)
    names = reasons_of_claim(task, NoOtherPlan(solve(task).plan if plans else None))
    assert set(names) <= {*every, "scope:pick.a", "scope:pick.b"}
    assert remaining_pairs(task, rules, names) <= plans


@pytest.mark.parametrize(
    ("a", "rule", "enough"),
    [
        ((1, 4), "pick.a >= 4", {"r0", "scope:pick.a"}),
        ((1, 4), "pick.a >= 5", {"r0", "scope:pick.a"}),
        ((0, 5), "pick.a >= 5", {"r0", "scope:pick.a"}),
        ((1, 1), "pick.a >= 0", {"scope:pick.a"}),
        ((1, 4), "pick.a <= 0 and pick.a >= 2", {"r0"}),
    ],
)
def test_a_bound_is_named_although_it_has_no_clause(a: tuple[int, int], rule: str, enough: set[str]) -> None:
    """A bound has no clause in the formula if the bits of a number cannot exceed it, or if a constant decides a
    comparison.
    """
    task = pick_task(a, (2, 2), [rule])
    plan = solve(task).plan
    assert set(reasons_of_claim(task, NoOtherPlan(plan))) - {"scope:pick.b"} == enough
    assert ("scope:pick.b" in reasons_of_claim(task, NoOtherPlan(plan))) == (plan is not None)


def test_all_bounds_that_a_claim_relies_on_are_named() -> None:
    task = pick_task((1, 4), (2, 2), ["pick.a >= 4"])
    claim = NoOtherPlan(solve(task).plan, ("scope:pick.a", "scope:pick.b"))
    assert reasons_of_claim(task, claim) == ("r0", "scope:pick.a", "scope:pick.b")


def test_without_time_all_bounds_are_named() -> None:
    task = pick_task((0, 5), (2, 2), ["pick.a <= 0 and pick.a >= 2"])
    claimed = obligation(task, NoOtherPlan(None))
    assert claimed is not None
    refutation = refute(claimed.formula, LIMITS)
    assert isinstance(refutation, Refutation)
    assert set(reasons_of(task, claimed, refutation, Limits(seconds=1e-9))) == {
        "r0",
        "scope:pick.a",
        "scope:pick.b",
    }
