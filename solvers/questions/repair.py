"""Repair: the plan that satisfies every hard constraint and is nearest to an answer.

Distance has several levels, in order of precedence: rows added or removed, fields changed, minutes moved, money
moved, and weight of violated soft constraints. Each level is minimised while the earlier levels keep their
minimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeRow
from planspec.dsl.model.types import Table
from planspec.errors import LimitReachedError, Reason
from planspec.shown import NotebookValue
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.lowering.symbolic import RowVariables
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.distance import Distance, Levels
from planspec.solvers.questions.improvement import less_than
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.differences import PlanDifference, differences
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Repair(NotebookValue):
    """The result of a search for the plan that is nearest to an answer.

    Attributes:
        status: OPTIMAL if the plan is proved nearest on every level; FEASIBLE if a limit was reached before
            that proof; INFEASIBLE if no plan satisfies the constraints; UNKNOWN if no plan was found in time.
        plan: the plan; None if none was found.
        edits: changes that turn the answer into the plan.
        distance: distance on each level that was minimised, by the name of the level: number of added and removed
            rows (`rows`), number of changed fields (`fields`), minutes moved (`minutes`), minor units of money moved
            (`money`), and total weight of the violated soft constraints (`soft`). None if there is no plan.
        seconds: wall-clock time spent.
        by: back ends that prove the status: the one that searched, and a second one if it was consulted and
            agrees.
        disagreement: answers of two back ends that contradict each other; then the status is UNKNOWN.
        reason: limit that was reached, if the status is UNKNOWN.
    """

    status: Status
    plan: Plan | None = None
    edits: tuple[PlanDifference, ...] = ()
    distance: Mapping[str, int] | None = None
    seconds: float = 0.0
    by: tuple[str, ...] = ()
    disagreement: tuple[Opinion, ...] = ()
    reason: Reason | None = None

    def __repr__(self) -> str:
        return f"<Repair {self.status.value}: {len(self.edits)} edits>"


def repair(
    ground: Ground,
    answer: Plan,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    on_progress: Callable[[Repair], None] = lambda _: None,
    second: bool = False,
) -> Repair:
    """Find the plan nearest to an answer. It may use the values and rows that the task lists, and those of the answer.

    Distance has several levels (see `Repair.distance`): the nearest plan has as few added and removed rows as possible;
    among these plans, it has as few changed fields as possible, and so on.

    Args:
        ground: the task.
        answer: rows of the answer; a cell that could not be read is None.
        backend: name of the back end that searches.
        limits: limits on the whole search, on all levels together.
        on_progress: function that is called with each plan that is nearer than all earlier ones.
        second: whether a second back end may use all remaining time to confirm the result.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    named_backend(backend)  # imports the solver before the clock starts
    clock = TimeBudget(limits)
    try:
        with clock:
            lowered = _lower_with_answer(ground, answer)
            session = named_backend(backend).open(lowered.problem, limits)
            levels = Distance(lowered, answer).levels()
            for condition in levels.conditions:
                session.add(condition, "matching of rows")
    except LimitReachedError as limit:
        return Repair(Status.UNKNOWN, seconds=clock.seconds, by=(backend,), reason=limit.reason)

    def cross_checked(result: Repair, *nearer_plan: Bool) -> Repair:
        conditions = (*levels.conditions, *nearer_plan)
        look = second_look(lowered.problem, conditions, by=backend, clock=clock, thorough=second)
        if look.other is None or look.values is None:
            return replace(result, by=look.by, seconds=clock.seconds)
        nearer = witness(lowered, look.values)
        opinions = (
            Opinion(backend, result.status.value, result.plan),
            Opinion(look.other, Status.FEASIBLE.value, nearer),
        )
        return Repair(Status.UNKNOWN, seconds=clock.seconds, disagreement=opinions)

    def build_repair(outcome: Outcome, *, proved: bool) -> Repair:
        return _build_repair(lowered, answer, levels, outcome, dict(distance), clock, proved=proved)

    model = lowered.problem.model
    best: Outcome | None = None
    distance: dict[str, int] = {}
    proved = True
    for name, linear in levels.linears.items():
        if best is not None and linear.is_constant:  # the distance is the same for every plan
            distance[name] = linear.constant
            continue
        outcome = clock.ask(session, minimize=linear, hint=best.values if best else None)
        if not outcome.found:
            if best is None:
                result = Repair(outcome.status, seconds=clock.seconds, by=(backend,), reason=outcome.reason)
                return cross_checked(result) if result.status is Status.INFEASIBLE else result
            proved = False
            break
        best = outcome
        assert outcome.objective is not None
        distance[name] = outcome.objective
        proved = outcome.status is Status.OPTIMAL
        on_progress(build_repair(outcome, proved=False))
        if not proved:
            break
        # If the limit is reached, the session is broken, so the next level finds nothing.
        with suppress(LimitReachedError), clock:
            session.add(model.at_most_zero(model.minus(linear, model.constant(outcome.objective))), name)
    assert best is not None
    nearest = build_repair(best, proved=proved)
    if not proved:
        return replace(nearest, by=(backend,))
    return cross_checked(nearest, less_than(model, list(levels.linears.values()), list(distance.values())))


def _lower_with_answer(ground: Ground, answer: Plan) -> Lowered:
    """Translate the task for solvers, over a scope that also allows the answer's values.

    Unless the task is closed (its plans have only rows that the scope lists), the scope also allows the answer's rows.
    If the task over this wider scope has no encoding, translate the task over its own scope.
    """
    try:
        return lower(_widen_to_answer(ground, answer))
    except DiagnosticError:
        return lower(ground)


def _build_repair(
    lowered: Lowered,
    answer: Plan,
    levels: Levels,
    outcome: Outcome,
    distance: Mapping[str, int],
    clock: TimeBudget,
    *,
    proved: bool,
) -> Repair:
    plan = witness(lowered, outcome.values)
    rows: dict[RowVariables, Row] = {}
    for name, slots in lowered.slots.by_table.items():
        present = [slot for slot in slots if evaluate(slot.present, outcome.values)]
        rows.update(zip(present, plan.tables[name], strict=True))
    pairs: dict[str, list[tuple[Row, Row]]] = {}
    for matched, slot, row, _ in levels.pairs:
        if evaluate(matched, outcome.values):
            pairs.setdefault(slot.table.name, []).append((row, rows[slot]))
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    edits = differences(lowered.ground.task, answer, plan, pairs)
    return Repair(status, plan, edits, distance, clock.seconds)


# -- rows and values of the search ---------------------------------------------------------------------


def _widen_to_answer(ground: Ground, answer: Plan) -> Ground:
    """Return the task with the answer's values added to those that its scope allows for the fields of plans.

    If the task is not closed (plans may have rows that the scope does not list), the answer's rows are also added.
    """
    tables = {}
    for name, scope_rows in ground.rows.items():
        answer_rows = answer.tables[name]
        rows = [_add_values(row, answer_rows) for row in scope_rows]
        if not ground.task.closed and scope_rows:
            rows.extend(_rows_outside_scope(scope_rows, answer_rows))
        tables[name] = tuple(rows)
    return replace(ground, rows=tables)


def _add_values(row: GroundRow, answer_rows: Sequence[Row]) -> GroundRow:
    """Add the values of the answer's rows to the domains of a possible row of plans, and return the wider row.

    Only answer rows with a key that the possible row can have are used. The domains of key columns do not change.
    """
    fields = dict(row.fields)
    for other in answer_rows:
        if not _can_have_key_of(row, other):
            continue
        for name, domain in fields.items():
            value = getattr(other, name)
            if name not in row.table.key and value is not None:
                fields[name] = _add_value(domain, value)
    return replace(row, fields=fields)


def _can_have_key_of(row: GroundRow, answer_row: Row) -> bool:
    """Return whether a possible row of plans can have the same key as a row of the answer."""
    return all(row.fields[name].admits(getattr(answer_row, name)) for name in row.table.key)


def _add_value(domain: FieldDomain, value: Any) -> FieldDomain:
    """Return a domain with one more value. The step of a grid becomes small enough to include the value."""
    if domain.admits(value):
        return domain
    if domain.interval is not None:
        low, high, step = domain.interval
        grid = (min(low, value), max(high, value), gcd(step, value - low))
        return FieldDomain(None, grid, or_none=domain.or_none, open=True)
    return FieldDomain((*(domain.values or ()), value), None, or_none=domain.or_none, open=True)


def _rows_outside_scope(scope_rows: Sequence[GroundRow], answer_rows: Sequence[Row]) -> Iterator[GroundRow]:
    """Yield the answer's complete rows that the scope does not allow, as optional rows with constant fields."""
    table = scope_rows[0].table
    if table.one:
        return
    seen: set[tuple[Any, ...]] = set()
    for row in answer_rows:
        is_complete = all(getattr(row, name) is not None or column.optional for name, column in table.columns.items())
        is_outside = (
            not any(_can_have_key_of(scope_row, row) for scope_row in scope_rows)
            if table.key
            else not _is_in_scope(scope_rows, row)
        )
        if is_complete and is_outside and (not table.key or row._key not in seen):
            seen.add(row._key)
            yield _constant_row(table, row, scope_rows[0].entry)


def _is_in_scope(scope_rows: Sequence[GroundRow], answer_row: Row) -> bool:
    return any(
        all(domain.admits(getattr(answer_row, name)) for name, domain in row.fields.items()) for row in scope_rows
    )


def _constant_row(table: Table, row: Row, entry: ScopeRow) -> GroundRow:
    fields = {}
    for name in table.columns:
        value = getattr(row, name)
        fields[name] = (
            FieldDomain((), None, or_none=True, open=False)
            if value is None
            else FieldDomain((value,), None, or_none=False, open=False)
        )
    return GroundRow(table, fields, True, entry, {})
