"""Conversion of checked tasks and reports to plain data, so that tests can compare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.lazy_scope import LazyScope
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.tree import Definition
from planspec.dsl.model.types import Table


def task_data(task: Task) -> dict[str, Any]:
    """Convert a task to plain data that do not depend on the order of its files."""
    description = {
        field.name: plain_data(getattr(task, field.name))
        for field in fields(task)
        if field.name not in ("sources", "before", "tables", "definitions", "shared")
    }
    description["tables"] = {name: _fields(table) for name, table in task.tables.items()}
    description["definitions"] = {name: _fields(definition) for name, definition in task.definitions.items()}
    description["hash"] = task.hash
    description["before"] = None if task.before is None else task_data(task.before())
    return description


def report_data(report: Report) -> list[Any]:
    """Convert the diagnostics of a report to plain data, sorted by position."""
    return [plain_data(diagnostic) for diagnostic in report.ordered()]


def plain_data(value: Any) -> Any:
    """Convert any part of a task to plain data. Tables, files and definitions become their names."""
    match value:
        case Row():
            return "row", value._table.name, value._index, plain_data(value._key)
        case Facts():
            columns = value.table.columns
            return [
                (row._index, {name: plain_data(getattr(row, name)) for name in columns}, dict(row._extra))
                for row in value.rows
            ], [plain_data(key) for key in value.by_key]
        case Table() | Definition():
            return type(value).__name__, value.name
        case Source():
            return value.name
        case Enum() | Path():
            return str(value)
        case Mapping():
            return [(plain_data(key), plain_data(part)) for key, part in value.items()]
        case list() | tuple() | LazyScope():
            return [plain_data(part) for part in value]
        case set() | frozenset():
            return sorted(map(repr, map(plain_data, value)))
        case _ if is_dataclass(value):
            return type(value).__name__, _fields(value)
        case _:
            return value


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: plain_data(getattr(value, field.name)) for field in fields(value) if field.name != "row_class"}
