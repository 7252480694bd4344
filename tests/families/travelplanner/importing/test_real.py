"""All public training queries become tasks. Plans are found for them, and pass both profiles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.importing.suite import import_travelplanner
from planspec.solvers.backends.outcome import Limits
from planspec.suite_writing.folder import ImportResult
from tests.paths import SHARED

DATA = SHARED / "data" / "travelplanner"
TRAIN = DATA / "queries_train.jsonl"
pytestmark = pytest.mark.skipif(not TRAIN.exists(), reason="the real tables and queries are not there")


@pytest.fixture(scope="module")
def imported_suite(tmp_path_factory: pytest.TempPathFactory) -> ImportResult:
    """Return the import of the public training queries."""
    return import_travelplanner(DATA / "db", [TRAIN], tmp_path_factory.mktemp("real") / "train")


def queries() -> dict[str, dict[str, Any]]:
    """Return the public training queries by id."""
    lines = map(json.loads, TRAIN.read_text("utf-8").splitlines())
    return {str(query.get("id") if query.get("id") is not None else query["idx"]): query for query in lines}


@pytest.mark.slow
def test_every_query_is_a_task_and_every_row_is_accounted_for(imported_suite: ImportResult) -> None:
    assert (len(imported_suite.tasks), imported_suite.left_out) == (45, ())
    assert list(imported_suite.tasks) == list(queries())
    assert all(count.adds_up and count.stored for count in imported_suite.tables)


@pytest.mark.slow
def test_every_task_checks_without_mistakes(imported_suite: ImportResult) -> None:
    assert planspec.check([imported_suite.folder]) == ()


@pytest.mark.slow
@pytest.mark.parametrize(("idx", "days"), [("2", 3), ("6", 5), ("11", 7)])
def test_a_witness_passes_strict_and_every_rule_of_official(
    imported_suite: ImportResult, workspace: Workspace, idx: str, days: int
) -> None:
    assert queries()[idx]["days"] == days
    path: Path = imported_suite.folder / "tasks" / f"{idx}.yaml"
    task = planspec.load(path, workspace=workspace)
    result = planspec.solve(task, limits=Limits(seconds=60))
    assert result.plan is not None
    answer = planspec.Judge(task).encode(result.plan)
    assert len(answer) == days
    for profile in ("strict", "official"):
        verdict = planspec.Judge(task, profile).answer({"plan": answer})
        assert verdict.status == "pass"
        assert [f.constraint for f in verdict.findings if f.status == "violated"] == []
        assert verdict.hard.satisfied == verdict.hard.total
