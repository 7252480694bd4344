"""Documents -> a checked task: names, rows, givens, rules, scope, in that order."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from planspec.dsl import tree as t
from planspec.dsl.cells import Absent, Reader, cell_of, is_set_or_list
from planspec.dsl.checker import retyped
from planspec.dsl.declarations import Declarations
from planspec.dsl.diagnostics import Report
from planspec.dsl.workspace import Document, Workspace, texts
from planspec.dsl.guards import check_guards
from planspec.dsl.names import Names, did_you_mean
from planspec.dsl.parsing import parse
from planspec.dsl.row_loading import assume_ids, load_rows
from planspec.dsl.rules import Rules
from planspec.dsl.scopes import check_scope
from planspec.dsl.source import Source
from planspec.dsl.task import Objective, Task
from planspec.dsl.types import ListType, Scalar, ScaledType, SetType, Special, Type
from planspec.dsl.usage import unused_names
from planspec.dsl.values import guess_type
from planspec.dsl.yaml_source import Mapping, Node, Scalar as Word, Sequence, expression_span


def gather(document: Document, workspace: Workspace, report: Report) -> list[Document]:
    """A document and all that it uses, what is used first."""
    order: list[Document] = []
    state: dict[int, str] = {}

    def visit(found: Document) -> None:
        state[id(found)] = "open"
        needed: list[tuple[Word, str]] = [(word, "library") for word in texts(found.sections.get("uses"), "`uses`", report)]
        world = found.sections.get("world")
        if isinstance(world, Word) and world.text:
            needed.append((world, "world"))
        elif world is not None:
            report.error("PS011", "`world` names one world", world.span, "not a name")
        for word, kind in needed:
            other = workspace.resolve(word, kind, found, report)
            if other is None:
                continue
            if state.get(id(other)) == "open":
                report.error("PS018", f"`{other.id}` uses itself", word.span, "a circle of documents")
            elif id(other) not in state:
                visit(other)
        state[id(found)] = "done"
        order.append(found)

    visit(document)
    return order


class Assembly:
    """The pieces of one document with all that it uses, checked."""

    def __init__(self, document: Document, workspace: Workspace, report: Report) -> None:
        self.document = document
        self.report = report
        self.documents = gather(document, workspace, report)
        self.sources: list[Source] = [d.source for d in self.documents]
        self.names = Names()
        self.declarations = Declarations(self.names, report)
        self.rules = Rules(self.names, self.declarations, report)
        self.givens: dict[str, Any] = {}
        self.constraints: list[t.Constraint] = []

    def check(self) -> None:
        """Everything that a library and a world have, too."""
        concrete = self.document.kind != "library"
        self._currency(concrete)
        self.declarations.gather(self.documents)
        if concrete:
            load_rows(self.documents, self.names, self.report, self.sources)
        else:
            assume_ids(self.names)
        self.names.rows_known = concrete
        self.declarations.settle_defaults(self.rules.checker)
        if self.document.kind == "task":
            self._givens()
        self.rules.declare_definitions(self.documents)
        self.constraints = self.rules.constraints(self.documents)
        self.rules.check_definitions()
        definitions = [p.definition for p in self.names.definitions.values()]
        check_guards(self.constraints, definitions, {d.source.name: d.kind for d in self.documents}, self.report)

    # -- parts ------------------------------------------------------------------------------------

    def _currency(self, concrete: bool) -> None:
        for document in self.documents:
            node = document.sections.get("currency")
            if node is None:
                continue
            if not isinstance(node, Word) or len(node.text) != 3 or not node.text.isupper():
                self.report.error("PS011", "a currency is three capital letters", node.span, "such as EUR")
            elif self.names.currency not in (None, node.text):
                self.report.error("PS314", "there is one currency", node.span, f"{self.names.currency} is said elsewhere")
            else:
                self.names.currency = node.text
        self.names.currency_known = concrete

    def _givens(self) -> None:
        reader = Reader(self.names, self.report)
        section = self.document.sections.get("given")
        entries = section.entries if isinstance(section, Mapping) else ()
        if section is not None and not isinstance(section, Mapping) and not (isinstance(section, Word) and not section.text):
            self.report.error("PS011", "`given` is a mapping", section.span, "not a mapping")
        for key, node in entries:
            if not is_set_or_list(node):
                self.report.error("PS016", f"`{key.text}` is a word or a list", node.span, "a mapping")
                continue
            if key.text not in self.names.givens:
                if any(library.kind == "library" for library in self.documents) and key.text not in self.names.places:
                    close = did_you_mean(key.text, self.names.givens)
                    if close:
                        self.report.error("PS201", f"no library has a given `{key.text}`", key.span, "unknown given", help=close)
                        continue
                self.declarations.declare_given(key, self._guess(node))
            given = self.names.givens.get(key.text)
            if given is None or given.type is Special.WRONG:
                continue
            cell = cell_of(node)
            if cell.value is None or cell.value == "none":
                if not given.optional:
                    self.report.error("PS016", f"`{key.text}` is never none", node.span if cell.value else key.span, "none")
                else:
                    self.givens[key.text] = None
                continue
            try:
                self.givens[key.text] = reader.value(given.type, cell, key.text)
            except Absent:
                continue
        given_here = {key.text for key, _ in entries}
        for name, given in self.names.givens.items():
            if name in given_here or name in self.givens:
                continue
            if given.has_default:
                self.givens[name] = given.default
            elif given.optional or given.type is Special.WRONG:
                self.givens[name] = None
            else:
                self.report.error(
                    "PS409", f"the task gives `{name}` no value", self.document.key_span("given"), f"`{name}` is missing",
                    help=f"it is {given.type}",
                )  # fmt: skip

    def _guess(self, node: Node) -> Type:
        if isinstance(node, Word):
            return guess_type(node.text) if node.style == "plain" else Scalar.TEXT
        items = node.items if isinstance(node, Sequence) else ()
        kinds = {guess_type(item.text) for item in items if isinstance(item, Word)}
        return ListType(kinds.pop() if len(kinds) == 1 else Scalar.TEXT)

    def task(self) -> Task:
        """The task; call after `check`, and use only if nothing was reported as an error."""
        document, names = self.document, self.names
        sections = document.sections
        for name in ("query",):
            if name not in sections:
                self.report.error("PS010", f"the task has no `{name}`", document.key_span("id"), f"a `{name}:` belongs to a task")
        if not any(table.plan for table in names.tables.values()):
            self.report.error("PS010", "the task has no `plan`", document.key_span("id"), "neither its own nor a library's")
        scope = check_scope(self.rules.checker, document)
        objective = self._objective()
        query = sections.get("query")
        title = sections.get("title")
        measures = self._measures()
        task = Task(
            id=document.id,
            family=self._family(),
            query=query.text if isinstance(query, Word) else "",
            tables=names.tables,
            enums=names.enums,
            givens=self.givens,
            given_declarations=names.givens,
            definitions={name: pending.definition for name, pending in names.definitions.items()},
            constraints=tuple(self.constraints),
            scope=scope,
            closed=self._flag("closed"),
            unique=self._unique(),
            objective=objective,
            reference=self._reference(),
            measures=measures,
            currency=names.currency,
            meta=dict(plain(sections["meta"])) if isinstance(sections.get("meta"), Mapping) else {},
            sources=tuple(self.sources),
            span=document.root.span,
            title=title.text if isinstance(title, Word) else "",
            kinds=tuple(word.text for d in self.documents for word in texts(d.sections.get("kinds"), "`kinds`", self.report)),
        )
        unused_names(task, document.source, set(measures), self.report)
        return task

    def _objective(self) -> Objective | None:
        found = [(name, self.document.sections[name]) for name in ("minimize", "maximize") if name in self.document.sections]
        if len(found) > 1:
            self.report.error("PS010", "a task minimises or maximises", found[1][1].span, "not both")
        for name, node in found[:1]:
            tree = parse("expression", expression_span(node), self.report)
            if tree is None:
                return None
            made = self.rules.checker.expression(tree, {})
            if made.type is Special.UNIT_ZERO:
                made = retyped(made, Scalar.INT)
            units = (Scalar.INT, Scalar.DECIMAL, Scalar.DURATION, Scalar.MONEY, Scalar.DISTANCE, Scalar.TIME)
            if made.type not in units and not isinstance(made.type, ScaledType) and made.type is not Special.WRONG:
                self.report.error("PS303", "an objective is a number", made.span, str(made.type))
            return Objective(name == "maximize", made)
        return None

    def _flag(self, name: str) -> bool:
        node = self.document.sections.get(name)
        if node is None:
            return False
        text = node.text if isinstance(node, Word) else ""
        if text not in ("true", "false"):
            self.report.error("PS016", f"`{name}` is true or false", node.span, "neither")
        return text == "true"

    def _unique(self) -> frozenset[tuple[str, str]] | None:
        node = self.document.sections.get("unique")
        if node is None:
            return None
        made = set()
        for word in texts(node, "`unique`", self.report):
            name, _, column = word.text.partition(".")
            table = self.names.tables.get(name)
            if table is None or not table.plan or column not in table.columns:
                options = [f"{x.name}.{c}" for x in self.names.tables.values() if x.plan for c in x.columns]
                self.report.error("PS204", f"the plan has no `{word.text}`", word.span, "a column is `table.column`", help=did_you_mean(word.text, options))
            else:
                made.add((name, column))
        return frozenset(made)

    def _measures(self) -> tuple[str, ...]:
        made: dict[str, None] = {}
        for document in self.documents:
            for word in texts(document.sections.get("measures"), "`measures`", self.report):
                pending = self.names.definitions.get(word.text)
                if pending is None or pending.signature.params is not None:
                    self.report.error(
                        "PS201", f"there is no definition `{word.text}`", word.span, "a measure is a named value",
                        help=did_you_mean(word.text, self.names.definitions),
                    )  # fmt: skip
                else:
                    made[word.text] = None
        return tuple(made)

    def _family(self) -> str | None:
        for document in self.documents:
            node = document.sections.get("family")
            if isinstance(node, Word) and node.text:
                return node.text
        return None

    def _reference(self) -> Any:
        node = self.document.sections.get("reference")
        if node is None or isinstance(node, Word) and node.text in ("", "none"):
            return None
        if not isinstance(node, Word):
            return plain(node)
        path = (self.document.path.parent if self.document.path else Path()) / node.text
        try:
            return json.loads(path.read_text("utf-8"), parse_float=Decimal)
        except OSError:
            self.report.error("PS014", f"the file `{node.text}` is not there", node.span, "the reference answer")
        except (ValueError, RecursionError) as error:
            self.report.error("PS014", f"the file `{node.text}` is not JSON", node.span, str(error).splitlines()[0])
        return None


def plain(node: Node) -> Any:
    """YAML data as plain Python: texts, lists, mappings; `none` and blanks are None."""
    if isinstance(node, Word):
        return None if node.style == "plain" and node.text in ("", "none") else node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}


def with_kind(documents: Iterable[Document], kind: str) -> list[Document]:
    """Those of one kind."""
    return [document for document in documents if document.kind == kind]


__all__ = ["Assembly", "SetType", "gather", "plain", "replace", "with_kind"]
