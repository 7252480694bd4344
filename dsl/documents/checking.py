"""A document with all that it uses -> checked; what tasks use is checked once for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import EntangledDocumentError, Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.currency import Currency, currency_of
from planspec.dsl.documents.elaborator import Elaborator
from planspec.dsl.documents.foundation import Foundation
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.imports import Imports, resolve_imports
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import DiagnosticError

ATTEMPTS = 3
"""The most foundations that are tried for a task."""


def check_whole(document: Document, workspace: Workspace, report: Report) -> Elaborator:
    """A document checked together with all that it uses.

    Args:
        document: of any kind but a suite.
        workspace: opens what it uses.
        report: takes what is wrong.
    """
    imports = resolve_imports(document, workspace, report)
    return _together(imports, currency_of(imports.documents, report), report)


def checked_task(document: Document, workspace: Workspace, report: Report) -> Task | None:
    """The task of a document, if it is one without errors.

    The task is checked as the difference that it makes to the documents it uses, which are checked once in a workspace.
    Where it has a mistake, or changes what they mean, all are checked together: then each mistake is told as a reader of
    the whole sees it.

    Args:
        document: a task.
        workspace: opens what the task uses, and keeps what was checked.
        report: takes what is wrong.
    """
    imports = resolve_imports(document, workspace, report)
    currency = currency_of(imports.documents, report)
    whole = imports.libraries and imports.worlds and currency.known and not report.failed
    made = _difference(imports, currency, workspace, report) if whole else None
    if made is None:
        made = _together(imports, currency, report).task()
    return None if report.failed else made


@dataclass(frozen=True, slots=True)
class Study:
    """A document as far as it could be checked, whatever is wrong with it.

    Attributes:
        documents: it and all that it uses, what is used first.
        names: all that they declare.
        task: the task, where it is one and has no error that a check without a search finds.
        checker: what checked the document's expressions.
    """

    documents: tuple[Document, ...]
    names: Names
    task: Task | None
    checker: Checker


def study(document: Document, workspace: Workspace, checker: type[Checker]) -> Study:
    """What checking learns of a document; mistakes are not told.

    A task is checked on what it uses as `checked_task` does it, also where it has mistakes, so that this is quick.

    Args:
        document: of any kind but a suite.
        workspace: opens what it uses, and keeps what was checked.
        checker: checks the document's expressions; one that takes notes sees them all, those of the scope, too.
    """
    report = Report()
    imports = resolve_imports(document, workspace, report)
    currency = currency_of(imports.documents, report)
    found: tuple[Elaborator, Task | None, Report] | None = None
    if document.kind == "task" and imports.libraries and imports.worlds and currency.known:
        found = _on_foundation(imports, currency, workspace, checker)
    if found is None:
        own = Report()
        elaborator = Elaborator(
            imports, currency, own, Foundation(), concrete=document.kind != "library", checker=checker
        )
        try:
            elaborator.check()
            made = elaborator.task() if document.kind == "task" else None
        except DiagnosticError:  # there are more mistakes than are reported
            made = None
        found = elaborator, made, own
    elaborator, made, own = found
    if made is not None:
        list(made.scope)  # one that is known to be sound is checked when it is read
    sound = not report.failed and not own.failed
    return Study(tuple(imports.documents), elaborator.names, made if sound else None, elaborator.checker)


def _together(imports: Imports, currency: Currency, report: Report) -> Elaborator:
    made = Elaborator(
        imports, currency, report, Foundation(), concrete=imports.documents[-1].kind != "library"
    )
    made.check()
    return made


def _difference(imports: Imports, currency: Currency, workspace: Workspace, report: Report) -> Task | None:
    """The task on its foundation; None where that has a mistake, or the task has one or changes what it means."""
    found = _on_foundation(imports, currency, workspace, Checker)
    if found is None:
        return None
    _, task, own = found
    for warning in () if own.failed else own.diagnostics:
        report.add(warning)
    return None if own.failed else task


def _on_foundation(
    imports: Imports, currency: Currency, workspace: Workspace, checker: type[Checker]
) -> tuple[Elaborator, Task, Report] | None:
    """The task on its foundation, with what is wrong with it; None where that has a mistake, or the task changes what it means."""
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
            foundations.bags ^= {error.identified}
        except DiagnosticError:
            return None
    return None


class _Foundations:
    """The same documents as foundations of tasks whose rows have an `id` and of those whose rows have none.

    Attributes:
        bags: the tables whose rows had none in the last task.
    """

    def __init__(self, used: Imports, currency: Currency) -> None:
        self._used = used
        self._currency = currency
        self._made: dict[frozenset[str], Foundation | None] = {}
        self.bags: frozenset[str] = frozenset()

    def current(self) -> Foundation | None:
        """The foundation for tasks like the last one; None where it has a mistake."""
        if self.bags not in self._made:
            self._made[self.bags] = self._founded()
        return self._made[self.bags]

    def _founded(self) -> Foundation | None:
        report = Report()
        if not self._used.documents:
            return None
        try:
            elaborator = Elaborator(
                self._used, self._currency, report, Foundation(), concrete=True, bags=self.bags
            )
            elaborator.check()
            made = elaborator.foundation()
        except DiagnosticError:
            return None
        return None if report.failed else made


def _foundations(used: list[Document], currency: Currency, workspace: Workspace) -> _Foundations:
    """The foundations that documents make in a workspace."""
    made = workspace.checked.setdefault((*used, currency.name), _Foundations(Imports(used), currency))
    assert isinstance(made, _Foundations)
    return made
