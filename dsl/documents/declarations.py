"""Declarations of several documents: types, tables, givens and the tables of the plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import SCALARS, WORDS, Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.constants import check_constant, constant_value
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import (
    Column,
    EnumType,
    ListType,
    RowType,
    ScalarType,
    SetType,
    Special,
    Table,
    Type,
)
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.syntax import nodes as s
from planspec.dsl.tables.defaults import Default
from planspec.dsl.yaml.reader import Mapping, Node, Sequence
from planspec.dsl.yaml.reader import Scalar as Word

NAMES = "letters, digits and `_`, a letter first"


class DeclarationCollector:
    """Collects what the documents declare.

    There are two passes: first names (so that types may refer to tables declared later), then columns and
    givens.
    """

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report
        self._defaults: list[Default] = []
        self._columns: list[tuple[Table, Mapping]] = []
        self._undeclared: list[Word] = []

    def collect(self, documents: Iterable[Document]) -> None:
        """Collect all declarations except definitions from the documents, in order."""
        documents = list(documents)
        for document in documents:
            self._enums(document)
            self._tables(document)
            self._plan(document)
        for key in self._undeclared:
            if key.text not in self.names.tables:
                self._unknown_table(key)
        for table, node in self._columns:
            self._table_columns(table, node)
        self._report_key_cycles()
        for document in documents:
            if document.kind != "task":
                self._library_givens(document)

    def evaluate_defaults(self, checker: Checker, ready: Callable[[Default], bool]) -> None:
        """Evaluate the defaults for which `ready` returns True, unless they are already evaluated."""
        now = [default for default in self._defaults if ready(default)]
        self._defaults = [default for default in self._defaults if not ready(default)]
        for default in now:
            value = self._constant(checker, default)
            table, name = default.table, default.name
            if table is not None:
                table.columns[name] = replace(table.columns[name], default=value, has_default=True)
            else:
                self.names.givens[name] = replace(self.names.givens[name], default=value)

    def _constant(self, checker: Checker, default: Default) -> Any:
        tree = default.tree
        computed = self.names.givens.keys() | self.names.definitions.keys()
        expr = check_constant(checker, tree, default.type, "a default", computed)
        if expr.type is Special.WRONG:
            return None
        value = constant_value(expr, self.names)
        if value is None and not default.optional:
            self.report.error(
                "PS303",
                f"`{default.name}` is never none",
                tree.span,
                "none",
                help=f"declare it as `{default.type}?`",
            )
        return value

    # -- enums and tables -------------------------------------------------------------------------

    def _enums(self, document: Document) -> None:
        for key, node in self._entries(document, "types"):
            if not self.names.declare(key.text, "an enum", key.span, self.report):
                continue
            members = [normalize_text(part.strip()) for part in node.text.split("|")] if isinstance(node, Word) else []
            bad = next((m for m in members if not is_name(m)), None)
            if not members or bad is not None:
                label = "a word of the language" if bad in WORDS else "names with `|` between them"
                words = (
                    [item.text for item in node.items if isinstance(item, Word)] if isinstance(node, Sequence) else []
                )
                example = " | ".join(words) if words and all(map(is_name, words)) else "foot | bus | taxi"
                self.report.error(
                    "PS011",
                    f"the members of `{key.text}` must be names with `|` between them",
                    node.span,
                    label,
                    help=f"write `{key.text}: {example}`",
                )
                self.names.broken.add(key.text)
            if len(set(members)) < len(members):
                twice = next(m for i, m in enumerate(members) if m in members[:i])
                self.report.error("PS003", f"`{twice}` is repeated in `{key.text}`", node.span, "each name once")
            self.names.enums[key.text] = EnumType(key.text, tuple(dict.fromkeys(members)))

    def _tables(self, document: Document) -> None:
        for key, node in self._entries(document, "tables"):
            columns = self._schema_of(document, key, node)
            if columns is None:
                if document.kind != "library":
                    self._undeclared.append(key)
                continue
            if self.names.declare(key.text, "a table", key.span, self.report):
                self.names.tables[key.text] = table = Table(key.text, {}, ())
                self._columns.append((table, columns))

    def _plan(self, document: Document) -> None:
        for key, node in self._entries(document, "plan"):
            if not isinstance(node, Mapping):
                self.report.error(
                    "PS011",
                    f"the plan's table `{key.text}` must be a mapping of columns",
                    node.span,
                    "not a mapping",
                )
                self.names.broken.add(key.text)
                continue
            if self.names.declare(key.text, "a table of the plan", key.span, self.report):
                self.names.tables[key.text] = table = Table(key.text, {}, (), plan=True)
                self._columns.append((table, node))

    def _schema_of(self, document: Document, key: Word, node: Node) -> Mapping | None:
        if not isinstance(node, Mapping):
            if document.kind == "library":
                self.report.error(
                    "PS011",
                    f"the table `{key.text}` must be a mapping of columns",
                    node.span,
                    "not a mapping",
                )
                self.names.broken.add(key.text)
            return None
        if document.kind == "library":
            return node
        sections = {k.text: v for k, v in node.entries}
        if "columns" in sections:
            columns = sections["columns"]
            if isinstance(columns, Mapping):
                return columns
            self.report.error("PS011", "`columns` must be a mapping", columns.span, "not a mapping")
            self.names.broken.add(key.text)
            return None
        if document.kind == "task" and sections and not set(sections) & document_keys.TABLE_MARKS:
            return node
        return None

    def _unknown_table(self, key: Word) -> None:
        if self.names.unsure or key.text in self.names.broken:
            return
        self.report.error(
            "PS205",
            f"no library declares a table `{key.text}`",
            key.span,
            "unknown table",
            help=did_you_mean(key.text, self.names.tables) or "give it `columns:` and `rows:`",
        )

    def _table_columns(self, table: Table, node: Mapping) -> None:
        for key, value in node.entries:
            if table.plan and key.text == "one" and isinstance(value, Word) and value.text in ("true", "false"):
                table.one = value.text == "true"
                continue
            taken = "a word of the language" if key.text in WORDS else None
            taken = "a key of the scope" if table.plan and key.text == "optional" else taken
            if taken is not None:
                self.report.error(
                    "PS202", f"the name `{key.text}` is taken", key.span, taken, help="choose another name"
                )
                continue
            if not is_name(key.text) or key.text.startswith("_"):
                self.report.error("PS011", f"`{key.text}` is no name of a column", key.span, NAMES)
                continue
            table.columns[key.text] = self._column(key, value, table)
        table.key = tuple(name for name, column in table.columns.items() if column.key)
        if table.one and table.key:
            at = next(k.span for k, _ in node.entries if k.text in table.key)
            self.report.error("PS404", f"`{table.name}` has one row and needs no key", at, "a key column in it")

    def _column(self, key: Word, value: Node, table: Table) -> Column:
        tree = parse_node("column", value, self.report)
        if tree is None:
            return Column(key.text, Special.WRONG, key=re.match(r"\s*key\b", value.span.text) is not None)
        type_ = self.type_of(tree.type, lists=False)
        if tree.key and tree.type.optional:
            self.report.error(
                "PS303",
                "a key is never none",
                tree.type.span,
                "an optional key",
                help=f"write `key {tree.type.name}`",
            )
        if tree.default is not None:
            self._defaults.append(Default(table, key.text, tree.default, type_, tree.type.optional))
        return Column(key.text, type_, tree.type.optional, tree.key, tree.default is not None)

    def _report_key_cycles(self) -> None:
        """Report tables whose keys refer to each other in a cycle, because their rows would have no names."""
        state: dict[str, bool] = {}
        for name in self.names.tables:
            if name not in state:
                self._follow_key(name, state)

    def _follow_key(self, name: str, state: dict[str, bool]) -> None:
        """Visit the tables to which a table's key refers, depth first.

        `state` has an entry for each visited table: True if its visit has ended, False during the visit.
        """
        state[name] = False
        table = self.names.tables[name]
        for part in table.key:
            type_ = table.columns[part].type
            if not isinstance(type_, RowType) or state.get(type_.table) is True:
                continue
            if type_.table in state:
                where = next(
                    v.span for x, node in self._columns if x is table for k, v in node.entries if k.text == part
                )
                self.report.error(
                    "PS206", f"the key of `{type_.table}` needs itself", where, "no row of it could be named"
                )
                table.columns[part] = replace(table.columns[part], type=Special.WRONG)
            else:
                self._follow_key(type_.table, state)
        state[name] = True

    def type_of(self, tree: s.TypeTree, *, lists: bool, optional_bool: bool = False) -> Type:
        """Return the type that a syntax tree names; WRONG if it has a mistake.

        Args:
            tree: the syntax tree.
            lists: whether the type may be a list.
            optional_bool: whether `bool?` is allowed.
        """
        item = self.names.type_named(tree.name)
        if item is None:
            if not self.names.unsure:
                self.report.error(
                    "PS205",
                    f"unknown type `{tree.name}`",
                    tree.name_span,
                    "neither a built-in type, an enum nor a table",
                    help=did_you_mean(tree.name, [*SCALARS, *self.names.enums, *self.names.tables])
                    or _type_help(tree.name),
                )
            return Special.WRONG
        if item is Special.WRONG:
            return item
        if tree.optional and item is ScalarType.BOOL and not tree.wrapper and not optional_bool:
            self.report.error(
                "PS303",
                "a condition is never none",
                tree.span,
                "true or false",
                help="write `bool`, or an enum of three",
            )
        if tree.wrapper == "list" and not lists:
            self.report.error("PS303", "only a given can be a list", tree.span, "a list", help="write `set of`")
        if tree.wrapper == "set":
            return SetType(item)
        return ListType(item) if tree.wrapper == "list" else item

    # -- givens -----------------------------------------------------------------------------------

    def _library_givens(self, document: Document) -> None:
        for key, node in self._entries(document, "given"):
            tree = parse_node("column", node, self.report)
            if not self.names.declare(key.text, "a given", key.span, self.report):
                continue
            type_ = self.type_of(tree.type, lists=True) if tree is not None else Special.WRONG
            optional = tree is not None and tree.type.optional
            has_default = tree is not None and tree.default is not None
            if tree is not None and tree.key:
                self.report.error(
                    "PS303",
                    "a given is no key",
                    tree.span,
                    "`key` marks columns",
                    help="take the word `key` away",
                )
            self.names.givens[key.text] = t.Given(key.text, type_, optional, key.span, has_default)
            if tree is not None and tree.default is not None:
                self._defaults.append(Default(None, key.text, tree.default, type_, optional))

    def declare_given(self, key: Word, type_: Type) -> None:
        """Declare a given (a parameter of the task) that no library declares. `type_` is the type of its value."""
        if key.text not in WORDS and not is_name(key.text):
            self.report.error("PS011", f"`{key.text}` is no name", key.span, NAMES)
        elif self.names.declare(key.text, "a given", key.span, self.report):
            self.names.givens[key.text] = t.Given(key.text, type_, False, key.span)

    def _entries(self, document: Document, section: str) -> list[tuple[Word, Node]]:
        node = document.sections.get(section)
        if node is None or (isinstance(node, Word) and not node.text):
            return []
        if not isinstance(node, Mapping):
            self.report.error("PS011", f"`{section}` must be a mapping", node.span, "not a mapping")
            self.names.unsure = True
            return []
        entries = []
        for key, value in node.entries:
            if key.text in WORDS or is_name(key.text):
                entries.append((key, value))
            else:
                self.report.error("PS011", f"`{key.text}` is no name", key.span, NAMES)
        return entries


def _type_help(name: str) -> str | None:
    foreign = {
        "string": "text",
        "str": "text",
        "integer": "int",
        "float": "decimal",
        "number": "int",
        "boolean": "bool",
        "datetime": "moment",
        "timedelta": "duration",
        "currency": "money",
        "price": "money",
        "array": "set of",
    }
    return f"write `{foreign[name.lower()]}`" if name.lower() in foreign else None


def is_name(text: str) -> bool:
    """Return whether the text is a name that expressions can use."""
    return re.fullmatch(r"[^\W\d]\w*", text) is not None and text not in WORDS
