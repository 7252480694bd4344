"""Probes (answers with a known verdict, which test a scorer) get this verdict from planspec's verifier."""

from __future__ import annotations

import json

import pytest

import planspec
from planspec.api.probes import Probe, Probes, probe_answers
from tests.paths import ROOT

PAIR = """\
planspec: task/1
id: pair
query: Two numbers.
environment: {refusals: allowed}
given: {least: 6}
plan: {pair: {one: true, a: int, b: int}}
scope: {pair: {a: 0..9, b: 0..9}}
constraints:
  sum: {hard: pair.a + pair.b >= least}
  most: {hard: pair.a <= 5}
  less: {soft: pair.b < 9}
maximize: {total: pair.b}
reference: {pair: {a: 3, b: 9}}
"""


def probes_of(text: str = PAIR, *, most: int = 4, no_worse: bool = False) -> Probes:
    return probe_answers(planspec.loads(text), deadline=20, most=most, no_worse=no_worse)


def by_kind(probes: Probes, kind: str) -> list[Probe]:
    return [probe for probe in probes if probe.kind == kind]


def test_the_verifier_confirms_the_verdict_of_every_probe() -> None:
    task = planspec.loads(PAIR)
    probes = probe_answers(task, deadline=20)
    kinds = [probe.kind for probe in probes]
    assert kinds == ["reference", "far", "near", "other", "other", "breaks", "breaks", "empty", "empty", "refusal"]
    for probe in probes:
        assert probe.passes == (planspec.verify(task, json.dumps(probe.answer)).status == "pass")
        assert probe.passes == (probe.kind in ("reference", "far", "near", "other"))
        assert probe.by[0] == "verifier"


def test_wrong_plans_violate_one_constraint_by_the_minimum_amount() -> None:
    broken = {probe.constraint: probe for probe in by_kind(probes_of(), "breaks")}
    violations = {name: [(v.constraint, v.margin) for v in probe.violations] for name, probe in broken.items()}
    assert violations == {"sum": [("sum", "-1")], "most": [("most", "-1")]}
    assert all(probe.is_extreme for probe in broken.values())


def test_probes_with_right_plans_show_their_differences_from_the_reference_and_their_objective_values() -> None:
    (near,) = by_kind(probes_of(), "near")
    assert len(near.changes) == 1
    assert near.changes[0].startswith("pair.")
    (reference,) = by_kind(probes_of(), "reference")
    assert reference.objectives[0].startswith("total 9")


def test_passing_probes_are_as_good_as_the_reference_if_required() -> None:
    probes = probes_of(no_worse=True)
    right = [probe for probe in probes if probe.passes]
    assert len(right) == 5
    assert {probe.answer["pair"]["b"] for probe in right} == {9}


def test_a_task_without_a_reference_has_plans_that_a_solver_found() -> None:
    probes = probes_of(PAIR.partition("reference")[0], most=3)
    assert [probe.kind for probe in probes][:3] == ["other", "far", "near"]
    assert all(not probe.changes for probe in probes)


def test_a_wrong_reference_is_dropped_with_its_reason() -> None:
    probes = probes_of(PAIR.replace("{a: 3, b: 9}", "{a: 6, b: 9}"))
    assert not by_kind(probes, "reference")
    dropped = next(skipped for skipped in probes.skipped if skipped.kind == "reference")
    assert dropped.status == "dropped"
    assert dropped.reason.startswith("the verifier refuses it: ")


@pytest.mark.slow
def test_a_task_with_one_plan_has_no_probe_with_another_one() -> None:
    probes = probe_answers(ROOT / "tasks/examples/meetings.task.yaml", deadline=20)
    assert [probe.kind for probe in probes if probe.passes] == ["reference"]
    (skipped,) = (skipped for skipped in probes.skipped if skipped.kind == "far")
    assert skipped.status == "none"


def test_a_right_refusal_is_a_probe_only_if_agents_may_refuse() -> None:
    impossible = (
        PAIR.partition("reference")[0].replace("least: 6", "least: 60").replace("id:", "expects: infeasible\nid:")
    )
    (refusal,) = by_kind(probes_of(impossible), "refusal")
    assert refusal.passes
    silent = probes_of(impossible.replace("environment: {refusals: allowed}\n", ""))
    assert not by_kind(silent, "refusal")
    assert [skipped.status for skipped in silent.skipped if skipped.kind == "refusal"] == ["dropped"]


def test_without_time_there_are_only_probes_that_need_no_search() -> None:
    probes = probe_answers(planspec.loads(PAIR), deadline=0)
    assert {probe.kind for probe in probes} == {"reference", "empty", "refusal"}
    assert probes.count("unknown") == 3


def test_a_task_without_a_scope_has_its_reference_and_empty_answers() -> None:
    text = PAIR.replace("scope: {pair: {a: 0..9, b: 0..9}}\n", "").replace("environment: {refusals: allowed}\n", "")
    probes = probes_of(text)
    assert [probe.kind for probe in probes] == ["reference", "empty", "empty", "refusal"]
    assert probes.count("unknown") == 3


def test_a_wrong_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        probe_answers(planspec.loads(PAIR), deadline=-1)
