"""One text, several meanings: they agree on every plan of every scope that Hypothesis draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from planspec.dsl.diagnostics import DiagnosticError
from planspec.dsl.documents import task_from_text
from planspec.solvers.backend import backend
from planspec.solvers.evaluate import evaluate
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.problem import Lowered, lower
from planspec.solvers.prove import forbid, solve, witness
from planspec.verifiers.compile import compile_task
from planspec.verifiers.ground import Ground, ground
from planspec.verifiers.plan_rows import Plan
from planspec.verifiers.shape import shape_findings

from tests.differential.plans import all_plans, fingerprint, scope_size
from tests.differential.programs import tasks

SMALL = settings(suppress_health_check=list(HealthCheck), deadline=None)


def grounded(text: str, most: int) -> Ground:
    """The ground task of a drawn text; drops texts that the checker rightly refuses."""
    try:
        made = ground(task_from_text(text))
    except DiagnosticError as error:
        event("refused: " + ", ".join(sorted({d.code for d in error.diagnostics})))
        assume(False)
        raise
    assume(scope_size(made) <= most)
    return made


def verdicts(ground_: Ground, plan: Plan) -> tuple[bool | None, ...]:
    """Each instance by the interpreter."""
    interpreter = ground_.interpreter.on(plan)
    return tuple(
        interpreter.holds(i.constraint.body, i.env) if i.applicable else None for i in ground_.instances
    )


def accepted(ground_: Ground, plan: Plan) -> bool:
    """The interpreter accepts the plan's shape and hard constraints."""
    hard = [i.constraint.hard for i in ground_.instances]
    holds = all(v is not False for v, h in zip(verdicts(ground_, plan), hard, strict=True) if h)
    return holds and not any(shape_findings(ground_, plan))


@SMALL
@given(tasks())
def test_the_compiled_verifier_agrees_with_the_interpreter_on_every_plan(text: str) -> None:
    """Statuses of every instance, on every plan in scope."""
    made = grounded(text, 1_500)
    compiled = compile_task(made)
    for plan in all_plans(made):
        assert compiled.judge(plan) == verdicts(made, plan)


def assignments(lowered: Lowered) -> list[Mapping[int, int]]:
    """Every assignment of the problem's variables."""
    made: list[dict[int, int]] = [{}]
    for var in lowered.problem.model.vars:
        made = [{**head, var.id: code} for head in made for code in var.domain]
    return made


@SMALL
@given(tasks())
def test_the_lowering_agrees_with_the_interpreter_on_every_assignment(text: str) -> None:
    """Root conditions hold exactly where the verifier accepts, soft ones exactly where it is satisfied."""
    made = grounded(text, 1_500)
    for presolve in (False, True):
        try:
            lowered = lower(made, presolve=presolve)
        except DiagnosticError as error:
            assert {d.code for d in error.diagnostics} <= {"PS501", "PS502"}
            event("not lowered")
            return
        found: dict[Any, Plan] = {}
        for values in assignments(lowered):
            holds = all(evaluate(root.condition, values) for root in lowered.problem.hard)
            if holds:
                plan = lowered.decode(values)
                assert accepted(made, plan)
                found[fingerprint(made, plan)] = plan
                soft = {root.origin: evaluate(root.condition, values) for root, _ in lowered.problem.soft}
                judged = dict(zip((i.id for i in made.instances), verdicts(made, plan), strict=True))
                assert soft == {name: judged[name] for name in soft}
        wanted = {fingerprint(made, plan) for plan in all_plans(made) if accepted(made, plan)} if "objective" not in {
            r.origin for r in lowered.problem.hard
        } else None  # fmt: skip
        if wanted is not None:
            assert set(found) == wanted


@settings(SMALL, max_examples=40)
@given(tasks(depth=2))
def test_every_back_end_finds_the_verifier_s_set_of_plans(text: str) -> None:
    """Each back end's plans, found one after the other and forbidden, are those that the verifier accepts."""
    made = grounded(text.split("minimize:")[0].split("maximize:")[0], 400)
    wanted = {fingerprint(made, plan) for plan in all_plans(made) if accepted(made, plan)}
    assume(len(wanted) <= 25)
    event(f"{min(len(wanted), 3)} or more plans")
    try:
        lowered = lower(made)
    except DiagnosticError:
        assume(False)
        return
    for name in ("brute", "cpsat", "smt"):
        session = backend(name).open(lowered.problem, Limits(seconds=20))
        found = set()
        outcome = session.solve()
        while outcome.found:
            plan = witness(lowered, outcome.values)
            assert fingerprint(made, plan) not in found
            found.add(fingerprint(made, plan))
            session.add(forbid(lowered, outcome.values))
            outcome = session.solve()
        assert outcome.status is Status.INFEASIBLE
        assert found == wanted


@settings(SMALL, max_examples=40)
@given(tasks(depth=2))
def test_the_best_plan_is_the_best_of_all(text: str) -> None:
    """`solve` finds the greatest soft weight, then the best objective, by each back end."""
    made = grounded(text, 400)
    ranked = []
    objective = made.task.objective
    for plan in all_plans(made):
        if not accepted(made, plan):
            continue
        judged = zip(made.instances, verdicts(made, plan), strict=True)
        weight = sum(i.constraint.weight for i, v in judged if v and not i.constraint.hard)
        value = made.interpreter.on(plan).value(objective.expression, {}) if objective else 0
        if value is not None:
            ranked.append((weight, value if objective and objective.maximize else -value))
    for name in ("brute", "cpsat", "smt"):
        try:
            best = solve(made, backend=name, limits=Limits(seconds=20))
        except DiagnosticError:
            assume(False)
            return
        if not ranked:
            assert best.status is Status.INFEASIBLE
            continue
        weight, value = max(ranked)
        assert best.status is Status.OPTIMAL
        assert best.soft_weight == weight
        if objective is not None:
            assert best.objective == (value if objective.maximize else -value)
