"""Loading of tasks by path, id or text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

from planspec.api.catalog import Catalog, TaskReference
from planspec.api.task_cache import WORTH_KEEPING, TaskCache, cache_folder
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.reading import Reading
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
    given: Mapping[str, object] | None = None,
) -> Task:
    """Load and check a task by file or id. Ids are searched from the current folder, then among shipped documents.

    `trip@2` is the second turn of `trip`. Without a number, a task with turns is loaded at its last turn.

    Args:
        name: file or id.
        workspace: workspace that opens documents.
        minimize: expression that `solve` minimises in place of the task's objectives.
        maximize: expression to maximise; not together with `minimize`.
        given: values by name, which replace the givens of the task and its turns. A string is parsed as
            YAML, as in the task.

    Raises:
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: the task, a file that it uses, or the expression has errors.
        TypeError: `name` is neither a path nor an id.
        ValueError: both `minimize` and `maximize` are given.
    """
    catalog = Catalog(workspace)
    reference = catalog.named(name_of(name))
    values = given_texts(given)
    if workspace is None and minimize is None and maximize is None and reference.turn is None and not values:
        return _load_cached(reference.path, catalog.workspace)
    if minimize is not None or maximize is not None:
        if minimize is not None and maximize is not None:
            raise ValueError("a task minimises or maximises, not both")
        key, expression = ("minimize", minimize) if minimize is not None else ("maximize", maximize or "")
        task = _with_objective(reference, catalog.workspace, key, expression, values)
        if task is not None:
            return task
    return _check_task(reference.path, catalog.workspace, reference.turn, values)


def load_variant(
    name: str, *, workspace: Workspace | None = None, given: Mapping[str, str] | None, reading: Reading | None
) -> Task:
    """Load a task by its file or id, with some values of its givens replaced.

    Args:
        name: file or id.
        workspace: workspace that opens documents.
        given: new values of givens as YAML text, by the name of the given.
        reading: reading (interpretation) of its suite in which the task is read; None for the task as written.

    Raises:
        NotFoundError: there is no such task, or it has no such given.
        DiagnosticError: the task, a file that it uses, or a value has errors.
    """
    if not given and reading is None:
        return load(name, workspace=workspace)
    from planspec.dsl.documents.documents import task_from_path

    catalog = Catalog(workspace)
    reference = catalog.named(name)
    return task_from_path(reference.path, catalog.workspace, turn=reference.turn, given=given, reading=reading)


def given_texts(given: Mapping[str, object] | None) -> dict[str, str]:
    """Return values of givens as YAML, by name. Strings are taken as YAML, and other values are written as JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        for name, value in (given or {}).items()
    }


def _with_objective(
    reference: TaskReference, workspace: Workspace, key: str, expression: str, given: Mapping[str, str] | None
) -> Task | None:
    """Return the task of a file with a replaced objective; None if the file is unreadable."""
    from planspec.api.overlay import with_objective
    from planspec.dsl.documents.documents import task_from_text

    document = workspace.open(reference.path, Report())
    if document is None:
        return None
    text = with_objective(document.source.text, key, expression)
    name = f"{reference.path} with --{key}"
    return task_from_text(text, name, workspace=workspace, path=reference.path, turn=reference.turn, given=given)


def _load_cached(path: Path, workspace: Workspace) -> Task:
    """Return the checked task of a file, from the cache if possible."""
    folder = cache_folder()
    if folder is None:
        return _check_task(path, workspace)
    cache = TaskCache(folder)
    task = cache.find(path, workspace)
    if task is None:
        begun = process_time()
        task = _check_task(path, workspace)
        if process_time() - begun > WORTH_KEEPING:
            cache.keep(path, task, workspace)
    return task


def _check_task(
    path: Path, workspace: Workspace, turn: int | None = None, given: Mapping[str, str] | None = None
) -> Task:
    from planspec.dsl.documents.documents import task_from_path  # slow to import

    return task_from_path(path, workspace, turn=turn, given=given)


def loads(text: str, *, name: str = "task.yaml", workspace: Workspace | None = None) -> Task:
    """Load and check a task from its text.

    Args:
        text: YAML document. Relative paths and ids in it are resolved from the current folder.
        name: name of the document in diagnostics.
        workspace: workspace that opens files used by the task.

    Raises:
        TypeError: `text` is not a str.
        DiagnosticError: the task or a file that it uses has errors.
    """
    from planspec.dsl.documents.documents import task_from_text

    if not isinstance(text, str):
        raise TypeError(f"a task's text is a str, not {describe_argument(text)}; `load` takes a path")
    return task_from_text(text, name, workspace=workspace, path=Path.cwd() / name)


def task(document: Mapping[str, Any], *, name: str = "task", workspace: Workspace | None = None) -> Task:
    """Make and check a task from the data of its document.

    Args:
        document: the keys and values of a task's document, such as `id`, `query`, `uses`, `given` and `tables`;
            `planspec: task/1` may be left out. Relative paths and ids are resolved from the current folder.
        name: name of the document in diagnostics.
        workspace: workspace that opens files used by the task.

    Raises:
        DiagnosticError: the task or a file that it uses has errors.
        TypeError: `document` is not a mapping, or a value cannot be expressed in JSON.
        ValueError: a number is not finite, a string has a lone surrogate, or the data are nested too deeply.
    """
    from planspec.api.task_files import json_line
    from planspec.dsl.documents.documents import task_from_document
    from planspec.dsl.structure.document import document_of
    from planspec.dsl.tables.records import decoded_value
    from planspec.dsl.yaml.json_nodes import json_node
    from planspec.dsl.yaml.source_files import source_from_text

    if not isinstance(document, Mapping):
        raise TypeError(f"a task is a mapping of its keys, not {describe_argument(document)}; `load` takes a path")
    source = source_from_text(json_line({"planspec": "task/1", **document}, f"the {name}"), name)
    decoded_value(source.text)  # raises an error for data that are nested too deeply
    report = Report()
    opened = document_of(json_node(source), source, Path.cwd() / name, report)
    return task_from_document(opened, workspace or Workspace(), report)


def task_of(task: TaskLike) -> Task:
    """Return the task itself, or load the task with this path or id.

    Raises:
        TypeError: `task` is neither a task, a path nor an id.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: the task or a file that it uses has errors.
    """
    if isinstance(task, Task):
        return task
    if isinstance(task, str | PathLike):
        return load(task)
    raise TypeError(f"a task is a Task, the path of its file, or its id, not {describe_argument(task)}")


def name_of(name: str | PathLike[str]) -> str:
    """Return the path or id of a task as a string.

    Raises:
        TypeError: `name` is neither a path nor an id.
    """
    if not isinstance(name, str | PathLike):
        raise TypeError(f"a task is named by the path of its file or by its id, not by {describe_argument(name)}")
    if "\n" in str(name):
        raise TypeError("a task is named by the path of its file or by its id; `loads` takes its text")
    return str(name)


def describe_argument(value: object) -> str:
    """Return type and short `repr` of a wrong argument, such as `int 42`, for an error message."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
