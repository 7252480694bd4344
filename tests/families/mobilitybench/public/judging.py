"""Helpers that judge answers to tasks of an imported suite. Answers are given as rows of tables."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.verifiers.answers.tables import read_tables
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.judge import judge


def faults(suite: Path, episode: str, **tables: Any) -> list[str]:
    """Return the constraints that an answer violates, and the tables with unreadable cells.

    The list is empty for a right answer.
    """
    task, static = _load_task(suite / "tasks" / f"{episode}.yaml")
    rows = {"answer": {}, "places": [], "legs": [], "days": []} | tables
    plan, findings = read_tables(task, rows)
    verdict = judge(static, plan, [finding.as_finding() for finding in findings])
    return [finding.constraint for finding in verdict.findings if finding.status == "violated"]


@lru_cache(maxsize=4)
def _load_task(path: Path) -> tuple[Task, Ground]:
    task = task_from_path(path)
    return task, ground(task)


def ways(*routes: str) -> list[dict[str, Any]]:
    """Return rows of the table `legs`, one for each route."""
    return [{"n": n, "route": route} for n, route in enumerate(routes, 1)]
