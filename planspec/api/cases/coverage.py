"""Which constraints the cases of a task violate and satisfy."""

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
    """How many cases violate and satisfy a constraint."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    constraint: str = field(metadata={"description": "its id"})
    hard: bool = field(metadata={"description": "it is a hard one"})
    source: SourcePlace = field(metadata={"description": "where it stands"})
    violated: int = field(metadata={"description": "the number of cases in which an instance is violated"})
    satisfied: int = field(
        metadata={"description": "the number of cases in which an instance that applies is satisfied"}
    )


def constraint_coverage(task: Task, verdicts: Iterable[Verdict]) -> Iterator[ConstraintCoverage]:
    """The coverage of each constraint of a task by the verdicts on its cases."""
    violated, satisfied = Counter[str](), Counter[str]()
    for verdict in verdicts:
        counted = [finding for finding in verdict.findings if finding.level != "shape"]
        for status, counts in (("violated", violated), ("satisfied", satisfied)):
            counts.update({rule_of(finding.constraint) for finding in counted if finding.status == status})
    for constraint in task.constraints:
        yield ConstraintCoverage(
            constraint=constraint.id,
            hard=constraint.hard,
            source=SourcePlace.of(constraint.span),
            violated=violated[constraint.id],
            satisfied=satisfied[constraint.id],
        )
