"""Since which turn a rule stands."""

from __future__ import annotations

from planspec.dsl.diagnostics.source import Span
from planspec.verifiers.meaning.ground import Ground, ground


def standing_since(last: Ground) -> dict[str, int]:
    """The first turn from which on each instance applies without a gap, by its id.

    A constraint that a turn drops and declares anew begins again. Earlier turns are worked out only as long as
    something may have begun before.

    Args:
        last: the turn that is judged.

    Returns:
        Nothing for a task without turns; instances that do not apply are left out.

    Raises:
        DiagnosticError: an earlier turn has errors.
    """
    task = last.task
    if task.turn is None:
        return {}
    older = _applicable(last)
    since = dict.fromkeys((name for name, _ in older), task.turn)
    while older and task.before is not None:
        task = task.before()
        assert task.turn is not None
        older &= _applicable(ground(task, scope=False))
        since.update((name, task.turn) for name, _ in older)
    return since


def _applicable(known: Ground) -> set[tuple[str, Span]]:
    return {(i.id, i.constraint.span) for i in known.instances if i.applicable}
