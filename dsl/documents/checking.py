"""Checking of a document with all documents that it uses. Shared documents are checked once for all tasks."""

from __future__ import annotations

from dataclasses import dataclass

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import EntangledDocumentError, Names
from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.documents.currency import Currency, currency_of
from planspec.dsl.documents.elaborator import Elaborator
from planspec.dsl.documents.foundation import Foundation
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import Document
from planspec.dsl.workspace.imports import Imports, resolve_imports
from planspec.dsl.workspace.workspace import Workspace

ATTEMPTS = 3
"""The maximum number of foundations (see `Foundation`) on which a task is checked."""


def check_whole(document: Document, workspace: Workspace, report: Report) -> Elaborator:
    """Check a document and all documents that it uses, in one pass.

    Args:
        document: a document of any kind but a suite.
        workspace: opens the documents that it uses.
        report: receives the diagnostics.
    """
    imports = resolve_imports(document, workspace, report)
    return _check_together(imports, currency_of(imports.documents, report), report)


def check_task(document: Document, workspace: Workspace, report: Report) -> Task | None:
    """Return the task of a document, or None if there are errors.

    The task is checked as an addition to the documents that it uses, which are checked once per workspace.
    If the task has a mistake, or changes the meaning of those documents, all documents are checked in one pass, and
    the report covers all of them.

    Args:
        document: a task.
        workspace: opens the documents that the task uses, and caches the checked ones.
        report: receives the diagnostics.
    """
    imports = resolve_imports(document, workspace, report)
    currency = currency_of(imports.documents, report)
    whole = imports.has_libraries and imports.has_worlds and currency.is_consistent and not report.failed
    task = _check_on_foundation(imports, currency, workspace, report) if whole else None
    if task is None:
        task = _check_together(imports, currency, report).task()
    return None if report.failed else task


@dataclass(frozen=True, slots=True)
class LenientCheck:
    """The results of checking a document that may have mistakes.

    Attributes:
        documents: the document and all that it uses, in order of dependency.
        names: all names that they declare.
        task: the task, if the document is one and has no error.
        checker: the checker of the document's expressions.
    """

    documents: tuple[Document, ...]
    names: Names
    task: Task | None
    checker: Checker


def check_leniently(document: Document, workspace: Workspace, checker: type[Checker]) -> LenientCheck:
    """Check a document as far as its mistakes allow, without reporting them.

    Unlike `check_task`, this does not check all documents again if a task has mistakes.

    Args:
        document: a document of any kind but a suite.
        workspace: opens the documents that it uses, and caches the checked ones.
        checker: class of the checker of the document's expressions. It checks all of them, including those of the
            scope.
    """
    report = Report()
    imports = resolve_imports(document, workspace, report)
    currency = currency_of(imports.documents, report)
    result: tuple[Elaborator, Task | None, Report] | None = None
    if document.kind == "task" and imports.has_libraries and imports.has_worlds and currency.is_consistent:
        result = _elaborate_on_foundation(imports, currency, workspace, checker)
    if result is None:
        own = Report()
        elaborator = Elaborator(
            imports, currency, own, Foundation(), concrete=document.kind != "library", checker=checker
        )
        try:
            elaborator.check()
            task = elaborator.task() if document.kind == "task" else None
        except DiagnosticError:  # too many mistakes to report
            task = None
        result = elaborator, task, own
    elaborator, task, own = result
    if task is not None:
        list(task.scope)  # a lazy scope is checked when it is read
    sound = not report.failed and not own.failed
    return LenientCheck(tuple(imports.documents), elaborator.names, task if sound else None, elaborator.checker)


def _check_together(imports: Imports, currency: Currency, report: Report) -> Elaborator:
    elaborator = Elaborator(imports, currency, report, Foundation(), concrete=imports.documents[-1].kind != "library")
    elaborator.check()
    return elaborator


def _check_on_foundation(imports: Imports, currency: Currency, workspace: Workspace, report: Report) -> Task | None:
    """Return the task, checked on its foundation (the documents that it uses).

    Return None if either has an error, or if the task changes the meaning of those documents.
    """
    result = _elaborate_on_foundation(imports, currency, workspace, Checker)
    if result is None:
        return None
    _, task, own = result
    for warning in () if own.failed else own.diagnostics:
        report.add(warning)
    return None if own.failed else task


def _elaborate_on_foundation(
    imports: Imports, currency: Currency, workspace: Workspace, checker: type[Checker]
) -> tuple[Elaborator, Task, Report] | None:
    """Check a task on its foundation (the documents that it uses).

    Return the elaborator, the task, and the report of the check. Return None if the foundation has an error, or if the
    task changes its meaning.
    """
    foundations = _foundations(imports.documents[:-1], currency, workspace)
    for _ in range(ATTEMPTS):
        on = foundations.current()
        if on is None:
            return None
        own = Report()
        try:
            elaborator = Elaborator(imports, currency, own, on, concrete=True, checker=checker)
            elaborator.check()
            return elaborator, elaborator.task(), own
        except EntangledDocumentError as error:
            if error.identified is None:
                return None
            foundations.without_id ^= {error.identified}
        except DiagnosticError:
            return None
    return None


class _Foundations:
    """The checked forms of one set of documents: one for each set of tables whose rows have no `id`.

    There can be several because the rows that a task adds also decide whether a table has the implied key `id`.

    Attributes:
        without_id: names of the tables whose rows had no `id` in the last task.
    """

    def __init__(self, used: Imports, currency: Currency) -> None:
        self._used = used
        self._currency = currency
        self._foundations: dict[frozenset[str], Foundation | None] = {}
        self.without_id: frozenset[str] = frozenset()

    def current(self) -> Foundation | None:
        """Return the foundation that suits the last task; None if it has an error."""
        if self.without_id not in self._foundations:
            self._foundations[self.without_id] = self._check()
        return self._foundations[self.without_id]

    def _check(self) -> Foundation | None:
        report = Report()
        if not self._used.documents:
            return None
        try:
            elaborator = Elaborator(
                self._used, self._currency, report, Foundation(), concrete=True, without_id=self.without_id
            )
            elaborator.check()
            foundation = elaborator.foundation()
        except DiagnosticError:
            return None
        return None if report.failed else foundation


def _foundations(used: list[Document], currency: Currency, workspace: Workspace) -> _Foundations:
    """Return what all tasks that use these documents share. The workspace caches it."""
    foundations = workspace.checked.setdefault((*used, currency.name), _Foundations(Imports(used), currency))
    assert isinstance(foundations, _Foundations)
    return foundations
