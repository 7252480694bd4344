"""Tasks that are opened once and looked at by many: how a pickle names one, and how another process opens it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike
from pathlib import Path

from planspec.api.catalog import Catalog, suite_folder
from planspec.api.loading import TaskLike, described, task_of
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments.opened import AgentTask, open_task, require_no_site
from planspec.environments.rewards import Floor, measured_floor
from planspec.errors import PlanspecError

REOPENED = 256
"""The most tasks that a process keeps open for environments which come to it pickled."""


class TaskMismatchError(PlanspecError, ValueError):
    """An environment came out of a pickle, and its task is not here as it was when it was pickled."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The place that a task came from, by which another process opens it again.

    Attributes:
        name: its file, with its turn if one was named; for the text of a task how diagnostics call it.
        setting: under which it was opened.
        folder: folder of its suite.
        hash: of all texts that it was read from.
        text: the task's own text, where it was not read from a file as it stands.
    """

    name: str
    setting: str
    folder: Path | None
    hash: str
    text: str | None = None


class SharedTask:
    """A task that was opened once, which all copies of its environment look at and none changes.

    Args:
        opened: the task under its setting.
        file: file of the task.
        origin: None where no other process could open it.
    """

    def __init__(self, opened: AgentTask, file: Path, origin: Origin | None) -> None:
        self.opened, self.file, self.origin = opened, file, origin

    @cached_property
    def floor(self) -> Floor | None:
        """The task's floor, measured when it is first asked for."""
        return measured_floor(self.opened.judge, self.file)


@lru_cache(maxsize=REOPENED)
def reopened(origin: Origin) -> SharedTask:
    """The task of a pickled environment; opened once in a process.

    Raises:
        TaskMismatchError: it is not as it was.
    """
    workspace = Workspace()
    task: str | Task = origin.name
    if origin.text is not None:
        path = Path(origin.name)
        task = task_from_text(origin.text, origin.name, workspace=workspace, path=path)
    found = share(task, origin.setting, origin.folder, workspace)
    if found.opened.judge.task.hash != origin.hash:
        raise TaskMismatchError(
            f"the task `{origin.name}` is not the one that was pickled; its files, or what they use, have changed"
        )
    return found


def share(task: TaskLike, setting: str | None, folder: Path | None, workspace: Workspace) -> SharedTask:
    """A task under a setting, to be shared.

    Args:
        task: its path or id, or the task itself.
        setting: the first that its suite is prepared for if None.
        folder: folder of its suite, where that is known.
        workspace: workspace that opens documents.

    Raises:
        UnknownSettingError: the task has no such setting.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: it has errors.
        TypeError: it is no task.
    """
    if not isinstance(task, Task | str | PathLike):
        task_of(task)  # says what it is instead
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
    """The tasks of a suite under a setting, in order, each opened as it is asked for; what they share is read once.

    Args:
        suite: file, folder or id.
        setting: the first that the suite is prepared for if None.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        TypeError: it is neither a path nor an id.
    """
    if not isinstance(suite, str | PathLike):
        raise TypeError(f"a suite is the path of its file or folder, or its id, not {described(suite)}")
    workspace = Workspace()
    catalog = Catalog(workspace)
    folder = suite_folder(catalog.suite_path(str(suite)))
    for path in catalog.suite(str(suite)).tasks:
        yield share(path, setting, folder, workspace)
