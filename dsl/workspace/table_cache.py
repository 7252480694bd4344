"""Static tables that are the same for every task of a world: loaded once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType, Table
from planspec.dsl.yaml.reader import Mapping

if TYPE_CHECKING:  # a workspace has a shelf
    from planspec.dsl.workspace.workspace import Document


@dataclass(frozen=True, slots=True)
class Shelved:
    """A loaded table, and the files that its rows came from."""

    table: Table
    sources: tuple[Source, ...]


@dataclass(slots=True, eq=False)
class Shelf:
    """Loaded tables by the documents that they come from and the currency of their prices.

    Invariant: the tables of one key refer to no tables but those of the same key.
    """

    _tables: dict[tuple[tuple[Document, ...], str | None], dict[str, Shelved]] = field(default_factory=dict)

    def of(self, documents: Sequence[Document], currency: str | None) -> dict[str, Shelved]:
        """What was loaded from the documents; what one adds is found by the next."""
        return self._tables.setdefault((tuple(documents), currency), {})


def common_tables(documents: Sequence[Document], names: Names) -> set[str]:
    """The static tables that the last of the documents has no part in: neither schema nor rows nor references."""
    *used, last = documents
    origins = {document.source for document in used}
    section = last.sections.get("tables")
    own = {key.text for key, _ in section.entries} if isinstance(section, Mapping) else set()

    def foreign(name: str) -> bool:
        return name in names.places and names.places[name][1].source in origins

    found = {
        name for name, table in names.tables.items() if not table.plan and name not in own and foreign(name)
    }
    while True:
        kept = {name for name in found if _closed(names.tables[name], found, foreign)}
        if kept == found:
            return found
        found = kept


def _closed(table: Table, found: set[str], foreign: Callable[[str], bool]) -> bool:
    for column in table.columns.values():
        type_ = column.type.item if isinstance(column.type, SetType | ListType) else column.type
        if isinstance(type_, RowType) and type_.table not in found:
            return False
        if isinstance(type_, EnumType) and not foreign(type_.name):
            return False
    return True
