"""The main operations of the Python API work on shipped tasks."""

from __future__ import annotations

from pathlib import Path

import pytest

import planspec
from planspec.api.catalog import Catalog
from planspec.files import PACKAGE
from planspec.solvers.backends.outcome import Status
from planspec.solvers.questions.enumerate import Count
from planspec.verifiers.meaning.verdict import Verdict
from tests.docs.generate import root_stub


def test_type_checkers_see_the_names_that_the_root_exports() -> None:
    assert (PACKAGE / "__init__.pyi").read_text("utf-8") == root_stub(), "`make docs` writes it"


@pytest.mark.parametrize("name", planspec.__all__)
def test_every_exported_name_exists(name: str) -> None:
    assert getattr(planspec, name).__name__ == name


@pytest.mark.slow
def test_load_verify_solve_and_validate_work_on_a_shipped_task() -> None:
    task = planspec.load("berlin-002")
    verdict = planspec.verify(task, task.reference)
    assert isinstance(verdict, Verdict)
    assert verdict.status == "pass"
    best = planspec.solve(task)
    assert best.status.value == "optimal"
    assert best.soft_weight == best.soft_total
    claims = planspec.validate(task)
    assert (claims.feasible.status, claims.unique.status) == ("feasible", "unique")


def test_a_missing_task_is_reported_with_a_suggestion() -> None:
    with pytest.raises(planspec.NotFoundError, match="berlin-002"):
        planspec.load("berlin-02")
    with pytest.raises(planspec.UnknownProfileError):
        planspec.verify(planspec.load("berlin-002"), "{}", profile="official")


@pytest.mark.slow
def test_proofs_and_explanations_work_on_shipped_tasks(tmp_path: Path) -> None:
    """Proofs are tested on shipped tasks, and explanations on a shipped task that is made infeasible."""
    task = planspec.load("berlin-001")
    assert planspec.count(task) == Count(1, exact=True)
    core = planspec.backbone(task)
    assert core is not None
    assert core.share == 1.0
    assert planspec.lint(planspec.load("delivery")) == ()
    assert planspec.difficulty(task).solutions == Count(1, exact=True)
    assert planspec.certify(task).unique.status == "unique"
    there = planspec.beyond(planspec.load("allotments"))
    assert there is not None
    assert (there.claim.status, there.holds) == ("unique", not there.leans_on)
    with pytest.raises(ValueError, match="the answer cannot be read"):
        planspec.repair(task, "no plan at all")
    envelope = {"task": "berlin-001", "plan": task.reference}
    assert planspec.repair(task, envelope).status is Status.OPTIMAL
    assert planspec.repair(task, envelope).edits == ()
    path = Catalog().task("berlin-001")
    text = (
        path.read_text("utf-8")
        .replace("ride: taxi", "ride: taxi\n  back_by: 12:00")
        .replace("world: ", f"world: {path.parent}/")
    )
    poor = tmp_path / "poor.task.yaml"
    poor.write_text(text.replace("reference:", "# reference:"))
    conflict = planspec.why(planspec.load(poor), bounds=False)
    assert any("route[2026-07-01]" in {m.id for m in mus} for mus in conflict.mus_sets)
    assert planspec.tour([[0, 3, 4], [3, 0, 5], [4, 5, 0]]).length == 12
