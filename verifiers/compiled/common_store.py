"""Cache of verifier code shared by tasks with the same libraries. The code is generated for the second such task."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from planspec.dsl.model.memory import Kind
from planspec.dsl.model.tree import Constraint, Definition
from planspec.dsl.model.types import Table
from planspec.verifiers.meaning.ground import Ground

if TYPE_CHECKING:
    from planspec.verifiers.compiled.common import CommonCode
    from planspec.verifiers.compiled.compile import Compiled

MAX_STORED = 16
"""Maximum number of sets of constraints for which code is stored."""

_Key: TypeAlias = tuple[tuple[Constraint, ...], tuple[Table, ...], tuple[Definition, ...]]

COMMON: Kind[_Key, CommonCode | None] = Kind("code of constraints that tasks have in common")


def common_verifier(ground: Ground) -> Compiled | None:
    """Return a verifier of a task that uses code shared with other tasks.

    Return None for the first task with these constraints, since shared code pays off only for several tasks. Return
    None, too, if no constraint comes from a shared document.
    """
    task = ground.task
    shared = tuple(each for each in task.constraints if each.span.source is not task.span.source)
    if not shared:
        return None
    key = shared, task.plan_tables, tuple(task.shared_measures.values())
    codes = task.shared.of(COMMON)
    if key not in codes:
        if len(codes) >= MAX_STORED:
            codes.clear()
        codes[key] = None
        return None
    code = codes[key]
    if code is None:
        from planspec.verifiers.compiled.common import CommonCode

        code = codes[key] = CommonCode(shared)
    return code.link(ground)
