"""Mutants drop or weaken parts of a constraint. A case detects a mutant if its verdict changes."""

from __future__ import annotations

import pytest

import planspec
from planspec.dsl.model.mutants import mutants
from planspec.dsl.model.traversal import walk
from tests.planspec.api.cases.afternoon import AFTERNOON, task

RULE = "visits[museum].end <= visits[park].start"
CHANGES = {
    "lunch.cost < 10 EUR": ["`<=` for `<`"],
    "lunch.cost <= 10 EUR": ["`10 EUR` one unit more"],
    "lunch.cost >= 0": ["`0` one unit less"],
    "1 EUR < lunch.cost <= 10 EUR": ["`<=` for `<`"],
    "lunch.cost == 9 EUR": ["`<=` for `==`", "`>=` for `==`"],
    "lunch.at in 12:00..13:00": ["`12:00` one unit less", "`13:00` one unit more"],
    "lunch.at in (t for t in 12:00..13:00 step 30min)": [],
    "lunch.at > 11:00 and lunch.cost > 0 EUR": [
        "`lunch.at > 11:00` left out",
        "`lunch.cost > 0 EUR` left out",
        "`>=` for `>`",
        "`>=` for `>`",
    ],
    "lunch.at > 11:00 or lunch.cost > 0 EUR": ["`>=` for `>`", "`>=` for `>`"],
    "lunch.at > 11:00 implies lunch.cost > 0 EUR": ["`>=` for `>`"],
    "not lunch.at > 11:00": [],
    "all(v.start > 13:00 for v in visits if v.stop == park)": ["`if v.stop == park` left out", "`>=` for `>`"],
    "any(v.start > 13:00 for v in visits)": ["`>=` for `>`"],
    "lunch.at > 11:00 if late else lunch.at >= 12:00": ["`>=` for `>`", "`12:00` one unit less"],
    "early(13:00)": ["`>=` for `>`"],
}


@pytest.mark.parametrize("rule", CHANGES)
def test_every_part_of_a_constraint_that_can_be_weaker_is_weakened(rule: str) -> None:
    text = AFTERNOON.replace(RULE, rule).replace(
        "constraints:\n",
        "define:\n  sooner(t time): t > lunch.at\nconstraints:\n  known: {soft: sooner(14:00)}\n",
    )
    weakened = planspec.loads(text.replace("early(13:00)", "sooner(13:00)"))
    constraint = next(c for c in weakened.constraints if c.id == "order")
    first, *rest = mutants(constraint)
    assert (first.change, first.constraint) == ("dropped", None)
    assert [mutant.change for mutant in rest] == CHANGES[rule]
    for mutant in rest:
        assert mutant.constraint is not None
        assert mutant.constraint.body is not constraint.body
        assert list(walk(mutant.constraint.body))
    assert next(mutants(constraint)).span is constraint.span


def test_the_condition_of_a_constraint_is_not_mutated() -> None:
    weakened = planspec.loads(AFTERNOON.replace("for: s in Stop\n", "for: s in Stop if s != park\n"))
    changes = {c.id: [m.change for m in mutants(c)] for c in weakened.constraints}
    assert changes["length"] == ["dropped", "`if s != park` left out", "`<=` for `==`", "`>=` for `==`"]
    assert changes["hungry"] == ["dropped", "`when` left out", "`>=` for `>`"]


def detection_by_mutant(*cases: str) -> dict[tuple[str, str], bool | None]:
    """Return whether the cases detect each mutant, by its constraint and change."""
    report = planspec.test(task(*cases), mutate=True)
    assert report.as_expected, str(report)
    return {(m.constraint, m.change): m.noticed for m in report.mutants or ()}


def test_a_case_detects_a_mutant_that_changes_its_verdict() -> None:
    detected = detection_by_mutant(
        "a: {from: reference, change: {lunch: {cost: 12 EUR}}, violates: [purse]}",
        "b: {from: reference, change: {visits: {museum: {end: 15:45}}}, violates: [length, order], margin: {order: -15min}}",
    )
    assert {key for key, seen in detected.items() if seen} == {
        ("purse", "dropped"),
        ("length", "dropped"),
        ("length", "`>=` for `==`"),
        ("order", "dropped"),
        ("order", "`visits[park].start` one unit more"),
        ("hungry", "`when` left out"),
    }
    assert all(seen is not None for seen in detected.values())
    edge = detection_by_mutant("a: {from: reference, change: {lunch: {cost: 10.01 EUR}}, violates: [purse]}")
    assert edge["purse", "`10 EUR` one unit more"]


def test_a_case_with_an_unexpected_verdict_detects_nothing() -> None:
    report = planspec.test(task("reference: {violates: [order]}"), mutate=True)
    assert not any(mutant.noticed for mutant in report.mutants or ())


def test_undetected_mutants_are_listed_with_their_places() -> None:
    lines = str(planspec.test(task("reference: {passes: true}"), mutate=True)).splitlines()
    assert lines[1] == "mutants: 1 of 12 are noticed"
    assert "  purse   not noticed: `10 EUR` one unit more  task.yaml:21" in lines
