"""Checking of wordings: documents with the templates from which requests for tasks are written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.templates import TemplateChecker
from planspec.dsl.diagnostics.diagnostic import DiagnosticError, Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.documents.worded_subjects import WordedSubject, worded_subject
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import SetType, Stage
from planspec.dsl.model.wording import (
    CATEGORIES,
    OTHER,
    PLURALS,
    Group,
    Phrase,
    SectionName,
    Variants,
    Wording,
    base_language,
)
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import known_keys, texts, word_of
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_](?:[A-Za-z]{4}|[A-Za-z]{2}|\d{3}))*")
AND = "and"
"""The default style in which the phrases of several rows are joined, as in `a, b and c`."""
SPECIALS: tuple[Literal["each", "count"], ...] = ("each", "count")
"""Placeholders with a fixed meaning in a sentence about all rows; they are not parsed as expressions."""
ROW = "row"
"""The name of the variable that stands for each row of a table if a group has no `for`."""


def check_wording(document: Document, workspace: Workspace, report: Report) -> Wording | None:
    """Check a wording against the libraries or the task that it names; None if they cannot be found.

    Args:
        document: a wording.
        workspace: opens the documents that it names.
        report: receives the diagnostics of the wording. Those of the documents that it names are left out.
    """
    subject = worded_subject(document, workspace, report)
    if subject is None:
        return None
    _check_id(document, subject.ids, report)
    return read_wording(document, subject, report)


@dataclass(frozen=True, slots=True)
class LenientWordingCheck:
    """The results of checking a wording that may have mistakes.

    Attributes:
        subject: the declarations that the wording puts into words.
        checker: the checker of the expressions in its templates.
    """

    subject: WordedSubject
    checker: Checker


def check_wording_leniently(
    document: Document, workspace: Workspace, checker: type[Checker]
) -> LenientWordingCheck | None:
    """Check a wording as far as its mistakes allow, and report nothing; None if its subject is not found.

    Args:
        document: a wording.
        workspace: opens the documents that it names.
        checker: class of the checker of expressions; it sees all of them.
    """
    report = Report()
    try:
        subject = worded_subject(document, workspace, report)
        if subject is None:
            return None
        reader = _WordingReader(document, subject, report, checker)
        reader.wording()
    except DiagnosticError:  # too many mistakes to report
        return None
    return LenientWordingCheck(subject, reader.checker)


def _check_id(document: Document, subjects: Iterable[str], report: Report) -> None:
    """Report a wording with another id than `wording_id`, since it would never be found."""
    language = document.sections.get("language")
    text = language.text if isinstance(language, Scalar) else ""
    ids = [wording_id(subject, text) for subject in subjects]
    if base_language(text) in PLURALS and document.id and document.id not in ids:
        label, help_text = "found by no request", f"name it `{ids[0]}`"
        report.error(
            "PS330",
            "the id of a wording is that of what it words, and the language",
            document.sections["id"].span,
            label,
            help=help_text,
        )


def wording_id(subject: str, language: str) -> str:
    """Return the id under which the wording of a library or task in a language is looked up."""
    return f"{subject}.{language}"


def read_wording(document: Document, subject: WordedSubject, report: Report) -> Wording | None:
    """Return the wording of a document; None if its language is unknown. Mistakes are reported.

    Args:
        document: a wording.
        subject: the declarations that the wording puts into words.
        report: receives the diagnostics.
    """
    return _WordingReader(document, subject, report).wording()


class _WordingReader:
    def __init__(
        self, document: Document, subject: WordedSubject, report: Report, checker: type[Checker] = Checker
    ) -> None:
        self._document, self._subject, self._report = document, subject, report
        self._names = subject.names
        self.checker = checker(subject.names, report)
        self._categories: tuple[str, ...] = (OTHER,)
        self._templates = TemplateChecker(self.checker, self._categories)

    def wording(self) -> Wording | None:
        sections = self._document.sections
        language = self._language(sections.get("language"))
        if language is None:
            return None
        self._categories = PLURALS[base_language(language)]
        names: dict[str, SectionName] = {name: name for name in get_args(SectionName)}
        self._templates = TemplateChecker(self.checker, self._categories)
        return Wording(
            self._document.id,
            language,
            sections["language"].span,
            self._words(sections.get("words")),
            self._variants(sections.get("begin"), {}),
            self._variants(sections.get("end"), {}),
            self._givens(sections.get("given")),
            self._tables(sections.get("tables")),
            self._rules(sections.get("rules")),
            self._unsaid(sections.get("unsaid")),
            tuple(names[key] for key in sections if key in names),
        )

    def _language(self, node: Node | None) -> str | None:
        if node is None:
            self._report.error(
                "PS010", "the wording has no `language`", self._document.key_span("id"), "a `language:` belongs here"
            )
            return None
        text = word_of(node, "`language`", self._report)
        if text is None:
            return None
        if LANGUAGE.fullmatch(text) and base_language(text) in PLURALS:
            return text
        close = (
            did_you_mean(text, PLURALS) or f"it is one of {', '.join(PLURALS)}, with or without a region, as in `pt-BR`"
        )
        self._report.error(
            "PS331", f"`{text}` is no language that can be worded", node.span, "unknown language", help=close
        )
        return None

    # -- sections ---------------------------------------------------------------------------------

    def _words(self, node: Node | None) -> dict[str, dict[str, dict[str, str]]]:
        result: dict[str, dict[str, dict[str, str]]] = {}
        for key, entry in self._entries(node, "`words`"):
            enum, table = self._names.enums.get(key.text), self._names.tables.get(key.text)
            if enum is None and (table is None or table.plan):
                static = [name for name, each in self._names.tables.items() if not each.plan]
                self._unknown(key, "type or table", [*self._names.enums, *static])
                continue
            words = result[key.text] = {}
            for member, value in self._entries(entry, f"`{key.text}`"):
                if enum is not None and member.text not in enum.members:
                    self._unknown(member, f"member of `{key.text}`", enum.members)
                    continue
                words[member.text] = self._forms(member, value)
        return result

    def _forms(self, key: Scalar, node: Node) -> dict[str, str]:
        if isinstance(node, Scalar):
            return {"": node.text}
        forms = {
            name.text: text
            for name, value in self._entries(node, f"`{key.text}`")
            if (text := word_of(value, f"`{name.text}`", self._report)) is not None
        }
        if "is" not in forms:
            label = f"it has {', '.join(forms) or 'none'}"
            self._report.error("PS330", f"`{key.text}` has no usual form", node.span, label, help="write it under `is`")
        return {"": forms.pop("is", key.text), **forms}

    def _givens(self, node: Node | None) -> dict[str, Variants]:
        result = {}
        for key, entry in self._entries(node, "`given`"):
            if key.text not in self._names.givens:
                self._unknown(key, "given", self._names.givens)
                continue
            result[key.text] = self._variants(entry, {}, is_numbered=True)
        return result

    def _tables(self, node: Node | None) -> dict[str, Group]:
        result = {}
        for key, entry in self._entries(node, "`tables`"):
            table = self._names.tables.get(key.text)
            if table is None or table.plan:
                self._unknown(
                    key, "table of facts", [name for name, each in self._names.tables.items() if not each.plan]
                )
                continue
            row = t.Binding(ROW, table.type, key.span)
            source = t.AllRows(SetType(table.type), key.span, Stage.STATIC, False, table)
            usual = (t.Clause((row,), source, None),)
            result[key.text] = self._group(key, entry, usual, {ROW: row})
        return result

    def _rules(self, node: Node | None) -> dict[str, Group]:
        result = {}
        for key, entry in self._entries(node, "`rules`"):
            rule = self._subject.rules.get(key.text)
            if rule is None and key.text not in self._subject.objectives:
                self._unknown(key, "constraint or objective", [*self._subject.rules, *self._subject.objectives])
                continue
            clauses = () if rule is None else rule.clauses
            env = {target.name: target for clause in clauses for target in clause.targets}
            result[key.text] = self._group(key, entry, None, env)
        return result

    def _unsaid(self, node: Node | None) -> frozenset[str]:
        names = [*self._names.givens, *self._names.tables, *self._subject.rules, *self._subject.objectives]
        found = set()
        for word in texts(node, "`unsaid`", self._report):
            if word.text in names:
                found.add(word.text)
            else:
                self._unknown(word, "given, table or rule", names)
        return frozenset(found)

    # -- parts ------------------------------------------------------------------------------------

    def _group(self, key: Scalar, node: Node, clauses: tuple[t.Clause, ...] | None, env: TypeEnv) -> Group:
        if not isinstance(node, Mapping):
            return Group(clauses, self._variants(node, env), (), AND, key.span)
        if all(word.text in CATEGORIES for word, _ in node.entries):
            return Group(clauses, (), self._variants(node, {}, specials=SPECIALS), AND, key.span)
        parts = known_keys(node, document_keys.PHRASE_GROUP, "a group of phrases", self._report)
        if "for" in parts:
            if clauses is None:
                self._report.error("PS009", "a rule has its own `for:`", parts["for"].span, "in the constraint")
            else:
                binder = parse_node("binder", parts["for"], self._report)
                if binder is not None and self.checker.is_shallow(binder):
                    clauses, env = self.checker.clauses(binder.clauses, {}, static="`for:`")
        each = self._variants(parts.get("each"), env)
        text = self._variants(parts.get("text"), {}, specials=SPECIALS)
        if not each and not text:
            self._report.error(
                "PS010", f"`{key.text}` has neither `each` nor `text`", key.span, "one of the two is needed"
            )
        join = word_of(parts.get("join"), "`join`", self._report)
        return Group(clauses, each, text, AND if join is None else join, key.span)

    def _variants(
        self,
        node: Node | None,
        env: TypeEnv,
        *,
        specials: tuple[Literal["each", "count"], ...] = (),
        is_numbered: bool = False,
    ) -> Variants:
        """Return the phrases of a node: one, or a list of alternatives."""
        items = node.items if isinstance(node, Sequence) else () if node is None else (node,)
        if isinstance(node, Sequence) and not items:
            self._report.error("PS010", "there is no phrase", node.span, "an empty list")
        return tuple(phrase for item in items if (phrase := self._phrase(item, env, specials, is_numbered)) is not None)

    def _phrase(
        self, node: Node, env: TypeEnv, specials: tuple[Literal["each", "count"], ...], is_numbered: bool
    ) -> Phrase | None:
        if not isinstance(node, Mapping):
            template = self._templates.template(node, env, specials=specials)
            return Phrase({OTHER: template}, node.span)
        if not specials and not is_numbered:
            self._report.error(
                "PS330",
                "nothing here has a number",
                node.span.first_line,
                "a phrase by number",
                help="give one phrase, or a list of alternatives",
            )
            return None
        forms = {}
        for key, value in node.entries:
            if key.text not in self._categories:
                categories = ", ".join(self._categories)
                self._report.error(
                    "PS330",
                    f"`{key.text}` is no plural category of this language",
                    key.span,
                    "no category",
                    help=f"it has {categories}",
                )
                continue
            forms[key.text] = self._templates.template(value, env, specials=specials)
        if OTHER not in forms:
            self._report.error(
                "PS330", "a phrase by number needs the category `other`", node.span.first_line, "no `other`"
            )
            return None
        return Phrase(forms, node.span)

    def _entries(self, node: Node | None, what: str) -> tuple[tuple[Scalar, Node], ...]:
        if isinstance(node, Mapping):
            return node.entries
        if node is not None and not (isinstance(node, Scalar) and not node.text):
            self._report.error("PS011", f"{what} must be a mapping", node.span, "not a mapping")
        return ()

    def _unknown(self, key: Scalar, kind: str, options: Iterable[str]) -> None:
        if self._subject.is_whole and not self._names.unsure:
            self._report.error(
                "PS201",
                f"there is no {kind} `{key.text}` to word",
                key.span,
                "unknown name",
                help=did_you_mean(key.text, list(options)),
            )
