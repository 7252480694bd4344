"""Whether another world makes a difference to any plan in scope."""

from __future__ import annotations

from typing import Literal

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.errors import DiagnosticError
from planspec.solvers.ir.equality import same_problem, same_ranking
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.disagreement import ContestedPlan, disagreement
from planspec.verifiers.environment.watching import Marks, WatchedWorld
from planspec.verifiers.meaning.counterparts import one_scope
from planspec.verifiers.meaning.ground import ground


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
            self._lowered = _lowered(worlds.unchanged())
        self.rows: frozenset[Row] = frozenset(mark[1] for mark in self._marks if mark[0] == "cell")

    def reached(self) -> bool:
        """They read something that has changed in the world that was made last; where there is no encoding they may."""
        return self._lowered is None or not self._worlds.change.isdisjoint(self._marks)

    def compared(self, task: Task, clock: TimeBudget) -> Literal["same", "unknown"] | ContestedPlan:
        """Whether they come to the same in another world for every plan in scope, or a plan that is accepted in one of them alone.

        Args:
            task: in the other world.
            clock: for the search, where the problems are not built alike.
        """
        if self._lowered is None:
            return "unknown"
        other = _lowered(task)
        if other is None:
            return "unknown"
        here, there = self._lowered.ground, other.ground
        if one_scope(here, there) and same_problem(self._lowered.problem, other.problem):
            return "same"
        found = disagreement(here, there, backends=("cpsat",), limits=clock.rest)
        if found.contested is not None:
            return found.contested
        alike = found.scope == "both" and same_ranking(self._lowered.problem, other.problem)
        return "same" if found.status == "same" and alike else "unknown"


def _lowered(task: Task) -> Lowered | None:
    """A task's problem; None where it has no encoding."""
    try:
        return lower(ground(task))
    except DiagnosticError:
        return None
