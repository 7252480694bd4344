"""The names of a task: one flat namespace of givens (parameters), definitions, tables, types and builtins."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.tree import Definition, Given
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Special, Table, Type
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.syntax.nodes import SignatureTree, Tree

SCALARS = {scalar.value: scalar for scalar in ScalarType}
KEYWORDS = ("if", "else", "implies", "or", "and", "not", "in", "is", "for")
CONSTANTS = ("none", "true", "false")
WORDS = frozenset({*KEYWORDS, *CONSTANTS})
"""Keywords of the language; no name in an expression may be one of them."""
TYPE_WORDS = frozenset({"key", "set", "list", "of"})
"""Keywords of types and columns; no enum or table may have one of them as its name."""


@dataclass(slots=True, eq=False)
class Pending:
    """A definition that is declared but possibly not checked yet.

    Attributes:
        signature: left side of the definition.
        body: the parsed body; `None` if the text could not be parsed. Then uses of the name are not reported.
        message: YAML node of its message; `None` without one.
        checked: whether `definition.body` is set.
        height: depth of the body with all definitions expanded.
    """

    definition: Definition
    signature: SignatureTree
    body: Tree | None
    message: object = None
    checked: bool = False
    height: int = 0


class EntangledDocumentError(Exception):
    """A document changes the meaning of the documents that it uses, so that all must be checked together.

    Attributes:
        identified: table whose rows have the implied key `id` only with, or only without, the new document; `None`
            if the cause is different.
    """

    def __init__(self, identified: str | None = None) -> None:
        super().__init__()
        self.identified = identified


@dataclass(slots=True, eq=False)
class Names:
    """The names in a document and in all documents that it uses.

    Attributes:
        facts: rows of the loaded static tables, by table.
        rows_known: whether the rows of tables are available. They are in a task or world, but not in a library.
        incomplete: tables with rows that could not be read; keys that they lack are not reported.
        unsure: whether some declarations could not be read. If so, unknown names are not reported.
        broken: names whose declaration has a mistake; their uses are not reported.
        searched: static tables in which a row was looked up by name.
        identified: static tables without a declared key, whose rows have the key `id`.
    """

    enums: dict[str, EnumType] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    givens: dict[str, Given] = field(default_factory=dict)
    definitions: dict[str, Pending] = field(default_factory=dict)
    places: dict[str, tuple[str, Span]] = field(default_factory=dict)  # (description, location) by name
    currency: str | None = None
    currency_known: bool = False
    rows_known: bool = False
    incomplete: set[str] = field(default_factory=set)
    unsure: bool = False
    broken: set[str] = field(default_factory=set)
    searched: set[str] = field(default_factory=set)
    identified: set[str] = field(default_factory=set)

    def extended(self) -> Names:
        """Return a copy, without facts, to which further names can be added."""
        return replace(
            self,
            enums=dict(self.enums),
            tables=dict(self.tables),
            facts={},
            givens=dict(self.givens),
            definitions=dict(self.definitions),
            places=dict(self.places),
            incomplete=set(self.incomplete),
            broken=set(self.broken),
            searched=set(),
            identified=set(self.identified),
        )

    def declare(self, name: str, what: str, span: Span, report: Report) -> bool:
        """Add a name to the flat namespace. Return False if it is already in use."""
        label, secondary = None, []
        if name in BUILTINS or name in SCALARS:
            label = f"{'a builtin function' if name in BUILTINS else 'a built-in type'} has this name"
        elif name in WORDS or (name in TYPE_WORDS and what in ("an enum", "a table", "a table of the plan")):
            label = "a word of the language"
        elif name in self.places:
            other, where = self.places[name]
            label, secondary = f"{what} of the same name", [Label(where, f"{other} of this name")]
        if label is not None:
            report.error(
                "PS202",
                f"the name `{name}` is taken",
                span,
                label,
                secondary=secondary,
                help="choose another name",
            )
            self.broken.add(name)
            return False
        self.places[name] = (what, span)
        return True

    def type_named(self, name: str) -> Type | None:
        """Return the type with this name: a built-in type, an enum, or a reference to a row of a table."""
        if name in SCALARS:
            return SCALARS[name]
        if name in self.broken:
            return Special.WRONG
        if name in self.enums:
            return self.enums[name]
        return self.tables[name].type if name in self.tables else None

    def values(self) -> list[str]:
        """Return the names of values and collections."""
        functions = {name for name, pending in self.definitions.items() if pending.signature.params is not None}
        return [*self.givens, *(n for n in self.definitions if n not in functions), *self.tables, *self.enums]

    def functions(self) -> list[str]:
        """Return the names that can be called."""
        return [*BUILTINS, *(n for n, p in self.definitions.items() if p.signature.params is not None)]

    def rows_complete(self, table: Table) -> bool:
        """Return whether all rows of a static table are available, so that an unknown key is a mistake."""
        return self.rows_known and table.name not in self.incomplete

    def row_key(self, table: Table, name: str) -> object | None:
        """Return the key of the row that a bare name denotes in a table with one key column; None if there is none.

        If the key is a reference to another row, the bare name is the key of that row.
        """
        if table.plan or len(table.key) != 1:
            return None
        self.searched.add(table.name)
        key: object | None = normalize_text(name)
        column = table.columns[table.key[0]].type
        if isinstance(column, RowType):
            target = self.tables[column.table]
            target_key = self.row_key(target, name)
            key = self.row(target, (target_key,)) if target_key is not None else None
        return key if self.row(table, (key,)) is not None else None

    def row(self, table: Table, key: tuple[object, ...]) -> Row | None:
        """Return the row of a static table with this key; None if it does not exist or is not available."""
        facts = self.facts.get(table.name)
        return None if facts is None else facts.by_key.get(key)

    def row_names(self, table: Table) -> list[str]:
        """Return the bare names of a table's rows."""
        if table.plan or len(table.key) != 1:
            return []
        facts = self.facts.get(table.name)
        return [] if facts is None else [_last_key(key) for (key,) in facts.by_key]


def _last_key(key: object) -> str:
    """Return the name of a row from its key. If the key refers to another row, this is the name of that row."""
    while isinstance(key, Row):
        key = key._key[0]
    return str(key)
