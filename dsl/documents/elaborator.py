"""Documents -> a checked task: names, rows, givens, rules, scope, in that order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.definedness import check_guards
from planspec.dsl.check.names import Names
from planspec.dsl.check.type_rules import article, settled, unit_of
from planspec.dsl.check.unused_names import unused_names
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.constraints import Rules
from planspec.dsl.documents.declarations import Declarations
from planspec.dsl.documents.definitions import Definitions
from planspec.dsl.documents.givens import settle_givens
from planspec.dsl.documents.kinds import check_kinds, listed_kinds
from planspec.dsl.documents.search_scope import check_scope, without_scope
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Objective, Task
from planspec.dsl.model.types import ORDERED, Special
from planspec.dsl.resources.limits import ANSWER_BYTES, DEPTH
from planspec.dsl.resources.reading import UnfitFile, read_text
from planspec.dsl.tables.defaults import Default
from planspec.dsl.tables.loader import assume_ids, load_rows
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.imports import resolve_imports
from planspec.dsl.workspace.sections import flag_of, texts, word_of
from planspec.dsl.workspace.workspace import Workspace, is_file, shown
from planspec.dsl.yaml.json_text import fault_of
from planspec.dsl.yaml.reader import Mapping, Node, Sequence
from planspec.dsl.yaml.reader import Scalar as Word


class Elaborator:
    """The pieces of one document with all that it uses, checked.

        What cannot be resolved is reported once: if a library is missing, unknown names are nobody's mistake; if a world is
    missing, neither are unknown rows and currencies.
    """

    def __init__(self, document: Document, workspace: Workspace, report: Report) -> None:
        self.document = document
        self.report = report
        gathered = resolve_imports(document, workspace, report)
        self.documents = gathered.documents
        self.sources: list[Source] = [d.source for d in self.documents]
        self.names = Names(unsure=not gathered.libraries)
        self.declarations = Declarations(self.names, report)
        self.checker = Checker(self.names, report)
        self.definitions = Definitions(self.declarations, self.checker, report)
        self.givens: dict[str, Any] = {}
        self.constraints: list[t.Constraint] = []
        self.kinds = listed_kinds(self.documents, report)
        self._worlds_known = gathered.libraries and gathered.worlds
        self._shelf = workspace.shelf

    def check(self) -> None:
        """Everything that a library and a world have, too."""
        names, document = self.names, self.document
        concrete = document.kind != "library"
        self._currency(known=concrete and self._worlds_known)
        self.declarations.gather(self.documents)
        self.definitions.declare(self.documents)
        if concrete:
            names.rows_known = True
            if not self._worlds_known:
                names.incomplete.update(name for name, table in names.tables.items() if not table.plan)
            load_rows(self.documents, names, self.report, self.sources, self._settle_defaults, self._shelf)
        else:
            assume_ids(names)
        self.declarations.settle_defaults(self.checker, lambda _: True)
        if document.kind == "task":
            self.givens = settle_givens(document, self.declarations, names, self.report)
        self.definitions.check()
        self.constraints = Rules(self.checker, self.report).constraints(self.documents)
        if document.kind == "library":
            check_scope(self.checker, self.documents)
        self._measures()
        check_kinds(self.documents, self.kinds, self.report)
        origins = {d.source.name: d.kind for d in self.documents}
        check_guards(
            self.constraints, [p.definition for p in names.definitions.values()], origins, self.report
        )

    def task(self) -> Task:
        """The task; call after `check`, and use only if nothing was reported as an error."""
        document, names, report = self.document, self.names, self.report
        sections = document.sections
        query = word_of(sections.get("query"), "`query`", report)
        if query == "" or "query" not in sections:
            report.error(
                "PS010", "the task has no `query`", document.key_span("query"), "a `query:` belongs to a task"
            )
        if (
            not names.unsure
            and "plan" not in sections
            and not any(table.plan for table in names.tables.values())
        ):
            report.error(
                "PS010", "the task has no `plan`", document.key_span("id"), "neither its own nor a library's"
            )
        measures = self._measures()
        task = Task(
            id=document.id,
            family=self._family(),
            query=query or "",
            tables=names.tables,
            facts=names.facts,
            enums=names.enums,
            givens=self.givens,
            given_declarations=names.givens,
            definitions={name: pending.definition for name, pending in names.definitions.items()},
            constraints=tuple(self.constraints),
            scope=check_scope(self.checker, self.documents),
            closed=flag_of(self.document.sections.get("closed"), "`closed`", self.report),
            unique=self._unique(),
            objectives=tuple(self._objectives()),
            reference=self._reference(),
            measures=measures,
            currency=names.currency,
            meta=self._meta(),
            sources=tuple(self.sources),
            span=document.root.span,
            title=word_of(sections.get("title"), "`title`", report) or "",
            kinds=tuple(self.kinds),
            removable=self._removable(),
        )
        if not report.failed:
            missing = without_scope(task)
            if missing is not None:
                help_text = "without one answers are judged, and nothing can be searched for or proved"
                report.warning("PS412", missing, document.key_span("id"), "no `scope:`", help=help_text)
            unused_names(task, document.source, set(measures), report)
        return task

    # -- parts ------------------------------------------------------------------------------------

    def _settle_defaults(self, ready: Callable[[Default], bool]) -> None:
        self.declarations.settle_defaults(self.checker, ready)

    def _currency(self, *, known: bool) -> None:
        said: Word | None = None
        for document in self.documents:
            node = document.sections.get("currency")
            if node is None:
                continue
            if (
                not isinstance(node, Word)
                or len(node.text) != 3
                or not (node.text.isascii() and node.text.isupper())
            ):
                self.report.error("PS011", "a currency is three capital letters", node.span, "such as EUR")
                known = False
            elif said is not None and said.text != node.text:
                self.report.error(
                    "PS314", "there is one currency", node.span, "another one",
                    secondary=[Label(said.span, "said here")],
                )  # fmt: skip
                known = False
            else:
                self.names.currency, said = node.text, node
        self.names.currency_known = known

    def _objectives(self) -> Iterator[Objective]:
        """The objectives of the task, in the order of its text."""
        for key, node in self.document.root.entries:
            if key.text not in ("minimize", "maximize"):
                continue
            items = node.items if isinstance(node, Sequence) else (node,)
            if not items:
                self.report.error(
                    "PS011", f"`{key.text}` is an expression or a list of them", node.span, "empty"
                )
            for item in items:
                expression = self._objective(item)
                if expression is not None:
                    yield Objective(key.text == "maximize", expression)

    def _objective(self, node: Node) -> t.Expr | None:
        tree = parse_node("expression", node, self.report)
        if tree is None or not self.checker.shallow(tree):
            return None
        made = settled(self.checker.expression(tree, {}))
        if made.type is not Special.WRONG and unit_of(made.type) not in ORDERED:
            self.report.error("PS303", "an objective is a number", made.span, article(made.type))
        return made

    def _unique(self) -> frozenset[tuple[str, str]] | None:
        node = self.document.sections.get("unique")
        if node is None:
            return None
        made = set()
        for word in texts(node, "`unique`", self.report):
            name, _, column = word.text.partition(".")
            table = self.names.tables.get(name)
            if table is not None and table.plan and column in table.columns:
                made.add((name, column))
            elif not self.names.unsure and name not in self.names.broken:
                options = [f"{x.name}.{c}" for x in self.names.tables.values() if x.plan for c in x.columns]
                self.report.error(
                    "PS204", f"the plan has no column `{word.text}`", word.span, "a column is written `table.column`",
                    help=did_you_mean(word.text, options),
                )  # fmt: skip
        return frozenset(made)

    def _measures(self) -> tuple[str, ...]:
        made: dict[str, None] = {}
        names = self.names
        for document in self.documents:
            for word in texts(document.sections.get("measures"), "`measures`", self.report):
                pending = names.definitions.get(word.text)
                if pending is not None and pending.signature.params is None:
                    made[word.text] = None
                elif not names.unsure and word.text not in names.broken:
                    values = [name for name, x in names.definitions.items() if x.signature.params is None]
                    label = (
                        "a measure is a value, this is a function"
                        if pending
                        else "a measure is the name of a definition"
                    )
                    self.report.error(
                        "PS201", f"there is no value `{word.text}` to report", word.span, label,
                        help=did_you_mean(word.text, values),
                    )  # fmt: skip
        return tuple(made)

    def _removable(self) -> tuple[str, ...]:
        made: dict[str, None] = {}
        for document in self.documents:
            for word in texts(document.sections.get("removable"), "`removable`", self.report):
                table = self.names.tables.get(word.text)
                if table is not None and not table.plan:
                    made[word.text] = None
                elif not self.names.unsure and word.text not in self.names.broken:
                    static = [name for name, x in self.names.tables.items() if not x.plan]
                    self.report.error(
                        "PS201", f"there is no table of facts `{word.text}`", word.span,
                        "a table of the plan" if table is not None else "unknown table",
                        help=did_you_mean(word.text, static),
                    )  # fmt: skip
        return tuple(made)

    def _family(self) -> str | None:
        for document in self.documents:
            text = word_of(document.sections.get("family"), "`family`", self.report)
            if text:
                return text
        return None

    def _meta(self) -> dict[str, Any]:
        node = self.document.sections.get("meta")
        if isinstance(node, Mapping):
            return {key.text: plain(value) for key, value in node.entries}
        if node is not None and not (isinstance(node, Word) and not node.text):
            self.report.error("PS011", "`meta` must be a mapping", node.span, "not a mapping")
        return {}

    def _reference(self) -> Any:
        node = self.document.sections.get("reference")
        if node is None or (isinstance(node, Word) and node.text in ("", "none")):
            return None
        if not isinstance(node, Word):
            return plain(node)
        path = (self.document.path.parent if self.document.path else Path()) / node.text
        if not is_file(path):
            self.report.error(
                "PS014", f"the file `{node.text[:80]}` is not there", node.span, "the reference answer"
            )
            return None
        try:
            text = read_text(path, ANSWER_BYTES)
            self.sources.append(Source(shown(path), text))
            made = json.loads(text, parse_float=Decimal)
            reason = fault_of(made, DEPTH)
            if reason is None:
                return made
        except UnfitFile as error:
            reason = error.strerror or "unfit"
        except (OSError, ValueError, RecursionError) as error:
            reason = (str(error).splitlines() or ["unreadable"])[0]
        self.report.error("PS014", f"the file `{node.text[:80]}` is not JSON", node.span, reason)
        return None


def plain(node: Node) -> Any:
    """YAML data as plain Python: texts, lists, mappings; `none` and blanks are None."""
    if isinstance(node, Word):
        return None if node.style == "plain" and node.text in ("", "none") else node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}
