"""Greedy baselines for any task: rows are settled one after the other and never taken back.

Each strategy settles the rows of the task's main table. It takes the best of the remaining rows and values by
the strategy's measure such that the task over the settled rows alone could be met: rules that more rows have
to mend do not count yet. After each row a back end says whether a plan is left: the strategy is
stuck after the first row that leaves none, however long it would take to notice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import ScalarType
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import DiagnosticError, LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool, Linear
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.lowering.symbolic import Algebra, RowVariables, Tab
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.travel_distance import Nearness
from planspec.verifiers.meaning.plan_rows import Plan

End: TypeAlias = Literal["through", "stuck", "unknown"]
TIMES = (ScalarType.MOMENT, ScalarType.DATE, ScalarType.TIME)
FieldMeasure: TypeAlias = Callable[[Algebra, RowVariables, Row | None], Linear | None]
"""The cost of settling a row next, given the row before: less is better; None if it has no such measure."""


@dataclass(frozen=True, slots=True)
class GreedyRun:
    """The run of a strategy.

    Attributes:
        strategy: `earliest`, `nearest`, `cheapest` or `in-order`.
        settled: rows after which a plan was still possible.
        rows: rows of the main table.
        end: `through`: every row was settled; `stuck`: no plan is left after the next row, or no next row fits;
            `unknown`: a limit came first, or a part of the task has no encoding.
        plan: the settled rows, and of the other tables what went with them when the last was settled; None if none was.
    """

    strategy: str
    table: str
    settled: int
    rows: int
    end: End
    plan: Plan | None = None


def greedy_runs(
    lowered: Lowered,
    *,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    only: str | None = None,
    persist: bool = False,
) -> tuple[GreedyRun, ...]:
    """Every strategy that the task has a measure for; `in-order` where there is no other.

    Args:
        lowered: a task that has a plan.
        backend: who searches.
        limits: its seconds hold for all strategies together.
        only: the strategy that is wanted; nothing where the task has no measure for it.
        persist: go on until no row fits, without looking whether a plan is left, as who has no solver would.
    """
    table = main_table(lowered)
    if table is None:
        return ()
    clock = TimeBudget(limits)
    greedy = _Greedy(lowered, table, backend, clock, persist)
    measures: dict[str, FieldMeasure] = {"earliest": _first_time, "nearest": greedy.way, "cheapest": _money}
    usable = {name: m for name, m in measures.items() if greedy.measured(m)}
    chosen = usable or {"in-order": _nothing}
    if only == "in-order":
        chosen = {"in-order": _nothing}
    with clock:
        return tuple(greedy.run(name, m) for name, m in chosen.items() if only in (None, name))


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


# -- measures ------------------------------------------------------------------------------------------


def _first_time(algebra: Algebra, slot: RowVariables, _last: Row | None) -> Linear | None:
    """When the row begins, in minutes: its day and the first of its times."""
    model, columns = algebra.model, slot.table.columns.values()
    day = next((c.name for c in columns if c.type is ScalarType.DATE), None)
    time = next((c.name for c in columns if c.type in (ScalarType.TIME, ScalarType.MOMENT)), None)
    parts = [] if day is None else [model.scale(_number(algebra, slot, day), MINUTES_A_DAY)]
    parts += [] if time is None else [_number(algebra, slot, time)]
    return model.sum(parts) if parts else None


def _money(algebra: Algebra, slot: RowVariables, _last: Row | None) -> Linear | None:
    """The price of the row, in minor units."""
    columns = [c.name for c in slot.table.columns.values() if c.type is ScalarType.MONEY]
    return algebra.model.sum(_number(algebra, slot, c) for c in columns) if columns else None


def _nothing(algebra: Algebra, _slot: RowVariables, _last: Row | None) -> Linear | None:
    """No preference: rows as they come."""
    return algebra.model.constant(0)


def _times(algebra: Algebra, slot: RowVariables) -> Linear:
    """All times of a row together: what decides between equals."""
    columns = [c for c in slot.table.columns.values() if c.type in TIMES]
    return algebra.model.sum(
        algebra.model.scale(_number(algebra, slot, c.name), MINUTES_A_DAY if c.type is ScalarType.DATE else 1)
        for c in columns
    )


def _number(algebra: Algebra, slot: RowVariables, column: str) -> Linear:
    return algebra.num(slot.fields[column]).linear


# -- the walk ------------------------------------------------------------------------------------------


class _Greedy:
    def __init__(self, lowered: Lowered, table: str, backend: str, clock: TimeBudget, persist: bool) -> None:
        self._whole = lowered
        self._persist = persist
        self._table = table
        self._backend = backend
        self._clock = clock
        self._slots = lowered.slots.by_table[table]
        self._nearness = Nearness(lowered.ground.task, self._slots[0].table)
        self._parts: dict[tuple[int, ...], _Part] = {}

    def way(self, algebra: Algebra, slot: RowVariables, last: Row | None) -> Linear | None:
        """The way from the row before to the row's place; the first row may be anywhere."""
        column, model = self._nearness.column, algebra.model
        if column is None:
            return None
        if last is None:
            return model.constant(0)
        value, start = slot.fields[column], getattr(last, column)
        if isinstance(value, Tab):
            cells = {codes: self._nearness.distance(start, place) for codes, place in value.values.items()}
            return model.tabled(value.vars, cells, Nearness.FAR)
        return model.constant(self._nearness.distance(start, value))

    def measured(self, measure: FieldMeasure) -> bool:
        """The measure tells rows or values apart."""
        if measure == self.way:
            return self._nearness.column is not None and len(self._slots) > 1
        algebra = Algebra(self._whole.problem.model)
        sizes = [measure(algebra, slot, None) for slot in self._slots]
        return any(x is not None and (not x.is_constant or x is not sizes[0]) for x in sizes)

    def run(self, name: str, measure: FieldMeasure) -> GreedyRun:
        """Settle row after row."""
        settled: dict[int, Row] = {}
        last: Row | None = None
        total = len(self._slots)
        plan: Plan | None = None

        def ended(end: End) -> GreedyRun:
            return GreedyRun(name, self._table, len(settled), total, end, plan)

        try:
            whole = named_backend(self._backend).open(self._whole.problem, self._clock.limits)
            while len(settled) < total:
                found = self._next(settled, measure, last)
                if found is None:  # rows that need not be there may stay away
                    required = any(self._slots[i].present is TRUE for i in range(total) if i not in settled)
                    return ended("stuck" if required else "through")
                chosen, row, possible = found
                whole.add(_is(self._whole, self._slots[chosen], row))
                left = None if self._persist else self._clock.ask(whole)
                if left is not None and not left.found:
                    return ended("unknown" if left.status is Status.UNKNOWN else "stuck")
                settled[chosen] = last = row
                plan = possible
        except (
            LimitReachedError,
            DiagnosticError,
        ):  # or a part of the task has no encoding where the whole has one
            return ended("unknown")
        return ended("through")

    def _next(
        self, settled: dict[int, Row], measure: FieldMeasure, last: Row | None
    ) -> tuple[int, Row, Plan] | None:
        """The best row to settle next, as it is settled, with a plan over it and those before; None if none fits."""
        best: tuple[int, int, Row, Plan] | None = None
        for i in range(len(self._slots)):
            if i in settled:
                continue
            found = self._part((*settled, i)).best(i, settled, measure, last, self._clock)
            if found is not None and (best is None or found[0] < best[0]):
                best = found[0], i, *found[1:]
        return None if best is None else best[1:]

    def _part(self, rows: Sequence[int]) -> _Part:
        key = tuple(sorted(rows))
        if key not in self._parts:
            self._parts[key] = _Part(self._whole, self._table, key, self._backend, self._clock)
        return self._parts[key]


class _Part:
    """The task over some rows of its main table, without the rules that these rows alone cannot meet."""

    def __init__(
        self, whole: Lowered, table: str, rows: tuple[int, ...], backend: str, clock: TimeBudget
    ) -> None:
        offered = whole.ground.rows
        scope = {**offered, table: tuple(offered[table][i] for i in rows)}
        self._lowered = lower(replace(whole.ground, rows=scope), presolve=False)
        self._table = table
        self._slots = dict(zip(rows, self._lowered.slots.by_table[table], strict=True))
        self._algebra = Algebra(self._lowered.problem.model)
        self._session = named_backend(backend).open(replace(self._lowered.problem, hard=[]), clock.limits)
        self._rules = self._possible(self._lowered.problem.hard, clock)

    def _possible(self, rules: Sequence[Rooted], clock: TimeBudget) -> list[Rooted]:
        always = [rule for rule in rules if rule.origin.startswith("plan:")]
        others = [rule for rule in rules if not rule.origin.startswith("plan:")]
        if self._holds(rules, clock):
            return list(rules)
        return always + [rule for rule in others if self._holds([*always, rule], clock)]

    def _holds(self, rules: Sequence[Rooted], clock: TimeBudget) -> bool:
        outcome = clock.ask(self._session, assumptions=rules)
        if outcome.status is Status.UNKNOWN:
            raise LimitReachedError(outcome.reason or "time")
        return outcome.found

    def best(
        self, row: int, settled: dict[int, Row], measure: FieldMeasure, last: Row | None, clock: TimeBudget
    ) -> tuple[int, Row, Plan] | None:
        """A row's measure and best values with the settled rows as they are, in a plan; None if it does not fit."""
        model: NodeBuilder = self._lowered.problem.model
        slot = self._slots[row]
        size = measure(self._algebra, slot, last) or model.constant(0)
        spans = [_times(self._algebra, each) for each in self._slots.values()]
        low, high = min(x.low for x in spans), max(x.high for x in spans)
        ties = model.minus(_times(self._algebra, slot), model.constant(low))
        fixed = [
            Rooted(_is(self._lowered, self._slots[i], known), f"settled {i}") for i, known in settled.items()
        ]
        there = Rooted(slot.present, "there")
        outcome = clock.ask(
            self._session, assumptions=[*self._rules, *fixed, there],
            minimize=model.plus(model.scale(size, high - low + 1), ties),
        )  # fmt: skip
        if outcome.status is Status.UNKNOWN:
            raise LimitReachedError(outcome.reason or "time")
        if not outcome.found:
            return None
        assert outcome.objective is not None
        # absent rows are left out before it
        place = sum(
            bool(evaluate(each.present, outcome.values)) for i, each in self._slots.items() if i < row
        )
        plan = self._lowered.decode(outcome.values)
        return outcome.objective, plan.tables[self._table][place], plan


def _is(lowered: Lowered, slot: RowVariables, row: Row) -> Bool:
    """The row of the search is there and has the fields of this one."""
    model = lowered.problem.model
    algebra = Algebra(model)
    atoms = Atoms(model, algebra, lowered.coding)
    parts = []
    for name, value in slot.fields.items():
        said: Any = getattr(row, name)
        parts.append(model.negate(algebra.defined(value)) if said is None else atoms.equal(value, said))
    return model.conj((slot.present, *parts))
