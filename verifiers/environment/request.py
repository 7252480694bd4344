"""Tests of whether a query states a fact: a parameter, or cells of the tables in the task's own document."""

from __future__ import annotations

from typing import Any

from planspec.dsl.model.environment import HiddenName, Tell
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Type
from planspec.verifiers.environment.wording import states_value


def statement_of(task: Task, fact: HiddenName) -> Tell | None:
    """Return the author's declaration (`tells:`) that the query states a fact; None if no such declaration exists."""
    for declaration in task.environment.tells:
        if declaration.name in (fact, HiddenName(fact.name)) and (declaration.trusted or declaration.passage):
            return declaration
    return None


def query_states(task: Task, fact: HiddenName) -> bool:
    """Return whether the query mentions the value of a parameter, or all cells of a column or table.

    Default values count as mentioned. The result is False for a table of an imported world, a table without
    rows, and a column of such a table.

    Args:
        task: task with the query.
        fact: a parameter, a column, or a table (all of its columns).
    """
    if fact.name in task.given_declarations:
        declared = task.given_declarations[fact.name]
        value = task.givens.get(fact.name)
        return (declared.has_default and value == declared.default) or _query_states_value(task, value, declared.type)
    rows = task.facts[fact.name].rows
    if fact.name not in task.own_tables or not rows:
        return False
    columns = task.tables[fact.name].columns
    if fact.column is not None:
        columns = {fact.column: columns[fact.column]}
    return all(
        (column.has_default and getattr(row, name) == column.default)
        or _query_states_value(task, getattr(row, name), column.type)
        for row in rows
        for name, column in columns.items()
    )


def _query_states_value(task: Task, value: Any, type_: Type) -> bool:
    return states_value(task.query, value, type_, task.currency)
