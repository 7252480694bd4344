"""Tasks that are opened once and shared by environments, and their origins, which pickles contain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike
from pathlib import Path

from planspec.api.catalog import Catalog, suite_folder
from planspec.api.loading import TaskLike, describe_argument, task_of
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.agent_task import AgentTask
from planspec.environments.floors import measure_floor
from planspec.environments.opened import open_task, require_no_site
from planspec.errors import PlanspecError
from planspec.verifiers.meaning.rewards import Floor

REOPENED = 256
"""Maximum number of tasks that a process caches for unpickled environments."""


class TaskMismatchError(PlanspecError, ValueError):
    """The task of an unpickled environment has changed since it was pickled."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a task came from, so that another process can open it again.

    Attributes:
        name: file of the task, with the turn if one was named; for a task from a string, its name in diagnostics.
        setting: name of the setting in which it was opened.
        folder: folder of its suite; None if unknown.
        hash: hash of the task's source texts.
        text: text of the task, if it was not read from a file; else None.
    """

    name: str
    setting: str
    folder: Path | None
    hash: str
    text: str | None = None


class SharedTask:
    """An opened task that all copies of its environment share.

    Args:
        opened: the task in its setting.
        file: file of the task.
        origin: origin of the task; None if no other process could open it.
    """

    def __init__(self, opened: AgentTask, file: Path, origin: Origin | None) -> None:
        self.opened, self.file, self.origin = opened, file, origin

    @cached_property
    def floor(self) -> Floor | None:
        """Floor of the task (`planspec.environments.floors`), measured on first use; None if unknown."""
        return measure_floor(self.opened.judge, self.file, len(self.opened.judges) - 1)


@lru_cache(maxsize=REOPENED)
def reopen(origin: Origin) -> SharedTask:
    """Open the task of a pickled environment, once per process.

    Raises:
        TaskMismatchError: the task has changed since it was pickled.
    """
    workspace = Workspace()
    task: str | Task = origin.name
    if origin.text is not None:
        path = Path(origin.name)
        task = task_from_text(origin.text, origin.name, workspace=workspace, path=path)
    shared = share(task, origin.setting, origin.folder, workspace)
    if shared.opened.judge.task.hash != origin.hash:
        raise TaskMismatchError(
            f"the task `{origin.name}` is not the one that was pickled; its files, or what they use, have changed"
        )
    return shared


def share(task: TaskLike, setting: str | None, folder: Path | None, workspace: Workspace) -> SharedTask:
    """Open a task in a setting, for sharing among environments.

    Args:
        task: path or id of the task, or the task itself.
        setting: name of a setting; None for the first whose files the suite has.
        folder: folder of its suite; None if unknown.
        workspace: workspace that opens documents.

    Raises:
        UnknownSettingError: the task has no such setting.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: the task has errors.
        TypeError: `task` is neither a task, a path nor an id.
    """
    if not isinstance(task, Task | str | PathLike):
        task_of(task)  # raises a TypeError that describes an unsuitable argument
    named = task if isinstance(task, Task) else str(task)
    opened = open_task(named, setting, folder=folder, workspace=workspace)
    require_no_site(opened, "an environment")
    last = opened.judge.task
    if not isinstance(named, Task):
        place = Catalog(workspace).named(named)
        file = place.path.absolute()
        name = str(file) if place.turn is None else f"{file}@{place.turn}"
        return SharedTask(opened, file, Origin(name, opened.setting, folder, last.hash))
    source = last.span.source
    file = Path(source.name).absolute()
    if last.turn is not None:
        return SharedTask(opened, file, None)
    return SharedTask(opened, file, Origin(str(file), opened.setting, folder, last.hash, source.text))


def shared_tasks(suite: str | PathLike[str], setting: str | None) -> Iterator[SharedTask]:
    """Yield the tasks of a suite in a setting, in order.

    Each task is opened on demand. Files that several tasks use are read once.

    Args:
        suite: file, folder or id of the suite.
        setting: name of a setting; None for the first whose files the suite has.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        TypeError: `suite` is neither a path nor an id.
    """
    if not isinstance(suite, str | PathLike):
        raise TypeError(f"a suite is the path of its file or folder, or its id, not {describe_argument(suite)}")
    workspace = Workspace()
    catalog = Catalog(workspace)
    folder = suite_folder(catalog.suite_path(str(suite)))
    for path in catalog.suite(str(suite)).tasks:
        yield share(path, setting, folder, workspace)
