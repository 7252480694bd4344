"""Values of definitions that tasks on the same documents have in common, as they come of the same givens and rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import COMMON_FACTS
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import walk

WORTH_KEEPING = 100
"""The steps from which on a value is kept for other tasks."""
MOST_KEPT = 1_000
"""The values that are kept."""

Origin: TypeAlias = tuple[Any, ...]
"""A definition, and the values of the givens that it mentions: all that its value comes of beside common rows."""


@dataclass(frozen=True, slots=True)
class CommonValue:
    """A value with the steps that it took."""

    value: Any
    steps: int


@dataclass(frozen=True, slots=True)
class _Mentions:
    """What the value of a definition without parameters comes of.

    Attributes:
        givens: names of the givens that are read.
        tables: names of the tables that are read.
    """

    givens: tuple[str, ...]
    tables: tuple[str, ...]


_MENTIONS: Kind[t.Definition, _Mentions] = Kind("givens and tables that definitions mention")
_COMPUTED: Kind[Origin, Any] = Kind(
    "values of definitions that compiled code has worked out for tasks in common"
)
_VALUES: Kind[Origin, CommonValue] = Kind("values of definitions that tasks have in common")


def origin(definition: t.Definition, task: Task) -> Origin | None:
    """All that the value of a static definition comes of; None where other tasks cannot have the same.

    Args:
        definition: without parameters.
        task: whose definition it is.
    """
    if definition.span.source is task.span.source:
        return None
    known = task.shared.of(_MENTIONS)
    mentions = known.get(definition)
    if mentions is None:
        mentions = known[definition] = _mentions(definition)
    common = task.shared.of(COMMON_FACTS)
    if any(common.get(name) is not task.facts[name] for name in mentions.tables):
        return None
    return (definition, *[task.givens[name] for name in mentions.givens])


def known_value(found: Origin, task: Task) -> CommonValue | None:
    """What another task has worked out of the same."""
    return task.shared.of(_VALUES).get(found)


def keep_value(found: Origin, task: Task, value: Any, steps: int) -> None:
    """Keep a value for other tasks, if it took some time."""
    if steps < WORTH_KEEPING:
        return
    kept = task.shared.of(_VALUES)
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[found] = CommonValue(value, steps)


def shared_value(definition: t.Definition, task: Task, compute: Callable[[], Any]) -> Any:
    """The value of a static definition, as another task has it or as it is worked out now, whose steps nobody counts.

    Args:
        definition: without parameters.
        task: whose definition it is.
        compute: works it out.
    """
    found = origin(definition, task)
    if found is None:
        return compute()
    known = known_value(found, task)
    if known is not None:
        return known.value
    kept = task.shared.of(_COMPUTED)
    if found not in kept:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[found] = compute()
    return kept[found]


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
