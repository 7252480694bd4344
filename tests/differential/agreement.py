"""The comparisons themselves: each raises AssertionError where two meanings part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from planspec.dsl import tree as t
from planspec.solvers.evaluate import evaluate
from planspec.solvers.problem import Lowered, lower
from planspec.verifiers.compile import compile_task
from planspec.verifiers.ground import Ground
from planspec.verifiers.interpret import Env, Interpreter
from planspec.verifiers.plan_rows import Plan
from planspec.verifiers.shape import shape_findings
from tests.differential.plans import all_plans, fingerprint


class Plain(Interpreter):
    """The interpreter without its one shortcut: every row of a table is tried."""

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        """The whole table."""
        return self.items(clause.source, env)


def verdicts(ground: Ground, plan: Plan) -> tuple[bool | None, ...]:
    """Each instance by the plain interpreter."""
    interpreter = Plain(ground.task, plan)
    return tuple(
        interpreter.holds(i.constraint.body, i.env) if i.applicable else None for i in ground.instances
    )


def accepted(ground: Ground, plan: Plan) -> bool:
    """The interpreter accepts the plan's shape and hard constraints."""
    hard = [i.constraint.hard for i in ground.instances]
    holds = all(v is not False for v, h in zip(verdicts(ground, plan), hard, strict=True) if h)
    return holds and not any(shape_findings(ground, plan))


def compiled_agrees(ground: Ground) -> None:
    """The compiled verifier and the interpreter, on every plan in scope."""
    compiled = compile_task(ground)
    for plan in all_plans(ground):
        expected = verdicts(ground, plan)
        assert compiled.judge(plan) == expected
        interpreter = ground.interpreter.on(plan)
        for instance, verdict in zip(ground.instances, expected, strict=True):
            assert verdict is None or interpreter.holds(instance.constraint.body, instance.env) == verdict


def assignments(lowered: Lowered) -> Sequence[Mapping[int, int]]:
    """Every assignment of the problem's variables."""
    made: list[dict[int, int]] = [{}]
    for var in lowered.problem.model.vars:
        made = [{**head, var.id: code} for head in made for code in var.domain]
    return made


def lowering_agrees(ground: Ground, *, presolve: bool) -> None:
    """Root conditions hold for just the plans that the verifier accepts, soft ones where it is satisfied.

    Raises:
        AssertionError: they part.
        DiagnosticError: something has no encoding.
    """
    lowered = lower(ground, presolve=presolve)
    found: dict[Any, Plan] = {}
    for values in assignments(lowered):
        if all(evaluate(root.condition, values) for root in lowered.problem.hard):
            plan = lowered.decode(values)
            assert accepted(ground, plan)
            found[fingerprint(ground, plan)] = plan
            judged = dict(zip((i.id for i in ground.instances), verdicts(ground, plan), strict=True))
            for root, _ in lowered.problem.soft:
                assert evaluate(root.condition, values) == judged[root.origin]
    partial_objective = any(root.origin == "objective" for root in lowered.problem.hard)
    if not partial_objective:
        assert set(found) == {
            fingerprint(ground, plan) for plan in all_plans(ground) if accepted(ground, plan)
        }
