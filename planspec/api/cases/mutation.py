"""Mutation testing: whether a task's cases detect changes of its constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

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
    """A case whose verdict is as expected, with its plan."""

    case: Case
    verdict: Verdict
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantResult:
    """A mutant of a constraint, and whether a case detects it."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "id of the constraint"})
    change: str = field(metadata={"description": "part that was dropped or weakened"})
    source: SourcePlace = field(metadata={"description": "its place in the source"})
    noticed: bool | None = field(
        metadata={"description": "whether a case's verdict changes; null if none does and some were not judged in time"}
    )


def mutant_results(grounded: Ground, cases: Sequence[JudgedCase]) -> Iterator[MutantResult]:
    """Yield each mutant of each constraint of a task, and whether a case detects it."""
    for constraint in grounded.task.constraints:
        own = [instance for instance in grounded.instances if instance.constraint is constraint]
        ids = {instance.id for instance in own}
        for mutant in mutants(constraint):
            yield MutantResult(
                constraint=constraint.id,
                change=mutant.change,
                source=SourcePlace.of(mutant.span),
                noticed=_is_detected(grounded, constraint, mutant, own, ids, cases),
            )


def _is_detected(
    grounded: Ground,
    constraint: t.Constraint,
    mutant: Mutant,
    own: Sequence[Instance],
    ids: set[str],
    cases: Sequence[JudgedCase],
) -> bool | None:
    """Return whether a case detects a mutant; None if that cannot be decided within the limits."""
    late = False
    try:
        instances = _mutant_instances(grounded, constraint, mutant, own)
        for judged in cases:
            try:
                if any(differences(judged.case, _mutant_verdict(grounded, judged, instances, ids))):
                    return True
            except StepLimitError:
                late = True
    except (DiagnosticError, StepLimitError):  # past the limits of grounding
        return None
    return None if late else False


def _mutant_instances(
    grounded: Ground, constraint: t.Constraint, mutant: Mutant, own: Sequence[Instance]
) -> Sequence[Instance]:
    """Return the instances of a mutant. If its conditions are unchanged, they are those of the constraint."""
    if mutant.constraint is None:
        return ()
    if mutant.constraint.when is constraint.when and mutant.constraint.clauses is constraint.clauses:
        return [replace(instance, constraint=mutant.constraint) for instance in own]
    return instances_of(grounded, mutant.constraint)


def _mutant_verdict(grounded: Ground, judged: JudgedCase, instances: Sequence[Instance], ids: set[str]) -> Verdict:
    """Return the verdict on a case's plan with the instances of a constraint replaced by its mutant's.

    Raises:
        StepLimitError: judging the plan takes too many steps.
    """
    others = [f for f in judged.verdict.findings if f.level == "shape" or f.constraint not in ids]
    changed = [_mutant_finding(grounded, judged, instance) for instance in instances]
    return replace(judged.verdict, findings=(*others, *changed))


def _mutant_finding(grounded: Ground, judged: JudgedCase, instance: Instance) -> Finding:
    holds = True
    if instance.applicable:
        interpreter = grounded.interpreter.on(judged.plan, Meter(INTERPRETING_STEPS))
        holds = interpreter.holds(instance.constraint.body, instance.env)
    brief = finding_without_details(instance, holds)
    return with_details(grounded, instance, judged.plan, brief) if judged.case.margins else brief
