"""The tables that are the same for every task of a world, so that they are loaded once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planspec.dsl.check.names import Names
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType, Table
from planspec.dsl.workspace.document import Document
from planspec.dsl.yaml.reader import Mapping


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
