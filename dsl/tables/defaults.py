"""Defaults of columns and givens that wait for the rows that they may mean."""

from __future__ import annotations

from dataclasses import dataclass

from planspec.dsl.model.types import ListType, RowType, SetType, Table, Type
from planspec.dsl.syntax import nodes as s


@dataclass(frozen=True, slots=True, eq=False)
class Default:
    """A default that is not worked out yet; `table` None for a given's."""

    table: Table | None
    name: str
    tree: s.Tree
    type: Type
    optional: bool

    @property
    def refers(self) -> bool:
        """Its value is a row, which is known only with the tables' keys."""
        item = self.type.item if isinstance(self.type, SetType | ListType) else self.type
        return isinstance(item, RowType)
