"""Facts shown on a task's audit page: its givens, and the rows of its own tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.api.outputs.audits import FactTable, TaskFacts
from planspec.dsl.model.value_text import show

if TYPE_CHECKING:
    from planspec.dsl.model.task import Task

MOST_ROWS = 40
"""Maximum number of rows shown of a table."""


def task_facts(task: Task) -> TaskFacts:
    """Return a task's givens with their values, and the first rows of the tables in its own document or record."""
    givens = {
        name: show(task.givens.get(name), declared.type, task.currency)
        for name, declared in task.given_declarations.items()
        if task.givens.get(name) not in (None, ())
    }
    tables = [_table(task, name) for name in sorted(task.own_tables) if task.facts[name].rows]
    return TaskFacts(givens=givens, tables=tables)


def _table(task: Task, name: str) -> FactTable:
    rows, columns = task.facts[name].rows, task.tables[name].columns.values()
    shown = [
        [
            "" if (value := getattr(row, column.name)) is None else show(value, column.type, task.currency)
            for column in columns
        ]
        for row in rows[:MOST_ROWS]
    ]
    return FactTable(name=name, columns=[column.name for column in columns], rows=shown, count=len(rows))
