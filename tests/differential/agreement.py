"""The comparisons themselves: each raises AssertionError where two meanings part."""

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
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.verifiers.compiled.common import CommonCode
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import shape_findings
from tests.differential.plans import all_plans, fingerprint, row_choices
from tests.differential.reference import Reference
from tests.verifiers.random_plans import random_plan


@lru_cache(maxsize=2)
def reference(task: Task) -> Reference:
    """The second evaluator, with what is static worked out."""
    return Reference(task)


def verdicts(ground: Ground, plan: Plan) -> tuple[bool | None, ...]:
    """Each instance by the reference."""
    return reference(ground.task).on(plan).statuses()


def accepted(ground: Ground, plan: Plan) -> bool:
    """The reference accepts the plan's shape and hard constraints."""
    return reference(ground.task).on(plan).accepts()


@dataclass(frozen=True, slots=True)
class ReferenceVerdict:
    """What the reference says of a plan.

    Attributes:
        statuses: whether each instance holds; None where it is not applicable.
        shapely: the plan has the right shape.
        accepts: it has, and every hard constraint that is applicable holds.
        print: what the plan is, if it is accepted.
    """

    statuses: tuple[bool | None, ...]
    shapely: bool
    accepts: bool
    print: tuple[Any, ...] | None

    @classmethod
    def of(cls, ground: Ground, plan: Plan) -> ReferenceVerdict:
        """Asks the reference."""
        told = reference(ground.task).on(plan)
        statuses, shapely = told.statuses(), told.shapely()
        hard = (
            status
            for (constraint, _, _), status in zip(told.instances, statuses, strict=True)
            if constraint.hard
        )
        accepts = shapely and all(status is not False for status in hard)
        return cls(statuses, shapely, accepts, fingerprint(ground, plan) if accepts else None)


class ScopeVerdicts:
    """The reference's verdict on each plan in scope, asked once for however many comparisons.

    Args:
        ground: the task.
        plans: every plan in scope, with its verdict.

    Attributes:
        plans: as given.
        accepted: what the plans are that the reference accepts.
    """

    def __init__(self, ground: Ground, plans: Sequence[tuple[Plan, ReferenceVerdict]]) -> None:
        self._ground = ground
        self._columns = {
            table.name: attrgetter("_unknown", *table.columns) for table in ground.task.plan_tables
        }
        self.plans = plans
        self.accepted = {verdict.print for _, verdict in self.plans if verdict.accepts}
        self._known = {self._contents(plan): verdict for plan, verdict in self.plans}

    def on(self, plan: Plan) -> ReferenceVerdict:
        """The verdict on a plan: that of the plan in scope with the same rows in the same order, if there is one."""
        return self._known.get(self._contents(plan)) or ReferenceVerdict.of(self._ground, plan)

    def _contents(self, plan: Plan) -> tuple[Any, ...]:
        """All that the reference reads of a plan: what each row holds, and which of its names are unknown."""
        return tuple(tuple(read(row) for row in plan.tables[table]) for table, read in self._columns.items())


@lru_cache(maxsize=2)
def scope_verdicts(ground: Ground) -> ScopeVerdicts:
    """The reference's verdicts on a task's scope."""
    return ScopeVerdicts(ground, [(plan, ReferenceVerdict.of(ground, plan)) for plan in all_plans(ground)])


def ground_agrees(ground: Ground) -> None:
    """The instances of the constraints and the rows of the scope are those that the page tells of."""
    told = reference(ground.task)
    expected = [(constraint, _values(env), applicable) for constraint, env, applicable in told.instances]
    assert [(i.constraint, _values(i.env), i.applicable) for i in ground.instances] == expected
    for name, rows in told.scope().items():
        made = [[_cells(content) for content in row_choices(row)] for row in ground.rows[name]]
        wanted = [[_cells(content) for content in row] for row in rows]
        assert [sorted(row, key=repr) for row in made] == [sorted(row, key=repr) for row in wanted]


def _values(env: Mapping[Any, Any]) -> dict[Any, Any]:
    return {binding: _set(value) for binding, value in env.items()}


def _cells(content: Mapping[str, Any] | None) -> list[Any] | None:
    return None if content is None else [_set(value) for value in content.values()]


def _set(value: Any) -> Any:
    """A value by which equality is Python's."""
    return sorted(value, key=repr) if isinstance(value, tuple | frozenset) else value


def statuses_agree(ground: Ground, plans: Iterable[Plan]) -> int:
    """Reference, interpreter and compiled verifier, in a task's own code and in common code, on each plan.

    Returns:
        How many verdicts were compared.
    """
    judged = [(plan, ReferenceVerdict.of(ground, plan)) for plan in plans]
    shapes_agree(ground, judged)
    return _statuses_agree(ground, judged)


def compiled_agrees(ground: Ground) -> None:
    """Reference, interpreter and compiled verifier, on every plan in scope."""
    told = scope_verdicts(ground)
    shapes_agree(ground, told.plans)
    _statuses_agree(ground, told.plans)


def shapes_agree(ground: Ground, judged: Iterable[tuple[Plan, ReferenceVerdict]]) -> None:
    """Reference and verifier on each plan's shape, whatever the constraints say."""
    for plan, expected in judged:
        assert any(shape_findings(ground, plan)) != expected.shapely


def _statuses_agree(ground: Ground, judged: Iterable[tuple[Plan, ReferenceVerdict]]) -> int:
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
            objective = reference(ground.task).on(plan).objective()
            assert interpreter.value(ground.task.objective.expression, {}) == objective
        compared += len(expected.statuses)
    return compared


def plans_beyond(ground: Ground, random: Random, count: int) -> list[Plan]:
    """Plans in and outside of the scope: with holes, rows that stand twice, and unknown names."""
    return [
        random_plan(ground.task, random, holes=random.choice((0.0, 0.15, 0.5)), most=4) for _ in range(count)
    ]


def judge_agrees(task: Task, plans: Sequence[Plan]) -> None:
    """One judge says the same of a plan whenever it is asked, and a fresh one says it too.

    The first plan that a judge sees is interpreted, all others are judged by what was compiled.
    """
    judge = Judge(task)
    first = [judge.plan(plan) for plan in plans]
    assert [judge.plan(plan) for plan in plans] == first
    for plan, verdict in zip(plans, first, strict=True):
        assert Judge(task).plan(plan) == verdict


def assignments(lowered: Lowered) -> Iterable[Mapping[int, int]]:
    """Every assignment of the problem's variables."""
    order = lowered.problem.model.vars
    for codes in product(*(var.domain for var in order)):
        yield {var.id: code for var, code in zip(order, codes, strict=True)}


def solutions(lowered: Lowered) -> Iterable[Mapping[int, int]]:
    """Every assignment of the problem's variables for which all root conditions hold.

    Those whose first variables already violate a condition are left out together. Each is valid until the next.
    """
    order = lowered.problem.model.vars
    place = {var: at for at, var in enumerate(order)}
    due: list[list[Bool]] = [[] for _ in range(len(order) + 1)]
    for root in lowered.problem.hard:
        due[max((place[var] + 1 for var in variables(root.condition)), default=0)].append(root.condition)
    values: dict[int, int] = {}

    def extended(at: int) -> Iterator[Mapping[int, int]]:
        if not all(evaluate(condition, values) for condition in due[at]):
            return
        if at == len(order):
            yield values
            return
        for code in order[at].domain:
            values[order[at].id] = code
            yield from extended(at + 1)

    return extended(0)


def lowering_agrees(ground: Ground, *, presolve: bool, told: ScopeVerdicts | None = None) -> None:
    """Root conditions hold for just the plans that the reference accepts, soft ones where it is satisfied.

    Args:
        ground: the task.
        presolve: with presolve.
        told: the reference's verdicts, if they are known.

    Raises:
        AssertionError: they part.
        DiagnosticError: something has no encoding.
    """
    lowered = lower(ground, presolve=presolve)
    told = told or scope_verdicts(ground)
    found: set[Any] = set()
    instances = [i.id for i in ground.instances]
    for values in solutions(lowered):
        verdict = told.on(lowered.decode(values))
        assert verdict.accepts
        found.add(verdict.print)
        judged = dict(zip(instances, verdict.statuses, strict=True))
        for root, _ in lowered.problem.soft:
            assert evaluate(root.condition, values) == judged[root.origin]
    assert found == told.accepted


def all_agree(ground: Ground) -> None:
    """Reference, interpreter, compiled verifier and lowering, with and without presolve, on every plan in scope."""
    told = scope_verdicts(ground)
    shapes_agree(ground, told.plans)
    constraints_agree(ground, told)


def constraints_agree(ground: Ground, told: ScopeVerdicts) -> None:
    """Interpreter, compiled verifier and lowering, with and without presolve, are of the reference's mind on every plan."""
    _statuses_agree(ground, told.plans)
    for presolve in (False, True):
        lowering_agrees(ground, presolve=presolve, told=told)
