"""The turns since which rules apply."""

from __future__ import annotations

from planspec.dsl.diagnostics.source import Span
from planspec.verifiers.meaning.ground import Ground, ground


def first_turns_of_instances(last: Ground) -> dict[str, int]:
    """Return the first turn since which each instance has applied without a gap, by its id.

    A constraint that a turn drops and declares again starts anew. Earlier turns are evaluated only as long
    as something may have started before.

    Args:
        last: the turn that is judged.

    Returns:
        An empty dict for a task without turns; instances that do not apply are left out.

    Raises:
        DiagnosticError: an earlier turn has errors.
    """
    task = last.task
    if task.turn is None:
        return {}
    older = _applicable_instances(last)
    since = dict.fromkeys((name for name, _ in older), task.turn)
    while older and task.before is not None:
        task = task.before()
        assert task.turn is not None
        older &= _applicable_instances(ground(task, scope=False))
        since.update((name, task.turn) for name, _ in older)
    return since


def _applicable_instances(base: Ground) -> set[tuple[str, Span]]:
    return {(i.id, i.constraint.span) for i in base.instances if i.applicable}
