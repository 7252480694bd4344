"""Types, tables, givens and the plan's tables of several documents -> names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from planspec.dsl import syntax as s
from planspec.dsl import tree as t
from planspec.dsl.checker import Checker
from planspec.dsl.diagnostics import Report
from planspec.dsl.workspace import Document
from planspec.dsl.names import SCALARS, Names, did_you_mean
from planspec.dsl.parsing import parse
from planspec.dsl.source import NOWHERE, Span
from planspec.dsl.table_sources import ENTRY_KEYS
from planspec.dsl.types import Column, EnumType, ListType, Scalar, SetType, Special, Table, Type
from planspec.dsl.yaml_hints import cut_hint
from planspec.dsl.yaml_source import Mapping, Node, Scalar as Word, expression_span

WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"


class Declarations:
    """Gathers what the documents declare.

    Two passes: `names` first (so that types may refer to tables declared later), then columns and givens.
    """

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report
        self._defaults: list[tuple[Table | None, str, s.Tree, Type]] = []
        self._columns: list[tuple[Table, Mapping]] = []
        self._givens: list[tuple[Document, Word, Node]] = []

    def gather(self, documents: Iterable[Document]) -> None:
        """Everything but definitions, of all documents in order."""
        documents = list(documents)
        for document in documents:
            self._enums(document)
            self._tables(document)
        for table, node in self._columns:
            self._table_columns(table, node)
        for document in documents:
            if document.kind != "task":
                self._library_givens(document)

    def settle_defaults(self, checker: Checker) -> None:
        """Work out the defaults of columns and givens, once all names are known."""
        for table, name, tree, type_ in self._defaults:
            made = checker.typed(tree, {}, type_, " as a default")
            if made.type is Special.WRONG:
                continue
            try:
                value = constant(made)
            except ValueError:
                self.report.error("PS303", "a default is a plain value", tree.span, "an expression", help="write the value itself")
                continue
            if table is not None:
                column = replace(table.columns[name], default=value, has_default=True)
                table.columns[name] = column
            else:
                self.names.givens[name] = replace(self.names.givens[name], default=value)

    # -- enums and tables -------------------------------------------------------------------------

    def _enums(self, document: Document) -> None:
        for key, node in self._entries(document, "types"):
            if not self.names.declare(key.text, "an enum", key.span, self.report):
                continue
            members = [part.strip() for part in node.text.split("|")] if isinstance(node, Word) else []
            bad = next((m for m in members if not is_name(m)), None)
            if not members or bad is not None:
                self.report.error(
                    "PS011", f"the type `{key.text}` is a list of names", node.span, "names with `|` between them",
                    help="write `foot | bus | taxi`",
                )  # fmt: skip
                members = [m for m in members if is_name(m)]
            if len(set(members)) < len(members):
                self.report.error("PS003", f"a member of `{key.text}` stands twice", node.span, "each name once")
            self.names.enums[key.text] = EnumType(key.text, tuple(dict.fromkeys(members)))

    def _tables(self, document: Document) -> None:
        for key, node in self._entries(document, "tables"):
            columns = self._schema_of(document, key, node)
            if columns is None:
                if key.text not in self.names.tables:
                    self._undeclared(document, key)
                continue
            if self.names.declare(key.text, "a table", key.span, self.report):
                self.names.tables[key.text] = table = Table(key.text, {}, ())
                self._columns.append((table, columns))
        for key, node in self._entries(document, "plan"):
            if not isinstance(node, Mapping):
                self.report.error("PS011", "a plan's table is a mapping of columns", node.span, "not a mapping")
                continue
            if self.names.declare(key.text, "a table of the plan", key.span, self.report):
                self.names.tables[key.text] = table = Table(key.text, {}, (), plan=True)
                self._columns.append((table, node))

    def _schema_of(self, document: Document, key: Word, node: Node) -> Mapping | None:
        if not isinstance(node, Mapping):
            if document.kind == "library":
                self.report.error("PS011", f"the table `{key.text}` is a mapping of columns", node.span, "not a mapping")
            return None
        if document.kind == "library":
            return node
        sections = {k.text: v for k, v in node.entries}
        if "columns" in sections:
            columns = sections["columns"]
            if isinstance(columns, Mapping):
                return columns
            self.report.error("PS011", "`columns` is a mapping", columns.span, "not a mapping")
            return None
        if document.kind == "task" and sections and not set(sections) & set(ENTRY_KEYS):
            return node
        return None

    def _undeclared(self, document: Document, key: Word) -> None:
        self.report.error(
            "PS205", f"no library declares a table `{key.text}`", key.span, "unknown table",
            help=did_you_mean(key.text, self.names.tables) or "give it `columns:` and `rows:`",
        )  # fmt: skip

    def _table_columns(self, table: Table, node: Mapping) -> None:
        for key, value in node.entries:
            if table.plan and key.text == "one" and isinstance(value, Word) and value.text in ("true", "false"):
                table.one = value.text == "true"
                continue
            if not is_name(key.text) or key.text.startswith("_"):
                self.report.error("PS011", f"`{key.text}` is no name of a column", key.span, "letters, digits and `_`, a letter first")
                continue
            column = self._column(key, value, table)
            if column is not None:
                table.columns[key.text] = column
        table.key = tuple(name for name, column in table.columns.items() if column.key)
        if table.one and table.key:
            self.report.error("PS404", f"`{table.name}` has one row and needs no key", node.span, "a key column in it")

    def _column(self, key: Word, value: Node, table: Table) -> Column | None:
        tree = parse("column", expression_span(value), self.report, cut_hint(key.span.source, value))
        if tree is None:
            return None
        type_ = self.type_of(tree.type, lists=False)
        if type_ is None:
            type_ = Special.WRONG
        if tree.key and tree.type.optional:
            self.report.error("PS303", "a key is never none", tree.type.span, "an optional key")
        if tree.default is not None:
            self._defaults.append((table, key.text, tree.default, type_))
        return Column(key.text, type_, tree.type.optional, tree.key, tree.default is not None)

    def type_of(self, tree: s.TypeTree, *, lists: bool) -> Type | None:
        """The type that is written; None after a report."""
        item = self.names.type_named(tree.name)
        if item is None:
            self.report.error(
                "PS205", f"unknown type `{tree.name}`", tree.name_span, "neither a built-in type, an enum nor a table",
                help=did_you_mean(tree.name, [*SCALARS, *self.names.enums, *self.names.tables]),
            )  # fmt: skip
            return None
        if tree.optional and item is Scalar.BOOL and not tree.wrapper:
            self.report.error("PS303", "a condition is never none", tree.span, "true or false", help="write `bool`, or an enum of three")
        if tree.wrapper == "list" and not lists:
            self.report.error("PS303", "only a given can be a list", tree.span, "a list", help="write `set of`")
        if tree.wrapper == "set":
            return SetType(item)
        return ListType(item) if tree.wrapper == "list" else item

    # -- givens -----------------------------------------------------------------------------------

    def _library_givens(self, document: Document) -> None:
        for key, node in self._entries(document, "given"):
            tree = parse("column", expression_span(node), self.report, cut_hint(document.source, node))
            if not self.names.declare(key.text, "a given", key.span, self.report):
                continue
            type_ = self.type_of(tree.type, lists=True) if tree is not None else None
            optional = tree is not None and tree.type.optional
            has_default = tree is not None and tree.default is not None
            given = t.Given(key.text, type_ or Special.WRONG, optional, key.span, has_default)
            self.names.givens[key.text] = given
            if tree is not None and tree.default is not None and type_ is not None:
                self._defaults.append((None, key.text, tree.default, type_))

    def declare_given(self, key: Word, type_: Type) -> None:
        """A given that only the task has, of the type of its literal."""
        if self.names.declare(key.text, "a given", key.span, self.report):
            self.names.givens[key.text] = t.Given(key.text, type_, type_ is Special.NONE, key.span)

    def _entries(self, document: Document, section: str) -> list[tuple[Word, Node]]:
        node = document.sections.get(section)
        if node is None or isinstance(node, Word) and not node.text:
            return []
        if not isinstance(node, Mapping):
            self.report.error("PS011", f"`{section}` is a mapping", node.span, "not a mapping")
            return []
        made = []
        for key, value in node.entries:
            if section != "tables" and not is_name(key.text) and section != "define":
                self.report.error("PS011", f"`{key.text}` is no name", key.span, "letters, digits and `_`, a letter first")
            else:
                made.append((key, value))
        return made


def is_name(text: str) -> bool:
    """The text is a name that expressions can use."""
    return text.isidentifier()


def implied_id(table: Table, *, wanted: bool) -> None:
    """Give a static table without a key the key `id`, if its rows have one (`wanted`)."""
    if table.key or table.plan or not wanted:
        return
    if "id" in table.columns:
        table.columns["id"] = replace(table.columns["id"], key=True)
    else:
        table.columns = {"id": Column("id", Scalar.TEXT, key=True), **table.columns}
    table.key = ("id",)


def constant(made: t.Expr) -> Any:
    """The value of a literal expression.

    Raises:
        ValueError: it is no literal.
    """
    match made:
        case t.Literal(value=value):
            return value
        case t.Negate(operand=t.Literal(value=value)):
            return -value
        case t.SetLiteral(items=items):
            return tuple(dict.fromkeys(constant(item) for item in items))
        case t.RowNamed(table=table, key=key) if (key,) in table.by_key:
            return table.by_key[(key,)]
    raise ValueError


__all__ = ["NOWHERE", "Declarations", "Span", "constant", "implied_id", "is_name"]
