"""The code that tasks have in common, kept with the documents on which they stand; it is loaded for the second of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from planspec.dsl.model.memory import Kind
from planspec.dsl.model.tree import Constraint, Definition
from planspec.dsl.model.types import Table
from planspec.verifiers.meaning.ground import Ground

if TYPE_CHECKING:
    from planspec.verifiers.compiled.common import CommonCode
    from planspec.verifiers.compiled.compile import Compiled

MOST_KEPT = 16
"""The sets of constraints whose code is kept: tasks that take constraints out have others than the rest."""

_Key: TypeAlias = tuple[tuple[Constraint, ...], tuple[Table, ...], tuple[Definition, ...]]

COMMON: Kind[_Key, CommonCode | None] = Kind("code of constraints that tasks have in common")


def common_code(ground: Ground) -> Compiled | None:
    """The verifier of a task in code that it shares with tasks that stand on the same documents.

    Returns:
        None for the first of them, since code pays only for several; and where the constraints are all the task's own.
    """
    task = ground.task
    shared = tuple(each for each in task.constraints if each.span.source is not task.span.source)
    if not shared:
        return None
    key = shared, task.plan_tables, tuple(task.definitions[name] for name in task.measures)
    kept = task.shared.of(COMMON)
    if key not in kept:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[key] = None
        return None
    found = kept[key]
    if found is None:
        from planspec.verifiers.compiled.common import CommonCode

        found = kept[key] = CommonCode(shared)
    return found.link(ground)
