"""All evaluators agree on the code paths for large domains. Lower thresholds select these paths on small scopes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.ir import builder as model
from planspec.solvers.ir import guarded
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering import atoms
from planspec.solvers.lowering import decision_rows as slots
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.decision_rows import ValueEncoding
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.conflicts import why
from planspec.solvers.questions.enumerate import PlanEnumeration
from planspec.solvers.questions.exclusion import forbid_plan
from planspec.solvers.questions.prove import solve
from planspec.solvers.questions.validation import validate
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from tests.back_ends import SOLVERS
from tests.differential.agreement import (
    assert_lowering_agrees,
    assert_verifiers_agree,
    assignments,
    reference_accepts,
)
from tests.differential.plans import all_plans, fingerprint

HEAD = """\
planspec: task/1
id: large
query: a trial
currency: EUR
tables:
  Town:
    columns: {state: Town?, twin: Town?}
    rows: [{id: a, state: c, twin: b}, {id: b, state: c}, {id: c, state: c, twin: a}, {id: d, twin: d}]
  Inn:
    columns: {town: Town, near: Town?, price: money}
    rows:
      - {id: i1, town: a, near: b, price: 1 EUR}
      - {id: i2, town: b, price: 2 EUR}
      - {id: i3, town: a, near: d, price: 3 EUR}
      - {id: i4, town: d, near: a, price: 4 EUR}
  Fun:
    columns: {town: Town?, worth: int}
    rows: [{id: f1, town: a, worth: 1}, {id: f2, town: b, worth: 2}, {id: f3, worth: 3}]
  Leg:
    columns: {origin: key Town, to: key Town, fare: money?}
    rows: [{origin: a, to: b, fare: 1 EUR}, {origin: b, to: a, fare: 2 EUR}, {origin: a, to: d}]
plan:
  stays: {n: key int, town: Town?, inn: Inn?}
  seen: {n: int, fun: Fun?}
"""
STAYS = """\
  stays:
    - n: 1
      town: ({a, b})?
      inn: (i for i in Inn if i.price < 4 EUR)?
    - n: 2
      town: (t for t in Town if t.state is none or t.twin == Town.b)
      inn: ({i4, i2, i3})?
      optional: true
"""
SEEN = """\
  seen:
    - n: 1
      fun: ({f1, f2})?
      optional: true
    - n: 2
      fun: ({f3, f2})?
      optional: true
    - n: 3
      fun: ({f2, f1})
      optional: true
"""
FEW = """\
  seen:
    - n: 1
      fun: ({f1, f2})?
      optional: true
"""

CASES = [
    "all(s.inn.town == s.town for s in stays if s.inn is not none)",
    "all(s.inn.town != s.town for s in stays if s.inn is not none)",
    "stays[1].inn.town == stays[2].town",
    "stays[1].inn.near == stays[2].inn.near",
    "stays[1].inn.near != stays[2].inn.near",
    "not (stays[1].inn.near == stays[2].inn.town)",
    "stays[1].inn.near.twin == stays[2].town.twin",
    "stays[1].town.state == stays[2].inn.town.twin or stays[1].inn is none",
    "stays[1].inn.near == Town.d or stays[2].inn.town == Town.b",
    "(stays[1].inn.town == stays[2].inn.town) == (stays[1].town == stays[2].town)",
    "any(f.fun.town == s.inn.near for f in seen for s in stays)",
    "all(f.fun.town == s.inn.town for f in seen for s in stays if f.fun is not none)",
    "all_different(f.fun for f in seen if f.fun is not none)",
    "all_different(f.fun for f in seen)",
    "all_different(f.fun.town for f in seen if f.fun is not none)",
    "all_different(s.inn for s in stays if s.inn is not none) and all_different(f.fun for f in seen if f.fun is not none)",
    "all_different(s.town for s in stays) and count(f for f in seen) >= 2",
    "sum(s.inn.price for s in stays if s.inn is not none) <= 4 EUR",
    "sum(f.fun.worth for f in seen if f.n != 2 and f.fun is not none) >= 2",
    "sum(Leg[stays[1].town, stays[2].town].fare ?? 3 EUR for s in stays if s.inn is not none) <= 3 EUR",
    "sum(s.inn.price for s in stays if s.inn.near == s.town) >= 1 EUR",
    "count(f for f in seen if f.fun.town in {stays[1].town, stays[2].inn.near}) == 1",
]


@pytest.fixture(params=["as they are", "lowered"])
def _set_thresholds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the thresholds above which code for large domains is used, or keep them."""
    if request.param == "lowered":
        monkeypatch.setattr(atoms, "TABLE", 0)
        monkeypatch.setattr("planspec.solvers.backends.cpsat.different.MAX_VALUES", 2)
        monkeypatch.setattr(guarded, "CELLS", 3)


def task_of(body: str) -> Ground:
    """Return a ground task with a condition.

    Tables that the condition does not name have no rows in scope.
    """
    scope = (STAYS if "stays" in body else "") + ("" if "seen" not in body else FEW if "stays" in body else SEEN)
    return ground(task_from_text(f"{HEAD}scope:\n{scope}constraints:\n  c:\n    hard: >-\n      {body}\n"))


@pytest.mark.sampled(4)
@pytest.mark.usefixtures("_set_thresholds")
@pytest.mark.parametrize("form", ["{}", "not ({})"])
@pytest.mark.parametrize("body", CASES)
def test_verifier_and_lowering_agree_on_every_plan(body: str, form: str) -> None:
    task = task_of(form.format(body))
    assert_verifiers_agree(task)
    for presolve in (False, True):
        assert_lowering_agrees(task, presolve=presolve)


@pytest.mark.sampled(4)
@pytest.mark.usefixtures("_set_thresholds")
@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("body", [CASES[i] for i in (0, 3, 4, 10, 12, 13, 15, 19)])
def test_back_ends_find_all_plans_that_the_verifier_accepts_and_no_others(body: str, name: str) -> None:
    task = task_of(body)
    plans = PlanEnumeration(lower(task), name, Limits(seconds=60))
    prints = [fingerprint(task, plan) for plan in plans]
    assert plans.status is Status.INFEASIBLE
    assert set(prints) == {fingerprint(task, plan) for plan in all_plans(task) if reference_accepts(task, plan)}
    assert prints


@pytest.mark.thorough
def test_reduced_thresholds_select_the_code_for_large_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: set[str] = set()

    def record_calls(kind: Any, name: str, is_counted: Any = lambda _: True) -> None:
        original = getattr(kind, name)

        def recording_wrapper(*arguments: Any) -> Any:
            result = original(*arguments)
            if is_counted(result):
                calls.add(name)
            return result

        monkeypatch.setattr(kind, name, recording_wrapper)

    record_calls(Atoms, "_compare_rows")
    record_calls(model, "guarded", lambda folded: folded is not None)
    monkeypatch.setattr(atoms, "TABLE", 0)
    expected = {"_compare_rows", "guarded"}
    for body in CASES:
        lower(task_of(body))
        if calls == expected:
            break
    assert calls == expected


def test_rows_of_facts_have_the_same_consecutive_codes_in_all_fields() -> None:
    task = task_of(CASES[10])
    coding = ValueEncoding(task)
    for name, count in (("Inn", 4), ("Fun", 2), ("Town", 3)):
        mentioned = {
            value
            for rows in task.rows.values()
            for row in rows
            for domain in row.fields.values()
            for value in domain.values or ()
            if getattr(getattr(value, "_table", None), "name", "") == name
        }
        codes = [coding.row(row) for row in sorted(mentioned, key=lambda row: row._index)]
        assert codes == list(range(count))
    c = task.task.facts["Town"].by_key[("c",)]
    assert coding.row(c) == coding.row(c) == 3  # the code of a row that the scope does not mention
    assert coding.code("stays", "town", c) == 3
    assert coding.code("stays", "town", None) == -1


GRIDS = """\
planspec: task/1
id: grids
query: a trial
currency: EUR
plan:
  calls: {who: key int, at: time, cost: money?, day: int}
scope:
  calls:
    - {who: 1, at: 09:00..10:00 step 15min, cost: (1 EUR..3 EUR step 0.50 EUR)?, day: 3}
    - {who: 2, at: 09:10..09:40 step 10min, cost: none, day: 1..7 step 3, optional: true}
unique: UNIQUE
constraints:
  c:
    hard: >-
      BODY
  late:
    soft: calls[1].at >= 09:40
"""
GRID_CASES = [
    "all(c.at >= 09:30 for c in calls)",
    "calls[1].at == calls[2].at",
    "calls[1].at + 10min == calls[2].at",
    "calls[1].at != calls[2].at or calls[1].cost is none",
    "calls[1].cost == 1.75 EUR",
    "calls[1].cost * 2 >= 4.50 EUR and calls[2].day in {1, 5, 7}",
    "not (calls[1].cost ?? 2 EUR == 2 EUR)",
    "calls[1].at in 09:05..10:00 step 20min",
    "sum(c.day for c in calls) % 4 == 2",
    "all(b.at >= a.at + 20min for a, b in steps(c for c in calls, by=c.at)) and count(c for c in calls) == 2",
    "max(c.at - 09:00 for c in calls) // 25min == 1",
]


def grid_task(body: str, unique: str) -> Ground:
    """Return a ground task whose fields have values on grids."""
    return ground(task_from_text(GRIDS.replace("BODY", body).replace("UNIQUE", f"[{unique}]")))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("body", GRID_CASES)
def test_fields_with_values_on_grids_agree_with_the_verifier(monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setattr(slots, "MAX_STEPS", 1)
    task = grid_task(body, "calls.at, calls.cost")
    assert len(lower(task, presolve=False).slots.grids) == 4
    for presolve in (False, True):
        assert_lowering_agrees(task, presolve=presolve)
    right = [plan for plan in all_plans(task) if reference_accepts(task, plan)]
    for name in SOLVERS:
        assert (validate(task, backends=(name,)).witness is not None) == bool(right)


@pytest.mark.parametrize("columns", [("at", "cost", "day"), ("cost",)])
def test_a_plan_on_grids_is_excluded_together_with_all_equal_plans(
    monkeypatch: pytest.MonkeyPatch, columns: tuple[str, ...]
) -> None:
    monkeypatch.setattr(slots, "MAX_STEPS", 1)
    task = grid_task("calls[1].at >= 09:30", ", ".join(f"calls.{column}" for column in columns))
    lowered = lower(task)

    def identity_of(plan: Plan) -> Any:
        return Counter(tuple(getattr(row, c) for c in ("who", *columns)) for row in plan.tables["calls"])

    accepted_values = [
        values
        for values in assignments(lowered)
        if all(evaluate(root.condition, values) for root in lowered.problem.hard)
    ]
    for start in accepted_values[:: len(accepted_values) // 3]:
        plan = lowered.decode(start)
        condition = forbid_plan(lowered, plan)
        assert condition is not None
        for values in accepted_values:
            assert evaluate(condition, values) == (identity_of(lowered.decode(values)) != identity_of(plan))


@pytest.mark.parametrize("backend", SOLVERS)
@pytest.mark.parametrize("bounds", [True, False])
def test_conflicts_do_not_depend_on_how_grids_are_searched(
    monkeypatch: pytest.MonkeyPatch, backend: str, bounds: bool
) -> None:
    task = grid_task("calls[1].at == 11:00 and (calls[1].cost ?? 7 EUR) == 7 EUR", "calls.at")
    results = []
    for steps in (1, 10_000):
        monkeypatch.setattr(slots, "MAX_STEPS", steps)
        conflict = why(task, backend=backend, bounds=bounds)
        drops = {tuple(member.id for member in way.drop) for way in conflict.relaxations}
        results.append(({tuple(m.id for m in mus) for mus in conflict.mus_sets}, conflict.complete, drops))
    assert results[0] == results[1]
    assert results[0][0] == ({("c", "scope:calls.at")} if bounds else {("c",)})


@pytest.mark.parametrize("backend", SOLVERS)
@pytest.mark.parametrize(
    ("domain", "best"),
    [
        ("0..1000000000 step 2", 18),
        ("0..10000000 step 2", 18),
        ("(-999999999..1000000000 step 3)?", 18),
        ("0..1000000000", 18),
    ],
)
def test_the_values_of_a_long_grid_are_not_listed(domain: str, best: int, backend: str) -> None:
    text = (
        "planspec: task/1\nid: long\nquery: q\nplan: {v: {one: true, a: int?}}\n"
        f"scope: {{v: {{a: {domain}}}}}\nconstraints: {{c: {{hard: v.a > 17}}}}\nminimize: v.a\n"
    )
    task = ground(task_from_text(text))
    (var,) = lower(task, presolve=False).problem.model.vars
    assert len(var.domain.intervals) == 1
    solution = solve(task, backend=backend, limits=Limits(memory_mb=200))
    assert (solution.status, solution.objective) == (Status.OPTIMAL, best)


def test_a_function_under_a_guard_is_zero_if_the_guard_is_false() -> None:
    """The function depends on the guard's variable or on another one. The function's default value may differ from 0."""
    for default, allowed in ((0, [1]), (5, [0, 2]), (5, [1, 2, 3])):
        for most in (0, 100):
            builder, codes = NodeBuilder(), range(4)
            x, y = (builder.var(name, Domain.interval(0, 3)) for name in "xy")
            table = builder.plus(
                builder.scale(builder.tabled((y,), {(1,): 7, (2,): -1}, default), 3), builder.constant(2)
            )
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(guarded, "CELLS", most)
                for chooser in (x, y):
                    chosen = builder.select([(builder.member(chooser, Domain.of(allowed)), table)])
                    for a in codes:
                        for b in codes:
                            value = 3 * {1: 7, 2: -1}.get(b, default) + 2
                            expected = value if (a if chooser is x else b) in allowed else 0
                            assert evaluate(chosen, {x.id: a, y.id: b}) == expected
                            assert chosen.low <= expected <= chosen.high
