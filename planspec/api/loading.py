"""Tasks by path, id or text."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from time import process_time
from typing import TypeAlias

from planspec.api.catalog import Catalog, TaskReference
from planspec.api.task_cache import WORTH_KEEPING, TaskCache, cache_folder
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace

TaskLike: TypeAlias = Task | str | PathLike[str]
"""A checked task, or the path or id of one."""


def load(
    name: str | PathLike[str],
    *,
    workspace: Workspace | None = None,
    minimize: str | None = None,
    maximize: str | None = None,
) -> Task:
    """The checked task of a file, or of an id: of what lies here, else of what ships with planspec.

    `trip@2` is the second turn of `trip`; a task with turns that is named without one is its last.

    Args:
        name: the file or id.
        workspace: opens it.
        minimize: an expression that `solve` minimises, in place of what the task says itself.
        maximize: likewise; not both.

    Raises:
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: its text, or a text that it uses, or the expression has errors.
        TypeError: it is neither a path nor an id.
        ValueError: it is to minimise and to maximise.
    """
    catalog = Catalog(workspace)
    found = catalog.named(name_of(name))
    if workspace is None and minimize is None and maximize is None and found.turn is None:
        return _kept(found.path, catalog.workspace)
    if minimize is not None or maximize is not None:
        if minimize is not None and maximize is not None:
            raise ValueError("a task minimises or maximises, not both")
        key, said = ("minimize", minimize) if minimize is not None else ("maximize", maximize or "")
        made = _with_objective(found, catalog.workspace, key, said)
        if made is not None:
            return made
    return _checked(found.path, catalog.workspace, found.turn)


def _with_objective(found: TaskReference, workspace: Workspace, key: str, said: str) -> Task | None:
    """The task of a file with another objective; None of a file that cannot be read."""
    from planspec.api.overlay import with_objective
    from planspec.dsl.documents.documents import task_from_text

    document = workspace.open(found.path, Report())
    if document is None:
        return None
    text = with_objective(document.source.text, key, said)
    name = f"{found.path} with --{key}"
    return task_from_text(text, name, workspace=workspace, path=found.path, turn=found.turn)


def _kept(path: Path, workspace: Workspace) -> Task:
    """The task of a file as the cache has it, else checked."""
    folder = cache_folder()
    if folder is None:
        return _checked(path, workspace)
    cache = TaskCache(folder)
    made = cache.find(path, workspace)
    if made is None:
        begun = process_time()
        made = _checked(path, workspace)
        if process_time() - begun > WORTH_KEEPING:
            cache.keep(path, made, workspace)
    return made


def _checked(path: Path, workspace: Workspace, turn: int | None = None) -> Task:
    from planspec.dsl.documents.documents import task_from_path  # it is slow to load, as all that checks

    return task_from_path(path, workspace, turn=turn)


def loads(text: str, *, name: str = "task.yaml", workspace: Workspace | None = None) -> Task:
    """The checked task of a text.

    Args:
        text: the YAML document. What it names by relative paths and ids is looked for in the current folder.
        name: how diagnostics call it.
        workspace: opens what the task uses.

    Raises:
        TypeError: it is no text.
        DiagnosticError: it, or a text that it uses, has errors.
    """
    from planspec.dsl.documents.documents import task_from_text

    if not isinstance(text, str):
        raise TypeError(f"a task's text is a str, not {described(text)}; `load` takes a path")
    return task_from_text(text, name, workspace=workspace, path=Path.cwd() / name)


def task_of(task: TaskLike) -> Task:
    """A task that is given itself, or by its path or id.

    Raises:
        TypeError: it is neither.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: its text, or a text that it uses, has errors.
    """
    if isinstance(task, Task):
        return task
    if isinstance(task, str | PathLike):
        return load(task)
    raise TypeError(f"a task is a Task, the path of its file, or its id, not {described(task)}")


def name_of(name: str | PathLike[str]) -> str:
    """The path or id by which a task is named.

    Raises:
        TypeError: it is neither.
    """
    if not isinstance(name, str | PathLike):
        raise TypeError(f"a task is named by the path of its file or by its id, not by {described(name)}")
    if "\n" in str(name):
        raise TypeError("a task is named by the path of its file or by its id; `loads` takes its text")
    return str(name)


def described(value: object) -> str:
    """The wrong argument for a message: its type, and its beginning."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
