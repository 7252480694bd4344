"""The small invented world, its hand-judged plans, and judges of its tasks."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import planspec
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from tests.paths import ROOT

SMALL = ROOT / "tasks" / "travelplanner-small"


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


QUERIES = {query["idx"]: query for query in read_lines(SMALL / "queries.jsonl")}
JUDGED = read_lines(ROOT / "tests" / "families" / "travelplanner" / "judged.jsonl")


def judged_record(name: str) -> dict[str, Any]:
    """Return the record of the hand-judged plan with this name."""
    return next(record for record in JUDGED if record["name"] == name)


@cache
def _workspace() -> Workspace:
    return Workspace()


@cache
def task(idx: int) -> Task:
    return planspec.load(SMALL / "tasks" / f"{idx}.yaml", workspace=_workspace())


@cache
def judge(idx: int, profile: str) -> planspec.Judge:
    return planspec.Judge(task(idx), profile)
