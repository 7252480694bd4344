"""Everything that is wrong with documents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from planspec.api.cases.answers import prepared_cases
from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, described
from planspec.dsl.diagnostics.diagnostic import Diagnostic, Label, Report
from planspec.dsl.documents.documents import check_document
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.shards import is_shard
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import DiagnosticError
from planspec.families.registry import GENERIC, find
from planspec.parallel import map_workers
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.scope_cuts import scope_cuts

if TYPE_CHECKING:
    from planspec.solvers.questions.lint import LintReport

Deep: TypeAlias = "Callable[[Ground], Iterable[Diagnostic] | LintReport]"
"""What else to ask of a task without errors."""


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """One document, checked.

    Attributes:
        path: of its file.
        kind: library, world, task or suite; empty where it is none of them.
        id: its id; empty without one.
        diagnostics: what is wrong with it, and what is wrong with others that it uses.
        undecided: the id of its task, if not everything that was asked of that was decided in time.
        notes: sentences about the settings that its task declares.
        undeclared: the family whose own code its task's settings are, where nobody was asked whether they tell enough.
    """

    path: Path
    kind: str
    id: str
    diagnostics: tuple[Diagnostic, ...]
    undecided: str | None = None
    notes: tuple[str, ...] = ()
    undeclared: str | None = None


def check(
    paths: TaskLike | Iterable[TaskLike],
    *,
    workspace: Workspace | None = None,
    deep: Deep | None = None,
    told: Callable[[int, int, Path], None] | None = None,
    undecided: Callable[[str], None] = lambda _: None,
    noted: Callable[[str], None] = lambda _: None,
    jobs: int = 1,
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with documents: files, or folders of them.

    Tasks are grounded too, so that empty domains and constraints that no plan can change are found.

    Args:
        paths: files, folders, ids of tasks and suites, or checked tasks; or one of these.
        workspace: opens them.
        deep: what else to ask of each task without errors (of its last turn), such as `lint`; a function of a module
            where there are several jobs.
        told: hears of each document: its number from 1, how many there are, its path.
        undecided: hears the id of each task of which not everything that `deep` asks was decided in time.
        noted: hears in a sentence what `deep` found of each setting that a task declares.
        jobs: processes.

    Raises:
        NotFoundError: an id means nothing.
        TypeError: something is no path.
        LostWorkerError: a document ends each process that checks it.
    """
    workspace = workspace or Workspace()
    named = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, str | PathLike) else [paths]
    report = Report()
    for task in named:
        if isinstance(task, Task) and not _ground(task, deep, report, noted):
            undecided(task.id)
    found = [path for name in named if not isinstance(name, Task) for path in _documents(name, workspace)]
    known: dict[tuple[str, str], Path] = {}
    undeclared: Counter[str] = Counter()
    checked = map_workers(partial(DocumentCheck, workspace, deep), found, jobs)
    for number, path in enumerate(found, 1):
        if told is not None:
            told(number, len(found), path)
        one = next(checked)
        if one.id and (other := known.setdefault((one.kind, one.id), path)) != path:
            _warn_of_twins(other, path, workspace, report)
        for diagnostic in one.diagnostics:
            report.add(diagnostic)
        for sentence in one.notes:
            noted(sentence)
        if one.undeclared is not None:
            undeclared[one.undeclared] += 1
        if one.undecided is not None:
            undecided(one.undecided)
    for family, count in undeclared.items():
        tasks = "1 task" if count == 1 else f"{count} tasks"
        noted(
            f"{tasks} of the family `{family}`: its settings are Python, and nobody asks whether they tell enough"
        )
    return report.ordered()


class DocumentCheck:
    """Checks document after document, and reads what they share once.

    Args:
        workspace: opens them.
        deep: see `check`.
    """

    def __init__(self, workspace: Workspace, deep: Deep | None) -> None:
        self._workspace, self._deep = workspace, deep

    def __call__(self, path: Path) -> CheckedDocument:
        """Everything that is wrong with the document of a file."""
        report = Report()
        found = self._workspace.open(path, report)
        if found is None:
            return CheckedDocument(path, "", "", tuple(report.diagnostics))
        undecided: list[str] = []
        notes: list[str] = []

        def grounded(task: Task, own: Report) -> None:
            if not _ground(task, self._deep, own, notes.append):
                undecided.append(task.id)

        task = check_document(found, self._workspace, report, grounded)
        return CheckedDocument(
            path, found.kind, found.id, tuple(report.diagnostics), next(iter(undecided), None), tuple(notes),
            _undeclared(task) if isinstance(task, Task) and self._deep is not None else None,
        )  # fmt: skip


def _undeclared(task: Task) -> str | None:
    """The family whose own code a task's settings are."""
    environment = task.environment
    if environment.settings or environment.shows or environment.tools:
        return None
    family = find(task.family)
    return None if family is None or family.settings.name == GENERIC.settings.name else family.name


def _ground(task: Task, deep: Deep | None, report: Report, noted: Callable[[str], None]) -> bool:
    """Report what grounding a task shows, and what is asked besides; false if not all of that was decided."""
    finished = True
    try:
        known = ground(task)
        extra = [*known.diagnostics, *scope_cuts(known), *_of_cases(task)]
        if deep is not None and task.turn in (None, task.turns):
            asked = deep(known)
            if isinstance(asked, Iterable):
                extra += asked
            else:
                extra += asked.diagnostics
                finished = asked.finished
                for setting in asked.settings:
                    noted(f"{task.id}: {setting}")
    except DiagnosticError as error:
        extra = list(error.diagnostics)
    for diagnostic in extra:
        report.add(diagnostic)
    return finished


def _of_cases(task: Task) -> Iterable[Diagnostic]:
    """What is wrong with a task's cases, whatever their verdicts are."""
    report = Report()
    if task.cases is not None:
        prepared_cases(Judge(task), report)
    return report.diagnostics


def _warn_of_twins(first: Path, again: Path, workspace: Workspace, report: Report) -> None:
    """Warn of an id that another document of the kind has, of those that were seen before."""
    if os.path.realpath(first) == os.path.realpath(again):
        return
    found, other = workspace.open(again, Report()), workspace.open(first, Report())
    if found is not None and other is not None:
        report.warning(
            "PS602", f"two documents are the {found.kind} `{found.id}`", found.sections["id"].span, "again here",
            secondary=[Label(other.sections["id"].span, "first here")], help="give one of them another id",
        )  # fmt: skip


def _documents(name: str | PathLike[str], workspace: Workspace) -> Iterable[Path]:
    """The documents that a path or id means."""
    if not isinstance(name, str | PathLike):
        raise TypeError(f"documents are named by paths and ids, not by {described(name)}")
    path, catalog = Path(name), Catalog(workspace)
    if not (path.exists() or path.suffix in (".yaml", ".yml") or is_shard(path)):
        several = catalog.means_several(str(name))
        path = catalog.suite_path(str(name)) if several else catalog.named(str(name)).path
    return catalog.documents([path])
