"""Symbols, and their occurrences in documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import RowType, Table

SymbolKind: TypeAlias = Literal[
    "name", "column", "member", "row", "constraint", "variable", "document", "builtin", "shape", "show", "tool",
    "setting", "brief", "case",
]  # fmt: skip
"""A `name` belongs to the flat name space: a given, definition, table or enum. Parameters are variables."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """The meaning of a name.

    Attributes:
        owner: table of a column or row, enum of a member, kind of a document, place of a variable's binding.
    """

    kind: SymbolKind
    name: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place at which a document mentions a symbol.

    Attributes:
        declares: whether the symbol is declared there.
    """

    symbol: Symbol
    span: Span
    declares: bool = False


def variable(name: str, bound: Span) -> Symbol:
    """Return the symbol of a variable or parameter."""
    return Symbol("variable", name.rpartition(".")[2], f"{bound.source.name}:{bound.start}")


def row_symbol(names: Names, table: Table, key: object) -> Symbol:
    """Return the symbol of a static row; a row whose key is a reference stands for the referenced row."""
    while isinstance(key, Row) and key._key:
        key = key._key[0]
    seen = {table.name}
    while len(table.key) == 1 and isinstance(type_ := table.columns[table.key[0]].type, RowType):
        table = names.tables[type_.table]
        if table.name in seen:
            break
        seen.add(table.name)
    return Symbol("row", str(key), table.name)
