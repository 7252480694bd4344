"""Mentions of symbols outside expressions: in declarations, lists of names, and data."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf

from planspec.dsl.check.names import SCALARS, Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.editing.node_kinds import roles
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType, Table, Type
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence, expression_span
from planspec.live.language.symbols import Occurrence, Symbol, row_symbol, variable_symbol


def mentions(document: Document, names: Names) -> list[Occurrence]:
    """Return all mentions of symbols outside expressions, unsorted."""
    return list(_DocumentMentions(document, names).occurrences())


class _DocumentMentions:
    def __init__(self, document: Document, names: Names) -> None:
        self._document = document
        self._names = names
        self._sections = [document.sections]
        turns = document.sections.get("turns")
        for turn in turns.items if isinstance(turns, Sequence) else ():
            self._sections.append({key.text: node for key, node in _entries(turn)})

    def occurrences(self) -> Iterator[Occurrence]:  # noqa: C901 one case for each section
        document = self._document
        id_ = document.sections.get("id")
        if isinstance(id_, Scalar) and id_.text:
            yield Occurrence(Symbol("document", id_.text, document.kind), _unquoted_span(id_), declares=True)
        if document.kind == "wording":
            yield from self._wording_names()
            return
        yield from self._type_names(document.root)
        for sections in self._sections:
            for name, node in sections.items():
                match name:
                    case "uses":
                        yield from (self._name_occurrence(word, "document", "library") for word in _scalars(node))
                    case "world":
                        yield from (self._name_occurrence(word, "document", "world") for word in _scalars(node))
                    case "tasks" if document.kind == "suite":
                        yield from (self._name_occurrence(word, "document", "task") for word in _scalars(node))
                    case "types":
                        yield from self._enum_names(node)
                    case "tables":
                        yield from self._table_names(node)
                    case "plan":
                        yield from self._plan_names(node)
                    case "given":
                        yield from self._given_names(node)
                    case "define":
                        yield from self._definition_names(node)
                    case "constraints":
                        yield from (
                            Occurrence(Symbol("constraint", key.text), _unquoted_span(key), declares=True)
                            for key, _ in _entries(node)
                        )
                    case "without" | "drop":
                        yield from (self._name_occurrence(word, "constraint") for word in _scalars(node))
                    case "measures" | "removable":
                        yield from (self._name_occurrence(word, "name") for word in _scalars(node))
                    case "unique" | "unique_best":
                        for word in _scalars(node):
                            yield from self._dotted_name(word)
                    case "scope":
                        yield from self._scope_names(node)
                    case "reference":
                        yield from self._answer_names(node)
                    case "cases":
                        yield from self._case_names(node)
                    case "environment":
                        yield from self._environment_names(node)
                    case "shows":
                        yield from self._key_names(node, "show")
                    case "tells":
                        for key, _ in _entries(node):
                            yield from self._dotted_name(key)

    def _wording_names(self) -> Iterator[Occurrence]:
        """Yield mentions of the givens, tables and rules that a wording document describes."""
        sections = self._document.sections
        for section, kind in (("uses", "library"), ("task", "task")):
            node = sections.get(section)
            yield from () if node is None else (self._name_occurrence(x, "document", kind) for x in _scalars(node))
        for section, kind in (("given", "name"), ("tables", "name"), ("words", "name"), ("rules", "constraint")):
            yield from (self._name_occurrence(key, kind) for key, _ in _entries(sections.get(section)))
        for key, words in _entries(sections.get("words")):
            if key.text in self._names.enums:
                for member, _ in _entries(words):
                    yield Occurrence(Symbol("member", member.text, key.text), _unquoted_span(member))

    # -- declarations -----------------------------------------------------------------------------

    def _enum_names(self, node: Node) -> Iterator[Occurrence]:
        for key, value in _entries(node):
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key), declares=True)
            if isinstance(value, Scalar):
                for span in _part_spans(value, "|"):
                    yield Occurrence(Symbol("member", span.text, key.text), span, declares=True)

    def _table_names(self, node: Node) -> Iterator[Occurrence]:
        for key, entry in _entries(node):
            parts = {word.text: inner for word, inner in _entries(entry)}
            columns: Node | None = parts.get("columns")
            bare = self._document.kind == "library" or not parts.keys() & document_keys.TABLE_MARKS
            if columns is None and bare and isinstance(entry, Mapping):
                columns = entry
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key), declares=columns is not None)
            if columns is not None:
                yield from self._column_names(key.text, columns)
            table = self._names.tables.get(key.text)
            if table is None:
                continue
            rows = parts.get("rows", entry)
            for row in rows.items if isinstance(rows, Sequence) else ():
                yield from self._row_names(table, row, declares=True)
            for name in ("map", "without"):
                for inner in _items(parts.get(name)):
                    yield from self._row_names(table, inner, declares=False, with_cells=name == "without")

    def _column_names(self, table: str, node: Node) -> Iterator[Occurrence]:
        plan = self._names.tables.get(table)
        for key, value in _entries(node):
            flag = key.text == "one" and isinstance(value, Scalar) and value.text in ("true", "false")
            if not (flag and plan is not None and plan.plan):
                yield Occurrence(Symbol("column", key.text, table), _unquoted_span(key), declares=True)

    def _plan_names(self, node: Node) -> Iterator[Occurrence]:
        for key, entry in _entries(node):
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key), declares=True)
            yield from self._column_names(key.text, entry)

    def _given_names(self, node: Node) -> Iterator[Occurrence]:
        library = self._document.kind != "task"
        for key, value in _entries(node):
            given = self._names.givens.get(key.text)
            own = given is not None and given.span.source is self._document.source
            first = own and given is not None and given.span.start == key.span.start
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key), declares=library or first)
            if not library and given is not None:
                yield from self._cell_names(given.type, value)

    def _definition_names(self, node: Node) -> Iterator[Occurrence]:
        for key, _ in _entries(node):
            signature = parse("signature", expression_span(key), Report())
            if signature is None:
                yield Occurrence(Symbol("name", key.text), _unquoted_span(key), declares=True)
                continue
            start = signature.span.start
            span = Span(signature.span.source, start, start + len(signature.name))
            yield Occurrence(Symbol("name", signature.name), span, declares=True)

    def _type_names(self, root: Node) -> Iterator[Occurrence]:
        """Yield mentions of types, and declarations of parameters."""
        roles_ = roles(root)
        for node in nodes_of(root):
            role = roles_.get(id(node))
            if role == "column":
                column = parse_node("column", node, Report())
                if column is not None:
                    yield from self._type_name(column.type)
            elif role == "signature":
                signature = parse("signature", expression_span(node), Report())
                for name, type_ in (signature.params or ()) if signature is not None else ():
                    yield Occurrence(variable_symbol(name.name, name.span), name.span, declares=True)
                    yield from self._type_name(type_)

    def _type_name(self, tree: s.TypeTree) -> Iterator[Occurrence]:
        if tree.name not in SCALARS:
            yield Occurrence(Symbol("name", tree.name), tree.name_span)

    # -- data -------------------------------------------------------------------------------------

    def _scope_names(self, node: Node) -> Iterator[Occurrence]:
        for key, entry in _entries(node):
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key))
            for row in _items(entry):
                for column, _ in _entries(row):
                    if column.text not in document_keys.SCOPE_ROW:
                        yield Occurrence(Symbol("column", column.text, key.text), _unquoted_span(column))

    def _answer_names(self, node: Node) -> Iterator[Occurrence]:
        """Yield the mentions of symbols in an answer written in the document, such as the reference."""
        for key, entry in _entries(node):
            table = self._names.tables.get(key.text)
            if table is None or not table.plan:
                continue
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key))
            for row in _items(entry):
                yield from self._row_names(table, row, declares=False)

    def _case_names(self, node: Node) -> Iterator[Occurrence]:
        for key, entry in _entries(node):
            yield Occurrence(Symbol("case", key.text), _unquoted_span(key), declares=True)
            for word, inner in _entries(entry):
                match word.text:
                    case "answer":
                        yield from self._answer_names(inner)
                    case "change":
                        yield from self._edited_answer_names(inner)
                    case "violates" | "soft":
                        for span in (_unquoted_span(item) for item in _scalars(inner)):
                            name = span.text.partition("[")[0]
                            yield Occurrence(
                                Symbol("constraint", name),
                                Span(span.source, span.start, span.start + len(name)),
                            )

    def _edited_answer_names(self, node: Node) -> Iterator[Occurrence]:
        for key, entry in _entries(node):
            table = self._names.tables.get(key.text)
            if table is None or not table.plan:
                continue
            yield Occurrence(Symbol("name", key.text), _unquoted_span(key))
            for name, row in _entries(entry):
                if name.text in table.columns:  # the table has a single row, which is not in a list
                    yield from self._row_cell_names(table, name, row, declares=False)
                else:
                    yield from self._row_names(table, row, declares=False)

    def _row_names(self, table: Table, row: Node, *, declares: bool, with_cells: bool = True) -> Iterator[Occurrence]:
        for name, value in _entries(row):
            if with_cells:
                yield from self._row_cell_names(table, name, value, declares=declares)
            elif name.text in table.columns:
                yield Occurrence(Symbol("column", name.text, table.name), _unquoted_span(name))

    def _row_cell_names(self, table: Table, name: Scalar, value: Node, *, declares: bool) -> Iterator[Occurrence]:
        column = table.columns.get(name.text)
        if column is None:
            return
        yield Occurrence(Symbol("column", name.text, table.name), _unquoted_span(name))
        key = declares and table.key == (name.text,) and not isinstance(column.type, RowType)
        if key and isinstance(value, Scalar) and value.text:
            yield Occurrence(Symbol("row", value.text, table.name), _unquoted_span(value), declares=True)
        else:
            yield from self._cell_names(column.type, value)

    def _cell_names(self, type_: Type, node: Node) -> Iterator[Occurrence]:
        if isinstance(type_, SetType | ListType):
            for item in node.items if isinstance(node, Sequence) else ():
                yield from self._cell_names(type_.item, item)
        elif not isinstance(node, Scalar) or not node.text or node.text == "none":
            return
        elif isinstance(type_, EnumType):
            yield Occurrence(Symbol("member", node.text, type_.name), _unquoted_span(node))
        elif isinstance(type_, RowType) and type_.table in self._names.tables:
            yield Occurrence(row_symbol(self._names, self._names.tables[type_.table], node.text), _unquoted_span(node))

    # -- what agents see --------------------------------------------------------------------------

    def _environment_names(self, node: Node) -> Iterator[Occurrence]:
        for word, inner in _entries(node):
            match word.text:
                case "hidden":
                    for item in _scalars(inner):
                        yield from self._dotted_name(item)
                case "shapes":
                    for key, _ in _entries(inner):
                        signature = parse("signature", expression_span(key), Report())
                        name = key.text if signature is None else signature.name
                        at = key.span.start
                        yield Occurrence(
                            Symbol("shape", name), Span(key.span.source, at, at + len(name)), declares=True
                        )
                case "shows":
                    yield from self._key_names(inner, "show")
                case "tools":
                    yield from self._key_names(inner, "tool")
                    for _, tool in _entries(inner):
                        params = next((value for key, value in _entries(tool) if key.text == "params"), None)
                        for key, _ in _entries(params):
                            yield Occurrence(variable_symbol(key.text, key.span), _unquoted_span(key), declares=True)
                case "settings":
                    yield from self._setting_names(inner)
                case "briefs":
                    yield from self._key_names(inner, "brief")
                case "default":
                    yield from (self._name_occurrence(item, "setting") for item in _scalars(inner))

    def _key_names(self, node: Node, kind: str) -> Iterator[Occurrence]:
        for key, value in _entries(node):
            if kind == "show" and isinstance(value, Scalar) and value.text == "all":
                yield Occurrence(Symbol("name", key.text), _unquoted_span(key))
                continue
            symbol = {"show": Symbol("show", key.text), "tool": Symbol("tool", key.text)}
            yield Occurrence(symbol.get(kind, Symbol("brief", key.text)), _unquoted_span(key), declares=True)
            if kind == "show":
                yield from (self._name_occurrence(word, "name") for word in _scalars(value))

    def _setting_names(self, node: Node) -> Iterator[Occurrence]:
        for key, setting in _entries(node):
            yield Occurrence(Symbol("setting", key.text), _unquoted_span(key), declares=True)
            for word, inner in _entries(setting):
                for item in _scalars(inner) if isinstance(inner, Sequence) else ():
                    match word.text:
                        case "shows":
                            yield self._name_occurrence(item, "show")
                        case "tools":
                            yield self._name_occurrence(item, "tool")
                        case "brief":
                            yield self._name_occurrence(item, "brief")

    def _name_occurrence(self, word: Scalar, kind: str, owner: str = "") -> Occurrence:
        match kind:
            case "document" | "constraint" | "show" | "tool" | "setting" | "brief":
                return Occurrence(Symbol(kind, word.text, owner), _unquoted_span(word))
            case _:
                return Occurrence(Symbol("name", word.text), _unquoted_span(word))

    def _dotted_name(self, word: Scalar) -> Iterator[Occurrence]:
        """Yield the mentions in a word `Table.column` or `Table`."""
        span = _unquoted_span(word)
        table, dot, column = span.text.partition(".")
        yield Occurrence(Symbol("name", table), Span(span.source, span.start, span.start + len(table)))
        if dot:
            yield Occurrence(Symbol("column", column, table), Span(span.source, span.end - len(column), span.end))


def nodes_of(root: Node) -> Iterator[Node]:
    """Yield a node and all nodes in it, including keys, in text order."""
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        yield node
        match node:
            case Mapping(entries=entries):
                for key, value in reversed(entries):
                    stack += (value, key)
            case Sequence(items=items):
                stack += reversed(items)


def _entries(node: Node | None) -> SequenceOf[tuple[Scalar, Node]]:
    return node.entries if isinstance(node, Mapping) else ()


def _items(node: Node | None) -> SequenceOf[Node]:
    """Return the items of a list. Any other node counts as a list of one item."""
    if isinstance(node, Sequence):
        return node.items
    return () if node is None else (node,)


def _scalars(node: Node) -> Iterator[Scalar]:
    for item in _items(node):
        if isinstance(item, Scalar) and item.text:
            yield item


def _unquoted_span(word: Scalar) -> Span:
    """Return the span of a scalar without its quotes, or with them if the text between them has escapes."""
    span = word.span
    if word.style in ("single", "double") and span.end - span.start >= 2:
        inner = Span(span.source, span.start + 1, span.end - 1)
        return inner if inner.text == word.text else span
    return span


def _part_spans(scalar: Scalar, separator: str) -> Iterator[Span]:
    """Split a scalar at a separator, and yield the span of each nonblank part without surrounding spaces."""
    span = expression_span(scalar)
    at = span.start
    for part in span.text.split(separator):
        stripped = part.strip()
        start = at + len(part) - len(part.lstrip())
        if stripped:
            yield Span(span.source, start, start + len(stripped))
        at += len(part) + len(separator)
