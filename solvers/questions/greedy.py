"""Greedy baselines for any task. They choose one row of the plan after the other and never change a chosen row.

Each strategy chooses the rows of the task's main table. In each step it takes the row and the values with the lowest
cost, for example the earliest start, such that the task over the rows chosen so far is satisfiable. Rules that need
further rows are ignored at first. After each row, a back end decides whether a plan is still possible. If not, the
strategy is stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import ScalarType
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import LimitReachedError
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
from planspec.solvers.questions.travel_distance import PlaceDistances
from planspec.verifiers.meaning.plan_rows import Plan

End: TypeAlias = Literal["through", "stuck", "unknown"]
"""How the run of a greedy strategy ends; see `GreedyRun`."""
TIMES = (ScalarType.MOMENT, ScalarType.DATE, ScalarType.TIME)
"""Types of the columns that place a row of a plan in time."""
FieldMeasure: TypeAlias = Callable[[Algebra, RowVariables, Row | None], Linear | None]
"""Function that returns the cost of choosing a row of the plan next, as a linear expression; lower costs are better.

Its arguments are a builder of expressions, the row as variables, and the row that was chosen before (None for the
first). The result is None if the measure does not apply to the table.
"""


@dataclass(frozen=True, slots=True)
class GreedyRun:
    """The run of one greedy strategy, which chooses the rows of a table one after the other.

    Attributes:
        strategy: `earliest`, `nearest`, `cheapest` or `in-order`.
        table: name of the plan table whose rows are chosen.
        settled: number of rows that were chosen while a plan was still possible.
        rows: number of possible rows of the table.
        end: `through` if all rows were chosen, or only optional rows are left and none of them fits; `stuck` if a
            required row is left and no row fits, or if no plan is possible with the row that was chosen next;
            `unknown` if a limit was reached first, or part of the task has no encoding.
        plan: the chosen rows, and rows of other tables from the last step; None if no row was chosen.
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
    """Run every greedy strategy that applies to a task, or `in-order` if none applies.

    Args:
        lowered: a task that has a plan, translated into a problem for solvers.
        backend: name of the back end that searches.
        limits: limits on all strategies together.
        only: name of the only strategy to run; None for all. Nothing is run if the strategy does not apply.
        persist: whether to continue until no row fits, without checking whether a plan is still possible. This imitates
            a planner without a solver.
    """
    table = main_table(lowered)
    if table is None:
        return ()
    clock = TimeBudget(limits)
    greedy = _GreedySearch(lowered, table, backend, clock, persist)
    measures: dict[str, FieldMeasure] = {
        "earliest": _start_time,
        "nearest": greedy.distance,
        "cheapest": _price,
    }
    usable = {name: m for name, m in measures.items() if greedy.distinguishes(m)}
    chosen = usable or {"in-order": _no_preference}
    if only == "in-order":
        chosen = {"in-order": _no_preference}
    with clock:
        return tuple(greedy.run(name, m) for name, m in chosen.items() if only in (None, name))


def main_table(lowered: Lowered) -> str | None:
    """Return the name of the plan table whose rows greedy strategies choose; None if no table has open fields.

    A field is open if more than one value is possible. The result is the first table with open times or, if there is
    none, the first table with open fields.
    """
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


def _start_time(algebra: Algebra, slot: RowVariables, _previous: Row | None) -> Linear | None:
    """Return the start of a row in minutes: the sum of its date and its time.

    They are taken from the table's first date column and its first column of times or moments. Return None if the table
    has neither.
    """
    model, columns = algebra.model, slot.table.columns.values()
    day = next((c.name for c in columns if c.type is ScalarType.DATE), None)
    time = next((c.name for c in columns if c.type in (ScalarType.TIME, ScalarType.MOMENT)), None)
    parts = [] if day is None else [model.scale(_field_number(algebra, slot, day), MINUTES_A_DAY)]
    parts += [] if time is None else [_field_number(algebra, slot, time)]
    return model.sum(parts) if parts else None


def _price(algebra: Algebra, slot: RowVariables, _previous: Row | None) -> Linear | None:
    """Return the sum of the row's amounts of money in minor units; None if the table has no money columns."""
    columns = [c.name for c in slot.table.columns.values() if c.type is ScalarType.MONEY]
    return algebra.model.sum(_field_number(algebra, slot, c) for c in columns) if columns else None


def _no_preference(algebra: Algebra, _slot: RowVariables, _previous: Row | None) -> Linear | None:
    """Return the cost 0 for every row, so that rows are chosen in the order in which the scope lists them."""
    return algebra.model.constant(0)


def _sum_of_times(algebra: Algebra, slot: RowVariables) -> Linear:
    """Return the sum of all times of a row in minutes. It is minimised to break ties."""
    columns = [c for c in slot.table.columns.values() if c.type in TIMES]
    return algebra.model.sum(
        algebra.model.scale(_field_number(algebra, slot, c.name), MINUTES_A_DAY if c.type is ScalarType.DATE else 1)
        for c in columns
    )


def _field_number(algebra: Algebra, slot: RowVariables, column: str) -> Linear:
    return algebra.num(slot.fields[column]).linear


# -- the search ----------------------------------------------------------------------------------------


class _GreedySearch:
    """Runs of greedy strategies over the rows of one table."""

    def __init__(self, lowered: Lowered, table: str, backend: str, clock: TimeBudget, persist: bool) -> None:
        self._whole = lowered
        self._persist = persist
        self._table = table
        self._backend = backend
        self._clock = clock
        self._slots = lowered.slots.by_table[table]
        self._nearness = PlaceDistances(lowered.ground.task, self._slots[0].table)
        self._parts: dict[tuple[int, ...], _PartialTask] = {}

    def distance(self, algebra: Algebra, slot: RowVariables, previous: Row | None) -> Linear | None:
        """Return the distance from the previous row's place to this row's place; 0 for the first row."""
        column, model = self._nearness.column, algebra.model
        if column is None:
            return None
        if previous is None:
            return model.constant(0)
        value, start = slot.fields[column], getattr(previous, column)
        if isinstance(value, Tab):
            cells = {codes: self._nearness.distance(start, place) for codes, place in value.values.items()}
            return model.tabled(value.vars, cells, PlaceDistances.FAR)
        return model.constant(self._nearness.distance(start, value))

    def distinguishes(self, measure: FieldMeasure) -> bool:
        """Return whether a measure prefers some rows or values over others."""
        if measure == self.distance:
            return self._nearness.column is not None and len(self._slots) > 1
        algebra = Algebra(self._whole.problem.model)
        sizes = [measure(algebra, slot, None) for slot in self._slots]
        return any(x is not None and (not x.is_constant or x is not sizes[0]) for x in sizes)

    def run(self, name: str, measure: FieldMeasure) -> GreedyRun:
        settled: dict[int, Row] = {}
        previous: Row | None = None
        total = len(self._slots)
        plan: Plan | None = None

        def finish(end: End) -> GreedyRun:
            return GreedyRun(name, self._table, len(settled), total, end, plan)

        try:
            whole = named_backend(self._backend).open(self._whole.problem, self._clock.limits)
            while len(settled) < total:
                step = self._next_row(settled, measure, previous)
                if step is None:  # the remaining rows may be absent if they are optional
                    required = any(self._slots[i].present is TRUE for i in range(total) if i not in settled)
                    return finish("stuck" if required else "through")
                chosen, row, partial_plan = step
                whole.add(_has_fields_of(self._whole, self._slots[chosen], row))
                left = None if self._persist else self._clock.ask(whole)
                if left is not None and not left.found:
                    return finish("unknown" if left.status is Status.UNKNOWN else "stuck")
                settled[chosen] = previous = row
                plan = partial_plan
        except (LimitReachedError, DiagnosticError):
            # a task with only some of its possible rows may have no encoding, although the whole task has one
            return finish("unknown")
        return finish("through")

    def _next_row(
        self, settled: dict[int, Row], measure: FieldMeasure, previous: Row | None
    ) -> tuple[int, Row, Plan] | None:
        """Return the index of the row to choose next, its values, and a plan with all chosen rows.

        Return None if no row fits.

        Args:
            settled: rows that are already chosen, by index.
            measure: function whose value is minimised.
            previous: row that was chosen last; None for the first row.
        """
        best: tuple[int, int, Row, Plan] | None = None
        for i in range(len(self._slots)):
            if i in settled:
                continue
            option = self._make_partial_task((*settled, i)).best(i, settled, measure, previous, self._clock)
            if option is not None and (best is None or option[0] < best[0]):
                best = option[0], i, *option[1:]
        return None if best is None else best[1:]

    def _make_partial_task(self, rows: Sequence[int]) -> _PartialTask:
        key = tuple(sorted(rows))
        if key not in self._parts:
            self._parts[key] = _PartialTask(self._whole, self._table, key, self._backend, self._clock)
        return self._parts[key]


class _PartialTask:
    """The task with only some possible rows of one plan table. Rules that these rows cannot satisfy are left out."""

    def __init__(self, whole: Lowered, table: str, rows: tuple[int, ...], backend: str, clock: TimeBudget) -> None:
        offered = whole.ground.rows
        scope = {**offered, table: tuple(offered[table][i] for i in rows)}
        self._lowered = lower(replace(whole.ground, rows=scope), presolve=False)
        self._table = table
        self._slots = dict(zip(rows, self._lowered.slots.by_table[table], strict=True))
        self._algebra = Algebra(self._lowered.problem.model)
        self._session = named_backend(backend).open(
            replace(
                self._lowered.problem,
                hard=[],
                routes=(),
                no_overlaps=(),
                cumulatives=(),
                different=(),
                boxes=(),
                peaks=(),
            ),
            clock.limits,
        )
        self._rules = self._satisfiable_rules(self._lowered.problem.hard, clock)

    def _satisfiable_rules(self, rules: Sequence[Rooted], clock: TimeBudget) -> list[Rooted]:
        """Return all rules if they can hold together, else those rules that can hold alone."""
        always = [rule for rule in rules if rule.origin.startswith("plan:")]
        others = [rule for rule in rules if not rule.origin.startswith("plan:")]
        if self._can_hold_all(rules, clock):
            return list(rules)
        return always + [rule for rule in others if self._can_hold_all([*always, rule], clock)]

    def _can_hold_all(self, rules: Sequence[Rooted], clock: TimeBudget) -> bool:
        outcome = clock.ask(self._session, assumptions=rules)
        if outcome.status is Status.UNKNOWN:
            raise LimitReachedError(outcome.reason or "time")
        return outcome.found

    def best(
        self,
        row: int,
        settled: dict[int, Row],
        measure: FieldMeasure,
        previous: Row | None,
        clock: TimeBudget,
    ) -> tuple[int, Row, Plan] | None:
        """Choose the cheapest values of a row of the plan. Return the cost, the row, and a plan with all chosen rows.

        Return None if no plan has the chosen rows and this row.

        Args:
            row: index of the row among the possible rows of the table.
            settled: rows that are already chosen, by index.
            measure: function that returns the cost.
            previous: row that was chosen last; None for the first row.
            clock: limit on the search.
        """
        model: NodeBuilder = self._lowered.problem.model
        slot = self._slots[row]
        size = measure(self._algebra, slot, previous) or model.constant(0)
        spans = [_sum_of_times(self._algebra, each) for each in self._slots.values()]
        low, high = min(x.low for x in spans), max(x.high for x in spans)
        ties = model.minus(_sum_of_times(self._algebra, slot), model.constant(low))
        fixed = [
            Rooted(_has_fields_of(self._lowered, self._slots[i], settled_row), f"settled {i}")
            for i, settled_row in settled.items()
        ]
        present = Rooted(slot.present, "present")
        outcome = clock.ask(
            self._session,
            assumptions=[*self._rules, *fixed, present],
            minimize=model.plus(model.scale(size, high - low + 1), ties),
        )
        if outcome.status is Status.UNKNOWN:
            raise LimitReachedError(outcome.reason or "time")
        if not outcome.found:
            return None
        assert outcome.objective is not None
        # absent rows are not in the plan
        place = sum(bool(evaluate(each.present, outcome.values)) for i, each in self._slots.items() if i < row)
        plan = self._lowered.decode(outcome.values)
        return outcome.objective, plan.tables[self._table][place], plan


def _has_fields_of(lowered: Lowered, slot: RowVariables, row: Row) -> Bool:
    """Return the condition that a possible row of the plan is present and has the fields of the given row."""
    model = lowered.problem.model
    algebra = Algebra(model)
    atoms = Atoms(model, algebra, lowered.coding)
    parts = []
    for name, value in slot.fields.items():
        cell: Any = getattr(row, name)
        parts.append(model.negate(algebra.defined(value)) if cell is None else atoms.equal(value, cell))
    return model.conj((slot.present, *parts))
