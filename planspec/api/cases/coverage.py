"""Coverage of a task's constraints by its cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from planspec.dsl.documents.cases import rule_of
from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.verdict import STRICT, SourcePlace, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintCoverage:
    """The number of cases that violate a constraint, and of those that satisfy it."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "id of the constraint"})
    hard: bool = field(metadata={"description": "whether it is hard"})
    source: SourcePlace = field(metadata={"description": "its place in the source"})
    violated: int = field(metadata={"description": "number of cases in which an instance is violated"})
    satisfied: int = field(metadata={"description": "number of cases in which an applicable instance is satisfied"})


def constraint_coverage(task: Task, verdicts: Iterable[Verdict]) -> Iterator[ConstraintCoverage]:
    """Yield the coverage of each constraint of a task: how many cases violate it, and how many satisfy it."""
    violated, satisfied = Counter[str](), Counter[str]()
    for verdict in verdicts:
        instance_findings = [finding for finding in verdict.findings if finding.level != "shape"]
        for status, counts in (("violated", violated), ("satisfied", satisfied)):
            counts.update({rule_of(finding.constraint) for finding in instance_findings if finding.status == status})
    for constraint in task.constraints:
        yield ConstraintCoverage(
            constraint=constraint.id,
            hard=constraint.hard,
            source=SourcePlace.of(constraint.span),
            violated=violated[constraint.id],
            satisfied=satisfied[constraint.id],
        )
