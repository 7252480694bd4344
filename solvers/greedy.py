"""Greedy baselines for any task: rows are settled one after the other and never taken back.

Each strategy settles the rows of the task's main table. Of the rows that are left it takes the one, with the
values, that is best by the strategy's measure and does not break a hard constraint that speaks of settled rows
alone. Whether a plan is still left is asked of a back end after each row: the strategy is stuck after the first
row that leaves none, however long it would take to notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.rows import Row
from planspec.dsl.types import RowType, Scalar, Table
from planspec.solvers import backend as backends
from planspec.solvers.clock import Clock
from planspec.solvers.evaluate import evaluate
from planspec.solvers.ir import Bool, Linear, Problem, Rooted
from planspec.solvers.outcome import Limits, Status
from planspec.solvers.problem import Lowered
from planspec.solvers.symbolic import Algebra, Slot, Tab, leaves

Measure: TypeAlias = Callable[[Slot, Slot | None, Mapping[int, int]], Linear | None]
"""How good it is to settle a row next, given the row before and its values: less is better."""
TIMES = (Scalar.MOMENT, Scalar.DATE, Scalar.TIME)


@dataclass(frozen=True, slots=True)
class GreedyRun:
    """How far a strategy got.

    Attributes:
        strategy: `earliest`, `nearest`, `cheapest` or `in-order`.
        settled: rows after which a plan was still possible.
        rows: rows of the main table.
        stuck: no plan is left after the next row, or no next row fits. False: it got through, or time ran out.
        finished: it was not cut short by a limit.
    """

    strategy: str
    table: str
    settled: int
    rows: int
    stuck: bool
    finished: bool


def greedy_runs(
    lowered: Lowered,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
) -> tuple[GreedyRun, ...]:
    """Every strategy that the task has a measure for; `in-order` where there is no other.

    Args:
        lowered: a task that has a plan.
        backend: who searches.
        limits: its seconds hold for all strategies together.
    """
    table = main_table(lowered)
    if table is None:
        return ()
    clock = Clock(limits)
    greedy = _Greedy(lowered, table, backend, clock)
    measures: dict[str, Measure] = {
        "earliest": greedy.first_time,
        "nearest": greedy.way,
        "cheapest": greedy.money,
    }
    usable = {name: m for name, m in measures.items() if greedy.measured(m)}
    return tuple(greedy.run(name, m) for name, m in (usable or {"in-order": greedy.nothing}).items())


def main_table(lowered: Lowered) -> str | None:
    """The plan table that a planner fills row by row: the first with open times, else the first with open fields."""
    candidates = [
        (name, rows)
        for name, rows in lowered.ground.rows.items()
        if rows and not rows[0].table.one and any(d.open for row in rows for d in row.fields.values())
    ]
    timed = [
        name
        for name, rows in candidates
        if any(row.fields[c.name].open for row in rows for c in row.table.columns.values() if c.type in TIMES)
    ]
    return next(iter((*timed, *(name for name, _ in candidates))), None)


class _Greedy:
    def __init__(self, lowered: Lowered, table: str, backend: str, clock: Clock) -> None:
        self._lowered = lowered
        self._table = table
        self._backend = backend
        self._clock = clock
        self._model = lowered.problem.model
        self._algebra = Algebra(self._model)
        self._slots = lowered.slots.by_table[table]
        self._nearness = _Nearness(lowered.ground.task.tables, self._slots[0].table)
        owner = {
            var.id: i
            for i, slot in enumerate(self._slots)
            for name in (*slot.table.columns, "?")
            if (var := lowered.slots.places.get((table, i, name))) is not None
        }
        # variables of other tables may take any value, so a condition waits only for rows of this one
        self._spoken = [
            (rooted, {owner[i] for i in leaves(rooted.condition) if i in owner})
            for rooted in lowered.problem.hard
        ]

    # -- measures ---------------------------------------------------------------------------------

    def first_time(self, slot: Slot, _last: Slot | None, _values: Mapping[int, int]) -> Linear | None:
        """When the row begins, in minutes: its days and the first of its times."""
        columns = slot.table.columns.values()
        day = next((c.name for c in columns if c.type is Scalar.DATE), None)
        time = next((c.name for c in columns if c.type in (Scalar.TIME, Scalar.MOMENT)), None)
        parts = []
        if day is not None:
            parts.append(self._model.scale(self._number(slot, day), 1440))
        if time is not None:
            parts.append(self._number(slot, time))
        return self._model.sum(parts) if parts else None

    def money(self, slot: Slot, _last: Slot | None, _values: Mapping[int, int]) -> Linear | None:
        """What the row costs, in minor units."""
        columns = [c.name for c in slot.table.columns.values() if c.type is Scalar.MONEY]
        return self._model.sum(self._number(slot, c) for c in columns) if columns else None

    def way(self, slot: Slot, last: Slot | None, values: Mapping[int, int]) -> Linear | None:
        """How far the row's place is from that of the row before; from anywhere for the first row."""
        column = self._nearness.column
        if column is None:
            return None
        value = slot.fields[column]
        start = None if last is None else _decided(last.fields[column], values)
        if last is None:
            return self._model.constant(0)
        if isinstance(value, Tab):
            cells = {codes: self._nearness.distance(start, place) for codes, place in value.values.items()}
            return self._model.tabled(value.vars, cells, _Nearness.FAR)
        return self._model.constant(self._nearness.distance(start, value))

    def nothing(self, _slot: Slot, _last: Slot | None, _values: Mapping[int, int]) -> Linear | None:
        """No preference: rows as they come, with the first values that fit."""
        return self._model.constant(0)

    def measured(self, measure: Measure) -> bool:
        """The measure tells rows or values apart."""
        if measure == self.way:
            return self._nearness.column is not None and len(self._slots) > 1
        sizes = [measure(slot, None, {}) for slot in self._slots]
        return any(x is not None and (not x.is_constant or x is not sizes[0]) for x in sizes)

    def _number(self, slot: Slot, column: str) -> Linear:
        return self._algebra.num(slot.fields[column]).linear

    def _with_ties(self, size: Linear | None, slot: Slot) -> Linear | None:
        """The measure, and among equals the earliest times of the row."""
        columns = [c for c in slot.table.columns.values() if c.type in TIMES]
        times = self._model.sum(
            self._model.scale(self._number(slot, c.name), 1440 if c.type is Scalar.DATE else 1)
            for c in columns
        )
        if size is None or times.is_constant:
            return size
        later = self._model.minus(times, self._model.constant(times.low))
        return self._model.plus(self._model.scale(size, later.high + 1), later)

    # -- the walk ---------------------------------------------------------------------------------

    def run(self, name: str, measure: Measure) -> GreedyRun:
        """Settle row after row."""
        settled: dict[int, Bool] = {}
        last: Slot | None = None
        values: Mapping[int, int] = {}
        total = len(self._slots)
        whole = backends.backend(self._backend).open(self._lowered.problem, self._clock.limits)
        while len(settled) < total:
            best: tuple[int, int, Mapping[int, int]] | None = None
            for i, slot in enumerate(self._slots):
                if i in settled:
                    continue
                outcome = self._clock.ask(
                    self._among({*settled, i}, settled.values()),
                    minimize=self._with_ties(measure(slot, last, values), slot),
                )
                if outcome.status is Status.UNKNOWN:
                    return GreedyRun(name, self._table, len(settled), total, stuck=False, finished=False)
                if outcome.found:
                    size = outcome.objective if outcome.objective is not None else 0
                    if best is None or size < best[0]:
                        best = size, i, outcome.values
            if best is None:
                return GreedyRun(name, self._table, len(settled), total, stuck=True, finished=True)
            _, chosen, values = best
            condition = self._as_decided(chosen, values)
            whole.add(condition)
            left = self._clock.ask(whole)
            if left.status is Status.UNKNOWN:
                return GreedyRun(name, self._table, len(settled), total, stuck=False, finished=False)
            if not left.found:
                return GreedyRun(name, self._table, len(settled), total, stuck=True, finished=True)
            settled[chosen] = condition
            last = self._slots[chosen]
        return GreedyRun(name, self._table, total, total, stuck=False, finished=True)

    def _among(self, rows: set[int], settled: Iterable[Bool]) -> Any:
        """A session in which the hard constraints hold that speak of no other rows."""
        whole = self._lowered.problem
        hard = [rooted for rooted, spoken in self._spoken if spoken <= rows]
        hard.extend(Rooted(condition, "settled") for condition in settled)
        part = Problem(whole.model, hard, [], None, whole.rows, whole.identity)
        return backends.backend(self._backend).open(part, self._clock.limits)

    def _as_decided(self, row: int, values: Mapping[int, int]) -> Bool:
        """The row has the fields of the assignment."""
        model, slots = self._model, self._lowered.slots
        parts = []
        for column in self._slots[row].table.columns:
            code = slots.codes[self._table, row, column]
            parts.append(model.is_zero(model.minus(code, model.constant(evaluate(code, values)))))
        present = self._slots[row].present
        parts.append(present if evaluate(present, values) else model.negate(present))
        return model.conj(parts)


def _decided(value: Any, values: Mapping[int, int]) -> Any:
    if isinstance(value, Tab):
        return value.values.get(tuple(values[var.id] for var in value.vars))
    return value


class _Nearness:
    """Ways between places, as some table of facts has them.

    It is a table whose first two keys refer to one table, with a duration or a distance; the main table's column
    refers to that table, or to one that it refers to.
    """

    FAR = 10**6

    def __init__(self, tables: Mapping[str, Table], main: Table) -> None:
        self.column: str | None = None
        self._distances: dict[tuple[Row, Row], int] = {}
        self._place: dict[Row, Row] = {}
        for facts in tables.values():
            ends = facts.key[:2]
            if facts.plan or len(ends) < 2 or facts.columns[ends[0]].type != facts.columns[ends[1]].type:
                continue
            of = facts.columns[ends[0]].type
            size = next(
                (c.name for c in facts.columns.values() if c.type in (Scalar.DURATION, Scalar.DISTANCE)), None
            )
            if (
                not isinstance(of, RowType)
                or size is None
                or not self._reaches(tables, main, tables[of.table])
            ):
                continue
            for row in facts.rows:
                pair = (getattr(row, ends[0]), getattr(row, ends[1]))
                value = getattr(row, size)
                if value is not None:
                    self._distances[pair] = min(value, self._distances.get(pair, value))
            return

    def _reaches(self, tables: Mapping[str, Table], main: Table, places: Table) -> bool:
        """Find the main table's column, and what its rows are among the places."""
        for column in main.columns.values():
            if not isinstance(column.type, RowType) or tables[column.type.table].plan:
                continue
            if column.type.table == places.name:
                self.column = column.name
                self._place = {row: row for row in places.rows}
                return True
            link = next((c.name for c in places.columns.values() if c.type == column.type), None)
            if link is not None:
                self.column = column.name
                self._place = {
                    getattr(row, link): row for row in places.rows if getattr(row, link) is not None
                }
                return True
        return False

    def distance(self, a: Any, b: Any) -> int:
        """The least of what the facts have for the way, in their unit; far where they have nothing."""
        start, end = self._place.get(a), self._place.get(b)
        if start is None or end is None:
            return self.FAR
        return 0 if start is end else self._distances.get((start, end), self.FAR)
