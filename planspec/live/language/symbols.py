"""Symbols, and their mentions in documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import RowType, Table

SymbolKind: TypeAlias = Literal[
    "name",
    "column",
    "member",
    "row",
    "constraint",
    "variable",
    "document",
    "builtin",
    "shape",
    "show",
    "tool",
    "setting",
    "brief",
    "case",
]
"""Kind of a symbol. `name` stands for givens, definitions, tables and enums, `variable` also for parameters."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named thing to which documents refer, such as a column of a table.

    Attributes:
        owner: scope of the name: table of a column or row, enum of a member, kind of a document, or location of a
            variable's binding; otherwise empty.
    """

    kind: SymbolKind
    name: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A mention of a symbol in a document.

    Attributes:
        declares: whether the mention is the symbol's declaration.
    """

    symbol: Symbol
    span: Span
    declares: bool = False


def variable_symbol(name: str, binding_span: Span) -> Symbol:
    """Return the symbol of the variable or parameter bound at a span."""
    return Symbol("variable", name.rpartition(".")[2], f"{binding_span.source.name}:{binding_span.start}")


def row_symbol(names: Names, table: Table, key: object) -> Symbol:
    """Return the symbol of a row of facts. For a key that is itself a row, return the symbol of that row."""
    while isinstance(key, Row) and key._key:
        key = key._key[0]
    seen = {table.name}
    while len(table.key) == 1 and isinstance(type_ := table.columns[table.key[0]].type, RowType):
        table = names.tables[type_.table]
        if table.name in seen:
            break
        seen.add(table.name)
    return Symbol("row", str(key), table.name)
