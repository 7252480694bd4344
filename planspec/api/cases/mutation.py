"""Mutation testing: whether a task's cases detect changes of its constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

from planspec.api.cases.expectations import differences
from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model import tree as t
from planspec.dsl.model.case import Case
from planspec.dsl.model.mutants import Mutant, mutants
from planspec.dsl.resources.limits import INTERPRETING_STEPS
from planspec.verifiers.meaning.explain import with_details
from planspec.verifiers.meaning.ground import Ground, Instance, instances_of
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.prebuilt_findings import finding_without_details
from planspec.verifiers.meaning.verdict import STRICT, Finding, SourcePlace, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCase:
    """A case whose verdict is as expected, with the plan of its answer."""

    case: Case
    verdict: Verdict
    plan: Plan


MutantKey: TypeAlias = tuple[str, str, SourcePlace]
"""Constraint id, change and source place of a mutant (a changed constraint). Mutants with equal keys count once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantResult:
    """A mutant (a constraint with one change), and whether a case detects it."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "id of the constraint"})
    change: str = field(metadata={"description": "part that was dropped or weakened"})
    source: SourcePlace = field(metadata={"description": "its place in the source"})
    noticed: bool | None = field(
        metadata={"description": "whether a case's verdict changes; null if none does and some were not judged in time"}
    )

    @property
    def key(self) -> MutantKey:
        """Key of the mutant. It is equal for the same mutant in several tasks."""
        return self.constraint, self.change, self.source


def mutant_results(grounded: Ground, cases: Sequence[JudgedCase]) -> Iterator[MutantResult]:
    """Yield each mutant of each constraint of a task, and whether a case detects it."""
    for mutant in applied_mutants(grounded):
        constraint, change, source = mutant.key
        yield MutantResult(constraint=constraint, change=change, source=source, noticed=mutant.is_detected(cases))


def applied_mutants(grounded: Ground) -> Iterator[AppliedMutant]:
    """Yield all mutants of all constraints of a task."""
    for constraint in grounded.task.constraints:
        own = tuple(instance for instance in grounded.instances if instance.constraint is constraint)
        for mutant in mutants(constraint):
            yield AppliedMutant(grounded, constraint, mutant, own)


@dataclass(frozen=True, slots=True, eq=False)
class AppliedMutant:
    """A task in which a mutant replaces a constraint.

    Attributes:
        ground: the task.
        constraint: the constraint.
        mutant: its mutant.
        own: instances of the unchanged constraint.
    """

    ground: Ground
    constraint: t.Constraint
    mutant: Mutant
    own: tuple[Instance, ...]

    @property
    def key(self) -> MutantKey:
        """Key of the mutant. It is equal for the same mutant in several tasks."""
        return self.constraint.id, self.mutant.change, SourcePlace.of(self.mutant.span)

    def instances(self) -> Sequence[Instance]:
        """Return the instances of the mutant.

        If the mutant has the constraint's conditions, these are the constraint's own instances.

        Raises:
            DiagnosticError: the mutant has too many instances.
            StepLimitError: evaluating the conditions takes too many steps.
        """
        constraint = self.mutant.constraint
        if constraint is None:
            return ()
        if constraint.when is self.constraint.when and constraint.clauses is self.constraint.clauses:
            return [replace(instance, constraint=constraint) for instance in self.own]
        return instances_of(self.ground, constraint)

    def is_detected(self, cases: Sequence[JudgedCase]) -> bool | None:
        """Return whether a case detects the mutant; None if that cannot be decided within the limits."""
        late = False
        try:
            instances = self.instances()
            for judged in cases:
                try:
                    if any(differences(judged.case, self.verdict(judged, instances))):
                        return True
                except StepLimitError:
                    late = True
        except (DiagnosticError, StepLimitError):  # the mutant is too large to be grounded
            return None
        return None if late else False

    def verdict(self, judged: JudgedCase, instances: Sequence[Instance]) -> Verdict:
        """Return the verdict on a case's plan if the mutant replaced the constraint.

        Raises:
            StepLimitError: judging the plan takes too many steps.
        """
        ids = {instance.id for instance in self.own}
        others = [f for f in judged.verdict.findings if f.level == "shape" or f.constraint not in ids]
        changed = [self._finding(judged, instance) for instance in instances]
        return replace(judged.verdict, findings=(*others, *changed))

    def _finding(self, judged: JudgedCase, instance: Instance) -> Finding:
        brief = finding_without_details(instance, self._holds(judged.plan, instance))
        return with_details(self.ground, instance, judged.plan, brief) if judged.case.margins else brief

    def violated(self, plan: Plan, instances: Iterable[Instance]) -> frozenset[str]:
        """Return the ids of the mutant's instances that a plan violates.

        Raises:
            StepLimitError: judging the plan takes too many steps.
        """
        return frozenset(instance.id for instance in instances if not self._holds(plan, instance))

    def _holds(self, plan: Plan, instance: Instance) -> bool:
        if not instance.applicable:
            return True
        interpreter = self.ground.interpreter.on(plan, Meter(INTERPRETING_STEPS))
        return interpreter.holds(instance.constraint.body, instance.env)
