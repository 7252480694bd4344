"""Decoding of assignments from back ends into plans, which the verifier must accept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from planspec.dsl.resources.deadline import shielded
from planspec.errors import InternalError
from planspec.solvers.lowering.problem import Lowered
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings

STEPS = 50_000
"""Maximum number of steps in which the interpreter judges a plan. Beyond it, compiled code is faster."""


def witness(lowered: Lowered, values: Mapping[int, int]) -> Plan:
    """Return the plan of an assignment, after the verifier has accepted it.

    Raises:
        InternalError: the verifier rejects the plan.
    """
    plan = lowered.decode(values)
    with shielded():
        reason = refusal(lowered.ground, plan)
    if reason is not None:
        raise InternalError(f"a back end's plan is refused: {reason}", lowered.ground.task.hash)
    return plan


def refusal(ground: Ground, plan: Plan) -> str | None:
    """Return why the verifier rejects a plan: its first violation or shape error.

    Return None if the verifier accepts the plan.
    """
    violated = _violated_constraint(ground, plan)
    if violated is not None:
        return f"it violates `{violated}`"
    fault = next(iter(shape_findings(ground, plan)), None)
    return None if fault is None else f"it has the wrong shape: {fault.message}"


def _violated_constraint(ground: Ground, plan: Plan) -> str | None:
    """Return the name of a hard constraint that a plan violates; None if there is none.

    The interpreter judges the plan. If that takes too many steps, compiled code judges it.
    """
    with suppress(StepLimitError):
        interpreter = ground.interpreter.on(plan, Meter(STEPS))
        hard = (i for i in ground.instances if i.applicable and i.constraint.hard)
        return next((i.id for i in hard if not interpreter.holds(i.constraint.body, i.env)), None)
    from planspec.verifiers.compiled.compile import compile_task

    statuses = zip(ground.instances, compile_task(ground).judge(plan), strict=True)
    return next((i.id for i, holds in statuses if i.constraint.hard and holds is False), None)
