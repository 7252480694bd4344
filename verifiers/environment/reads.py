"""Columns, tables and parameters on which tools, and texts in the prompt (shows), can depend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import DeclaredTool, HiddenName, Show
from planspec.dsl.model.environment_traversal import TreePart, every_expression, tool_parts, with_shapes
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import ListType, RowType, SetType, Type

NAME = "name"
"""Column that holds a row's name, in tables that have it."""


@dataclass(frozen=True, slots=True)
class ReadNames:
    """Names that a tool or a prompt text (show) reads, directly or through definitions and shapes (named result trees).

    Attributes:
        names: names of the parameters that are read, and of the tables of which rows are read.
        columns: (table, column) pairs that are read.
    """

    names: frozenset[str]
    columns: frozenset[tuple[str, str]]

    def includes(self, fact: HiddenName) -> bool:
        """Return whether a parameter, a column, or the rows of a table are among the names that are read."""
        if fact.column is None:
            return fact.name in self.names
        return (fact.name, fact.column) in self.columns


def tool_reads(tool: DeclaredTool, task: Task) -> ReadNames:
    """Return the parameters, tables and columns on which a tool's results can depend.

    These include the tables of rows that a call can pass as arguments, since arguments refer to rows by name.
    """
    return _reads_of(tool_parts(tool), task, (param.binding.type for param in tool.params))


def show_reads(show: Show, task: Task) -> ReadNames:
    """Return the parameters, tables and columns on which the texts of a `show` entry can depend.

    These texts are part of the prompt.
    """
    return _reads_of((show, *with_shapes(show.tree)), task)


def _reads_of(parts: Iterable[TreePart], task: Task, types: Iterable[Type] = ()) -> ReadNames:
    names: set[str] = set()
    columns: set[tuple[str, str]] = set()
    rows: set[str] = set()
    for type_ in types:
        _add_named_tables(type_, task, rows)
    for node in walk(*(expr for part in parts for expr in every_expression(part))):
        _add_named_tables(node.type, task, rows)
        match node:
            case t.GivenRef():
                names.add(node.given.name)
            case t.AllRows() | t.Lookup() | t.OnlyRow() | t.RowNamed():
                names.add(node.table.name)
            case t.FieldOf(row=row, column=column) if isinstance(row.type, RowType):
                columns.add((row.type.table, column.name))
    return ReadNames(frozenset(names | rows), frozenset(columns | {(table, NAME) for table in rows}))


def _add_named_tables(type_: Type, task: Task, tables: set[str]) -> None:
    """Add to `tables` the tables that determine a row's name: its own (by `type_`), and those of rows in its key."""
    item = type_.item if isinstance(type_, SetType | ListType) else type_
    if isinstance(item, RowType) and item.table not in tables:
        tables.add(item.table)
        table = task.tables[item.table]
        for key in table.key:
            _add_named_tables(table.columns[key].type, task, tables)
