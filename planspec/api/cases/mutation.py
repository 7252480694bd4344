"""Which mutants of a task's constraints its cases notice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from planspec.api.cases.expectations import differences
from planspec.dsl.model import tree as t
from planspec.dsl.model.case import Case
from planspec.dsl.model.mutants import Mutant, mutants
from planspec.dsl.resources.limits import INTERPRETING_STEPS
from planspec.errors import DiagnosticError
from planspec.verifiers.meaning.explain import summary, with_details
from planspec.verifiers.meaning.ground import Ground, Instance, instances_of
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import STRICT, Finding, SourcePlace, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class JudgedCase:
    """A case whose verdict is as expected, with the plan that it is about."""

    case: Case
    verdict: Verdict
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantResult:
    """A mutant of a constraint, and whether a case notices it."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "the id of the constraint"})
    change: str = field(metadata={"description": "what was dropped or weakened"})
    source: SourcePlace = field(metadata={"description": "where"})
    noticed: bool | None = field(
        metadata={
            "description": "a case comes out other than it says; null where no case was judged in time and none noticed"
        }
    )


def mutant_results(known: Ground, cases: Sequence[JudgedCase]) -> Iterator[MutantResult]:
    """Each mutant of each constraint of a task, and whether one of the cases notices it."""
    for constraint in known.task.constraints:
        own = [instance for instance in known.instances if instance.constraint is constraint]
        ids = {instance.id for instance in own}
        for mutant in mutants(constraint):
            yield MutantResult(
                constraint=constraint.id,
                change=mutant.change,
                source=SourcePlace.of(mutant.span),
                noticed=_noticed(known, constraint, mutant, own, ids, cases),
            )


def _noticed(
    known: Ground,
    constraint: t.Constraint,
    mutant: Mutant,
    own: Sequence[Instance],
    ids: set[str],
    cases: Sequence[JudgedCase],
) -> bool | None:
    late = False
    try:
        instances = _instances(known, constraint, mutant, own)
        for judged in cases:
            try:
                if any(differences(judged.case, _verdict(known, judged, instances, ids))):
                    return True
            except StepLimitError:
                late = True
    except (DiagnosticError, StepLimitError):  # past the limits of grounding
        return None
    return None if late else False


def _instances(
    known: Ground, constraint: t.Constraint, mutant: Mutant, own: Sequence[Instance]
) -> Sequence[Instance]:
    """The instances of a mutant; those of the constraint itself, if it asks in the same places."""
    if mutant.constraint is None:
        return ()
    if mutant.constraint.when is constraint.when and mutant.constraint.clauses is constraint.clauses:
        return [replace(instance, constraint=mutant.constraint) for instance in own]
    return instances_of(known, mutant.constraint)


def _verdict(known: Ground, judged: JudgedCase, instances: Sequence[Instance], ids: set[str]) -> Verdict:
    """The verdict on a case's plan if a constraint had the instances of its mutant.

    Raises:
        StepLimitError: they take too long on the plan.
    """
    others = [f for f in judged.verdict.findings if f.level == "shape" or f.constraint not in ids]
    found = [_finding(known, judged, instance) for instance in instances]
    return replace(judged.verdict, findings=(*others, *found))


def _finding(known: Ground, judged: JudgedCase, instance: Instance) -> Finding:
    holds = True
    if instance.applicable:
        interpreter = known.interpreter.on(judged.plan, Meter(INTERPRETING_STEPS))
        holds = interpreter.holds(instance.constraint.body, instance.env)
    brief = summary(instance, holds)
    return with_details(known, instance, judged.plan, brief) if judged.case.margins else brief
