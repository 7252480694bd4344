"""What the request itself tells: parameters and rows of its own that the query says, or of which the author vouches for it."""

from __future__ import annotations

from typing import Any

from planspec.dsl.model.environment import HiddenName, Tell
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Type
from planspec.verifiers.environment.wording import says


def quoted(task: Task, fact: HiddenName) -> Tell | None:
    """The author's word for it that the query tells a fact: a passage, or trust; None where there is none."""
    for tell in task.environment.tells:
        if tell.name in (fact, HiddenName(fact.name)) and (tell.trusted or tell.passage):
            return tell
    return None


def query_says(task: Task, fact: HiddenName) -> bool:
    """The query says the value of a parameter, or what every row of the request holds; what is as always needs no word.

    Args:
        task: whose query it is.
        fact: a parameter, a column, or a table for all of its columns. The query says nothing of a table of the world.
    """
    if fact.name in task.given_declarations:
        declared = task.given_declarations[fact.name]
        value = task.givens.get(fact.name)
        return (declared.has_default and value == declared.default) or _says(task, value, declared.type)
    rows = task.facts[fact.name].rows
    if fact.name not in task.own_tables or not rows:
        return False
    columns = task.tables[fact.name].columns
    if fact.column is not None:
        columns = {fact.column: columns[fact.column]}
    return all(
        (column.has_default and getattr(row, name) == column.default)
        or _says(task, getattr(row, name), column.type)
        for row in rows
        for name, column in columns.items()
    )


def _says(task: Task, value: Any, of: Type) -> bool:
    return says(task.query, value, of, task.currency)
