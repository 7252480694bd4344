"""The plan nearest to an answer that satisfies every hard constraint.

Nearest is lexicographic: fewest rows added or removed, then fewest fields changed, then fewest minutes moved,
then least money moved, then most weight of soft constraints. Each level is minimised with those before it held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import gcd
from typing import Any, TypeAlias

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeRow
from planspec.dsl.model.types import ScalarType, Table
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import DiagnosticError, LimitReachedError, Reason
from planspec.shown import Shown
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
"""The levels that are minimised, in this order."""
MINUTES = {ScalarType.TIME: 1, ScalarType.DURATION: 1, ScalarType.MOMENT: 1, ScalarType.DATE: MINUTES_A_DAY}


@dataclass(frozen=True, slots=True)
class Repair(Shown):
    """The nearest plan.

    Attributes:
        status: OPTIMAL: proved nearest on every level; FEASIBLE: it satisfies the constraints, and a limit was
            reached before it was proved nearest; INFEASIBLE: no plan does; UNKNOWN: none was found in time.
        plan: None unless there is one.
        edits: what turns the answer into it.
        distance: of each level that was settled, in the order of `LEVELS` (minutes; minor units; weight).
        seconds: wall-clock time spent.
        by: the back ends that prove the status: the one that searched, and a second one if it looked again and agrees.
        disagreement: where a second back end contradicts the first, the answer of each; then the status is UNKNOWN.
        reason: why nothing was found, where the status is UNKNOWN.
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
    known: Callable[[Repair], None] = lambda _: None,
    second: bool = False,
) -> Repair:
    """The plan nearest to an answer, over the task's scope and the answer's own values and rows.

    Args:
        ground: the task.
        answer: what was read of the answer; a cell that could not be read is none.
        backend: who searches.
        limits: its seconds hold for all levels together.
        known: told each plan that is nearer than those before.
        second: as `solve` takes it.

    Raises:
        DiagnosticError: the task has no encoding.
        InternalError: a plan does not pass the verifier.
    """
    named_backend(backend)  # is imported before the task's time begins
    clock = TimeBudget(limits)
    try:
        with clock:
            lowered = _lowered(ground, answer)
            session = named_backend(backend).open(lowered.problem, limits)
            levels = _Distance(lowered, answer).levels()
            for condition in levels.conditions:
                session.add(condition, "matching of rows")
    except LimitReachedError as limit:
        return Repair(Status.UNKNOWN, seconds=clock.seconds, by=(backend,), reason=limit.reason)

    def confirmed(found: Repair, *better: Bool) -> Repair:
        conditions = (*levels.conditions, *better)
        look = second_look(lowered.problem, conditions, by=backend, clock=clock, thorough=second)
        if look.other is None or look.values is None:
            return replace(found, by=look.by, seconds=clock.seconds)
        nearer = witness(lowered, look.values)
        opinions = (
            Opinion(backend, found.status.value, found.plan),
            Opinion(look.other, Status.FEASIBLE.value, nearer),
        )
        return Repair(Status.UNKNOWN, seconds=clock.seconds, disagreement=opinions)

    def made(outcome: Outcome, *, proved: bool) -> Repair:
        return _made(lowered, answer, levels, outcome, dict(distance), clock, proved=proved)

    model = lowered.problem.model
    best: Outcome | None = None
    distance: dict[str, int] = {}
    proved = True
    for name, linear in levels.linears.items():
        if best is not None and linear.is_constant:  # the same for every plan
            distance[name] = linear.constant
            continue
        outcome = clock.ask(session, minimize=linear, hint=best.values if best else None)
        if not outcome.found:
            if best is None:
                found = Repair(outcome.status, seconds=clock.seconds, by=(backend,), reason=outcome.reason)
                return confirmed(found) if found.status is Status.INFEASIBLE else found
            proved = False
            break
        best = outcome
        assert outcome.objective is not None
        distance[name] = outcome.objective
        proved = outcome.status is Status.OPTIMAL
        known(made(outcome, proved=False))
        if not proved:
            break
        with (
            suppress(LimitReachedError),
            clock,
        ):  # then the session is broken, and the next level finds nothing
            session.add(model.at_most_zero(model.minus(linear, model.constant(outcome.objective))), name)
    assert best is not None
    nearest = made(best, proved=proved)
    if not proved:
        return replace(nearest, by=(backend,))
    return confirmed(nearest, less_than(model, list(levels.linears.values()), list(distance.values())))


def _lowered(ground: Ground, answer: Plan) -> Lowered:
    """The task over the scope and the answer; over the scope alone where that has no encoding."""
    try:
        return lower(_reach(ground, answer))
    except DiagnosticError:
        return lower(ground)


def _made(
    lowered: Lowered, answer: Plan, levels: _Levels, outcome: Outcome, distance: Mapping[str, int], clock: TimeBudget,
    *, proved: bool,
) -> Repair:  # fmt: skip
    plan = witness(lowered, outcome.values)
    rows: dict[RowVariables, Row] = {}
    for name, slots in lowered.slots.by_table.items():
        present = [slot for slot in slots if evaluate(slot.present, outcome.values)]
        rows.update(zip(present, plan.tables[name], strict=True))
    met: dict[str, list[tuple[Row, Row]]] = {}
    for here, slot, row, _ in levels.pairs:
        if evaluate(here, outcome.values):
            met.setdefault(slot.table.name, []).append((row, rows[slot]))
    status = Status.OPTIMAL if proved else Status.FEASIBLE
    edits = differences(lowered.ground.task, answer, plan, met)
    return Repair(status, plan, edits, distance, clock.seconds)


# -- what the nearest plan may be made of --------------------------------------------------------------


def _reach(ground: Ground, answer: Plan) -> Ground:
    """The task over its scope, with the answer's own values in it and, if it is open, the answer's own rows."""
    tables = {}
    for name, offered in ground.rows.items():
        said = answer.tables[name]
        rows = [_with_values(row, said) for row in offered]
        if not ground.task.closed and offered:
            rows.extend(_own_rows(offered, said))
        tables[name] = tuple(rows)
    return replace(ground, rows=tables)


def _with_values(row: GroundRow, said: Sequence[Row]) -> GroundRow:
    fields = dict(row.fields)
    for other in said:
        if not _may_be(row, other):
            continue
        for name, domain in fields.items():
            value = getattr(other, name)
            if name not in row.table.key and value is not None:
                fields[name] = _with_value(domain, value)
    return replace(row, fields=fields)


def _may_be(row: GroundRow, said: Row) -> bool:
    """The row in scope may have the key of the answer's row."""
    return all(row.fields[name].admits(getattr(said, name)) for name in row.table.key)


def _with_value(domain: FieldDomain, value: Any) -> FieldDomain:
    """The domain with a value in it; a grid becomes as fine as the value needs."""
    if domain.admits(value):
        return domain
    if domain.interval is not None:
        low, high, step = domain.interval
        grid = (min(low, value), max(high, value), gcd(step, value - low))
        return FieldDomain(None, grid, or_none=domain.or_none, open=True)
    return FieldDomain((*(domain.values or ()), value), None, or_none=domain.or_none, open=True)


def _own_rows(offered: Sequence[GroundRow], said: Sequence[Row]) -> Iterator[GroundRow]:
    """The answer's rows that no row in scope can be; each may stay as it is, or go."""
    table = offered[0].table
    if table.one:
        return
    seen: set[tuple[Any, ...]] = set()
    for row in said:
        whole = all(
            getattr(row, name) is not None or column.optional for name, column in table.columns.items()
        )
        beyond = not any(_may_be(row_, row) for row_ in offered) if table.key else not _stands(offered, row)
        if whole and beyond and (not table.key or row._key not in seen):
            seen.add(row._key)
            yield _constant_row(table, row, offered[0].entry)


def _stands(offered: Sequence[GroundRow], said: Row) -> bool:
    return any(
        all(domain.admits(getattr(said, name)) for name, domain in row.fields.items()) for row in offered
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


# -- how far a plan is from the answer ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Levels:
    """The expressions to minimise, by level, and the ties from rows of the search to rows of the answer.

    Attributes:
        conditions: must hold, so that each row stands for one at most.
        pairs: when a row of the search stands for a row of the answer.
    """

    linears: Mapping[str, Linear]
    conditions: Sequence[Bool]
    pairs: Sequence[_Pair]


_Pair: TypeAlias = tuple[Bool, RowVariables, Row, bool]
"""The condition, the two rows, and whether they have the same key."""


class _Distance:
    def __init__(self, lowered: Lowered, answer: Plan) -> None:
        self._lowered = lowered
        self._answer = answer
        self._model = lowered.problem.model
        self._algebra = Algebra(self._model)
        self._atoms = Atoms(self._model, self._algebra, lowered.coding)
        self._conditions: list[Bool] = []

    def levels(self) -> _Levels:
        """All five."""
        model = self._model
        rows: list[Linear] = []
        fields: list[Linear] = []
        minutes: list[Linear] = []
        money: list[Linear] = []
        every: list[_Pair] = []
        for name, slots in self._lowered.slots.by_table.items():
            said = self._answer.tables[name]
            pairs = self._pairs(slots, said)
            every.extend(pairs)
            met = model.sum(model.indicator(here) for here, _, _, _ in pairs)
            there = model.sum(model.indicator(slot.present) for slot in slots)
            # added: there and not met; removed: said and not met
            rows.append(model.sum((there, model.constant(len(said)), model.scale(met, -2))))
            for here, slot, row, keyed in pairs:
                columns = [c for c in slot.table.columns.values() if not (keyed and c.name in slot.table.key)]
                for column in columns:
                    same = self._same(slot.fields[column.name], getattr(row, column.name))
                    fields.append(model.indicator(model.conj((here, model.negate(same)))))
                    unit = MINUTES.get(column.type) if isinstance(column.type, ScalarType) else None
                    if unit is not None:
                        minutes.append(self._moved(here, slot, row, column.name, unit))
                    elif column.type is ScalarType.MONEY:
                        money.append(self._moved(here, slot, row, column.name, 1))
        lost = [
            model.scale(model.minus(model.constant(1), model.indicator(root.condition)), weight)
            for root, weight in self._lowered.problem.soft
        ]
        linears = {
            name: model.sum(parts)
            for name, parts in zip(LEVELS, (rows, fields, minutes, money, lost), strict=True)
        }
        return _Levels(linears, self._conditions, every)

    def _pairs(self, slots: Sequence[RowVariables], said: Sequence[Row]) -> list[_Pair]:
        """When a row of the search stands for a row of the answer, and whether that is by its key."""
        if not slots or not said:
            return []
        table = slots[0].table
        if table.one:
            return [(slots[0].present, slots[0], said[0], True)]
        made: list[_Pair] = []
        keys = Counter(row._key for row in said)
        loose: list[Row] = []
        for row in said:
            if not table.key or None in row._key or keys[row._key] > 1:
                loose.append(row)
                continue
            for slot in slots:
                parts = [self._same(slot.fields[k], getattr(row, k)) for k in table.key]
                here = self._model.conj((slot.present, *parts))
                if here is not FALSE:
                    made.append((here, slot, row, True))
        made.extend(self._dealt(slots, loose, made))
        return made

    def _dealt(
        self, slots: Sequence[RowVariables], loose: Sequence[Row], keyed: Sequence[_Pair]
    ) -> list[_Pair]:
        """Rows without a key of their own, dealt out to rows of the search: each to one at most."""
        model = self._model
        made: list[_Pair] = []
        for number, row in enumerate(loose):
            for slot in slots:
                var = model.var(f"{slot.table.name}[{slot.index}] is answer {number}", Domain.interval(0, 1))
                here = model.member(var, Domain.of([1]))
                self._conditions.append(model.disj((model.negate(here), slot.present)))
                made.append((here, slot, row, False))
        for group in (*([p for p in made if p[2] is row] for row in loose),
                      *([p for p in (*keyed, *made) if p[1] is slot] for slot in slots)):  # fmt: skip
            if len(group) > 1:
                taken = model.sum(model.indicator(here) for here, _, _, _ in group)
                self._conditions.append(model.at_most_zero(model.minus(taken, model.constant(1))))
        return made

    def _same(self, value: Any, said: Any) -> Bool:
        if said is None:
            return self._model.negate(self._algebra.defined(value))
        return self._atoms.equal(value, said)

    def _moved(self, here: Bool, slot: RowVariables, row: Row, column: str, unit: int) -> Linear:
        """The distance that a field moves, in minutes or minor units; 0 if it or the answer's cell is none."""
        model = self._model
        said = getattr(row, column)
        if said is None:
            return model.constant(0)
        value = self._algebra.num(slot.fields[column])
        assert value.scale == 1, "times and amounts are whole"
        apart = model.scale(model.minus(value.linear, model.constant(said)), unit)
        size = model.extreme(((TRUE, apart), (TRUE, model.scale(apart, -1))), greatest=True)
        return model.select(((model.conj((here, value.defined)), size),))
