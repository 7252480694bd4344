"""Cache of the values of static definitions, shared by tasks that use the same documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import COMMON_FACTS
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk

MIN_STORED_STEPS = 100
"""Minimum number of evaluation steps of a value that is stored for other tasks."""
MAX_STORED = 1_000
"""Maximum number of values of definitions in each of two caches that tasks share. A full cache is emptied."""

Origin: TypeAlias = tuple[Any, ...]
"""Cache key: a definition and the values of the task parameters (givens) that it reads."""


@dataclass(frozen=True, slots=True)
class CommonValue:
    """A stored value and the number of steps of its evaluation."""

    value: Any
    steps: int


@dataclass(frozen=True, slots=True)
class _Mentions:
    """The inputs of a definition without parameters.

    Attributes:
        givens: names of the task parameters (givens) that are read.
        tables: names of the tables that are read.
    """

    givens: tuple[str, ...]
    tables: tuple[str, ...]


_MENTIONS: Kind[t.Definition, _Mentions] = Kind("givens and tables that definitions mention")
_COMPUTED: Kind[Origin, Any] = Kind("values of definitions that compiled code has computed for several tasks")
_VALUES: Kind[Origin, CommonValue] = Kind("values of definitions that several tasks share")


def origin(definition: t.Definition, task: Task) -> Origin | None:
    """Return the cache key of a static definition; None if its value cannot be shared with other tasks.

    Args:
        definition: definition without parameters.
        task: task of the definition.
    """
    if definition.span.source is task.span.source:
        return None
    cache = task.shared.of(_MENTIONS)
    mentions = cache.get(definition)
    if mentions is None:
        mentions = cache[definition] = _mentions(definition)
    common = task.shared.of(COMMON_FACTS)
    if any(common.get(name) is not task.facts[name] for name in mentions.tables):
        return None
    return (definition, *[task.givens[name] for name in mentions.givens])


def stored_value(key: Origin, task: Task) -> CommonValue | None:
    """Return the value stored for a key by any task that shares the cache of `task`; None if no task stored one."""
    return task.shared.of(_VALUES).get(key)


def store_value(key: Origin, task: Task, value: Any, steps: int) -> None:
    """Store a value in the cache that `task` shares with other tasks.

    A value is not stored if its evaluation took fewer than `MIN_STORED_STEPS` steps.
    """
    if steps < MIN_STORED_STEPS:
        return
    values = task.shared.of(_VALUES)
    if len(values) >= MAX_STORED:
        values.clear()
    values[key] = CommonValue(value, steps)


def value_shared_between_tasks(definition: t.Definition, task: Task, compute: Callable[[], Any]) -> Any:
    """Return the value of a static definition from the cache, or compute it. No steps are counted.

    Args:
        definition: definition without parameters.
        task: task of the definition.
        compute: function that computes the value.
    """
    key = origin(definition, task)
    if key is None:
        return compute()
    stored = stored_value(key, task)
    if stored is not None:
        return stored.value
    values = task.shared.of(_COMPUTED)
    if key not in values:
        if len(values) >= MAX_STORED:
            values.clear()
        values[key] = compute()
    return values[key]


def _mentions(definition: t.Definition) -> _Mentions:
    givens: dict[str, None] = {}
    tables: dict[str, None] = {}
    for node in walk(definition.body):
        match node:
            case t.GivenRef():
                givens[node.given.name] = None
            case t.AllRows() | t.Lookup() | t.OnlyRow() | t.RowNamed():
                tables[node.table.name] = None
    return _Mentions(tuple(givens), tuple(tables))
