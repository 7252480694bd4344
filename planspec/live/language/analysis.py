"""Analysis of one document: its nodes, names, and symbols by place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.documents.checking import Study, study
from planspec.dsl.documents.turns import at_turn, turns_of
from planspec.dsl.editing.node_kinds import Role, roles
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, Special, Type
from planspec.dsl.syntax import nodes as s
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, expression_span
from planspec.dsl.yaml.reader import Sequence as Items
from planspec.live.language.mentions import mentions, nodes_of
from planspec.live.language.recording import ExpressionSighting, RecordingChecker
from planspec.live.language.symbols import Occurrence, Symbol, row_symbol, variable


@dataclass(slots=True, eq=False)
class _Notes:
    seen: list[ExpressionSighting] = field(default_factory=list)
    bound: list[t.Binding] = field(default_factory=list)
    neighbours: list[s.Name] = field(default_factory=list)

    def take(self, checker: Checker) -> None:
        assert isinstance(checker, RecordingChecker)
        self.seen += checker.seen
        self.bound += checker.bound
        self.neighbours += checker.neighbours


class Analysis:
    """A document that is valid YAML, with the results of checking it.

    Attributes:
        documents: the document and everything that it uses, imports first.
        names: all names that they declare.
        task: the task, if the document is one without errors; for a conversation, the last turn.
        sightings: checked expressions of the document's own text.
        bound: variables of its `for` clauses.
        neighbours: the words `steps` in them.
    """

    def __init__(self, document: Document, workspace: Workspace) -> None:
        notes = _Notes()
        study_: Study | None = None
        if document.kind == "suite":
            pass
        elif document.kind == "task" and "turns" in document.sections:
            turns = turns_of(document, Report())
            for turn in turns:
                study_ = study(at_turn(document, turns, turn.number), workspace, RecordingChecker)
                notes.take(study_.checker)
        else:
            study_ = study(document, workspace, RecordingChecker)
            notes.take(study_.checker)
        self.document = document
        self.documents = (document,) if study_ is None else (*study_.documents[:-1], document)
        self.names = Names() if study_ is None else study_.names
        self.task: Task | None = None if study_ is None else study_.task
        self.sightings = [seen for seen in notes.seen if seen.span.source is document.source]
        self.bound = [target for target in notes.bound if target.span.source is document.source]
        self.neighbours = [name for name in notes.neighbours if name.span.source is document.source]

    @property
    def source(self) -> Source:
        """The document's text."""
        return self.document.source

    @cached_property
    def roles(self) -> dict[int, Role]:
        """Role of each node that the grammar reads, by the node's identity."""
        return roles(self.document.root)

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """All mentions of symbols, sorted by place; one for each place."""
        by_place: dict[tuple[int, int], Occurrence] = {}
        for occurrence in (*mentions(self.document, self.names), *self._in_expressions()):
            span = occurrence.span
            if span.source is self.source and span.end > span.start:
                existing = by_place.get((span.start, span.end))
                if existing is None or (occurrence.declares and not existing.declares):
                    by_place[span.start, span.end] = occurrence
        return sorted(by_place.values(), key=lambda x: (x.span.start, -x.span.end))

    @cached_property
    def declarations(self) -> dict[Symbol, Span]:
        """Places where the document declares its symbols."""
        places: dict[Symbol, Span] = {}
        for occurrence in self.occurrences:
            if occurrence.declares:
                places.setdefault(occurrence.symbol, occurrence.span)
        return places

    def occurrence_at(self, offset: int) -> Occurrence | None:
        """Return the smallest mention that contains or ends at an offset."""
        best = None
        for occurrence in self.occurrences:
            span = occurrence.span
            if span.start > offset:
                break
            if offset <= span.end and (
                best is None or span.end - span.start <= best.span.end - best.span.start
            ):
                best = occurrence
        return best

    def sighting_at(self, offset: int) -> ExpressionSighting | None:
        """Return the smallest checked expression around an offset, preferring checks without errors."""
        best: ExpressionSighting | None = None
        for seen in self.sightings:
            span = seen.span
            if span.start <= offset <= span.end and (best is None or _better(seen, best)):
                best = seen
        return best

    def sighting_of(self, tree: s.Node) -> ExpressionSighting | None:
        """Return the best check of the expression at a tree's place."""
        best: ExpressionSighting | None = None
        for seen in self._by_place.get((tree.span.start, tree.span.end), ()):
            if best is None or _better(seen, best):
                best = seen
        return best

    @cached_property
    def _by_place(self) -> dict[tuple[int, int], list[ExpressionSighting]]:
        by_place: dict[tuple[int, int], list[ExpressionSighting]] = {}
        for seen in self.sightings:
            by_place.setdefault((seen.span.start, seen.span.end), []).append(seen)
        return by_place

    def usual_type(self, name: str) -> Type | None:
        """Return the type of variables with this name elsewhere in the document, or in its imports."""
        params = (p for x in self.names.definitions.values() for p in x.definition.params)
        return next((target.type for target in (*self.bound, *params) if target.name == name), None)

    def binding_at(self, span: Span) -> t.Binding | None:
        """Return the variable, or the parameter of a definition or tool, that is bound at a place."""
        for target in self.bound:
            if target.span.start == span.start:
                return target
        for seen in self.sightings:
            for target in seen.env.values():
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
        """Parts of the text that the grammar reads, in order and disjoint."""
        spans = [expression_span(node) for node in nodes_of(self.document.root) if id(node) in self.roles]
        spans += (seen.span for seen in self.sightings)
        slices_: list[Span] = []
        for span in sorted(spans, key=lambda x: (x.start, -x.end)):
            if not slices_ or span.start >= slices_[-1].end:
                slices_.append(span)
        return slices_

    def _in_expressions(self) -> Iterator[Occurrence]:
        names = self.names
        for target in self.bound:
            yield Occurrence(variable(target.name, target.span), target.span, declares=True)
        for name in self.neighbours:
            yield Occurrence(Symbol("builtin", name.name), name.span)
        for seen in sorted(self.sightings, key=lambda x: x.checked.type is Special.WRONG):
            tree, checked = seen.tree, seen.checked
            match tree:
                case s.Name():
                    symbol = _meaning(names, checked) or self._mistaken(tree, seen)
                    if symbol is not None:
                        yield Occurrence(symbol, tree.span)
                case s.Attribute(value=value, name_span=at):
                    yield from self._attribute(value, at, tree, seen)
                case s.Subscript(value=s.Name() as value) if value.name not in seen.env:
                    yield from self._flat(value)
                case s.CallOf(function=function):
                    if function.name in BUILTINS:
                        yield Occurrence(Symbol("builtin", function.name), function.span)
                    else:
                        yield from self._flat(function)
                    if function.name == "steps":
                        continue

    def _attribute(
        self, value: s.Tree, at: Span, tree: s.Attribute, seen: ExpressionSighting
    ) -> Iterator[Occurrence]:
        names, checked = self.names, seen.checked
        if isinstance(value, s.Name) and value.name not in seen.env:
            binding = seen.env.get(f"{value.name}.{tree.name}")
            if binding is not None:
                yield Occurrence(variable(binding.name, binding.span), at)
                return
            table = names.tables.get(value.name)
            if value.name in names.enums or (table is not None and not table.one):
                yield from self._flat(value)
        match checked:
            case t.FieldOf(row=row) if isinstance(row.type, RowType):
                yield Occurrence(Symbol("column", tree.name, row.type.table), at)
            case t.Literal(type=EnumType(name=enum)):
                yield Occurrence(Symbol("member", tree.name, enum), at)
            case t.RowNamed(table=table, key=key):
                yield Occurrence(row_symbol(names, table, key), at)
            case _:
                owner = self.sighting_of(value)
                if owner is not None and isinstance(owner.checked.type, RowType):
                    yield Occurrence(Symbol("column", tree.name, owner.checked.type.table), at)

    def _flat(self, name: s.Name) -> Iterator[Occurrence]:
        if name.name in self.names.places:
            yield Occurrence(Symbol("name", name.name), name.span)

    def _mistaken(self, tree: s.Name, seen: ExpressionSighting) -> Symbol | None:
        """Return the symbol of a known name whose use is an error."""
        binding = seen.env.get(tree.name)
        if binding is not None:
            return variable(binding.name, binding.span)
        return Symbol("name", tree.name) if tree.name in self.names.places else None


def _better(seen: ExpressionSighting, other: ExpressionSighting) -> bool:
    """Return whether a check is of a smaller expression, or of one as small without an error."""
    size, before = seen.span.end - seen.span.start, other.span.end - other.span.start
    if size != before:
        return size < before
    return seen.checked.type is not Special.WRONG or other.checked.type is Special.WRONG


def _meaning(names: Names, checked: t.Expr) -> Symbol | None:
    """Return the symbol that a bare name means."""
    match checked:
        case t.Var(binding=binding):
            return variable(binding.name, binding.span)
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
    """Return the keys and values around an offset, outermost first; list items have no key."""
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
                step = next(
                    ((None, item) for item in items if item.span.start <= offset <= item.span.end), None
                )
            case Scalar():
                pass
        if step is None:
            return path
        path.append(step)
        node = step[1]
