"""Checks of a suite's readings. Each task must have the givens that a reading sets, and accept their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Label, Report, Severity
from planspec.dsl.documents.documents import Suite, task_from_path
from planspec.dsl.documents.given_values import UnknownGivenError, reading_source
from planspec.dsl.model.reading import Reading
from planspec.dsl.structure.document import Document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping, Scalar
from planspec.verifiers.meaning.ground import ground

if TYPE_CHECKING:
    from pathlib import Path

    from planspec.dsl.diagnostics.source import Span
    from planspec.dsl.yaml.reader import Node


def check_readings(document: Document, suite: Suite, workspace: Workspace, report: Report) -> None:
    """Report readings that set a given missing in a task, or cause errors in a task.

    Args:
        document: document of the suite.
        suite: the suite; its own document has no errors.
        workspace: opens the tasks.
        report: receives the errors, at their position in the suite if it is known.
    """
    section = document.sections.get("readings")
    for key, entry in section.entries if isinstance(section, Mapping) else ():
        reading = suite.readings.get(key.text)
        if reading is not None and reading.given:
            _check_reading(reading, key, _givens(entry), suite.tasks, workspace, report)


def _givens(entry: Node) -> Sequence[tuple[Scalar, Node]]:
    parts = {key.text: value for key, value in entry.entries} if isinstance(entry, Mapping) else {}
    givens = parts.get("givens")
    return givens.entries if isinstance(givens, Mapping) else ()


def _check_reading(
    reading: Reading,
    key: Scalar,
    givens: Sequence[tuple[Scalar, Node]],
    tasks: Sequence[Path],
    workspace: Workspace,
    report: Report,
) -> None:
    lacking: dict[str, list[UnknownGivenError]] = {}
    for path in tasks:
        try:
            ground(task_from_path(path, workspace, reading=reading))
        except UnknownGivenError as error:
            for name in error.names:
                lacking.setdefault(name, []).append(error)
        except DiagnosticError as error:
            if _is_valid_as_written(path, workspace):
                for diagnostic in _relocated(error.diagnostics, reading, key, givens):
                    report.add(diagnostic)
    spans = {word.text: word.span for word, _ in givens}
    for name, errors in lacking.items():
        how_many = (
            "no task" if len(errors) == len(tasks) else f"not every task ({len(tasks) - len(errors)} of {len(tasks)})"
        )
        report.error(
            "PS201",
            f"{how_many} of the suite has a given `{name}`",
            spans.get(name, key.span),
            "unknown given",
            help=str(errors[0]),
        )


def _is_valid_as_written(path: Path, workspace: Workspace) -> bool:
    """Return whether a task as written is free of errors."""
    try:
        ground(task_from_path(path, workspace))
    except DiagnosticError:
        return False
    return True


def _relocated(
    diagnostics: Sequence[Diagnostic], reading: Reading, key: Scalar, givens: Sequence[tuple[Scalar, Node]]
) -> Iterator[Diagnostic]:
    """Yield a task's errors in a reading. Errors in the values of the reading are located in the suite's document."""
    for diagnostic in diagnostics:
        if diagnostic.severity is not Severity.ERROR:
            continue
        span = diagnostic.span
        if span.source.name == reading_source(reading):  # this source has one line per given
            word, value = givens[span.line - 1]
            place: Span = word.span if span.column == 1 or not value.span.text else value.span
            yield replace(diagnostic, primary=Label(place, diagnostic.primary.text), secondary=())
        else:
            label = Label(key.span, "in this reading")
            yield replace(diagnostic, secondary=(*diagnostic.secondary, label))
