"""The effect of changed facts: whether the same plans in scope are accepted with the facts of another world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.rows import Row
from planspec.solvers.ir.equality import same_condition, same_problem, same_ranking
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.lowering.problem import Lowered, lower, lower_alone
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.disagreement import ContestedPlan, Version, disagreement
from planspec.verifiers.environment.watching import ReadSet, RecordedWorld
from planspec.verifiers.meaning.counterparts import have_same_scope
from planspec.verifiers.meaning.ground import Ground, ground


class Effect:
    """Comparison of a task in its original world (its facts and givens) with the task in worlds with changed facts.

    Args:
        worlds: generator of the changed worlds, one after another. It holds the original facts, and records which facts
            differ in the changed world that it created last.
        original: the task in its original world.
        lowering: function that translates the task into a problem for solvers.

    Attributes:
        rows: rows of facts with a cell that the rules or the scope read.
    """

    def __init__(self, worlds: RecordedWorld, original: Ground, lowering: Callable[[Ground], Lowered] = lower) -> None:
        self._worlds, self._original, self._lowering = worlds, original, lowering
        self._marks: ReadSet = set()
        with worlds.watch.reading() as self._marks:
            self._lowered = _lower_or_none(ground(worlds.unchanged()))
        # `_cannot_matter` compares conditions only for tasks without objectives
        comparable = self._lowered is not None and not self._lowered.ground.task.objectives
        self._alone = dict(_instances_alone(self._lowered.ground, worlds)) if self._lowered and comparable else {}
        self.rows: frozenset[Row] = frozenset(mark[1] for mark in self._marks if mark[0] == "cell")

    def is_affected(self) -> bool:
        """Return whether the latest change affects a fact that the task's rules or scope read.

        The latest change is the difference between the original world and the changed world that `worlds` (see the
        class) created last. Return True, too, if the task has no encoding for solvers.
        """
        return self._lowered is None or not self._worlds.change.isdisjoint(self._marks)

    def compare(self, other: Ground, clock: TimeBudget) -> Literal["same", "unknown"] | ContestedPlan:
        """Decide whether the task accepts the same plans, and ranks them the same way, in a changed world.

        A world is the task's facts and givens. Only plans in scope (with rows and values that plans may have) count.

        Args:
            other: the task in the changed world that `worlds` (see the class) created last.
            clock: limit on the search. There is no search if both worlds yield the same problem for solvers.

        Returns:
            `same` if both worlds accept the same plans and rank them in the same way; a plan that only one of the
            worlds accepts, if such a plan was found; else `unknown`, also if only the ranking may differ.
        """
        if self._lowered is None:
            return "unknown"
        ground = self._lowered.ground
        if self._cannot_matter(other):
            return "same"
        lowered = _lower_or_none(other)
        if lowered is None:
            return "unknown"
        if have_same_scope(ground, other) and same_problem(self._lowered.problem, lowered.problem):
            return "same"
        versions: Mapping[Version, Lowered] = {"first": self._lowering(self._original), "second": lowered}
        result = disagreement(self._original, other, backends=("cpsat",), limits=clock.rest, lowered=versions)
        if result.contested is not None:
            return result.contested
        alike = result.scope == "both" and same_ranking(self._lowered.problem, lowered.problem)
        return "same" if result.status == "same" and alike else "unknown"

    def _cannot_matter(self, other: Ground) -> bool:
        """Return whether it is clear without a search that no change in the other world affects any plan's verdict.

        This is the case if there are no objectives, if the constraint instances, their weights and the scope are equal,
        and if each instance that reads a changed fact has the same condition.
        """
        assert self._lowered is not None
        ground = self._lowered.ground
        if ground.task.objectives or not _same_instances(ground, other) or not have_same_scope(ground, other):
            return False
        changed = [
            instance
            for instance in other.instances
            if instance.applicable and not self._worlds.change.isdisjoint(self._alone[instance.id].reads)
        ]
        try:
            return all(
                same_condition(self._alone[instance.id].condition, lower_alone(other, instance)) for instance in changed
            )
        except DiagnosticError:
            return False


@dataclass(frozen=True, slots=True)
class _ConditionAlone:
    """The condition of one constraint instance, translated for solvers on its own, and the facts that it reads."""

    condition: Bool
    reads: ReadSet


def _instances_alone(ground: Ground, worlds: RecordedWorld) -> Iterator[tuple[str, _ConditionAlone]]:
    """Yield the id of each applicable constraint instance, and its condition with the facts that it reads."""
    for instance in ground.instances:
        if instance.applicable:
            with worlds.watch.reading() as reads:
                condition = lower_alone(ground, instance)
            yield instance.id, _ConditionAlone(condition, reads)


def _same_instances(first: Ground, second: Ground) -> bool:
    """Return whether the same constraint instances, with the same weights, apply in two versions of a task."""
    both = ([(i.id, i.applicable, i.weight) for i in version.instances] for version in (first, second))
    return next(both) == next(both)


def _lower_or_none(ground: Ground) -> Lowered | None:
    """Translate a task into a problem for solvers; return None if part of it has no encoding."""
    try:
        return lower(ground)
    except DiagnosticError:
        return None
