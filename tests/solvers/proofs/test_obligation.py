"""Formulas mean their claims: each plan that contradicts one is a model, and each model is such a plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from planspec.dsl.documents.documents import task_from_text
from planspec.errors import DiagnosticError
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.backends.sat.formula import Formula
from planspec.solvers.proofs.obligation import (
    BETTER,
    OTHER,
    NoBetterPlan,
    NoOtherPlan,
    Obligation,
    obligation,
)
from planspec.solvers.proofs.refutation import Refutation, refute
from planspec.solvers.proofs.texts import dimacs, hash_of, map_text
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import Ground, ground
from tests.differential.agreement import accepted
from tests.differential.plans import all_plans, fingerprint, scope_size
from tests.differential.programs import tasks

SMALL = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=25)

TASK = """\
planspec: task/1
id: calls
query: Anna and Bert are called one after the other.
types: {Person: anna | bert}
currency: EUR
tables:
  Line:
    columns: {at: key time, cost: money}
    rows:
      - {at: 09:00, cost: 3.00 EUR}
      - {at: 09:30, cost: 5.00 EUR}
      - {at: 10:00, cost: 9.00 EUR}
plan: {calls: {who: key Person, start: time, long: bool}}
scope: {calls: [{for: p in Person, who: p, start: 09:00..10:00 step 15min, long: {true, false}}]}
constraints:
  free:
    hard: all(Line[c.start].at == c.start for c in calls)
  order:
    hard: calls[anna].start < calls[bert].start
  early:
    hard: calls[bert].start <= 09:30
  talk:
    soft: all(c.long for c in calls)
minimize: sum(Line[c.start].cost for c in calls)
"""


def small(**changes: str) -> Ground:
    text = TASK
    for old, new in changes.items():
        before = {"early": "calls[bert].start <= 09:30", "order": "calls[anna].start < calls[bert].start"}[
            old
        ]
        assert before in text
        text = text.replace(before, new)
    return ground(task_from_text(text, "calls"))


def models(formula: Formula, most: int = 400) -> Iterator[dict[int, bool]]:
    """Every model, each forbidden once it was found; variables of no clause come with both values."""
    free = sorted(
        set(range(1, formula.variables + 1)) - {abs(x) for clause in formula.clauses for x in clause}
    )
    for _ in range(most):
        found = refute(formula, Limits(seconds=30))
        if isinstance(found, Refutation):
            return
        known = {variable: value for variable, value in found.items() if variable not in free}
        for values in product((False, True), repeat=len(free)):
            yield {**known, **dict(zip(free, values, strict=True))}
        formula.add(*(-variable if value else variable for variable, value in known.items()))
    pytest.fail("there are more models")


def cells(told: dict[str, Any], model: dict[int, bool]) -> dict[tuple[str, int, str | None], Any]:
    """A plan by the map alone: the code of each cell, or what the code means."""
    made: dict[tuple[str, int, str | None], Any] = {}
    for cell in told["cells"]:
        bits = [model[abs(bit)] is (bit > 0) for bit in cell["bits"]]
        code = cell["low"] + sum(1 << place for place, bit in enumerate(bits) if bit)
        made[cell["table"], cell["row"], cell["column"]] = cell.get("meanings", {}).get(str(code), code)
    return made


def stated(made: Ground, claim: NoOtherPlan | NoBetterPlan) -> Obligation:
    found = obligation(made, claim)
    assert found is not None
    return found


@SMALL
@given(tasks(depth=2))
def test_the_models_are_just_the_plans_in_scope_that_the_reference_accepts(text: str) -> None:
    """One model for each assignment: what is defined by others is never free."""
    try:
        made = ground(task_from_text(text))
        assume(scope_size(made) <= 120)
        found = stated(made, NoOtherPlan(None))
    except DiagnosticError:
        assume(False)
        raise
    read: list[Any] = []
    for model in models(found.formula):
        values = {var.id: var.domain.low for var in found.lowered.problem.model.vars}
        for var, number in found.encoder.numbers.items():
            bits = [model[abs(bit)] is (bit > 0) for bit in number.bits]
            values[var] = number.low + sum(1 << place for place, bit in enumerate(bits) if bit)
        read.append(fingerprint(made, found.lowered.decode(values)))
    assert set(read) == {fingerprint(made, plan) for plan in all_plans(made) if accepted(made, plan)}


def test_a_map_alone_reads_a_plan_off_a_model() -> None:
    found = stated(small(), NoOtherPlan(None))
    told = json.loads(map_text(found))
    plans = {
        (
            read["calls", 0, "who"],
            read["calls", 0, "start"],
            read["calls", 1, "start"],
            read["calls", 1, "long"],
        )
        for read in (cells(told, model) for model in models(found.formula))
    }
    assert plans == {("anna", 9 * 60, 9 * 60 + 30, long) for long in ("true", "false")}


def test_clauses_come_from_constraints_by_name_and_definitions_from_none() -> None:
    found = stated(small(), NoOtherPlan(None))
    told = json.loads(map_text(found))["clauses"]
    assert {run["origin"] for run in told} >= {None, "free", "order", "early"}
    assert [run["from"] for run in told] == [1, *(run["to"] + 1 for run in told[:-1])]
    assert told[-1]["to"] == len(found.formula.clauses)


def test_the_only_plan_is_proved_the_only_one_and_the_proof_names_what_it_uses() -> None:
    made = small(order="calls[anna].start < calls[bert].start and all(not c.long for c in calls)")
    witness = solve(made).plan
    assert witness is not None
    found = stated(made, NoOtherPlan(witness))
    proof = refute(found.formula, Limits(seconds=30))
    assert isinstance(proof, Refutation)
    origins = proof.origins(found.formula)
    assert OTHER in origins
    assert set(origins) >= {"free", "order", "early"}


def test_without_what_a_proof_names_there_is_another_plan() -> None:
    made = small(order="calls[anna].start < calls[bert].start and all(not c.long for c in calls)")
    witness = solve(made).plan
    looser = small(
        early="true", order="calls[anna].start < calls[bert].start and all(not c.long for c in calls)"
    )
    found = stated(looser, NoOtherPlan(witness))
    assert not isinstance(refute(found.formula, Limits(seconds=30)), Refutation)


def test_a_best_plan_is_proved_the_best_by_soft_weight_and_then_by_the_objective() -> None:
    made = small()
    best = solve(made)
    assert best.plan is not None
    claim = NoBetterPlan.of(made, best.plan)
    assert (claim.lost, claim.values) == (0, (Fraction(800),))
    found = stated(made, claim)
    proof = refute(found.formula, Limits(seconds=30))
    assert isinstance(proof, Refutation)
    assert BETTER in {origin for _, _, origin in found.formula.origins()}


@pytest.mark.parametrize(
    "claim", [NoBetterPlan(1, (None,)), NoBetterPlan(1, (Fraction(800),)), NoBetterPlan(0, (None,))]
)
def test_a_plan_that_is_not_the_best_is_not_proved_the_best(claim: NoBetterPlan) -> None:
    found = stated(small(), claim)
    assert not isinstance(refute(found.formula, Limits(seconds=30)), Refutation)


@SMALL
@given(tasks(depth=2))
def test_the_best_plan_of_a_drawn_task_is_proved_the_best(text: str) -> None:
    try:
        made = ground(task_from_text(text))
        assume(scope_size(made) <= 200)
        best = solve(made)
        assume(best.plan is not None)
        assert best.plan is not None
        claim = NoBetterPlan.of(made, best.plan)
        found = stated(made, claim)
    except DiagnosticError:
        assume(False)
        raise
    assert isinstance(refute(found.formula, Limits(seconds=30)), Refutation)
    if claim.lost:
        worse = stated(made, NoBetterPlan(claim.lost + 1, claim.values))
        assert not isinstance(refute(worse.formula, Limits(seconds=30)), Refutation)


def test_the_same_task_has_the_same_formula_and_the_same_proof() -> None:
    hashes = []
    for _ in range(2):
        found = stated(small(), NoBetterPlan(0, (Fraction(800),)))
        proof = refute(found.formula, Limits(seconds=30))
        assert isinstance(proof, Refutation)
        hashes.append((hash_of(dimacs(found.formula)), hash_of([map_text(found)]), proof.steps))
    assert hashes[0] == hashes[1]
