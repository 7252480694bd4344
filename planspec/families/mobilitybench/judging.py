"""Judges of many tasks, one after the other, in bounded memory."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace


def judge_of(task: Path) -> Judge:
    """The judge of a task's file; what tasks share is read once in each process, and nothing else is kept.

    Raises:
        OSError: there is no such file.
        DiagnosticError: the task has errors.
    """
    from planspec.api.judging import Judge
    from planspec.dsl.documents.documents import task_from_text

    # a text, not a file: documents of files stay in the workspace
    return Judge(task_from_text(task.read_text("utf-8"), str(task), workspace=_workspace(), path=task))


@cache
def _workspace() -> Workspace:
    from planspec.dsl.workspace.workspace import Workspace

    return Workspace()
