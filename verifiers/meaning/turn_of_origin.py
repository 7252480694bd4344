"""The turn of a conversation that introduced each instance of a constraint."""

from __future__ import annotations

from planspec.dsl.diagnostics.source import Span
from planspec.verifiers.meaning.ground import Ground, ground


def first_turns_of_instances(last: Ground) -> dict[str, int]:
    """Return for each instance, by id, the turn since which it has applied without interruption.

    For example, a constraint of turn 0 that turn 1 drops and turn 2 declares again applies since turn 2. Earlier
    turns are evaluated only as far as needed.

    Args:
        last: the task at the turn that is judged.

    Returns:
        Number of the turn for each applicable instance; empty for a task without turns.

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
    """Return the id of each applicable instance, with the position of its constraint."""
    return {(i.id, i.constraint.span) for i in base.instances if i.applicable}
