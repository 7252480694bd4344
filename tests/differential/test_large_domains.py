"""The ways that only large domains take, on small scopes: thresholds are lowered, and all meanings agree."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.dsl.documents import task_from_text
from planspec.solvers import atoms, cpsat_different, guarded, model
from planspec.solvers.atoms import Atoms
from planspec.solvers.domain import Domain
from planspec.solvers.enumerate import Plans
from planspec.solvers.evaluate import evaluate
from planspec.solvers.model import Model
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.problem import lower
from planspec.solvers.slots import Coding
from planspec.verifiers.ground import Ground, ground
from tests.differential.agreement import accepted, compiled_agrees, lowering_agrees
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
def _thresholds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "lowered":
        monkeypatch.setattr(atoms, "TABLE", 0)
        monkeypatch.setattr(cpsat_different, "MOST_VALUES", 2)
        monkeypatch.setattr(guarded, "CELLS", 3)


def made(body: str) -> Ground:
    """Of tables that a condition does not name there are no rows, and few where it names both."""
    scope = (STAYS if "stays" in body else "") + (
        "" if "seen" not in body else FEW if "stays" in body else SEEN
    )
    return ground(task_from_text(f"{HEAD}scope:\n{scope}constraints:\n  c:\n    hard: >-\n      {body}\n"))


@pytest.mark.usefixtures("_thresholds")
@pytest.mark.parametrize("form", ["{}", "not ({})"])
@pytest.mark.parametrize("body", CASES)
def test_verifier_and_lowering_agree_on_every_plan(body: str, form: str) -> None:
    known = made(form.format(body))
    compiled_agrees(known)
    for presolve in (False, True):
        lowering_agrees(known, presolve=presolve)


@pytest.mark.usefixtures("_thresholds")
@pytest.mark.parametrize("name", ["cpsat", "smt"])
@pytest.mark.parametrize("body", [CASES[i] for i in (0, 3, 4, 10, 12, 13, 15, 19)])
def test_back_ends_find_all_plans_that_the_verifier_accepts_and_no_others(body: str, name: str) -> None:
    known = made(body)
    plans = Plans(lower(known), name, Limits(seconds=60))
    found = [fingerprint(known, plan) for plan in plans]
    assert plans.status is Status.INFEASIBLE
    assert set(found) == {fingerprint(known, plan) for plan in all_plans(known) if accepted(known, plan)}
    assert found


def test_lowered_thresholds_take_the_ways_of_large_domains(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: set[str] = set()

    def watched(kind: Any, name: str, counts: Any = lambda _: True) -> None:
        real = getattr(kind, name)

        def call(*arguments: Any) -> Any:
            result = real(*arguments)
            if counts(result):
                taken.add(name)
            return result

        monkeypatch.setattr(kind, name, call)

    watched(Atoms, "_same_rows")
    watched(model, "guarded", lambda folded: folded is not None)
    monkeypatch.setattr(atoms, "TABLE", 0)
    for body in CASES:
        lower(made(body))
    assert taken == {"_same_rows", "guarded"}


def test_rows_of_facts_have_one_code_everywhere_without_gaps() -> None:
    known = made(CASES[10])
    coding = Coding(known)
    for name, count in (("Inn", 4), ("Fun", 2), ("Town", 3)):
        mentioned = {
            value
            for rows in known.rows.values()
            for row in rows
            for domain in row.fields.values()
            for value in domain.values or ()
            if getattr(getattr(value, "_table", None), "name", "") == name
        }
        codes = [coding.row(row) for row in sorted(mentioned, key=lambda row: row._index)]
        assert codes == list(range(count))
    c = known.task.tables["Town"].by_key[("c",)]
    assert coding.row(c) == coding.row(c) == 3  # the scope does not mention it
    assert coding.code("stays", "town", c) == 3
    assert coding.code("stays", "town", None) == -1


def test_a_function_under_a_guard_is_zero_elsewhere() -> None:
    """Of one variable, of another than the guard's, and with a default that counts."""
    for default, keep in ((0, [1]), (5, [0, 2]), (5, [1, 2, 3])):
        for most in (0, 100):
            made_, codes = Model(), range(4)
            x, y = (made_.var(name, Domain.interval(0, 3)) for name in "xy")
            table = made_.plus(
                made_.scale(made_.tabled((y,), {(1,): 7, (2,): -1}, default), 3), made_.constant(2)
            )
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(guarded, "CELLS", most)
                for chooser in (x, y):
                    chosen = made_.select([(made_.member(chooser, Domain.of(keep)), table)])
                    for a in codes:
                        for b in codes:
                            value = 3 * {1: 7, 2: -1}.get(b, default) + 2
                            wanted = value if (a if chooser is x else b) in keep else 0
                            assert evaluate(chosen, {x.id: a, y.id: b}) == wanted
                            assert chosen.low <= wanted <= chosen.high
