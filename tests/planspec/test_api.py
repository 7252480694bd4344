"""The Python API."""

from __future__ import annotations

import pytest

import planspec
from planspec.verifiers.verdict import Verdict


def test_the_root_exports_what_it_promises() -> None:
    """Adding a name here is a decision."""
    assert planspec.__all__ == [
        "DiagnosticError", "Judge", "NotFound", "UnknownProfile", "check", "load", "solve", "validate", "verify",
    ]  # fmt: skip


def test_load_verify_solve_validate() -> None:
    """The four verbs on a shipped task."""
    task = planspec.load("berlin-002")
    verdict = planspec.verify(task, task.reference)
    assert isinstance(verdict, Verdict)
    assert verdict.status == "pass"
    best = planspec.solve(task)
    assert best.status.value == "optimal"
    assert best.soft_weight == best.soft_total
    claims = planspec.validate(task)
    assert (claims.feasible.status, claims.unique.status) == ("feasible", "unique")


def test_what_is_not_there_is_said() -> None:
    """With a near miss."""
    with pytest.raises(planspec.NotFound, match="berlin-002"):
        planspec.load("berlin-02")
    with pytest.raises(planspec.UnknownProfile):
        planspec.verify(planspec.load("berlin-002"), "{}", profile="official")
