"""Elaboration of documents into a checked task: first names, then rows, givens, constraints and scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.definedness import check_guards
from planspec.dsl.check.intervals import warn_of_single_moments
from planspec.dsl.check.names import Names
from planspec.dsl.check.unused_names import warn_of_unused_names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.cases import case_section
from planspec.dsl.documents.constraints import ConstraintChecker
from planspec.dsl.documents.currency import Currency
from planspec.dsl.documents.declarations import DeclarationCollector
from planspec.dsl.documents.definitions import DefinitionChecker
from planspec.dsl.documents.environment import EnvironmentChecker
from planspec.dsl.documents.foundation import Foundation
from planspec.dsl.documents.givens import read_givens
from planspec.dsl.documents.kinds import check_kinds, listed_kinds
from planspec.dsl.documents.objectives import check_max_gap, max_gaps, objectives
from planspec.dsl.documents.reach import report_hidden
from planspec.dsl.documents.search_scope import DeclaredScope, check_scope, no_scope_message
from planspec.dsl.documents.sound_scopes import (
    MAX_CACHED_SCOPES,
    MAX_CHECKED_SCOPES,
    SoundScope,
    have_same_rows,
    text_of_scope,
)
from planspec.dsl.documents.task_sections import (
    check_best,
    check_expectation,
    expectation,
    free_data,
    plan_columns,
    reference_answer,
)
from planspec.dsl.model import tree as t
from planspec.dsl.model.lazy_scope import EqualScope, LazyScope
from planspec.dsl.model.task import Objective, ScopeRow, Task
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import flag_of, texts, word_of
from planspec.dsl.tables.common_tables import unaffected_tables
from planspec.dsl.tables.defaults import Default
from planspec.dsl.tables.loader import LoadedTable, assume_ids, load_rows
from planspec.dsl.workspace.imports import Imports
from planspec.dsl.yaml.reader import Mapping, Node


class Elaborator:
    """Checks documents on top of a foundation: the documents that they use, if these are already checked.

    Every unresolved import is reported once. If a library is missing, unknown names are not reported. If a world is
    missing, unknown rows and currencies are not reported.

    Args:
        imports: a document and all documents that it uses, in order of dependency.
        currency: currency of all these documents.
        report: receives the diagnostics.
        foundation: the foundation, which consists of the first documents of `imports`; empty if none is checked yet.
        concrete: whether tables have rows, as in a task or a world.
        without_id: names of tables whose rows in later documents have no `id`.
        checker: class of the checker of expressions.

    Attributes:
        names: all names that the documents declare.
        constraints: the constraints in force.
    """

    def __init__(
        self,
        imports: Imports,
        currency: Currency,
        report: Report,
        foundation: Foundation,
        *,
        concrete: bool,
        without_id: Collection[str] = (),
        checker: type[Checker] = Checker,
    ) -> None:
        self.report = report
        self.constraints: list[t.Constraint] = []
        self._documents: Sequence[Document] = imports.documents
        self._new = imports.documents[len(foundation.documents) :]
        self._foundation = foundation
        self._concrete = concrete
        self._without_id = without_id
        self._worlds_known = imports.has_libraries and imports.has_worlds
        self.names = foundation.names.extended() if foundation.documents else Names(unsure=not imports.has_libraries)
        self.names.currency = currency.name
        self.names.currency_known = concrete and self._worlds_known and currency.is_consistent
        self.checker = checker(self.names, report)
        self._declarations = DeclarationCollector(self.names, report)
        self._definitions = DefinitionChecker(self._declarations, self.checker, report)
        self._rules = ConstraintChecker(self.checker, report, foundation.rules, foundation.dropped)
        self._environments = EnvironmentChecker(self.checker, self._declarations, foundation.environment)
        self._kinds = {**foundation.kinds, **listed_kinds(self._new, report)}
        self._tables: dict[str, LoadedTable] = {}
        self._givens: dict[str, Any] = {}
        self._objectives: tuple[Objective, ...] = ()

    def check(self) -> None:
        """Check everything except the sections that only a task has.

        Raises:
            EntangledDocumentError: the new documents change the meaning of their foundation.
        """
        names, report, foundation = self.names, self.report, self._foundation
        for warning in foundation.warnings:
            report.add(warning)
        self._declarations.collect(self._new)
        self._definitions.declare(self._new)
        if self._concrete:
            self._load()
        else:
            assume_ids(names)
        self._declarations.evaluate_defaults(self.checker, lambda _: True)
        document = self._documents[-1]
        if document.kind == "task":
            self._givens = read_givens(document, self._declarations, names, report)
        foundation.check_independence(names)
        self._definitions.check()
        self._rules.check(self._new)
        self.constraints = list(self._rules.in_force())
        self._environments.check(self._new)
        if self._environments.changed:
            report_hidden(self._environments.environment, report)
        if document.kind == "library":
            self._scope()
        self._measures()
        found = [tuple(objectives(each, self.checker)) for each in self._new]
        self._objectives = next((each for each in reversed(found) if each), foundation.objectives)
        check_kinds(self._new if foundation.kinds else self._documents, self._kinds, report)
        origins = {d.source.name: d.kind for d in self._documents}
        own = [p.definition for name, p in names.definitions.items() if name not in foundation.names.definitions]
        check_guards(self._rules.own_in_force(), own, origins, report)
        warn_of_single_moments(self._rules.own_in_force(), report)
        self.checker.absent_rows.report(self.checker)

    def foundation(self) -> Foundation:
        """Return the documents as a foundation for others. Call it after a `check` without errors."""
        scope, measures, removable = self._scope(), self._measures(), self._removable()
        names = self.names.extended()
        names.searched = set(self.names.searched)
        return Foundation(
            documents=tuple(self._documents),
            names=names,
            tables=self._tables,
            rules={name: replace(rule, own=False) for name, rule in self._rules.declared.items()},
            dropped=frozenset(self._rules.dropped),
            scope=scope,
            measures=measures,
            removable=removable,
            kinds=self._kinds,
            family=self._family(),
            objectives=self._objectives,
            max_gap=self._max_gap(),
            environment=self._environments.environment,
            warnings=self.report.ordered(),
        )

    def task(self) -> Task:
        """Return the task. Call it after a `check` without errors."""
        document, names, report = self._documents[-1], self.names, self.report
        sections = document.sections
        query = word_of(sections.get("query"), "`query`", report)
        if query == "" or "query" not in sections:
            report.error("PS010", "the task has no `query`", document.key_span("query"), "a `query:` belongs to a task")
        if not names.unsure and "plan" not in sections and not any(table.plan for table in names.tables.values()):
            report.error("PS010", "the task has no `plan`", document.key_span("id"), "neither its own nor a library's")
        measures = self._measures()
        sources = [d.source for d in self._documents]
        for table in self._tables.values():
            sources.extend(table.sources)
        task = Task(
            id=document.id,
            family=self._family(),
            query=query or "",
            tables=names.tables,
            facts=names.facts,
            enums=names.enums,
            givens=self._givens,
            given_declarations=names.givens,
            definitions={name: pending.definition for name, pending in names.definitions.items()},
            constraints=tuple(self.constraints),
            scope=self._scope_of_task(),
            closed=flag_of(sections.get("closed"), "`closed`", report),
            unique=plan_columns(document, "unique", names, report),
            unique_best=plan_columns(document, "unique_best", names, report),
            objectives=self._objectives,
            expects=expectation(document, report),
            max_gaps=max_gaps(self._max_gap(), self._objectives, names.currency, report),
            reference=reference_answer(document, sources, report),
            measures=measures,
            currency=names.currency,
            meta=free_data(document, report),
            sources=tuple(sources),
            span=document.root.span,
            title=word_of(sections.get("title"), "`title`", report) or "",
            kinds=tuple(self._kinds),
            removable=self._removable(),
            environment=self._environments.environment,
            own_tables=frozenset(self._tables_with_rows([document])),
            cases=case_section(document),
            record=document.record,
            shared=self._foundation.shared,
        )
        if not report.failed:
            missing = no_scope_message(task)
            if missing is not None:
                help_text = "without a scope, answers can be judged, but no plan can be searched for"
                report.warning("PS412", missing, document.key_span("id"), "no `scope:`", help=help_text)
            self.checker.absent_rows.report(self.checker)
            check_best(task, document, report)
            check_expectation(task, document, report)
            check_max_gap(task, document, report)
            warn_of_unused_names(task, task.span.source, report, everywhere=not self._foundation.documents)
        return task

    # -- parts ------------------------------------------------------------------------------------

    def _load(self) -> None:
        """Load the rows of the tables. Reuse the foundation's tables to which the new documents add nothing."""
        names, foundation = self.names, self._foundation
        names.rows_known = True
        if not self._worlds_known:
            names.incomplete.update(name for name, table in names.tables.items() if not table.plan)
        common = unaffected_tables(
            {name: table.facts.table for name, table in foundation.tables.items()}, self._tables_with_rows(self._new)
        )
        # An empty table without a key is loaded again, since new rows may give it the key `id`.
        loaded = {
            name: table
            for name, table in foundation.tables.items()
            if name in common and (table.facts.rows or table.facts.table.key)
        }
        self._tables = load_rows(
            self._documents,
            names,
            self.report,
            self._settle_defaults,
            loaded,
            foundation.names.tables,
            self._without_id,
            foundation.meanings,
        )

    def _tables_with_rows(self, documents: Sequence[Document]) -> set[str]:
        """Return the names of the tables under `tables` of these documents."""
        sections = (document.sections.get("tables") for document in documents)
        return {key.text for node in sections if isinstance(node, Mapping) for key, _ in node.entries}

    def _settle_defaults(self, ready: Callable[[Default], bool]) -> None:
        self._declarations.evaluate_defaults(self.checker, ready)

    def _scope(self) -> dict[str, DeclaredScope]:
        return check_scope(self.checker, self._new, self._foundation.scope)

    def _scope_of_task(self) -> Sequence[ScopeRow]:
        """Return the entries of the task's scope.

        If a scope with the same text was checked on this foundation without any diagnostic, the entries are
        checked only when they are needed.
        """
        names, foundation = self.names, self._foundation
        text = text_of_scope(self._documents[-1].sections.get("scope"), names, foundation.names)
        sound = None if text is None or self.report.failed else foundation.scopes.get(text)
        if sound is not None and have_same_rows(sound.searched, names, foundation.tables):
            return LazyScope(sound.entry_count, self._entries, sound.checked)
        reported, before = len(self.report.diagnostics), names.searched
        names.searched = set()
        rows = self._entries()
        searched = frozenset(names.searched)
        names.searched = before | searched
        if (
            text is not None
            and len(self.report.diagnostics) == reported
            and have_same_rows(searched, names, foundation.tables)
        ):
            if len(foundation.scopes) >= MAX_CACHED_SCOPES:
                foundation.scopes.clear()
            checked = EqualScope(rows) if len(foundation.scopes) < MAX_CHECKED_SCOPES else None
            foundation.scopes[text] = SoundScope(len(rows), searched, checked)
        return rows

    def _entries(self) -> tuple[ScopeRow, ...]:
        return tuple(row for part in self._scope().values() for row in part.rows or ())

    def _max_gap(self) -> Node | None:
        """Return the node under `max_gap` in the last document that has this section; None if no document has it."""
        nodes = [document.sections["max_gap"] for document in self._new if "max_gap" in document.sections]
        return nodes[-1] if nodes else self._foundation.max_gap

    def _measures(self) -> tuple[str, ...]:
        measures = dict.fromkeys(self._foundation.measures)
        names = self.names
        for document in self._new:
            for word in texts(document.sections.get("measures"), "`measures`", self.report):
                pending = names.definitions.get(word.text)
                if pending is not None and pending.signature.params is None:
                    measures[word.text] = None
                elif not names.unsure and word.text not in names.broken:
                    values = [name for name, x in names.definitions.items() if x.signature.params is None]
                    label = (
                        "a measure is a value, this is a function"
                        if pending
                        else "a measure is the name of a definition"
                    )
                    self.report.error(
                        "PS201",
                        f"there is no value `{word.text}` to report",
                        word.span,
                        label,
                        help=did_you_mean(word.text, values),
                    )
        return tuple(measures)

    def _removable(self) -> tuple[str, ...]:
        removable = dict.fromkeys(self._foundation.removable)
        for document in self._new:
            for word in texts(document.sections.get("removable"), "`removable`", self.report):
                table = self.names.tables.get(word.text)
                if table is not None and not table.plan:
                    removable[word.text] = None
                elif not self.names.unsure and word.text not in self.names.broken:
                    static = [name for name, x in self.names.tables.items() if not x.plan]
                    self.report.error(
                        "PS201",
                        f"there is no table of facts `{word.text}`",
                        word.span,
                        "a table of the plan" if table is not None else "unknown table",
                        help=did_you_mean(word.text, static),
                    )
        return tuple(removable)

    def _family(self) -> str | None:
        if self._foundation.family is not None:
            return self._foundation.family
        for document in self._new:
            text = word_of(document.sections.get("family"), "`family`", self.report)
            if text:
                return text
        return None
