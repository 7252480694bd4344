"""Analysis of one document: its nodes, names, and mentions of symbols."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.documents.checking import LenientCheck, check_leniently
from planspec.dsl.documents.turns import document_at_turn, read_turns
from planspec.dsl.documents.wordings import LenientWordingCheck, check_wording_leniently
from planspec.dsl.editing.node_kinds import Role, roles
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, Special, Type
from planspec.dsl.structure.document import Document
from planspec.dsl.syntax import nodes as s
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, expression_span
from planspec.dsl.yaml.reader import Sequence as Items
from planspec.live.language.mentions import mentions, nodes_of
from planspec.live.language.recording import ExpressionCheck, RecordingChecker
from planspec.live.language.symbols import Occurrence, Symbol, row_symbol, variable_symbol


@dataclass(slots=True, eq=False)
class _CheckerRecords:
    checks: list[ExpressionCheck] = field(default_factory=list)
    bindings: list[t.Binding] = field(default_factory=list)
    steps_names: list[s.Name] = field(default_factory=list)

    def add(self, checker: Checker) -> None:
        assert isinstance(checker, RecordingChecker)
        self.checks += checker.checks
        self.bindings += checker.bindings
        self.steps_names += checker.steps_names


class Analysis:
    """Results of checking a document that is valid YAML.

    Attributes:
        documents: imported documents, then the document itself.
        names: names that these documents declare.
        task: the task, at its last turn if it has several; None if the document has errors or is not a task.
        rules: ids of the constraints and objectives that a wording document (natural-language texts for rules) can
            describe; empty for other documents.
        checks: checks of expressions in the document's own text.
        bindings: variables of the document's `for` clauses.
        steps_names: places where `for` clauses use the builtin `steps`.
    """

    def __init__(self, document: Document, workspace: Workspace) -> None:
        records = _CheckerRecords()
        studied: LenientCheck | None = None
        wording: LenientWordingCheck | None = None
        if document.kind == "suite":
            pass
        elif document.kind == "wording":
            wording = check_wording_leniently(document, workspace, RecordingChecker)
            if wording is not None:
                records.add(wording.checker)
        elif document.kind == "task" and "turns" in document.sections:
            turns = read_turns(document, Report())
            for turn in turns:
                studied = check_leniently(document_at_turn(document, turns, turn.number), workspace, RecordingChecker)
                records.add(studied.checker)
        else:
            studied = check_leniently(document, workspace, RecordingChecker)
            records.add(studied.checker)
        self.document = document
        self.documents = (document,) if studied is None else (*studied.documents[:-1], document)
        self.names = Names() if studied is None else studied.names
        self.rules: tuple[str, ...] = ()
        if wording is not None:
            self.documents = (*wording.subject.documents, document)
            self.names = wording.subject.names
            self.rules = (*wording.subject.rules, *wording.subject.objectives)
        self.task: Task | None = None if studied is None else studied.task
        self.checks = [check for check in records.checks if check.span.source is document.source]
        self.bindings = [target for target in records.bindings if target.span.source is document.source]
        self.steps_names = [name for name in records.steps_names if name.span.source is document.source]

    @property
    def source(self) -> Source:
        """The document's text."""
        return self.document.source

    @cached_property
    def roles(self) -> dict[int, Role]:
        """Grammatical role of each YAML node that holds an expression or a declaration, by the node's `id()`."""
        return roles(self.document.root)

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """All mentions of symbols, sorted by position, each with a different span."""
        by_span: dict[tuple[int, int], Occurrence] = {}
        for occurrence in (*mentions(self.document, self.names), *self._expression_occurrences()):
            span = occurrence.span
            if span.source is self.source and span.end > span.start:
                existing = by_span.get((span.start, span.end))
                if existing is None or (occurrence.declares and not existing.declares):
                    by_span[span.start, span.end] = occurrence
        return sorted(by_span.values(), key=lambda x: (x.span.start, -x.span.end))

    @cached_property
    def declarations(self) -> dict[Symbol, Span]:
        """Span of each declaration in the document, by symbol."""
        places: dict[Symbol, Span] = {}
        for occurrence in self.occurrences:
            if occurrence.declares:
                places.setdefault(occurrence.symbol, occurrence.span)
        return places

    def occurrence_at(self, offset: int) -> Occurrence | None:
        """Return the smallest mention that contains an offset or ends at it, or None."""
        best = None
        for occurrence in self.occurrences:
            span = occurrence.span
            if span.start > offset:
                break
            if offset <= span.end and (best is None or span.end - span.start <= best.span.end - best.span.start):
                best = occurrence
        return best

    def find_check(self, offset: int) -> ExpressionCheck | None:
        """Return the check of the smallest expression around an offset, if possible one without an error, or None."""
        best: ExpressionCheck | None = None
        for check in self.checks:
            span = check.span
            if span.start <= offset <= span.end and (best is None or _is_better_check(check, best)):
                best = check
        return best

    def best_check(self, tree: s.Node) -> ExpressionCheck | None:
        """Return the most useful check of the expression at the span of a syntax tree, or None."""
        best: ExpressionCheck | None = None
        for check in self._checks_by_span.get((tree.span.start, tree.span.end), ()):
            if best is None or _is_better_check(check, best):
                best = check
        return best

    @cached_property
    def _checks_by_span(self) -> dict[tuple[int, int], list[ExpressionCheck]]:
        by_span: dict[tuple[int, int], list[ExpressionCheck]] = {}
        for check in self.checks:
            by_span.setdefault((check.span.start, check.span.end), []).append(check)
        return by_span

    def variable_type(self, name: str) -> Type | None:
        """Return the type of a variable or parameter of this name in the document or its imports, or None."""
        params = (p for x in self.names.definitions.values() for p in x.definition.params)
        return next((target.type for target in (*self.bindings, *params) if target.name == name), None)

    def binding_at(self, span: Span) -> t.Binding | None:
        """Return the variable or parameter whose binding begins where a span begins, or None."""
        for target in self.bindings:
            if target.span.start == span.start:
                return target
        for check in self.checks:
            for target in check.env.values():
                if target.span.source is self.source and target.span.start == span.start:
                    return target
        return next(
            (
                param
                for pending in self.names.definitions.values()
                for param in pending.definition.params
                if param.span.source is self.source and param.span.start == span.start
            ),
            None,
        )

    @cached_property
    def slices(self) -> list[Span]:
        """Spans of the text that are expressions or declarations. They are sorted and do not overlap."""
        spans = [expression_span(node) for node in nodes_of(self.document.root) if id(node) in self.roles]
        spans += (check.span for check in self.checks)
        slices_: list[Span] = []
        for span in sorted(spans, key=lambda x: (x.start, -x.end)):
            if not slices_ or span.start >= slices_[-1].end:
                slices_.append(span)
        return slices_

    def _expression_occurrences(self) -> Iterator[Occurrence]:
        names = self.names
        for target in self.bindings:
            yield Occurrence(variable_symbol(target.name, target.span), target.span, declares=True)
        for name in self.steps_names:
            yield Occurrence(Symbol("builtin", name.name), name.span)
        for check in sorted(self.checks, key=lambda x: x.checked.type is Special.WRONG):
            tree, checked = check.tree, check.checked
            match tree:
                case s.Name():
                    symbol = _symbol_of_name(names, checked) or self._symbol_of_wrong_name(tree, check)
                    if symbol is not None:
                        yield Occurrence(symbol, tree.span)
                case s.Attribute(value=value, name_span=at):
                    yield from self._attribute_occurrences(value, at, tree, check)
                case s.Subscript(value=s.Name() as value) if value.name not in check.env:
                    yield from self._global_name_occurrences(value)
                case s.CallOf(function=function):
                    if function.name in BUILTINS:
                        yield Occurrence(Symbol("builtin", function.name), function.span)
                    else:
                        yield from self._global_name_occurrences(function)
                    if function.name == "steps":
                        continue

    def _attribute_occurrences(
        self, value: s.Tree, at: Span, tree: s.Attribute, check: ExpressionCheck
    ) -> Iterator[Occurrence]:
        names, checked = self.names, check.checked
        if isinstance(value, s.Name) and value.name not in check.env:
            binding = check.env.get(f"{value.name}.{tree.name}")
            if binding is not None:
                yield Occurrence(variable_symbol(binding.name, binding.span), at)
                return
            table = names.tables.get(value.name)
            if value.name in names.enums or (table is not None and not table.one):
                yield from self._global_name_occurrences(value)
        match checked:
            case t.FieldOf(row=row) if isinstance(row.type, RowType):
                yield Occurrence(Symbol("column", tree.name, row.type.table), at)
            case t.Literal(type=EnumType(name=enum)):
                yield Occurrence(Symbol("member", tree.name, enum), at)
            case t.RowNamed(table=table, key=key):
                yield Occurrence(row_symbol(names, table, key), at)
            case _:
                owner = self.best_check(value)
                if owner is not None and isinstance(owner.checked.type, RowType):
                    yield Occurrence(Symbol("column", tree.name, owner.checked.type.table), at)

    def _global_name_occurrences(self, name: s.Name) -> Iterator[Occurrence]:
        if name.name in self.names.places:
            yield Occurrence(Symbol("name", name.name), name.span)

    def _symbol_of_wrong_name(self, tree: s.Name, check: ExpressionCheck) -> Symbol | None:
        """Return the symbol of a name in a failed check; None if the name is not declared."""
        binding = check.env.get(tree.name)
        if binding is not None:
            return variable_symbol(binding.name, binding.span)
        return Symbol("name", tree.name) if tree.name in self.names.places else None


def _is_better_check(check: ExpressionCheck, other: ExpressionCheck) -> bool:
    """Return whether a check is at least as useful as another.

    Checks of smaller expressions are more useful. For expressions of equal size, checks without an error are more
    useful.
    """
    size, before = check.span.end - check.span.start, other.span.end - other.span.start
    if size != before:
        return size < before
    return check.checked.type is not Special.WRONG or other.checked.type is Special.WRONG


def _symbol_of_name(names: Names, checked: t.Expr) -> Symbol | None:
    """Return the symbol of a name in a check without an error, or None."""
    match checked:
        case t.Var(binding=binding):
            return variable_symbol(binding.name, binding.span)
        case t.GivenRef(given=given):
            return Symbol("name", given.name)
        case t.Apply(definition=definition):
            return Symbol("name", definition.name)
        case t.OnlyRow(table=table) | t.AllRows(table=table):
            return Symbol("name", table.name)
        case t.AllMembers(enum=enum):
            return Symbol("name", enum.name)
        case t.RowNamed(table=table, key=key):
            return row_symbol(names, table, key)
        case t.Literal(type=EnumType(name=enum_name), value=str() as value):
            return Symbol("member", value, enum_name)
        case _:
            return None


def path_to(root: Node, offset: int) -> Sequence[tuple[Scalar | None, Node]]:
    """Return the (key, value) pairs around an offset, outermost first. The key of a list item is None."""
    path: list[tuple[Scalar | None, Node]] = []
    node = root
    while True:
        step: tuple[Scalar | None, Node] | None = None
        match node:
            case Mapping(entries=entries):
                step = next(
                    (
                        (key, value)
                        for key, value in entries
                        if key.span.start <= offset <= max(key.span.end, value.span.end)
                    ),
                    None,
                )
            case Items(items=items):
                step = next(((None, item) for item in items if item.span.start <= offset <= item.span.end), None)
            case Scalar():
                pass
        if step is None:
            return path
        path.append(step)
        node = step[1]
