"""Detection of the tables that a task leaves unchanged. All tasks of a world can share such tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from planspec.dsl.model.types import ListType, RowType, SetType, Table


def unaffected_tables(tables: Mapping[str, Table], changed: Collection[str]) -> set[str]:
    """Return the names of the tables that do not change and do not refer, even indirectly, to a changed table.

    Args:
        tables: the tables by name.
        changed: names of tables that get or lose rows.
    """
    independent = {name for name in tables if name not in changed}
    while True:
        remaining = {name for name in independent if _refers_to(tables[name]) <= independent}
        if remaining == independent:
            return independent
        independent = remaining


def _refers_to(table: Table) -> set[str]:
    types = (
        column.type.item if isinstance(column.type, SetType | ListType) else column.type
        for column in table.columns.values()
    )
    return {type_.table for type_ in types if isinstance(type_, RowType)}
