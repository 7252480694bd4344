"""The benchmark of classical problems: planspec and the hand-written model agree, and wrong answers are detected."""

from __future__ import annotations

import pytest

from tests.paths import ROOT


@pytest.fixture(autouse=True)
def checkout_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder `benchmarks`, which is not installed, importable."""
    monkeypatch.syspath_prepend(ROOT)


@pytest.mark.parametrize("name", ["knapsack", "projects"])
def test_planspec_and_the_hand_written_model_prove_the_same_optimum(name: str) -> None:
    from benchmarks.classical.measure import run_by_hand, run_planspec
    from benchmarks.classical.register import KINDS

    kind = KINDS[name]
    data = kind.instance(kind.sizes[0])
    own, hand = (run(kind, data, 30.0) for run in (run_planspec, run_by_hand))
    assert own["status"] == hand["status"] == "optimal"
    assert own["objective"] == own["bound"] == kind.objective(data, hand["objective"])


def test_an_answer_that_breaks_a_rule_is_a_fault() -> None:
    from benchmarks.classical.register import KINDS
    from benchmarks.classical.runs import Cell, check_answer

    kind = KINDS["knapsack"]
    data = kind.instance(kind.sizes[0])
    everything = {"packed": [1] * len(data.worth)}
    cell = Cell(kind.name, kind.sizes[0], "hand", status="optimal", objective=sum(data.worth) + 1)
    check_answer(kind, data, cell, {"values": everything})
    refused, counted = cell.faults
    assert refused.startswith("the verifier refuses the answer: capacity[r0]")
    assert counted == f"the verifier counts {sum(data.worth)} where the system counts {sum(data.worth) + 1}"


def test_a_bound_that_another_answer_beats_is_a_disagreement() -> None:
    from benchmarks.classical.runs import Cell, disagreements

    optimal = Cell("ruler", "7", "planspec", status="optimal", objective=26, bound=26)
    better = Cell("ruler", "7", "hand", status="feasible", objective=25)
    assert disagreements([optimal, better], maximize=False) == ["hand has 25, and planspec proves 26"]
    assert disagreements([optimal, better], maximize=True) == []
