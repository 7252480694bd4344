"""Defaults of columns and givens whose evaluation may have to wait for rows."""

from __future__ import annotations

from dataclasses import dataclass

from planspec.dsl.model.types import ListType, RowType, SetType, Table, Type
from planspec.dsl.syntax import nodes as s


@dataclass(frozen=True, slots=True, eq=False)
class Default:
    """An unevaluated default: of a column, or of a given if `table` is `None`."""

    table: Table | None
    name: str
    tree: s.Tree
    type: Type
    optional: bool

    @property
    def refers(self) -> bool:
        """Whether its value is a row or contains rows. If so, the keys of tables must be loaded before its evaluation."""
        item = self.type.item if isinstance(self.type, SetType | ListType) else self.type
        return isinstance(item, RowType)
