"""What names mean: symbols, and the places at which a document mentions them."""

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
"""`name` is one of the flat space: a given, definition, table or enum. A `variable` is a parameter, too."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """What a name means.

    Attributes:
        owner: the table of a column or row, the enum of a member, the kind of a document; of a variable the place at
            which it is bound.
    """

    kind: SymbolKind
    name: str
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place at which a document mentions a symbol.

    Attributes:
        declares: the symbol is declared there.
    """

    symbol: Symbol
    span: Span
    declares: bool = False


def variable(name: str, bound: Span) -> Symbol:
    """The symbol of a variable or parameter."""
    return Symbol("variable", name.rpartition(".")[2], f"{bound.source.name}:{bound.start}")


def row_symbol(names: Names, table: Table, key: object) -> Symbol:
    """The symbol of a static row; one whose key is a reference is the row that it refers to."""
    while isinstance(key, Row) and key._key:
        key = key._key[0]
    seen = {table.name}
    while len(table.key) == 1 and isinstance(type_ := table.columns[table.key[0]].type, RowType):
        table = names.tables[type_.table]
        if table.name in seen:
            break
        seen.add(table.name)
    return Symbol("row", str(key), table.name)
