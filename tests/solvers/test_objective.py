"""An objective ranks plans and forbids none: a plan on which it is none comes after all that have a value."""

from __future__ import annotations

import pytest

from planspec.dsl.documents import task_from_text
from planspec.solvers.outcome import Status
from planspec.solvers.prove import solve, validate
from planspec.solvers.repair import repair
from planspec.solvers.sense import sense
from planspec.solvers.why import why
from planspec.verifiers.ground import Ground, ground
from planspec.verifiers.plan import plan_format

BACKENDS = ("cpsat", "smt", "brute")
PICK = """\
planspec: task/1
id: pick
query: Pick a number, and a second one if you like.
plan: {{pick: {{one: true, n: int, m: int?}}}}
scope: {{pick: {{n: {n}, m: (1..2)?}}}}
constraints:
{constraints}
{objective}
"""


def made(constraints: str, objective: str = "minimize: pick.m", n: str = "1..2") -> Ground:
    return ground(task_from_text(PICK.format(constraints=constraints, objective=objective, n=n)))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("objective", "value"), [("minimize: pick.m", 1), ("maximize: pick.m", 2), ("maximize: pick.m - 5", -3)]
)
def test_a_plan_with_a_value_comes_first(backend: str, objective: str, value: int) -> None:
    found = solve(made("  c: {hard: pick.n == 1}", objective), backend=backend)
    assert (found.status, found.objective, found.bound) == (Status.OPTIMAL, value, value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_where_no_plan_has_a_value_a_plan_is_the_best_without_one(backend: str) -> None:
    found = solve(made("  c: {hard: pick.m is none}"), backend=backend)
    assert (found.status, found.objective, found.bound) == (Status.OPTIMAL, None, None)
    assert found.plan is not None


@pytest.mark.parametrize("backend", BACKENDS)
def test_soft_weight_comes_before_the_objective_s_having_a_value(backend: str) -> None:
    found = solve(made("  c: {soft: pick.m is none, weight: 2}\n  d: {soft: pick.m == 2}"), backend=backend)
    assert (found.status, found.soft_weight, found.objective) == (Status.OPTIMAL, 2, None)


@pytest.mark.parametrize(
    ("constraints", "n", "unique"),
    [
        ("  small: {hard: pick.m is none or pick.m <= 1}", "1", "multiple"),
        ("  small: {hard: pick.m is none or pick.m <= 1}", "1..2", "multiple"),
        ("  leave: {hard: pick.m is none}", "1..2", "multiple"),
        ("  leave: {hard: pick.m is none}", "1", "unique"),
    ],
)
def test_an_objective_changes_nothing_of_what_is_feasible_and_unique(
    constraints: str, n: str, unique: str
) -> None:
    for objective in ("minimize: pick.m", "maximize: pick.m + 1", ""):
        found = validate(made(constraints, objective, n))
        assert (found.feasible.status, found.unique.status) == ("feasible", unique)


def test_an_objective_is_no_member_of_a_conflict_and_implies_no_rule() -> None:
    never = made("  leave: {hard: pick.m is none}\n  small: {hard: pick.n > 2}")
    assert [[m.id for m in members] for members in why(never, bounds=False).muses] == [["small"]]
    codes = {
        d.code
        for d in sense(made("  defined: {hard: pick.m is not none}\n  small: {hard: pick.n < 2}")).diagnostics
    }
    assert not codes & {"PS421", "PS422", "PS423"}


def test_a_repair_need_not_give_the_objective_a_value() -> None:
    known = made("  c: {hard: pick.n == 2}")
    plan, _ = plan_format(None).decode(known.task, {"pick": {"n": 1, "m": None}})
    found = repair(known, plan)
    assert found.status is Status.OPTIMAL
    assert [(edit.table, edit.field) for edit in found.edits] == [("pick", "n")]
