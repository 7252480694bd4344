"""The plan nearest to an answer that satisfies every hard constraint.

Distance has several levels, of which earlier ones take precedence: rows added or removed, fields changed,
minutes moved, money moved, and weight of violated soft constraints. Each level is minimised while the levels
before it keep their least values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import gcd
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeRow
from planspec.dsl.model.types import ScalarType, Table
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import LimitReachedError, Reason
from planspec.shown import NotebookValue
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.lowering.symbolic import Algebra, RowVariables
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.improvement import less_than
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.differences import PlanDifference, differences
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan

LEVELS = ("rows", "fields", "minutes", "money", "soft")
"""Levels in the order in which they are minimised."""
MINUTES = {ScalarType.TIME: 1, ScalarType.DURATION: 1, ScalarType.MOMENT: 1, ScalarType.DATE: MINUTES_A_DAY}


@dataclass(frozen=True, slots=True)
class Repair(NotebookValue):
    """The result of a search for the nearest plan.

    Attributes:
        status: OPTIMAL if the plan is proved nearest on every level; FEASIBLE if a limit was reached before
            that; INFEASIBLE if no plan satisfies the constraints; UNKNOWN if none was found in time.
        plan: the plan; None if none was found.
        edits: changes that turn the answer into the plan.
        distance: distance on each level that was minimised, in the order of `LEVELS`: numbers of rows and of
            fields, minutes, minor units of money, and lost weight. None without a plan.
        seconds: wall-clock time spent.
        by: back ends that prove the status: the one that searched, and a second one if it was asked and
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
    """Find the plan nearest to an answer, over the task's scope and the answer's own values and rows.

    Args:
        ground: the task.
        answer: rows of the answer; a cell that could not be read is None.
        backend: name of the back end that searches.
        limits: limits on all levels together.
        on_progress: called with each plan that is nearer than all before it.
        second: see `solve`.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    named_backend(backend)  # imported before the clock starts
    clock = TimeBudget(limits)
    try:
        with clock:
            lowered = _lower_with_answer(ground, answer)
            session = named_backend(backend).open(lowered.problem, limits)
            levels = _Distance(lowered, answer).levels()
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
        if best is not None and linear.is_constant:  # equal for every plan
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
        with (
            suppress(LimitReachedError),
            clock,
        ):  # past the limit the session is broken, and the next level finds nothing
            session.add(model.at_most_zero(model.minus(linear, model.constant(outcome.objective))), name)
    assert best is not None
    nearest = build_repair(best, proved=proved)
    if not proved:
        return replace(nearest, by=(backend,))
    return cross_checked(nearest, less_than(model, list(levels.linears.values()), list(distance.values())))


def _lower_with_answer(ground: Ground, answer: Plan) -> Lowered:
    """Lower the task over the scope with the answer, or over the scope alone if that has no encoding."""
    try:
        return lower(_widen_to_answer(ground, answer))
    except DiagnosticError:
        return lower(ground)


def _build_repair(
    lowered: Lowered,
    answer: Plan,
    levels: _Levels,
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
    """Return the task with its scope widened by the answer's values.

    Unless the task is closed, the answer's rows outside the scope are added too.
    """
    tables = {}
    for name, offered in ground.rows.items():
        answer_rows = answer.tables[name]
        rows = [_add_values(row, answer_rows) for row in offered]
        if not ground.task.closed and offered:
            rows.extend(_rows_outside_scope(offered, answer_rows))
        tables[name] = tuple(rows)
    return replace(ground, rows=tables)


def _add_values(row: GroundRow, answer_rows: Sequence[Row]) -> GroundRow:
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
    """Return whether a row in scope can have the key of a row of the answer."""
    return all(row.fields[name].admits(getattr(answer_row, name)) for name in row.table.key)


def _add_value(domain: FieldDomain, value: Any) -> FieldDomain:
    """Return a domain extended by a value. A grid is made fine enough to contain the value."""
    if domain.admits(value):
        return domain
    if domain.interval is not None:
        low, high, step = domain.interval
        grid = (min(low, value), max(high, value), gcd(step, value - low))
        return FieldDomain(None, grid, or_none=domain.or_none, open=True)
    return FieldDomain((*(domain.values or ()), value), None, or_none=domain.or_none, open=True)


def _rows_outside_scope(offered: Sequence[GroundRow], answer_rows: Sequence[Row]) -> Iterator[GroundRow]:
    """Yield the answer's complete rows outside the scope, as optional rows with constant fields."""
    table = offered[0].table
    if table.one:
        return
    seen: set[tuple[Any, ...]] = set()
    for row in answer_rows:
        is_complete = all(getattr(row, name) is not None or column.optional for name, column in table.columns.items())
        is_outside = (
            not any(_can_have_key_of(scope_row, row) for scope_row in offered)
            if table.key
            else not _is_offered(offered, row)
        )
        if is_complete and is_outside and (not table.key or row._key not in seen):
            seen.add(row._key)
            yield _constant_row(table, row, offered[0].entry)


def _is_offered(offered: Sequence[GroundRow], answer_row: Row) -> bool:
    return any(all(domain.admits(getattr(answer_row, name)) for name, domain in row.fields.items()) for row in offered)


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


# -- distance of a plan from the answer -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Levels:
    """The distance from an answer on each level, with the matching of rows from which it is computed.

    Attributes:
        linears: form to minimise on each level.
        conditions: conditions by which each row matches at most one other row.
        pairs: possible matches of a row of the search with a row of the answer.
    """

    linears: Mapping[str, Linear]
    conditions: Sequence[Bool]
    pairs: Sequence[_Pair]


_Pair: TypeAlias = tuple[Bool, RowVariables, Row, bool]
"""Condition that two rows match, the row of the search, the answer's row, and whether they match by key."""


class _Distance:
    def __init__(self, lowered: Lowered, answer: Plan) -> None:
        self._lowered = lowered
        self._answer = answer
        self._model = lowered.problem.model
        self._algebra = Algebra(self._model)
        self._atoms = Atoms(self._model, self._algebra, lowered.coding)
        self._conditions: list[Bool] = []

    def levels(self) -> _Levels:
        model = self._model
        rows: list[Linear] = []
        fields: list[Linear] = []
        minutes: list[Linear] = []
        money: list[Linear] = []
        matching: list[_Pair] = []
        for name, slots in self._lowered.slots.by_table.items():
            answer_rows = self._answer.tables[name]
            pairs = self._possible_matches(slots, answer_rows)
            matching.extend(pairs)
            matched = model.sum(model.indicator(condition) for condition, _, _, _ in pairs)
            present = model.sum(model.indicator(slot.present) for slot in slots)
            # added: present and not matched; removed: answered and not matched
            rows.append(model.sum((present, model.constant(len(answer_rows)), model.scale(matched, -2))))
            for condition, slot, row, by_key in pairs:
                columns = [c for c in slot.table.columns.values() if not (by_key and c.name in slot.table.key)]
                for column in columns:
                    same = self._equals_cell(slot.fields[column.name], getattr(row, column.name))
                    fields.append(model.indicator(model.conj((condition, model.negate(same)))))
                    unit = MINUTES.get(column.type) if isinstance(column.type, ScalarType) else None
                    if unit is not None:
                        minutes.append(self._distance_moved(condition, slot, row, column.name, unit))
                    elif column.type is ScalarType.MONEY:
                        money.append(self._distance_moved(condition, slot, row, column.name, 1))
        lost = [
            model.scale(model.minus(model.constant(1), model.indicator(root.condition)), weight)
            for root, weight in self._lowered.problem.soft
        ]
        linears = {
            name: model.sum(parts) for name, parts in zip(LEVELS, (rows, fields, minutes, money, lost), strict=True)
        }
        return _Levels(linears, self._conditions, matching)

    def _possible_matches(self, slots: Sequence[RowVariables], answer_rows: Sequence[Row]) -> list[_Pair]:
        """Return the possible matches of rows of the search with rows of the answer."""
        if not slots or not answer_rows:
            return []
        table = slots[0].table
        if table.one:
            return [(slots[0].present, slots[0], answer_rows[0], True)]
        matching: list[_Pair] = []
        keys = Counter(row._key for row in answer_rows)
        keyless: list[Row] = []
        for row in answer_rows:
            if not table.key or None in row._key or keys[row._key] > 1:
                keyless.append(row)
                continue
            for slot in slots:
                parts = [self._equals_cell(slot.fields[k], getattr(row, k)) for k in table.key]
                condition = self._model.conj((slot.present, *parts))
                if condition is not FALSE:
                    matching.append((condition, slot, row, True))
        matching.extend(self._match_without_keys(slots, keyless, matching))
        return matching

    def _match_without_keys(
        self, slots: Sequence[RowVariables], keyless: Sequence[Row], by_key: Sequence[_Pair]
    ) -> list[_Pair]:
        """Return the possible matches of answer rows without a unique key.

        Add the conditions that each row of the answer matches at most one row of the search, and each row of
        the search at most one row of the answer.
        """
        model = self._model
        matching: list[_Pair] = []
        for number, row in enumerate(keyless):
            for slot in slots:
                var = model.var(f"{slot.table.name}[{slot.index}] is answer {number}", Domain.interval(0, 1))
                condition = model.member(var, Domain.of([1]))
                self._conditions.append(model.disj((model.negate(condition), slot.present)))
                matching.append((condition, slot, row, False))
        for group in (
            *([p for p in matching if p[2] is row] for row in keyless),
            *([p for p in (*by_key, *matching) if p[1] is slot] for slot in slots),
        ):
            if len(group) > 1:
                matched = model.sum(model.indicator(condition) for condition, _, _, _ in group)
                self._conditions.append(model.at_most_zero(model.minus(matched, model.constant(1))))
        return matching

    def _equals_cell(self, value: Any, cell: Any) -> Bool:
        if cell is None:
            return self._model.negate(self._algebra.defined(value))
        return self._atoms.equal(value, cell)

    def _distance_moved(self, condition: Bool, slot: RowVariables, row: Row, column: str, unit: int) -> Linear:
        """Return the distance from the answer's cell to the field's value, in minutes or minor units.

        It is 0 if one of them is *none*, or if the rows do not match.
        """
        model = self._model
        cell = getattr(row, column)
        if cell is None:
            return model.constant(0)
        value = self._algebra.num(slot.fields[column])
        assert value.scale == 1, "times and amounts are whole"
        difference = model.scale(model.minus(value.linear, model.constant(cell)), unit)
        size = model.extreme(((TRUE, difference), (TRUE, model.scale(difference, -1))), greatest=True)
        return model.select(((model.conj((condition, value.defined)), size),))
