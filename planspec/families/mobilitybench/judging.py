"""Judges of many tasks, one after the other, in bounded memory."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace


def judge_of(task: Path) -> Judge:
    """The judge of a task's file, or of a task of a shard; what tasks share is read once in each process, and nothing else is kept.

    Raises:
        OSError: there is no such file.
        DiagnosticError: the task has errors.
    """
    from planspec.api.judging import Judge
    from planspec.dsl.documents.documents import task_from_path
    from planspec.dsl.workspace.shards import shard_of

    if shard_of(task) is not None:
        return Judge(task_from_path(task, _workspace()))
    # a text, not a file: documents of files stay in the workspace
    return judge_of_text(task.read_text("utf-8"), task)


def judge_of_text(text: str, path: Path) -> Judge:
    """The judge of a task's text that stands, or would stand, in a file; see `judge_of`.

    Raises:
        DiagnosticError: the task has errors.
    """
    from planspec.api.judging import Judge
    from planspec.dsl.documents.documents import task_from_text

    return Judge(task_from_text(text, str(path), workspace=_workspace(), path=path))


@cache
def _workspace() -> Workspace:
    from planspec.dsl.workspace.workspace import Workspace

    return Workspace()
