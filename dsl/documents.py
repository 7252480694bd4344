"""From a path, an id or a text to checked documents: the front door of the language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.assemble import Assembly
from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.source import Span
from planspec.dsl.task import Task
from planspec.dsl.workspace import Document, Workspace, document, is_file, several, texts, word_of
from planspec.dsl.yaml_source import Scalar, source_from_text


@dataclass(frozen=True, slots=True)
class Suite:
    """An ordered list of tasks and how runs on them are scored."""

    id: str
    family: str | None
    title: str
    tasks: tuple[Path, ...]
    protocol: str | None


def check_document(found: Document, workspace: Workspace, report: Report) -> Task | Suite | None:
    """Check any document; a task or a suite is returned if there is no error."""
    if found.kind == "suite":
        return suite(found, workspace, report)
    assembly = Assembly(found, workspace, report)
    assembly.check()
    if found.kind != "task":
        return None
    task = assembly.task()
    return None if report.failed else task


def task_from_path(path: Path, workspace: Workspace | None = None, report: Report | None = None) -> Task:
    """The checked task of a file.

    Raises:
        DiagnosticError: the file, or something it uses, has errors.
    """
    workspace, report = workspace or Workspace(), report or Report()
    found = workspace.open(path, report)
    return _task(found, workspace, report)


def task_from_text(
    text: str, name: str = "task.yaml", *, workspace: Workspace | None = None, path: Path | None = None
) -> Task:
    """The checked task of a text.

    Args:
        text: the document.
        name: how diagnostics call it.
        workspace: opens what the task uses.
        path: where the text would stand, for relative paths.

    Raises:
        DiagnosticError: there are errors.
    """
    report = Report()
    found = document(source_from_text(text, name), path, report)
    return _task(found, workspace or Workspace(), report)


def _task(found: Document | None, workspace: Workspace, report: Report) -> Task:
    made = None
    if found is not None:
        if found.kind != "task":
            version = found.root.entries[0][1]
            report.error("PS017", f"a task is needed here, not a {found.kind}", version.span, "its kind")
        else:
            made = check_document(found, workspace, report)
    report.stop_if_failed()
    assert isinstance(made, Task)
    return made


def suite(found: Document, workspace: Workspace, report: Report) -> Suite:
    """The suite of a document; its tasks are found, not checked."""
    paths: dict[Path, Span] = {}
    if found.kind != "suite":
        report.error(
            "PS017", f"a suite is needed here, not a {found.kind}", found.root.entries[0][1].span, "its kind"
        )
    for word in texts(found.sections.get("tasks"), "`tasks`", report):
        matches = _tasks(word, found, workspace)
        if not matches:
            report.error("PS601", f"the suite has no task `{word.text}`", word.span, "no such file or id")
        elif len(matches) > 1 and not _is_pattern(word.text):
            report.error(
                "PS013",
                f"several files are the task `{word.text}`",
                word.span,
                several(list(matches)),
                help="name it by its path, or give one of them another id",
            )
        for path in matches:
            if path in paths:
                report.error(
                    "PS601", f"the suite names `{path.name}` twice", word.span, "again here",
                    secondary=[Label(paths[path], "first here")],
                )  # fmt: skip
            paths.setdefault(path, word.span)
    if "tasks" not in found.sections:
        report.error(
            "PS010", "the suite has no `tasks`", found.key_span("id"), "a list of tasks belongs to a suite"
        )
    words = {
        name: word_of(found.sections.get(name), f"`{name}`", report)
        for name in ("family", "title", "protocol")
    }
    return Suite(
        found.id, words["family"] or None, words["title"] or "", tuple(paths), words["protocol"] or None
    )


def _is_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def _tasks(word: Scalar, found: Document, workspace: Workspace) -> list[Path]:
    """The files that an entry of a suite names: by a path, a pattern or an id."""
    text = word.text
    folder = found.path.parent if found.path else Path()
    if _is_pattern(text):
        try:
            return sorted(path for path in folder.glob(text) if path.is_file())
        except (OSError, ValueError, NotImplementedError):  # an absolute pattern, `a**`, `***`
            return []
    if text.endswith((".yaml", ".yml")):
        return [folder / text] if is_file(folder / text) else []
    return workspace.below("task", text, folder) or workspace.find("task", text, folder)


__all__ = ["Suite", "check_document", "suite", "task_from_path", "task_from_text"]
