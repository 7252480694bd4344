"""What a back end found, as a plan that the verifier has judged."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from planspec.dsl.resources.deadline import shielded
from planspec.dsl.resources.limits import INTERPRETING_STEPS
from planspec.errors import InternalError
from planspec.solvers.lowering.problem import Lowered
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings


def witness(lowered: Lowered, values: Mapping[int, int]) -> Plan:
    """The plan of an assignment, after the verifier has accepted it.

    Raises:
        InternalError: it has not.
    """
    plan = lowered.decode(values)
    with shielded():
        wrong = refusal(lowered.ground, plan)
    if wrong is not None:
        raise InternalError(f"a back end's plan is refused: {wrong}", lowered.ground.task.hash)
    return plan


def refusal(ground: Ground, plan: Plan) -> str | None:
    """Why the verifier refuses a plan, by the first constraint or fault of shape; None if it accepts it."""
    violated = _violated(ground, plan)
    if violated is not None:
        return f"it violates `{violated}`"
    wrong = next(iter(shape_findings(ground, plan)), None)
    return None if wrong is None else f"it has the wrong shape: {wrong.message}"


def _violated(ground: Ground, plan: Plan) -> str | None:
    """A hard constraint that a plan violates: by the interpreter, and where that takes too long by compiled code."""
    with suppress(StepLimitError):
        interpreter = ground.interpreter.on(plan, Meter(INTERPRETING_STEPS))
        hard = (i for i in ground.instances if i.applicable and i.constraint.hard)
        return next((i.id for i in hard if not interpreter.holds(i.constraint.body, i.env)), None)
    from planspec.verifiers.compiled.compile import compile_task

    statuses = zip(ground.instances, compile_task(ground).judge(plan), strict=True)
    return next((i.id for i, holds in statuses if i.constraint.hard and holds is False), None)
