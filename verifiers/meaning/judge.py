"""From a plan to its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from planspec.dsl.model.types import ScalarType, Special
from planspec.dsl.model.value_text import exact, show
from planspec.dsl.resources.limits import FINDINGS, INTERPRETING_STEPS, JUDGING_STEPS
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.explain import Explainer, summaries
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import in_scope, shape_findings
from planspec.verifiers.meaning.verdict import Finding, MetricValue, Tally, Verdict

Details: TypeAlias = Literal["all", "violated", "reasons", "none"]
"""The findings for which message, margin and rows are worked out; `reasons` are those of `violated`."""


def judge(
    ground: Ground,
    plan: Plan,
    reading: Iterable[Finding] = (),
    statuses: Sequence[bool | None] | None = None,
    *,
    details: Details = "all",
    since: Mapping[str, int] | None = None,
    measures: Mapping[str, Any] | None = None,
    explaining: Callable[[], CachingInterpreter] | None = None,
) -> Verdict:
    """The verdict on a plan.

    Args:
        ground: the task.
        plan: the rows of the answer.
        reading: findings of level `shape` from reading the answer.
        statuses: whether each instance of the task holds, in order, where a faster verifier found out; else the
            reference interpreter does. None for those that do not apply.
        details: for which findings to work out message, margin and rows; the others have their status alone. With
            `reasons` and `none` it is not worked out either whether the plan is in scope.
        since: of an instance's id the turn that brought it, for a task with turns.
        measures: the values of the task's measures, where a faster verifier found them out.
        explaining: gives an interpreter for what details need that takes fewer steps on the plan than the plain one; if
            the statuses are left to the plain one, it is asked for where that runs out of steps.

    Returns:
        The verdict; `fail` if a hard instance or the shape is violated.

    Raises:
        StepLimitError: it was left to the interpreter, and takes it too long; or its rows cannot be dealt out to
            those in scope in time.
    """
    interpreted = statuses is None
    if statuses is None or measures is None or details != "none":
        interpreter = ground.interpreter.on(plan, Meter(INTERPRETING_STEPS))
        if measures is not None:
            interpreter.know(measures)
        if statuses is None:
            statuses = [
                interpreter.holds(i.constraint.body, i.env) if i.applicable else None
                for i in ground.instances
            ]
        measures = {name: interpreter.defined(ground.task.definitions[name]) for name in ground.task.measures}
    placing = Meter(JUDGING_STEPS)
    shape = [*reading, *_bounded(shape_findings(ground, plan, placing))]
    brief = summaries(ground, since or {})
    violated = [at for at, holds in enumerate(statuses) if holds is False]
    findings = [*brief.standing]
    for at in violated:
        findings[at] = brief.violated(at)
    broken = [findings[at].level for at in violated if findings[at].status == "violated"]
    hard, soft = broken.count("hard"), broken.count("soft")
    if details != "none":
        explainer = Explainer(ground, plan, explaining, at_once=explaining is not None and not interpreted)
        for at in range(len(findings)) if details == "all" else violated:
            findings[at] = explainer.with_details(ground.instances[at], findings[at])
    return Verdict(
        task=ground.task.id,
        profile="strict",
        status="fail" if hard or any(finding.status == "violated" for finding in shape) else "pass",
        hard=Tally(satisfied=brief.hard - hard, total=brief.hard),
        soft=Tally(satisfied=brief.soft - soft, total=brief.soft),
        metrics={name: _measure(ground, name, measures[name]) for name in ground.task.measures},
        in_scope=in_scope(ground, plan, placing) if details in ("all", "violated") else None,
        findings=(*shape, *findings),
    )


def _bounded(findings: Iterable[Finding]) -> list[Finding]:
    """The first thousand findings on a plan's shape, and a last one for the rest."""
    kept = list(findings)
    rest = len(kept) - FINDINGS
    if rest <= 0:
        return kept
    message = f"{rest:,} more findings are left out"
    return [*kept[:FINDINGS], replace(kept[-1], constraint="answer", kind="more", message=message, rows=())]


def _measure(ground: Ground, name: str, value: Any) -> MetricValue:
    """The value of a measure in a verdict: a number or truth as itself, whatever has a unit as text."""
    match ground.task.definitions[name].body.type:
        case ScalarType.BOOL | ScalarType.INT | Special.UNIT_ZERO:
            return value  # type: ignore[no-any-return]
        case _ if value is None:
            return None
        case ScalarType.DECIMAL:
            return exact(Fraction(value))
        case of:
            return show(value, of, ground.task.currency)
