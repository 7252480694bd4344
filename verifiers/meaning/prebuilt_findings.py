"""Findings without the details that depend on a plan: message, margin and rows.

Such a finding on an instance of a constraint is the same for all plans that satisfy the instance, and for all plans
that violate it. It is created only once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.verdict import Finding, SourcePlace

_PREBUILT: Kind[frozenset[tuple[str, int]], PrebuiltFindings] = Kind("findings without details")
_PLACES: Kind[t.Constraint, SourcePlace] = Kind("places of constraints' texts")
_SATISFIED: Kind[tuple[t.Constraint, bool, int | None], Finding] = Kind(
    "findings of the instances of constraints without `for:` that hold or do not apply"
)


@dataclass(frozen=True, slots=True)
class PrebuiltFindings:
    """Findings for all instances of a task's constraints, without details that require a plan.

    An instance that applies (its `when:` condition is true or absent) has two findings: one for plans that satisfy the
    instance, and one for plans that violate it. Any other instance has one finding.

    Attributes:
        unviolated: for each instance in order, its finding on a plan that does not violate it.
        hard: number of hard instances that apply.
        soft: number of soft instances that apply.
    """

    unviolated: tuple[Finding, ...]
    hard: int
    soft: int
    _violated: dict[int, Finding] = field(default_factory=dict, repr=False)

    def violated(self, at: int) -> Finding:
        """Return the finding with status `violated` for the instance at a position."""
        finding = self._violated.get(at)
        if finding is None:
            finding = self._violated[at] = replace(self.unviolated[at], status="violated")
        return finding


def prebuilt_findings(ground: Ground, since: Mapping[str, int]) -> PrebuiltFindings:
    """Return the findings without details for all instances of a task's constraints, from the cache if possible.

    Args:
        ground: the task.
        since: for a task with turns, the turn that introduced each instance, by id.
    """
    cache = ground.interpreter.static.of(_PREBUILT)
    turns = frozenset(since.items())
    result = cache.get(turns)
    if result is None:
        unviolated = tuple(
            _satisfied_finding(instance, since.get(instance.id), ground) for instance in ground.instances
        )
        counts = Counter(finding.level for finding in unviolated if finding.status == "satisfied")
        result = cache[turns] = PrebuiltFindings(unviolated, counts["hard"], counts["soft"])
    return result


def _satisfied_finding(instance: Instance, since: int | None, ground: Ground) -> Finding:
    """Return the finding of an instance that holds or does not apply.

    All tasks with the same constraint share the finding if the constraint has no `for:` variables.
    """
    constraint = instance.constraint
    own = constraint.span.source is ground.task.span.source
    memory = ground.interpreter.static if own else ground.task.shared
    if constraint.clauses:
        places = memory.of(_PLACES)
        if constraint not in places:
            places[constraint] = SourcePlace.of(constraint.span)
        return finding_without_details(instance, True, since, places[constraint])
    cache, key = memory.of(_SATISFIED), (constraint, instance.applicable, since)
    finding = cache.get(key)
    if finding is None:
        finding = cache[key] = finding_without_details(instance, True, since)
    return finding


def finding_without_details(
    instance: Instance, holds: bool, since: int | None = None, place: SourcePlace | None = None
) -> Finding:
    """Return the finding of an instance without details that require an evaluation.

    Args:
        instance: instance of a constraint.
        holds: whether the condition of the instance is true.
        since: turn that introduced the instance; None for a task without turns.
        place: source position of the constraint; computed if it is None.
    """
    constraint = instance.constraint
    message = ""
    if not instance.applicable:
        when = "" if constraint.when is None else f": {one_line(constraint.when.span.text)} is false"
        message = f"does not apply{when}"
    return Finding(
        constraint=instance.id,
        level="hard" if constraint.hard else "soft",
        kind=constraint.kind or _inherited_kind(constraint.body),
        status="not-applicable" if not instance.applicable else "satisfied" if holds else "violated",
        message=message,
        source=place or SourcePlace.of(constraint.span),
        since=since,
    )


def _inherited_kind(body: t.Expr) -> str | None:
    return body.definition.kind if isinstance(body, t.Apply) else None


def one_line(text: str) -> str:
    """Return text with each run of white space replaced by a single space."""
    return " ".join(text.split())
