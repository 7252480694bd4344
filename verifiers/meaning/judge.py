"""From a plan to its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from planspec.dsl.model.types import ScalarType, Special
from planspec.dsl.model.value_text import exact, show
from planspec.dsl.resources.limits import EXPLAINING_STEPS, FINDINGS, INTERPRETING_STEPS, JUDGING_STEPS
from planspec.verifiers.meaning.explain import explain, summary
from planspec.verifiers.meaning.ground import Ground, Instance
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import in_scope, shape_findings
from planspec.verifiers.meaning.verdict import Finding, MetricValue, Tally, Verdict


def judge(
    ground: Ground,
    plan: Plan,
    reading: Iterable[Finding] = (),
    statuses: Mapping[str, bool] | None = None,
    *,
    details: Literal["all", "violated", "none"] = "all",
    since: Mapping[str, int] | None = None,
    measures: Mapping[str, Any] | None = None,
) -> Verdict:
    """The verdict on a plan.

    Args:
        ground: the task.
        plan: the rows of the answer.
        reading: findings of level `shape` from reading the answer.
        statuses: whether each applicable instance holds, by id, where a faster verifier found out; else the
            reference interpreter does.
        details: for which findings to work out message, margin and rows; the others have their status alone.
        since: of an instance's id the turn that brought it, for a task with turns.
        measures: the values of the task's measures, where a faster verifier found them out.

    Returns:
        The verdict; `fail` if a hard instance or the shape is violated.

    Raises:
        OutOfSteps: it was left to the interpreter, and takes it too long; or its rows cannot be dealt out to
            those in scope in time.
    """
    interpreter = ground.interpreter.on(plan, Meter(INTERPRETING_STEPS))
    if statuses is None:
        applicable = (instance for instance in ground.instances if instance.applicable)
        statuses = {i.id: interpreter.holds(i.constraint.body, i.env) for i in applicable}
    if measures is not None:
        interpreter.know(measures)
    placing = Meter(JUDGING_STEPS)
    shape = [*reading, *_bounded(shape_findings(ground, plan, placing))]
    turns = since or {}
    meter = Meter(EXPLAINING_STEPS)
    findings = [
        explain(ground, instance, plan, holds, turns.get(instance.id), meter)
        if _wanted(details, instance, holds)
        else summary(ground, instance, holds, turns.get(instance.id))
        for instance in ground.instances
        for holds in (statuses.get(instance.id, True),)
    ]
    failed = any(f.status == "violated" and f.level != "soft" for f in (*shape, *findings))
    return Verdict(
        task=ground.task.id,
        profile="strict",
        status="fail" if failed else "pass",
        hard=_tally(findings, "hard"),
        soft=_tally(findings, "soft"),
        metrics={name: _measure(ground, interpreter, name) for name in ground.task.measures},
        in_scope=in_scope(ground, plan, placing),
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


def _wanted(details: str, instance: Instance, holds: bool) -> bool:
    return details == "all" or (details == "violated" and instance.applicable and not holds)


def _tally(findings: Iterable[Finding], level: str) -> Tally:
    counted = [f.status for f in findings if f.level == level and f.status != "not-applicable"]
    return Tally(satisfied=counted.count("satisfied"), total=len(counted))


def _measure(ground: Ground, interpreter: Interpreter, name: str) -> MetricValue:
    """The value of a measure: a number or truth as itself, whatever has a unit as text."""
    definition = ground.task.definitions[name]
    value = interpreter.defined(definition)
    match definition.body.type:
        case ScalarType.BOOL | ScalarType.INT | Special.UNIT_ZERO:
            return value  # type: ignore[no-any-return]
        case _ if value is None:
            return None
        case ScalarType.DECIMAL:
            return exact(Fraction(value))
        case of:
            return show(value, of, ground.task.currency)
