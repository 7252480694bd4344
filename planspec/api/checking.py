"""Everything that is wrong with documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.loading import TaskLike, described
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.shards import is_shard
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import DiagnosticError
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.scope_cuts import scope_cuts


def check(
    paths: TaskLike | Iterable[TaskLike],
    *,
    workspace: Workspace | None = None,
    deep: Callable[[Ground], Iterable[Diagnostic]] | None = None,
    told: Callable[[int, int, Path], None] | None = None,
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with documents: files, or folders of them.

    Tasks are grounded too, so that empty domains and constraints that no plan can change are found.

    Args:
        paths: files, folders, ids of tasks and suites, or checked tasks; or one of these.
        workspace: opens them.
        deep: what else to ask of each task without errors (of its last turn), such as `lint`.
        told: hears of each document before it is checked: its number from 1, how many there are, its path.

    Raises:
        NotFound: an id means nothing.
        TypeError: something is no path.
    """
    workspace = workspace or Workspace()
    named = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, str | PathLike) else [paths]
    report = Report()

    def grounded(task: Task, own: Report) -> None:
        try:
            known = ground(task)
            asked = deep if task.turn in (None, task.turns) else None
            extra = [*known.diagnostics, *scope_cuts(known), *(asked(known) if asked else ())]
        except DiagnosticError as error:
            extra = list(error.diagnostics)
        for diagnostic in extra:
            own.add(diagnostic)

    for task in named:
        if isinstance(task, Task):
            grounded(task, report)
    found_paths = [
        path for name in named if not isinstance(name, Task) for path in _documents(name, workspace)
    ]
    known_ids: dict[tuple[str, str], Path] = {}
    for number, path in enumerate(found_paths, 1):
        if told is not None:
            told(number, len(found_paths), path)
        own = Report()
        found = workspace.open(path, own)
        if found is not None:
            _check_alone(found, path, known_ids, workspace, own)
            check_document(found, workspace, own, grounded)
        for diagnostic in own.diagnostics:
            report.add(diagnostic)
    return report.ordered()


def _check_alone(
    found: Document, path: Path, known: dict[tuple[str, str], Path], workspace: Workspace, report: Report
) -> None:
    """Warn of an id that another document of the kind has, of those that were seen before."""
    first = known.setdefault((found.kind, found.id), path)
    again = found.id and os.path.realpath(first) != os.path.realpath(path)
    other = workspace.open(first, Report()) if again else None
    if other is not None:
        report.warning(
            "PS602", f"two documents are the {found.kind} `{found.id}`", found.sections["id"].span, "again here",
            secondary=[Label(other.sections["id"].span, "first here")], help="give one of them another id",
        )  # fmt: skip


def _documents(name: str | PathLike[str], workspace: Workspace) -> Iterable[Path]:
    """The documents that a path or id means."""
    if not isinstance(name, str | PathLike):
        raise TypeError(f"documents are named by paths and ids, not by {described(name)}")
    path = Path(name)
    if path.exists() or path.suffix in (".yaml", ".yml") or is_shard(path):
        return Catalog(workspace).documents([path])
    return [task.path for task in Catalog(workspace).expand(str(name))]
