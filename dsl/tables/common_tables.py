"""The tables that are the same for every task of a world, so that they are loaded once for all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from planspec.dsl.model.types import ListType, RowType, SetType, Table


def common_tables(tables: Mapping[str, Table], brought: Collection[str]) -> set[str]:
    """The static tables to which rows that somebody brings make no difference: not theirs, and none that they refer to.

    Args:
        tables: the tables by name.
        brought: names of tables that get rows, or lose some.
    """
    found = {name for name in tables if name not in brought}
    while True:
        kept = {name for name in found if _refers_to(tables[name]) <= found}
        if kept == found:
            return found
        found = kept


def _refers_to(table: Table) -> set[str]:
    types = (
        column.type.item if isinstance(column.type, SetType | ListType) else column.type
        for column in table.columns.values()
    )
    return {type_.table for type_ in types if isinstance(type_, RowType)}
