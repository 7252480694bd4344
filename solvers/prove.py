"""Feasible, optimal, unique: asked of back ends, each witness judged by the verifier before it is believed."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from planspec.dsl.task import Task
from planspec.solvers.backend import Session, backend
from planspec.solvers.evaluate import evaluate
from planspec.solvers.ir import TRUE, Bool, Linear, RowVars
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.problem import Lowered, lower
from planspec.verifiers.ground import Ground
from planspec.verifiers.plan_rows import Plan
from planspec.verifiers.shape import shape_findings


class InternalError(Exception):
    """planspec has a bug: a back end's plan does not pass the verifier.

    Args:
        message: what is wrong.
        task_hash: SHA-256 of the texts that the task was read from.
    """

    def __init__(self, message: str, task_hash: str) -> None:
        super().__init__(message)
        self.task_hash = task_hash


@dataclass(frozen=True, slots=True)
class Solution:
    """The best plan that was found.

    Attributes:
        status: OPTIMAL: no plan has more soft weight, and none of those a better objective.
        objective: the objective's value times `scale`; None if the task has no objective, or the plan no value of
            it. A plan without a value comes after all that have one: if it is OPTIMAL, none of this soft weight has one.
        bound: what no plan can beat, likewise.
        soft_weight: the weight of the soft constraints that the plan satisfies, of `soft_total`.
    """

    status: Status
    plan: Plan | None
    objective: int | None
    bound: int | None
    soft_weight: int
    soft_total: int
    backend: str
    seconds: float
    scale: int = 1


@dataclass(frozen=True, slots=True)
class BackendClaim:
    """What one back end proved, and in which time."""

    status: str
    seconds: float
    version: str = ""
    statistics: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Claim:
    """What every asked back end proved; `unknown` where one is undecided."""

    status: str
    backends: Mapping[str, BackendClaim]


@dataclass(frozen=True, slots=True)
class Validation:
    """Whether a task has a plan, and only one."""

    feasible: Claim
    unique: Claim
    witness: Plan | None
    second: Plan | None


def solve(ground: Ground, *, backend: str = "cpsat", limits: Limits = Limits()) -> Solution:  # noqa: B008
    """A plan that satisfies the hard constraints, with the most soft weight, then the best objective.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: the back end's plan does not pass the verifier.
    """
    started = time.perf_counter()
    lowered = lower(ground)
    problem, model = lowered.problem, lowered.problem.model
    session = _open(backend, lowered, limits)
    total = sum(weight for _, weight in problem.soft)
    lost = model.sum(
        model.scale(model.minus(model.constant(1), model.indicator(root.condition)), weight)
        for root, weight in problem.soft
    )
    outcome = session.solve(minimize=None if lost.is_constant else lost)
    if not outcome.found:
        return Solution(outcome.status, None, None, None, 0, total, backend, time.perf_counter() - started)
    status = Status.OPTIMAL if lost.is_constant else outcome.status
    missing = lost.constant if lost.is_constant else outcome.objective or 0
    best = outcome
    objective = bound = None
    if problem.objective is not None:
        if not lost.is_constant:
            session.add(model.at_most_zero(model.minus(lost, model.constant(missing))))
        if problem.objective.defined is not TRUE:
            session.add(problem.objective.defined, "objective")
        better = session.solve(minimize=problem.objective.linear, hint=outcome.values)
        if better.found:
            best = better
        if evaluate(problem.objective.defined, best.values):
            sign = -1 if lowered.maximize else 1
            objective = sign * evaluate(problem.objective.linear, best.values)
            bound = None if better.bound is None else sign * better.bound
        settled = Status.OPTIMAL if better.found else Status.INFEASIBLE  # no plan has a value
        if better.status is not settled and status is Status.OPTIMAL:
            status = Status.FEASIBLE
    plan = witness(lowered, best.values)
    _check_objective(ground, plan, objective, lowered.exact)
    seconds = time.perf_counter() - started
    return Solution(status, plan, objective, bound, total - missing, total, backend, seconds, lowered.exact)


def _check_objective(ground: Ground, plan: Plan, value: int | None, scale: int) -> None:
    """The verifier's value of the objective is the one that the back end reached."""
    objective = ground.task.objective
    if objective is None:
        return
    known = ground.interpreter.on(plan).value(objective.expression, {})
    if known != (None if value is None else Fraction(value, scale)):
        raise InternalError("a back end's objective is not that of its plan", task_hash(ground.task))


def validate(
    ground: Ground,
    *,
    backends: Sequence[str] = ("cpsat", "smt"),
    limits: Limits = Limits(),  # noqa: B008
) -> Validation:
    """Whether there is a plan, and whether there is another one, by each back end on its own.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a back end's plan does not pass the verifier, or two back ends contradict each other.
    """
    lowered = lower(ground)
    feasible: dict[str, BackendClaim] = {}
    unique: dict[str, BackendClaim] = {}
    found: Plan | None = None
    second: Plan | None = None
    for name in backends:
        session = _open(name, lowered, limits)
        version = backend(name).version
        first = session.solve()
        feasible[name] = BackendClaim(_feasible(first.status), first.seconds, version, first.statistics)
        if not first.found:
            unique[name] = BackendClaim(first.status.value, first.seconds, version)
            continue
        plan = witness(lowered, first.values)
        found = found or plan
        session.add(forbid(lowered, first.values), "another plan")
        other = session.solve()
        status = {Status.INFEASIBLE: "unique", Status.UNKNOWN: "unknown"}.get(other.status, "multiple")
        unique[name] = BackendClaim(status, other.seconds, version, other.statistics)
        if other.found:
            another = witness(lowered, other.values)
            second = second or another
    agreed = Claim(_agreed([c.status for c in feasible.values()], ground.task), feasible)
    alone = Claim(_agreed([c.status for c in unique.values()], ground.task), unique)
    return Validation(agreed, alone, found, second)


def _feasible(status: Status) -> str:
    return "feasible" if status is Status.OPTIMAL else status.value


def _agreed(statuses: Sequence[str], task: Task) -> str:
    decided = {status for status in statuses if status != "unknown"}
    if len(decided) > 1:
        raise InternalError(
            f"the back ends contradict each other: {', '.join(sorted(decided))}", task_hash(task)
        )
    return "unknown" if "unknown" in statuses else next(iter(decided), "unknown")


def _open(name: str, lowered: Lowered, limits: Limits) -> Session:
    return backend(name).open(lowered.problem, limits)


def witness(lowered: Lowered, values: Mapping[int, int]) -> Plan:
    """The plan of an assignment, after the verifier has accepted it.

    Raises:
        InternalError: it has not.
    """
    plan = lowered.decode(values)
    ground = lowered.ground
    interpreter = ground.interpreter.on(plan)
    for instance in ground.instances:
        if (
            instance.applicable
            and instance.constraint.hard
            and not interpreter.holds(instance.constraint.body, instance.env)
        ):
            raise InternalError(f"a back end's plan violates `{instance.id}`", task_hash(ground.task))
    wrong = list(shape_findings(ground, plan))
    if wrong:
        raise InternalError(
            f"a back end's plan has the wrong shape: {wrong[0].message}", task_hash(ground.task)
        )
    return plan


def forbid(lowered: Lowered, values: Mapping[int, int]) -> Bool:
    """The condition that a plan differs from the one of `values`."""
    found: dict[str, list[tuple[int, ...]]] = {}
    for row in lowered.problem.rows:
        codes = found.setdefault(row.table, [])
        if evaluate(row.present, values):
            codes.append(tuple(evaluate(row.fields[c], values) for c in lowered.problem.identity[row.table]))
    return _forbid(lowered, found)


def forbid_plan(lowered: Lowered, plan: Plan) -> Bool | None:
    """The condition that a plan differs from this one; None where this one is not in the search.

    Only what tells plans apart counts, so times of an answer that are off the scope's grid are no matter where
    `unique` leaves them out.
    """
    coding, found = lowered.coding, {}
    for table, rows in lowered.ground.rows.items():
        columns = lowered.problem.identity[table]
        found[table] = [
            tuple(coding.code(table, c, getattr(row, c)) for c in columns) for row in plan.tables[table]
        ]
        if len(found[table]) > len(rows):
            return None
    different = _forbid(lowered, found)
    return None if different is TRUE else different


def _forbid(lowered: Lowered, found: Mapping[str, Sequence[tuple[int, ...]]]) -> Bool:
    """For some table the multiset of rows is another one.

    A plan is the same if each table has as many rows, and for each row of the found plan as many rows
    with its identity.
    """
    problem, model = lowered.problem, lowered.problem.model
    same: list[Bool] = []
    by_table: dict[str, list[RowVars]] = {}
    for row in problem.rows:
        by_table.setdefault(row.table, []).append(row)
    for table, rows in by_table.items():
        columns = problem.identity[table]
        counts = Counter(found[table])
        present = len(found[table])
        if any(row.present is not TRUE for row in rows):
            same.append(model.is_zero(_count(lowered, [row.present for row in rows], present)))
        fixed = len(rows) == present and all(row.present is TRUE for row in rows)
        if fixed and len(rows) == 1:
            same.append(_is(lowered, rows[0], columns, next(iter(counts))))
            continue
        for codes, count in counts.items():
            same.append(
                model.is_zero(_count(lowered, [_is(lowered, row, columns, codes) for row in rows], count))
            )
    return model.negate(model.conj(same))


def _is(lowered: Lowered, row: RowVars, columns: Sequence[str], codes: Sequence[int]) -> Bool:
    model = lowered.problem.model
    parts = [
        model.is_zero(model.minus(row.fields[c], model.constant(code)))
        for c, code in zip(columns, codes, strict=True)
    ]
    return model.conj((row.present, *parts))


def _count(lowered: Lowered, conditions: Sequence[Bool], count: int) -> Linear:
    model = lowered.problem.model
    return model.minus(model.sum(model.indicator(c) for c in conditions), model.constant(count))


def task_hash(task: Task) -> str:
    """SHA-256 of everything that the task was read from, wherever it lies: of its files' own, in their order."""
    digests = sorted(hashlib.sha256(source.text.encode()).hexdigest() for source in task.sources)
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()
