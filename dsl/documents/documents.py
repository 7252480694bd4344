"""Entry points of the language, which return checked documents for a path, an id or a string."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from os.path import normpath
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.documents.checking import check_task, check_whole
from planspec.dsl.documents.given_values import NAME, check_names, reading_source, with_given_values, with_reading
from planspec.dsl.documents.readings import suite_readings
from planspec.dsl.documents.task_sections import expectation
from planspec.dsl.documents.turns import (
    TaskTurn,
    document_at_turn,
    queries,
    read_turns,
    report_once,
    turn_count,
)
from planspec.dsl.documents.wordings import check_wording
from planspec.dsl.model.expectation import Expectation
from planspec.dsl.model.reading import Reading
from planspec.dsl.model.task import Task
from planspec.dsl.resources.paths import is_file, paths_text
from planspec.dsl.structure.document import Document, document
from planspec.dsl.structure.sections import texts, word_of
from planspec.dsl.workspace.shards import BASE, TaskPaths, is_shard, split_task_path, task_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping as Mapping_
from planspec.dsl.yaml.reader import Scalar
from planspec.dsl.yaml.reader import Sequence as Sequence_
from planspec.dsl.yaml.source_files import source_from_text


@dataclass(frozen=True, slots=True)
class Suite:
    """An ordered list of tasks with the settings for scoring runs on them.

    Attributes:
        expects: expectation for tasks without one of their own; None if the suite has none.
        readings: other interpretations of the tasks (other values of givens) by name, in the order of the suite.
        tasks: paths for `Workspace.open`: a file, or a shard (file of several tasks) with `#` and a task's id.
    """

    id: str
    family: str | None
    title: str
    tasks: Sequence[Path]
    protocol: str | None
    expects: Expectation | None = None
    readings: Mapping[str, Reading] = field(default_factory=dict)


FurtherCheck = Callable[[Task, Report], None]
"""Function that reports further mistakes of a task without errors."""


def check_document(
    document: Document, workspace: Workspace, report: Report, further: FurtherCheck | None = None
) -> Task | Suite | None:
    """Check any document; return a task or a suite if there is no error.

    If a task has turns, every turn is checked, and the last is returned.

    Args:
        document: the document.
        workspace: opens the documents that it uses.
        report: receives the diagnostics.
        further: a further check of the task, or of each of its turns.
    """
    try:
        return _check_once(document, workspace, report, further)
    except DiagnosticError as error:  # too many mistakes to report
        for diagnostic in error.diagnostics:
            report.add(diagnostic)
        return None


def _check_once(
    document: Document, workspace: Workspace, report: Report, further: FurtherCheck | None
) -> Task | Suite | None:
    if document.kind == "suite":
        return read_suite(document, workspace, report)
    if document.kind == "task" and "turns" in document.sections:
        return _check_every_turn(document, workspace, report, further)
    if document.kind == "wording":
        check_wording(document, workspace, report)
        return None
    if document.kind != "task":
        check_whole(document, workspace, report)
        return None
    task = check_task(document, workspace, report)
    if task is not None and further is not None:
        further(task, report)
    return task


def _check_every_turn(
    document: Document, workspace: Workspace, report: Report, further: FurtherCheck | None
) -> Task | None:
    turns = read_turns(document, report)
    task: Task | None = None
    reports = []
    for turn in turns:
        own = Report()
        task = _task_of_turn_if_sound(document, turns, turn.number, workspace, own)
        if task is not None and further is not None:
            further(task, own)
        reports.append(own)
    report_once(reports, document, turns, report)
    return None if report.failed else task


def _task_of_turn_if_sound(
    document: Document, turns: Sequence[TaskTurn], number: int, workspace: Workspace, report: Report
) -> Task | None:
    task = check_task(document_at_turn(document, turns, number), workspace, report)
    if task is None:
        return None
    before = partial(_task_of_turn, document, number - 1, workspace) if number > 1 else None
    earlier = tuple(queries(document, turns[: number - 1]))
    return replace(task, turn=number, turns=len(turns), earlier=earlier, before=before)


def _task_of_turn(document: Document, number: int, workspace: Workspace) -> Task:
    """Return the task of a turn.

    Raises:
        DiagnosticError: a turn has errors; the exception holds those of all turns.
    """
    report, own = Report(), Report()
    turns = read_turns(document, report)
    task = _task_of_turn_if_sound(document, turns, number, workspace, own) if turns else None
    if task is None:
        _check_every_turn(document, workspace, report, None)
    report.stop_if_failed()
    assert task is not None
    return task


def task_from_path(
    path: Path,
    workspace: Workspace | None = None,
    report: Report | None = None,
    *,
    turn: int | None = None,
    given: Mapping[str, str] | None = None,
    reading: Reading | None = None,
) -> Task:
    """Return the checked task of a file.

    Args:
        path: the file.
        workspace: opens the documents that the task uses.
        report: receives the diagnostics.
        turn: number of the turn, from 1, which becomes part of the task's id; the last turn if None.
        given: values in YAML that replace those of givens, by name.
        reading: interpretation of the task that its suite declares; its values override those of `given`.

    Raises:
        NotFoundError: the task has no such given.
        DiagnosticError: the file, or something that it uses, has errors.
        LookupError: the task has no such turn.
    """
    workspace, report = workspace or Workspace(), report or Report()
    document = workspace.open(path, report)
    return _task(document, workspace, report, turn, given, reading)


def task_from_text(
    text: str,
    name: str = "task.yaml",
    *,
    workspace: Workspace | None = None,
    path: Path | None = None,
    turn: int | None = None,
    given: Mapping[str, str] | None = None,
) -> Task:
    """Return the checked task of a document in a string.

    Args:
        text: text of the document.
        name: name of the document in diagnostics.
        workspace: opens the documents that the task uses.
        path: assumed path of the text, for relative paths in it.
        turn: number of the turn, from 1, which becomes part of the task's id; the last turn if None.
        given: values in YAML that replace those of givens, by name.

    Raises:
        NotFoundError: the task has no such given.
        DiagnosticError: there are errors.
        LookupError: the task has no such turn.
    """
    report = Report()
    opened = document(source_from_text(text, name), path, report)
    return _task(opened, workspace or Workspace(), report, turn, given)


def task_from_document(document: Document | None, workspace: Workspace, report: Report) -> Task:
    """Return the checked task of an opened document.

    Args:
        document: the document; None if it could not be read. Then `report` has the reason.
        workspace: opens the documents that the task uses.
        report: receives the diagnostics; it may already have some.

    Raises:
        DiagnosticError: there are errors.
    """
    return _task(document, workspace, report, None)


def _task(
    original: Document | None,
    workspace: Workspace,
    report: Report,
    turn: int | None,
    given: Mapping[str, str] | None = None,
    reading: Reading | None = None,
) -> Task:
    task: Task | Suite | None = None
    document = original
    if document is not None and given and document.kind == "task":
        document = with_given_values(document, given, report)
    if document is not None and reading is not None and reading.given and document.kind == "task":
        document = with_given_values(document, reading.given, report, reading_source(reading))
    if document is not None:
        if document.kind != "task":
            version = document.root.entries[0][1]
            report.error("PS017", f"a task is needed here, not a {document.kind}", version.span, "its kind")
        elif turn is not None and turn not in range(1, turn_count(document) + 1):
            raise LookupError(no_turn_message(document, str(turn)))
        elif "turns" in document.sections and not report.failed:
            task = _task_of_turn(document, turn or turn_count(document), workspace)
        else:
            task = check_document(document, workspace, report)
    report.stop_if_failed()
    assert isinstance(task, Task)
    if given and original is not None:
        check_names(task, original, given)
    if reading is not None and original is not None:
        task = with_reading(task, original, reading)
    values = {**(given or {}), **({} if reading is None else reading.given)}
    if values:
        task = replace(task, sources=(*task.sources, source_from_text(repr(sorted(values.items())), NAME)))
    return task if turn is None else replace(task, id=f"{task.id}@{turn}")


def no_turn_message(document: Document, turn: str) -> str:
    """Return the message that a document has no turn with the given name."""
    count = turn_count(document)
    if not count:
        return f"the task `{document.id}` has no turns, so there is no `{document.id}@{turn}`"
    has = "one turn" if count == 1 else f"{count} turns"
    return f"the task `{document.id}` has {has}, so there is no `{document.id}@{turn}`"


def read_suite(document: Document, workspace: Workspace, report: Report) -> Suite:
    """Return the suite of a document. Its tasks are located, but not checked."""
    paths: dict[Path, Span] = {}
    first_files: dict[str, Path] = {}
    if document.kind != "suite":
        report.error(
            "PS017",
            f"a suite is needed here, not a {document.kind}",
            document.root.entries[0][1].span,
            "its kind",
        )
    node = document.sections.get("tasks")
    items = node.items if isinstance(node, Sequence_) else () if node is None else (node,)
    has_tables = document.path is not None and any(isinstance(item, Mapping_) for item in items)
    tables = workspace.tables_in(document.path, report) if has_tables and document.path is not None else None
    parts: list[tuple[Path, tuple[str, ...] | None]] = []
    for item in items:
        if tables is not None and document.path is not None and item in tables.names:
            parts.append((document.path, tables.names[item]))
            _report_repeated(tables.names[item], document.path, item.span.first_line, first_files, report)
        else:
            alone = Sequence_(item.span, (item,), flow=True) if isinstance(node, Sequence_) else item
            for word in texts(alone, "`tasks`", report):
                files = _files_of(word, paths, document, workspace, report)
                parts += ((path, _names_in_shard(path, word.span, workspace, first_files, report)) for path in files)
    if "tasks" not in document.sections:
        report.error("PS010", "the suite has no `tasks`", document.key_span("id"), "a list of tasks belongs to a suite")
    words = {
        name: word_of(document.sections.get(name), f"`{name}`", report) for name in ("family", "title", "protocol")
    }
    return Suite(
        document.id,
        words["family"] or None,
        words["title"] or "",
        TaskPaths(parts),
        words["protocol"] or None,
        expectation(document, report),
        suite_readings(document, report),
    )


def _files_of(
    word: Scalar, paths: dict[Path, Span], document: Document, workspace: Workspace, report: Report
) -> list[Path]:
    """Return the files that an entry of a suite names and that no earlier entry names.

    Args:
        word: the entry.
        paths: span of the first entry for each file, by file; updated.
        document: the suite.
        workspace: finds tasks by id.
        report: receives mistakes: entries that name nothing, several tasks with the same id, or a file twice.
    """
    found = []
    matches = _matching_files(word, document, workspace)
    if not matches:
        report.error("PS601", f"the suite has no task `{word.text}`", word.span, "no such file or id")
    elif len(matches) > 1 and not _is_pattern(word.text):
        report.error(
            "PS013",
            f"several files are the task `{word.text}`",
            word.span,
            paths_text(list(matches)),
            help="name it by its path, or give one of them another id",
        )
        matches = matches[:1]  # avoids a second report of the shared id
    for path in matches:
        if path in paths:
            report.error(
                "PS601",
                f"the suite names `{path.name}` twice",
                word.span,
                "again here",
                secondary=[Label(paths[path], "first here")],
            )
        else:
            paths[path] = word.span
            found.append(path)
    return found


def _names_in_shard(
    path: Path, span: Span, workspace: Workspace, first_files: dict[str, Path], report: Report
) -> tuple[str, ...] | None:
    """Return the names of the tasks in a shard (file of several tasks); None for a file with one task.

    Report ids that occur several times in the suite.

    Args:
        path: the shard or file.
        span: span of the suite's entry for the shard or file.
        workspace: opens it.
        first_files: shard or file in which each id occurred first, by id; updated.
        report: receives the mistakes of the shard, and repeated ids.
    """
    if is_shard(path):
        names = workspace.names_in(path, report) or ()
    else:
        id_ = workspace.id_of(path)
        names = () if id_ is None else (id_,)
    _report_repeated(names, path, span, first_files, report)
    return names if is_shard(path) else None


def _report_repeated(
    names: Sequence[str], path: Path, span: Span, first_files: dict[str, Path], report: Report
) -> None:
    """Report task ids that an earlier entry of the suite contains. `first_files` is as in `_names_in_shard`."""
    for name in names:
        first = first_files.setdefault(name, path)
        if first is not path and not name.startswith("@"):
            report.error(
                "PS602",
                f"two tasks of the suite are `{name}`",
                span,
                paths_text([first, path]),
                help="give one of them another id",
            )


def _is_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def _matching_files(word: Scalar, document: Document, workspace: Workspace) -> list[Path]:
    """Return the files that match an entry of a suite: a path, a pattern or an id."""
    text = word.text
    folder = document.path.parent if document.path else Path()
    if _is_pattern(text):
        try:
            return sorted(
                _normalised_path(path) for path in folder.glob(text) if path.is_file() and not path.name.endswith(BASE)
            )
        except (OSError, ValueError, NotImplementedError):  # raised for an absolute pattern, `a**` or `***`
            return []
    if text.endswith((".yaml", ".yml")) or is_shard(folder / text):
        return [_normalised_path(folder / text)] if is_file(folder / text) else []
    inside = split_task_path(folder / text)
    if inside is not None:
        return [task_path(*inside)] if workspace.has_task(*inside) else []
    return workspace.below("task", text, folder) or workspace.find("task", text, folder)


def _normalised_path(path: Path) -> Path:
    """Return the path without `..`, so that a task has the same path in all suites."""
    return Path(normpath(path)) if ".." in path.parts else path


__all__ = [
    "Suite",
    "check_document",
    "no_turn_message",
    "read_suite",
    "task_from_document",
    "task_from_path",
    "task_from_text",
]
