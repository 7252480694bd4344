"""The models of a claim's formula are exactly the plans that contradict the claim."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
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
from tests.differential.agreement import reference_accepts
from tests.differential.plans import all_plans, fingerprint, scope_size
from tests.differential.programs import tasks
from tests.random_examples import examples

SMALL = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=examples(25))

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


def calls_task(**changes: str) -> Ground:
    """Return a ground task about calls, with replaced constraints."""
    text = TASK
    for old, new in changes.items():
        before = {"early": "calls[bert].start <= 09:30", "order": "calls[anna].start < calls[bert].start"}[old]
        assert before in text
        text = text.replace(before, new)
    return ground(task_from_text(text, "calls"))


def models(formula: Formula, max_models: int = 400) -> Iterator[dict[int, bool]]:
    """Yield every model of a formula. After each model, a clause that excludes it is added to the formula.
    Variables without constraints take both values.
    """
    free = sorted(set(range(1, formula.variables + 1)) - {abs(x) for clause in formula.clauses for x in clause})
    for _ in range(max_models):
        result = refute(formula, Limits(seconds=30))
        if isinstance(result, Refutation):
            return
        constrained = {variable: value for variable, value in result.items() if variable not in free}
        for values in product((False, True), repeat=len(free)):
            yield {**constrained, **dict(zip(free, values, strict=True))}
        formula.add(*(-variable if value else variable for variable, value in constrained.items()))
    pytest.fail("there are more models")


def decode_cells(formula_map: dict[str, Any], model: dict[int, bool]) -> dict[tuple[str, int, str | None], Any]:
    """Decode a model of a formula to a plan, using only the formula's map.

    Each cell has its value, or its code if the map has no value for the code.
    """
    plan: dict[tuple[str, int, str | None], Any] = {}
    for cell in formula_map["cells"]:
        bits = [model[abs(bit)] is (bit > 0) for bit in cell["bits"]]
        code = cell["low"] + sum(1 << place for place, bit in enumerate(bits) if bit)
        plan[cell["table"], cell["row"], cell["column"]] = cell.get("meanings", {}).get(str(code), code)
    return plan


def obligation_of(task: Ground, claim: NoOtherPlan | NoBetterPlan) -> Obligation:
    """Return the formula whose models contradict a claim."""
    result = obligation(task, claim)
    assert result is not None
    return result


@SMALL
@given(tasks(depth=2))
def test_the_models_are_exactly_the_plans_in_scope_that_the_reference_evaluator_accepts(text: str) -> None:
    """Auxiliary variables are never free, so that each assignment has exactly one model."""
    try:
        task = ground(task_from_text(text))
        assume(scope_size(task) <= 120)
        claimed = obligation_of(task, NoOtherPlan(None))
    except DiagnosticError:
        assume(False)
        raise
    read: list[Any] = []
    for model in models(claimed.formula):
        values = {var.id: var.domain.low for var in claimed.lowered.problem.model.vars}
        for var, number in claimed.encoder.encodings.items():
            bits = [model[abs(bit)] is (bit > 0) for bit in number.bits]
            values[var] = number.low + sum(1 << place for place, bit in enumerate(bits) if bit)
        read.append(fingerprint(task, claimed.lowered.decode(values)))
    assert set(read) == {fingerprint(task, plan) for plan in all_plans(task) if reference_accepts(task, plan)}


def test_the_map_of_a_formula_suffices_to_decode_a_plan_from_a_satisfying_assignment() -> None:
    claimed = obligation_of(calls_task(), NoOtherPlan(None))
    formula_map = json.loads(map_text(claimed))
    plans = {
        (
            read["calls", 0, "who"],
            read["calls", 0, "start"],
            read["calls", 1, "start"],
            read["calls", 1, "long"],
        )
        for read in (decode_cells(formula_map, model) for model in models(claimed.formula))
    }
    assert plans == {("anna", 9 * 60, 9 * 60 + 30, long) for long in ("true", "false")}


def test_clauses_have_the_name_of_their_constraint_and_definitions_have_none() -> None:
    claimed = obligation_of(calls_task(), NoOtherPlan(None))
    formula_map = json.loads(map_text(claimed))["clauses"]
    assert {run["origin"] for run in formula_map} >= {None, "free", "order", "early"}
    assert [run["from"] for run in formula_map] == [1, *(run["to"] + 1 for run in formula_map[:-1])]
    assert formula_map[-1]["to"] == len(claimed.formula.clauses)


def test_the_only_plan_is_proved_unique_and_the_proof_names_constraints() -> None:
    task = calls_task(order="calls[anna].start < calls[bert].start and all(not c.long for c in calls)")
    witness = solve(task).plan
    assert witness is not None
    claimed = obligation_of(task, NoOtherPlan(witness))
    proof = refute(claimed.formula, Limits(seconds=30))
    assert isinstance(proof, Refutation)
    origins = proof.origins(claimed.formula)
    assert OTHER in origins
    assert set(origins) >= {"free", "order", "early"}


def test_without_a_constraint_that_a_proof_names_there_is_another_plan() -> None:
    task = calls_task(order="calls[anna].start < calls[bert].start and all(not c.long for c in calls)")
    witness = solve(task).plan
    looser = calls_task(early="true", order="calls[anna].start < calls[bert].start and all(not c.long for c in calls)")
    claimed = obligation_of(looser, NoOtherPlan(witness))
    assert not isinstance(refute(claimed.formula, Limits(seconds=30)), Refutation)


def test_a_best_plan_is_proved_best_by_soft_weight_and_then_by_the_objective() -> None:
    task = calls_task()
    best = solve(task)
    assert best.plan is not None
    claim = NoBetterPlan.of(task, best.plan)
    assert (claim.lost, claim.values) == (0, (Fraction(800),))
    claimed = obligation_of(task, claim)
    proof = refute(claimed.formula, Limits(seconds=30))
    assert isinstance(proof, Refutation)
    assert BETTER in {origin for _, _, origin in claimed.formula.origins()}


@pytest.mark.parametrize(
    "claim", [NoBetterPlan(1, (None,)), NoBetterPlan(1, (Fraction(800),)), NoBetterPlan(0, (None,))]
)
def test_a_plan_that_is_not_best_is_not_proved_best(claim: NoBetterPlan) -> None:
    claimed = obligation_of(calls_task(), claim)
    assert not isinstance(refute(claimed.formula, Limits(seconds=30)), Refutation)


@SMALL
@given(tasks(depth=2))
def test_the_best_plan_of_a_random_task_is_proved_best(text: str) -> None:
    try:
        task = ground(task_from_text(text))
        assume(scope_size(task) <= 200)
        best = solve(task)
        assume(best.plan is not None)
        assert best.plan is not None
        claim = NoBetterPlan.of(task, best.plan)
        claimed = obligation_of(task, claim)
    except DiagnosticError:
        assume(False)
        raise
    assert isinstance(refute(claimed.formula, Limits(seconds=30)), Refutation)
    if claim.lost:
        worse = obligation_of(task, NoBetterPlan(claim.lost + 1, claim.values))
        assert not isinstance(refute(worse.formula, Limits(seconds=30)), Refutation)


def test_the_same_task_has_the_same_formula_and_the_same_proof() -> None:
    hashes = []
    for _ in range(2):
        claimed = obligation_of(calls_task(), NoBetterPlan(0, (Fraction(800),)))
        proof = refute(claimed.formula, Limits(seconds=30))
        assert isinstance(proof, Refutation)
        hashes.append((hash_of(dimacs(claimed.formula)), hash_of([map_text(claimed)]), proof.steps))
    assert hashes[0] == hashes[1]
