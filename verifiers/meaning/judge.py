"""Computation of the verdict on a plan from its constraints, measures and checks of its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from planspec.dsl.model.types import ScalarType, Special
from planspec.dsl.model.value_text import exact_text, show
from planspec.dsl.resources.limits import FINDINGS, INTERPRETING_STEPS, JUDGING_STEPS
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.explain import Explainer
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.objectives import objective_values
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import is_in_scope, shape_findings
from planspec.verifiers.meaning.prebuilt_findings import prebuilt_findings
from planspec.verifiers.meaning.verdict import Finding, MetricValue, Tally, Verdict

Details: TypeAlias = Literal["all", "violated", "reasons", "none"]
"""Which findings on instances get details: a message, a margin and rows.

- `all`: all findings.
- `violated`: findings on violated instances.
- `reasons`: the same findings, but `Verdict.in_scope` is not computed.
- `none`: no findings, and `Verdict.in_scope` is not computed.
"""


def judge(
    ground: Ground,
    plan: Plan,
    reading_findings: Iterable[Finding] = (),
    statuses: Sequence[bool | None] | None = None,
    *,
    details: Details = "all",
    first_turns: Mapping[str, int] | None = None,
    measures: Mapping[str, Any] | None = None,
    interpreter_factory: Callable[[], CachingInterpreter] | None = None,
) -> Verdict:
    """Return the verdict on a plan.

    Args:
        ground: the task.
        plan: rows of the answer.
        reading_findings: findings of level `shape` from reading the answer.
        statuses: result of a faster verifier: for each instance of the task in order, whether it holds, or None if
            it does not apply. If `statuses` is None, the reference interpreter evaluates the instances.
        details: which findings on instances get a message, a margin and rows: `all`, those on violated instances
            (`violated` and `reasons`), or `none`. With `reasons` and `none`, `Verdict.in_scope` is not computed either.
        first_turns: for a task with turns, the turn that introduced each instance, by id.
        measures: result of a faster verifier: values of the task's measures and objectives, by key of
            `Task.measured`.
        interpreter_factory: function that returns an interpreter for the details which takes fewer steps than the
            plain one. If `statuses` is None, it is called only if the plain one reaches its step limit.

    Returns:
        The verdict. Its status is `fail` if an instance of a hard constraint or the plan's shape is violated.

    Raises:
        StepLimitError: evaluation, or the assignment of the plan's rows to rows in scope, takes too many
            steps.
    """
    interpreted = statuses is None
    if statuses is None or measures is None or details != "none":
        interpreter = ground.interpreter.on(plan, Meter(INTERPRETING_STEPS))
        if measures is not None:
            interpreter.set_definition_values(measures, ground.task.measured)
        if statuses is None:
            statuses = [interpreter.holds(i.constraint.body, i.env) if i.applicable else None for i in ground.instances]
        measures = {name: interpreter.defined(definition) for name, definition in ground.task.measured.items()}
    placing = Meter(JUDGING_STEPS)
    shape = [*reading_findings, *_limit_findings(shape_findings(ground, plan, placing))]
    brief = prebuilt_findings(ground, first_turns or {})
    violated = [at for at, holds in enumerate(statuses) if holds is False]
    findings = [*brief.unviolated]
    for at in violated:
        findings[at] = brief.violated(at)
    broken = [findings[at].level for at in violated if findings[at].status == "violated"]
    hard, soft = broken.count("hard"), broken.count("soft")
    if details != "none":
        explainer = Explainer(
            ground, plan, interpreter_factory, at_once=interpreter_factory is not None and not interpreted
        )
        for at in range(len(findings)) if details == "all" else violated:
            findings[at] = explainer.with_details(ground.instances[at], findings[at])
    return Verdict(
        task=ground.task.id,
        profile="strict",
        status="fail" if hard or any(finding.status == "violated" for finding in shape) else "pass",
        hard=Tally(satisfied=brief.hard - hard, total=brief.hard),
        soft=Tally(satisfied=brief.soft - soft, total=brief.soft),
        metrics={name: _measure_value(ground, name, measures[name]) for name in ground.task.measures},
        in_scope=is_in_scope(ground, plan, placing) if details in ("all", "violated") else None,
        findings=(*shape, *findings),
        objectives=objective_values(ground.task, measures),
    )


def _limit_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Return the first findings on a plan's shape, up to a limit, and one finding with the number of the others."""
    shown = list(findings)
    rest = len(shown) - FINDINGS
    if rest <= 0:
        return shown
    message = f"{rest:,} more findings are left out"
    return [*shown[:FINDINGS], replace(shown[-1], constraint="answer", kind="more", message=message, rows=())]


def _measure_value(ground: Ground, name: str, value: Any) -> MetricValue:
    """Return a measure's value for a verdict: numbers and Booleans unchanged, values with units as text."""
    match ground.task.definitions[name].body.type:
        case ScalarType.BOOL | ScalarType.INT | Special.UNIT_ZERO:
            return value  # type: ignore[no-any-return]
        case _ if value is None:
            return None
        case ScalarType.DECIMAL:
            return exact_text(Fraction(value))
        case of:
            return show(value, of, ground.task.currency)
