"""Whether another world makes a difference to any plan in scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from planspec.dsl.model.rows import Row
from planspec.errors import DiagnosticError
from planspec.solvers.ir.equality import same_condition, same_problem, same_ranking
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.lowering.problem import Lowered, lower, lower_alone
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.disagreement import ContestedPlan, disagreement
from planspec.verifiers.environment.watching import Marks, WatchedWorld
from planspec.verifiers.meaning.counterparts import have_same_scope
from planspec.verifiers.meaning.ground import Ground, ground


class Effect:
    """What the rules and the scope come to in one world, and whether they come to the same in others.

    Args:
        worlds: the task's.

    Attributes:
        rows: those of which they read a cell; of the worlds.
    """

    def __init__(self, worlds: WatchedWorld) -> None:
        self._worlds = worlds
        self._marks: Marks = set()
        with worlds.watch.reading() as self._marks:
            self._lowered = _lowered(ground(worlds.unchanged()))
        self._alone = {} if self._lowered is None else dict(_alone(self._lowered.ground, worlds))
        self.rows: frozenset[Row] = frozenset(mark[1] for mark in self._marks if mark[0] == "cell")

    def reached(self) -> bool:
        """They read something that has changed in the world that was made last; where there is no encoding they may."""
        return self._lowered is None or not self._worlds.change.isdisjoint(self._marks)

    def compared(self, there: Ground, clock: TimeBudget) -> Literal["same", "unknown"] | ContestedPlan:
        """Whether they come to the same in another world for every plan in scope, or a plan that is accepted in one of them alone.

        Args:
            there: the task in the world that was made last.
            clock: for the search, where the problems are not built alike.
        """
        if self._lowered is None:
            return "unknown"
        here = self._lowered.ground
        if self._unreached(there):
            return "same"
        other = _lowered(there)
        if other is None:
            return "unknown"
        if have_same_scope(here, there) and same_problem(self._lowered.problem, other.problem):
            return "same"
        found = disagreement(here, there, backends=("cpsat",), limits=clock.rest)
        if found.contested is not None:
            return found.contested
        alike = found.scope == "both" and same_ranking(self._lowered.problem, other.problem)
        return "same" if found.status == "same" and alike else "unknown"

    def _unreached(self, there: Ground) -> bool:
        """Each instance that reads what has changed says the same as before, by itself; and nothing else may say something else."""
        assert self._lowered is not None
        here = self._lowered.ground
        if here.task.objectives or not _same_instances(here, there) or not have_same_scope(here, there):
            return False
        changed = [
            instance
            for instance in there.instances
            if instance.applicable and not self._worlds.change.isdisjoint(self._alone[instance.id].reads)
        ]
        try:
            return all(
                same_condition(self._alone[instance.id].condition, lower_alone(there, instance))
                for instance in changed
            )
        except DiagnosticError:
            return False


@dataclass(frozen=True, slots=True)
class _Alone:
    """An instance by itself: its condition, and what was read to find it."""

    condition: Bool
    reads: Marks


def _alone(here: Ground, worlds: WatchedWorld) -> Iterator[tuple[str, _Alone]]:
    for instance in here.instances:
        if instance.applicable:
            with worlds.watch.reading() as reads:
                condition = lower_alone(here, instance)
            yield instance.id, _Alone(condition, reads)


def _same_instances(here: Ground, there: Ground) -> bool:
    """They have the same instances, which weigh the same."""
    both = ([(i.id, i.applicable, i.weight) for i in made.instances] for made in (here, there))
    return next(both) == next(both)


def _lowered(made: Ground) -> Lowered | None:
    """A task's problem; None where it has no encoding."""
    try:
        return lower(made)
    except DiagnosticError:
        return None
