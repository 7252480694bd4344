"""Tasks of families without settings of their own: the query, and the shape of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planspec.api.judging import Judge
from planspec.environments.opened import AgentTask, Setting


def text(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """The query alone."""
    return AgentTask(name, judges, "text", brief=brief_of_tables(judges[-1]), folder=folder)


def brief_of_tables(judge: Judge) -> str:
    """The brief for a plan that is its tables as JSON."""
    lines = [
        "Answer with one JSON object: a list of rows (or one row, where it says so) for each of these tables."
    ]
    for table in judge.task.tables.values():
        if table.plan:
            columns = ", ".join(f"{name} ({column.type})" for name, column in table.columns.items())
            lines.append(f"- {table.name}{', one row' if table.one else ''}: {columns}")
    return "\n".join(lines)


SETTINGS: Mapping[str, Setting] = {"text": text}
