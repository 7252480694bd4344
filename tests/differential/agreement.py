"""Comparisons of the reference evaluator, the verifiers and the lowering. They raise AssertionError on a
difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import attrgetter
from random import Random
from typing import Any

from planspec.api.judging import Judge
from planspec.dsl.model.task import Task
from planspec.solvers.backends.brute import variables
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.exclusion import forbid
from planspec.solvers.questions.witness import witness
from planspec.verifiers.compiled.common import CommonCode
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings
from tests.differential.plans import all_plans, fingerprint, row_choices
from tests.differential.reference import Reference
from tests.verifiers.random_plans import random_plan


@lru_cache(maxsize=2)
def reference_of(task: Task) -> Reference:
    """Return the reference evaluator of a task. Its parts that do not depend on a plan are already evaluated."""
    return Reference(task)


def reference_statuses(ground: Ground, plan: Plan) -> tuple[bool | None, ...]:
    """Return, for each instance of a constraint, whether the reference finds it true; None if it does not apply."""
    return reference_of(ground.task).on(plan).statuses()


def reference_accepts(ground: Ground, plan: Plan) -> bool:
    """Return whether the reference accepts a plan: its shape and all hard constraints."""
    return reference_of(ground.task).on(plan).accepts()


@dataclass(frozen=True, slots=True)
class ReferenceVerdict:
    """The reference's verdict on a plan.

    Attributes:
        statuses: whether each instance holds; None if it does not apply.
        has_shape: whether the plan has the right shape.
        accepts: whether the plan has the right shape and satisfies every hard constraint that applies.
        fingerprint: fingerprint of the plan, or None if it is not accepted.
    """

    statuses: tuple[bool | None, ...]
    has_shape: bool
    accepts: bool
    fingerprint: tuple[Any, ...] | None

    @classmethod
    def of(cls, ground: Ground, plan: Plan) -> ReferenceVerdict:
        """Return the reference's verdict on a plan."""
        on_plan = reference_of(ground.task).on(plan)
        statuses, has_shape = on_plan.statuses(), on_plan.has_shape()
        hard = (
            status for (constraint, _, _), status in zip(on_plan.instances, statuses, strict=True) if constraint.hard
        )
        accepts = has_shape and all(status is not False for status in hard)
        return cls(statuses, has_shape, accepts, fingerprint(ground, plan) if accepts else None)


class ScopeVerdicts:
    """Verdicts of the reference evaluator on all plans in scope, computed once for several comparisons.

    Attributes:
        plans: every plan in scope, with its verdict.
        accepted: fingerprints of the plans that the reference accepts.
    """

    def __init__(self, ground: Ground, plans: Sequence[tuple[Plan, ReferenceVerdict]]) -> None:
        self._ground = ground
        self._columns = {table.name: attrgetter("_unknown", *table.columns) for table in ground.task.plan_tables}
        self.plans = plans
        self.accepted = {verdict.fingerprint for _, verdict in self.plans if verdict.accepts}
        self._by_contents = {self._contents(plan): verdict for plan, verdict in self.plans}

    def on(self, plan: Plan) -> ReferenceVerdict:
        """Return the verdict on a plan.

        It is cached if a plan in scope has the same rows in the same order.
        """
        return self._by_contents.get(self._contents(plan)) or ReferenceVerdict.of(self._ground, plan)

    def _contents(self, plan: Plan) -> tuple[Any, ...]:
        """Return the parts of a plan that the reference reads: the cells and the unknown names of each row."""
        return tuple(tuple(read(row) for row in plan.tables[table]) for table, read in self._columns.items())


@lru_cache(maxsize=2)
def scope_verdicts(ground: Ground) -> ScopeVerdicts:
    """Return the reference's verdicts on all plans in a task's scope."""
    return ScopeVerdicts(ground, [(plan, ReferenceVerdict.of(ground, plan)) for plan in all_plans(ground)])


def assert_ground_agrees(ground: Ground) -> None:
    """Check that grounding gives the instances of constraints and the rows of the scope that the reference gives."""
    expected_ground = reference_of(ground.task)
    expected = [
        (constraint, _comparable_values(env), applicable) for constraint, env, applicable in expected_ground.instances
    ]
    assert [(i.constraint, _comparable_values(i.env), i.applicable) for i in ground.instances] == expected
    for name, rows in expected_ground.scope().items():
        contents = [[_comparable_cells(content) for content in row_choices(row)] for row in ground.rows[name]]
        expected_contents = [[_comparable_cells(content) for content in row] for row in rows]
        assert [sorted(row, key=repr) for row in contents] == [sorted(row, key=repr) for row in expected_contents]


def _comparable_values(env: Mapping[Any, Any]) -> dict[Any, Any]:
    return {binding: _comparable(value) for binding, value in env.items()}


def _comparable_cells(content: Mapping[str, Any] | None) -> list[Any] | None:
    return None if content is None else [_comparable(value) for value in content.values()]


def _comparable(value: Any) -> Any:
    """Return a Python value that is the same for all equal values of the language."""
    return sorted(value, key=repr) if isinstance(value, tuple | frozenset) else value


def assert_statuses_agree(ground: Ground, plans: Iterable[Plan]) -> int:
    """Compare reference, interpreter and compiled verifiers on each plan.

    The compiled verifiers are the task's own code and the code that tasks share.

    Returns:
        The number of statuses that were compared.
    """
    judged = [(plan, ReferenceVerdict.of(ground, plan)) for plan in plans]
    assert_shapes_agree(ground, judged)
    return _compare_statuses(ground, judged)


def assert_verifiers_agree(ground: Ground) -> None:
    """Compare reference, interpreter and compiled verifiers on every plan in scope."""
    verdicts_in_scope = scope_verdicts(ground)
    assert_shapes_agree(ground, verdicts_in_scope.plans)
    _compare_statuses(ground, verdicts_in_scope.plans)


def assert_shapes_agree(ground: Ground, judged: Iterable[tuple[Plan, ReferenceVerdict]]) -> None:
    """Compare reference and verifier on the shape of each plan."""
    for plan, expected in judged:
        assert any(shape_findings(ground, plan)) != expected.has_shape


def _compare_statuses(ground: Ground, judged: Iterable[tuple[Plan, ReferenceVerdict]]) -> int:
    """Compare the statuses of instances on judged plans, and return the number of comparisons."""
    compiled, common = compile_task(ground), CommonCode(ground.task.constraints).link(ground)
    compared = 0
    for plan, expected in judged:
        interpreter = ground.interpreter.on(plan)
        interpreted = tuple(
            interpreter.holds(i.constraint.body, i.env) if i.applicable else None for i in ground.instances
        )
        assert interpreted == expected.statuses
        assert compiled.judge(plan) == expected.statuses
        assert common.judge(plan) == expected.statuses
        if ground.task.objective is not None:
            objective = reference_of(ground.task).on(plan).objective()
            assert interpreter.value(ground.task.objective.expression, {}) == objective
        compared += len(expected.statuses)
    return compared


def random_plans(ground: Ground, random: Random, count: int) -> list[Plan]:
    """Return random plans in and outside the scope, with missing cells, duplicate rows, and unknown names."""
    return [random_plan(ground.task, random, holes=random.choice((0.0, 0.15, 0.5)), max_rows=4) for _ in range(count)]


def assert_judges_agree(task: Task, plans: Sequence[Plan]) -> None:
    """Check that a judge gives the same verdicts again, and that new judges give the same verdicts.

    A judge interprets its first plan, and judges all later plans by compiled code.
    """
    judge = Judge(task)
    first = [judge.plan(plan) for plan in plans]
    assert [judge.plan(plan) for plan in plans] == first
    for plan, verdict in zip(plans, first, strict=True):
        assert Judge(task).plan(plan) == verdict


def assignments(lowered: Lowered) -> Iterable[Mapping[int, int]]:
    """Yield every assignment of the problem's variables."""
    order = lowered.problem.model.vars
    for codes in product(*(var.domain for var in order)):
        yield {var.id: code for var, code in zip(order, codes, strict=True)}


def solutions(lowered: Lowered) -> Iterable[Mapping[int, int]]:
    """Yield every assignment of the problem's variables that satisfies all root conditions.

    Partial assignments that violate a condition are not extended. The same mapping is yielded each time, so an
    assignment is valid only until the next one.
    """
    order = lowered.problem.model.vars
    place = {var: depth for depth, var in enumerate(order)}
    conditions_by_depth: list[list[Bool]] = [[] for _ in range(len(order) + 1)]
    for root in lowered.problem.hard:
        conditions_by_depth[max((place[var] + 1 for var in variables(root.condition)), default=0)].append(
            root.condition
        )
    values: dict[int, int] = {}

    def extend(depth: int) -> Iterator[Mapping[int, int]]:
        if not all(evaluate(condition, values) for condition in conditions_by_depth[depth]):
            return
        if depth == len(order):
            yield values
            return
        for code in order[depth].domain:
            values[order[depth].id] = code
            yield from extend(depth + 1)

    return extend(0)


def assert_lowering_agrees(ground: Ground, *, presolve: bool, verdicts_in_scope: ScopeVerdicts | None = None) -> None:
    """Check that the assignments that satisfy all root conditions are exactly the plans that the reference accepts.

    Soft conditions must hold for exactly the plans on which the reference satisfies them.

    Args:
        ground: the task.
        presolve: whether to lower with presolve.
        verdicts_in_scope: the reference's verdicts on the plans in scope, or None to compute them.

    Raises:
        AssertionError: the lowering and the reference differ.
        DiagnosticError: a part of the task has no encoding.
    """
    lowered = lower(ground, presolve=presolve)
    verdicts_in_scope = verdicts_in_scope or scope_verdicts(ground)
    prints: set[Any] = set()
    instances = [i.id for i in ground.instances]
    for values in solutions(lowered):
        verdict = verdicts_in_scope.on(lowered.decode(values))
        assert verdict.accepts
        prints.add(verdict.fingerprint)
        judged = dict(zip(instances, verdict.statuses, strict=True))
        for root, _ in lowered.problem.soft:
            assert evaluate(root.condition, values) == judged[root.origin]
    assert prints == verdicts_in_scope.accepted


def plans_found(task: Ground, lowered: Lowered, name: str, minimize: Linear | None = None) -> set[Any]:
    """Return the plans that a back end finds one after the other, each excluded before the next search."""
    session = backend(name).open(lowered.problem, Limits(seconds=20))
    prints: set[Any] = set()
    outcome = session.solve(minimize=minimize)
    while outcome.found:
        plan = fingerprint(task, witness(lowered, outcome.values))
        assert plan not in prints
        prints.add(plan)
        session.add(forbid(lowered, outcome.values))
        outcome = session.solve(minimize=minimize)
    assert outcome.status is Status.INFEASIBLE
    return prints


def assert_all_agree(ground: Ground) -> None:
    """Compare reference, verifiers and lowering on the shape and the constraints of every plan in scope."""
    verdicts_in_scope = scope_verdicts(ground)
    assert_shapes_agree(ground, verdicts_in_scope.plans)
    assert_constraints_agree(ground, verdicts_in_scope)


def assert_constraints_agree(ground: Ground, verdicts_in_scope: ScopeVerdicts) -> None:
    """Compare reference, verifiers and lowering, with and without presolve, on the constraints."""
    _compare_statuses(ground, verdicts_in_scope.plans)
    for presolve in (False, True):
        assert_lowering_agrees(ground, presolve=presolve, verdicts_in_scope=verdicts_in_scope)
