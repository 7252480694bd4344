"""The operation `check`, which returns the diagnostics of documents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from planspec.api.cases.answers import prepare_cases
from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, describe_argument, given_texts
from planspec.api.reading_check import check_readings
from planspec.deprecation import former_parameters
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Label, Report
from planspec.dsl.documents.documents import Suite, check_document, read_suite
from planspec.dsl.documents.given_values import check_names, with_given_values
from planspec.dsl.model.expectation import Expectation
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.shards import is_shard, split_task_path
from planspec.dsl.workspace.workspace import Workspace, kind_and_id
from planspec.errors import NotFoundError
from planspec.family.registry import find
from planspec.parallel import PerWorker, map_parallel
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.scope_cuts import warn_of_scope_cuts

if TYPE_CHECKING:
    from planspec.solvers.questions.lint import LintReport

DeepCheck: TypeAlias = "Callable[[Ground], Iterable[Diagnostic] | LintReport]"
"""An additional check of tasks without errors, such as `lint`."""


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """Result of checking a document.

    Attributes:
        path: file of the document.
        kind: `library`, `world`, `task` or `suite`; empty for anything else.
        id: id of the document; empty without one.
        diagnostics: diagnostics of the document and of documents that it uses.
        undecided_task: id of the task if the check `deep` was not decided in time; else None.
        notes: sentences about the settings that the task declares.
        settings_family: family whose Python code defines the task's settings, which are then not checked; None if the
            task declares its settings.
    """

    path: Path
    kind: str
    id: str
    diagnostics: tuple[Diagnostic, ...]
    undecided_task: str | None = None
    notes: tuple[str, ...] = ()
    settings_family: str | None = None


@former_parameters(told="on_progress", undecided="on_undecided", noted="on_note")
def check(
    paths: TaskLike | Iterable[TaskLike],
    *,
    workspace: Workspace | None = None,
    deep: DeepCheck | None = None,
    on_progress: Callable[[int, int, Path], None] | None = None,
    on_undecided: Callable[[str], None] = lambda _: None,
    on_note: Callable[[str], None] = lambda _: None,
    jobs: int = 1,
    given: Mapping[str, object] | None = None,
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of documents.

    Tasks are grounded too, which finds empty domains and constraints that no plan can change.

    Args:
        paths: files, folders, ids of tasks and suites, or checked tasks; or a single one.
        workspace: workspace that opens documents.
        deep: further check of each task without errors, at its last turn, such as `lint`. With several jobs it must be
            a module-level function.
        on_progress: called before each document with its number from 1, the number of documents, and its path.
        on_undecided: called with the id of each task on which `deep` was not decided in time.
        on_note: called with a sentence on each declared setting that `deep` examined.
        jobs: number of processes.
        given: values by name, which replace the givens of the tasks and their turns, in the form that `load` takes.

    Raises:
        NotFoundError: an id refers to nothing, or a task has no such given.
        TypeError: an argument is neither a path, an id nor a task.
        LostWorkerError: every process that checks a certain document dies.
    """
    workspace = workspace or Workspace()
    named = list(paths) if isinstance(paths, Iterable) and not isinstance(paths, str | PathLike) else [paths]
    report = Report()
    for task in named:
        if isinstance(task, Task) and not _check_ground(task, deep, report, on_note):
            on_undecided(task.id)
    documents: list[Path] = [
        path for name in named if not isinstance(name, Task) for path in _documents(name, workspace)
    ]
    seen: dict[tuple[str, str], Path] = {}
    task_counts: Counter[str] = Counter()
    checked_tasks = 0
    expected = _expectations_of_suites(documents, workspace)
    texts = given_texts(given)
    make = partial(DocumentCheck, workspace, deep, expected, texts, readings=True)
    checked = map_parallel(PerWorker(make), documents, jobs)
    for number, path in enumerate(documents, 1):
        if on_progress is not None:
            on_progress(number, len(documents), path)
        result = next(checked)
        if result.id and (other := seen.setdefault((result.kind, result.id), path)) != path:
            _warn_of_duplicate_id(other, path, workspace, report)
        for diagnostic in result.diagnostics:
            report.add(diagnostic)
        for sentence in result.notes:
            on_note(sentence)
        if result.settings_family is not None:
            task_counts[result.settings_family] += 1
        if result.undecided_task is not None:
            on_undecided(result.undecided_task)
        checked_tasks += result.kind == "task"
    for name in texts if not checked_tasks else ():
        raise NotFoundError(f"no task was checked that could have a given `{name}`")
    for family, count in task_counts.items():
        tasks = "1 task" if count == 1 else f"{count} tasks"
        on_note(
            f"{tasks} of the family `{family}`: its settings are Python code, which is not checked for completeness"
        )
    return report.ordered()


def _expectations_of_suites(paths: Iterable[Path], workspace: Workspace) -> dict[Path, Expectation]:
    """Return what suites among the documents expect of their tasks, by absolute path of the task.

    Tasks in a table of a suite share the path of the suite.
    """
    expected: dict[Path, Expectation] = {}
    for path in paths:
        named = None if split_task_path(path) is not None else kind_and_id(path)
        document = workspace.open(path, Report()) if named is not None and named[0] == "suite" else None
        suite = None if document is None else read_suite(document, workspace, Report())
        if suite is not None and suite.expects is not None:
            expected[path.absolute()] = suite.expects
            others = (task.absolute() for task in suite.tasks if _table_of(task) is None)
            expected.update((task, suite.expects) for task in others)
    return expected


def _table_of(task: Path) -> Path | None:
    """Return the path of the suite whose table contains a task; None for a task in a file or shard."""
    inside = split_task_path(task)
    return None if inside is None or is_shard(inside[0]) else inside[0]


class DocumentCheck:
    """Check of one document after another. Shared files are read once.

    Args:
        workspace: workspace that opens documents.
        deep: see `check`.
        expected: what suites expect of tasks without an own expectation, by absolute path of the task.
        given: values in YAML, by name, that replace the tasks' givens.
        readings: whether to read the tasks of suites in each of their readings.
    """

    def __init__(
        self,
        workspace: Workspace,
        deep: DeepCheck | None,
        expected: Mapping[Path, Expectation] = MappingProxyType({}),
        given: Mapping[str, str] = MappingProxyType({}),
        *,
        readings: bool = False,
    ) -> None:
        self._workspace, self._deep, self._expected = workspace, deep, expected
        self._given, self._readings = given, readings

    def __call__(self, path: Path) -> CheckedDocument:
        """Check the document in a file.

        Raises:
            NotFoundError: a value in `given` belongs to a parameter that the task does not have.
        """
        report = Report()
        document = self._workspace.open(path, report)
        if document is None:
            return CheckedDocument(path, "", "", tuple(report.diagnostics))
        undecided: list[str] = []
        notes: list[str] = []

        def grounded(task: Task, own: Report) -> None:
            task = task.with_default(self._expected.get((_table_of(path) or path).absolute()))
            _warn_of_forbidden_refusal(task, own)
            if not _check_ground(task, self._deep, own, notes.append):
                undecided.append(task.id)

        original = document
        if self._given and document.kind == "task":
            document = with_given_values(document, self._given, report)
        task = check_document(document, self._workspace, report, grounded)
        if self._given and isinstance(task, Task):
            check_names(task, original, self._given)
        if self._readings and isinstance(task, Suite) and not report.failed:
            check_readings(document, task, self._workspace, report)
        return CheckedDocument(
            path,
            document.kind,
            document.id,
            tuple(report.diagnostics),
            next(iter(undecided), None),
            tuple(notes),
            _settings_family(task) if isinstance(task, Task) and self._deep is not None else None,
        )


def _warn_of_forbidden_refusal(task: Task, report: Report) -> None:
    """Warn if a task has no plan but agents may not answer that there is none."""
    environment = task.environment
    names = environment.settings or [None]
    forbidding = [name for name in names if environment.refusals_in(name) == "none"]
    if task.expected != "infeasible" or not forbidding:
        return
    where = f"the setting `{forbidding[0]}`" if forbidding[0] else "its environment"
    report.warning(
        "PS439",
        f"no plan is expected, and {where} does not let agents say so",
        task.place,
        "every answer fails",
        help="write `refusals: allowed` under `environment` of the library that the tasks use: if only this task had it, it would give the answer away",
    )


def _settings_family(task: Task) -> str | None:
    """Return the family whose Python code defines the task's settings; None if the task declares them."""
    environment = task.environment
    if environment.settings or environment.shows or environment.tools:
        return None
    family = find(task.family)
    return None if family is None or "settings" not in family.parts else family.name


def _check_ground(task: Task, deep: DeepCheck | None, report: Report, on_note: Callable[[str], None]) -> bool:
    """Report the diagnostics of grounding and of `deep`. Return whether `deep` finished in time."""
    finished = True
    try:
        grounded = ground(task)
        extra = [*grounded.diagnostics, *warn_of_scope_cuts(grounded), *_case_diagnostics(task)]
        if deep is not None and task.turn in (None, task.turns):
            result = deep(grounded)
            if isinstance(result, Iterable):
                extra += result
            else:
                extra += result.diagnostics
                finished = result.finished
                for setting in result.settings:
                    on_note(f"{task.id}: {setting}")
    except DiagnosticError as error:
        extra = list(error.diagnostics)
    for diagnostic in extra:
        report.add(diagnostic)
    return finished


def _case_diagnostics(task: Task) -> Iterable[Diagnostic]:
    """Return the errors in a task's cases, without judging the cases."""
    report = Report()
    if task.cases is not None:
        prepare_cases(Judge(task), report)
    return report.diagnostics


def _warn_of_duplicate_id(first: Path, second: Path, workspace: Workspace, report: Report) -> None:
    """Warn that two documents of the same kind have the same id."""
    if os.path.realpath(first) == os.path.realpath(second):
        return
    document, other = workspace.open(second, Report()), workspace.open(first, Report())
    if document is not None and other is not None:
        report.warning(
            "PS602",
            f"two documents are the {document.kind} `{document.id}`",
            document.sections["id"].span,
            "again here",
            secondary=[Label(other.sections["id"].span, "first here")],
            help="give one of them another id",
        )


def _documents(name: str | PathLike[str], workspace: Workspace) -> Iterable[Path]:
    """Return the documents to which a path or id refers."""
    if not isinstance(name, str | PathLike):
        raise TypeError(f"documents are named by paths and ids, not by {describe_argument(name)}")
    path, catalog = Path(name), Catalog(workspace)
    if not (path.exists() or path.suffix in (".yaml", ".yml") or is_shard(path)):
        several = catalog.means_several(str(name))
        path = catalog.suite_path(str(name)) if several else catalog.named(str(name)).path
    return catalog.documents([path])
