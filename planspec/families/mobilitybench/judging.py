"""Loader of the judges of many tasks, one after another, in bounded memory."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from planspec.suite_writing.writing import yaml_scalar

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.workspace.workspace import Workspace
    from planspec.families.mobilitybench.episode import Episode

DATABASE_REFERENCE = re.compile(r'sqlite: \{file: "(?:[^"\\]|\\.)*",')
"""Pattern of the reference to the SQLite file with the episode's rows in tasks that the module `tasks` writes."""


def judge_of(task: Path) -> Judge:
    """Return the judge of a task. The task is in its own file or in a shard.

    Documents that tasks share are read once in each process. Nothing else is cached.

    Raises:
        OSError: the file does not exist.
        DiagnosticError: the task has errors.
    """
    from planspec.api.judging import Judge
    from planspec.dsl.documents.documents import task_from_path
    from planspec.dsl.workspace.shards import split_task_path

    if split_task_path(task) is not None:
        return Judge(task_from_path(task, _shared_workspace()))
    # read as a string, since the workspace would cache the document of a file
    return judge_of_text(task.read_text("utf-8"), task)


def judge_of_text(text: str, path: Path) -> Judge:
    """Return the judge of a task given as text. `path` is the path of the task in messages; it need not exist.

    Raises:
        DiagnosticError: the task has errors.
    """
    from planspec.api.judging import Judge
    from planspec.dsl.documents.documents import task_from_text

    return Judge(task_from_text(text, str(path), workspace=_shared_workspace(), path=path))


def wider_judge(judge: Judge, episode: Episode) -> Judge:
    """Return a judge of an episode's task, with tables that include tool results added during a run.

    Args:
        judge: judge of the task as written in its suite.
        episode: the task's episode with the added results.

    Raises:
        ValueError: a result does not fit its tool.
        DiagnosticError: the task has errors with these results.
    """
    from planspec.families.mobilitybench.row_collector import rows_of_episode
    from planspec.families.mobilitybench.rows_database import RowsDatabase

    source = judge.task.span.source
    with TemporaryDirectory() as name:
        base = Path(name) / "ways.sqlite"
        with RowsDatabase(base) as writer:
            writer.add(episode.id, rows_of_episode(episode, near=True))
        text = DATABASE_REFERENCE.sub(lambda _: f"sqlite: {{file: {yaml_scalar(str(base))},", source.text)
        return judge_of_text(text, Path(source.name))


@cache
def _shared_workspace() -> Workspace:
    from planspec.dsl.workspace.workspace import Workspace

    return Workspace()
