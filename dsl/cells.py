"""Data as it stands in files: cells with positions, and the values they mean."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from typing import Any

from planspec.dsl.diagnostics import Report
from planspec.dsl.names import Names, did_you_mean
from planspec.dsl.source import Span
from planspec.dsl.types import Column, ListType, RowType, SetType, Type
from planspec.dsl.values import BadValue, parse_value
from planspec.dsl.yaml_source import Mapping, Node, Scalar


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, a list of cells, or nothing at all (a blank), and where it stands."""

    value: str | tuple[Cell, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row before its columns' types are applied."""

    cells: MappingOf[str, Cell]
    span: Span


class Absent(Exception):
    """The cell cannot be read; it has been reported."""


def cell_of(node: Node) -> Cell:
    """A YAML node as a cell; a flow mapping without entries is an empty list, others are None-valued."""
    if isinstance(node, Scalar):
        blank = not node.text and node.style == "plain"
        return Cell(None if blank else node.text, node.span)
    if isinstance(node, Mapping):
        if not node.entries:
            return Cell((), node.span)
        parts = tuple(Cell(key.text, key.span) for key, value in node.entries if isinstance(value, Scalar) and not value.text)
        return Cell(parts if len(parts) == len(node.entries) else (), node.span)
    return Cell(tuple(cell_of(item) for item in node.items), node.span)


def is_set_or_list(node: Node) -> bool:
    """The node can be a cell: no mapping but `{}` and `{a, b}`."""
    if not isinstance(node, Mapping):
        return True
    return all(isinstance(value, Scalar) and not value.text for _, value in node.entries)


class Reader:
    """Cells -> run-time values, with references resolved against the tables' keys."""

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report

    def column(self, column: Column, cell: Cell | None, row: Span, table: str) -> Any:
        """A column's value in a row: its cell, else its default, else none.

        Raises:
            Absent: after a report of what is wrong.
        """
        if cell is None or cell.value is None:
            if column.has_default:
                return column.default
            if column.optional:
                return None
            if isinstance(column.type, SetType | ListType) and cell is not None:
                return ()
            span = cell.span if cell is not None and cell.span.start < cell.span.end else row
            self.report.error(
                "PS016", f"the row has no `{column.name}`", span, f"`{table}.{column.name}` is never none",
                help=f"fill it in, or declare the column as `{column.type}?`",
            )  # fmt: skip
            raise Absent
        if cell.value == "none" and column.optional:
            return None
        return self.value(column.type, cell, f"{table}.{column.name}")

    def value(self, type_: Type, cell: Cell, what: str) -> Any:
        """The value that a cell means.

        Raises:
            Absent: after a report of what is wrong.
        """
        if isinstance(type_, SetType | ListType):
            return self._many(type_, cell, what)
        if isinstance(type_, RowType):
            return self._row(type_, cell, what)
        if not isinstance(cell.value, str):
            self.report.error("PS016", f"`{what}` is one {type_}, not a list", cell.span, f"not {type_}")
            raise Absent
        try:
            return parse_value(cell.value, type_, currency=self.names.currency)
        except BadValue as error:
            self.report.error("PS016", f"`{cell.value[:60]}` is no {type_}", cell.span, str(error), help=f"`{what}` is of type {type_}")
            raise Absent from None

    def _many(self, type_: SetType | ListType, cell: Cell, what: str) -> Any:
        items = cell.value
        if items in ("{}", "[]", "", None):
            return ()
        if isinstance(items, str):
            self.report.error("PS016", f"`{what}` is a {type_}", cell.span, "not a list", help=f"write `[{items}]`")
            raise Absent
        assert items is not None
        values = [self.value(type_.item, item, what) for item in items]
        return tuple(dict.fromkeys(values)) if isinstance(type_, SetType) else tuple(values)

    def _row(self, type_: RowType, cell: Cell, what: str) -> Any:
        table = self.names.tables[type_.table]
        parts = cell.value if isinstance(cell.value, tuple) else (cell,)
        if table.plan or not table.key:
            why = "a plan's rows are not known yet" if table.plan else f"`{table.name}` has no key"
            self.report.error("PS410", f"`{what}` cannot refer to a row here", cell.span, why)
            raise Absent
        if len(parts) != len(table.key):
            self.report.error("PS410", f"a row of `{table.name}` is named by {', '.join(table.key)}", cell.span, f"{len(parts)} given")
            raise Absent
        key = tuple(
            self.value(table.columns[name].type, part, f"{table.name}.{name}")
            for name, part in zip(table.key, parts, strict=True)
        )
        row = table.by_key.get(key)
        if row is None:
            known = [str(k[0]) for k in table.by_key] if len(table.key) == 1 else []
            text = ", ".join(str(part.value) for part in parts)
            self.report.error(
                "PS410", f"there is no {table.name} `{text}`", cell.span, f"no row of `{table.name}` has this key",
                help=did_you_mean(text, known),
            )  # fmt: skip
            raise Absent
        return row
