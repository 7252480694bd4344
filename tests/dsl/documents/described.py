"""A checked task as plain data, for comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.documents.sound_scopes import LazyScope
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.tree import Definition
from planspec.dsl.model.types import Table


def described_task(task: Task) -> dict[str, Any]:
    """Return a task as plain data, independent of the order of its files."""
    description = {
        field.name: described(getattr(task, field.name))
        for field in fields(task)
        if field.name not in ("sources", "before", "tables", "definitions", "shared")
    }
    description["tables"] = {name: _fields(table) for name, table in task.tables.items()}
    description["definitions"] = {name: _fields(definition) for name, definition in task.definitions.items()}
    description["hash"] = task.hash
    description["before"] = None if task.before is None else described_task(task.before())
    return description


def described_report(report: Report) -> list[Any]:
    """Return the diagnostics in the order of the text."""
    return [described(diagnostic) for diagnostic in report.ordered()]


def described(value: Any) -> Any:
    """Return any part of a task as plain data; rows, tables, files and definitions become names."""
    match value:
        case Row():
            return "row", value._table.name, value._index, described(value._key)
        case Facts():
            columns = value.table.columns
            return [
                (row._index, {name: described(getattr(row, name)) for name in columns}, dict(row._extra))
                for row in value.rows
            ], [described(key) for key in value.by_key]
        case Table() | Definition():
            return type(value).__name__, value.name
        case Source():
            return value.name
        case Enum() | Path():
            return str(value)
        case Mapping():
            return [(described(key), described(part)) for key, part in value.items()]
        case list() | tuple() | LazyScope():
            return [described(part) for part in value]
        case set() | frozenset():
            return sorted(map(repr, map(described, value)))
        case _ if is_dataclass(value):
            return type(value).__name__, _fields(value)
        case _:
            return value


def _fields(value: Any) -> dict[str, Any]:
    return {
        field.name: described(getattr(value, field.name))
        for field in fields(value)
        if field.name != "row_class"
    }
