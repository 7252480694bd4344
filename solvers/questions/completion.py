"""Completions of partial plans: the given rows are fixed, and a back end searches for the other rows.

A completion is a plan within the task's scope that satisfies every hard constraint and includes all given rows
with all of their cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.value_text import row_key
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend as named_backend
from planspec.solvers.ir.nodes import Bool
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.problem import lower
from planspec.solvers.lowering.symbolic import Algebra, RowVariables
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.plan_shape import maximum_matching

MAX_QUESTIONS = 500
"""Number of queries after which a new solver session is opened, because assumptions accumulate in a session."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The result of a search for a completion.

    Attributes:
        status: FEASIBLE if `plan` is a completion; INFEASIBLE if there is provably no completion; else UNKNOWN.
        plan: a completion that the verifier has accepted; None if none was found.
        core: names of given rows, such as `days[2022-03-16]`, that together have no completion.
        outside: name of a given row that has a cell that the task's scope does not allow; the status is then UNKNOWN.
    """

    status: Status
    plan: Plan | None = None
    core: tuple[str, ...] = ()
    outside: str | None = None


class CompletionSearch:
    """A search for completions of several partial plans with one solver model. It is not thread-safe.

    Args:
        ground: the task.
        backend: name of the back end that searches.
        limits: limits on each call of `ask`.

    Raises:
        DiagnosticError: part of the task cannot be encoded for solvers.
    """

    def __init__(self, ground: Ground, *, backend: str = "cpsat", limits: Limits = Limits()) -> None:  # noqa: B008
        self.ground = ground
        self._backend = named_backend(backend)
        self._limits = limits
        self._lowered = lower(ground)
        self._model = self._lowered.problem.model
        self._atoms = Atoms(self._model, Algebra(self._model), self._lowered.coding)
        self._session: Session | None = None
        self._questions = 0

    def ask(self, plan: Plan, more: Mapping[str, Sequence[Row]] | None = None) -> Completion:
        """Search for a plan that includes the given rows.

        Args:
            plan: rows that the completion must have.
            more: further rows that the completion must have, by table. They may have the same keys as rows of `plan`.

        Raises:
            InternalError: a plan does not pass the verifier.
        """
        required = {name: [*rows, *(more or {}).get(name, ())] for name, rows in plan.tables.items()}
        for rows in required.values():
            for row in rows:
                if not self._is_in_scope(row):
                    return Completion(Status.UNKNOWN, outside=self._row_name(row))
        if self._session is None or self._session.broken or self._questions >= MAX_QUESTIONS:
            self._session, self._questions = self._backend.open(self._lowered.problem, self._limits), 0
        self._questions += 1
        pins = [pin for name, rows in required.items() for pin in self._presence_conditions(name, rows)]
        outcome = self._session.solve(assumptions=pins)
        if not outcome.found:
            return Completion(outcome.status, core=outcome.core)
        completed = witness(self._lowered, outcome.values)
        if not all(self._includes_all_rows(rows, completed.tables[name]) for name, rows in required.items()):
            return Completion(Status.UNKNOWN)  # two rows without a key match the same row of the plan
        return Completion(Status.FEASIBLE, completed)

    def _is_in_scope(self, row: Row) -> bool:
        """Return whether some possible row of plans allows every cell of a given row."""
        return any(
            all(
                (value := getattr(row, name)) is None or domain.admits(value)
                for name, domain in scope_row.fields.items()
            )
            for scope_row in self.ground.rows[row._table.name]
        )

    def _row_name(self, row: Row) -> str:
        return row._table.name if row._table.one else f"{row._table.name}[{row_key(row, self.ground.task.currency)}]"

    def _presence_conditions(self, table: str, rows: Sequence[Row]) -> Iterator[Rooted]:
        """Yield a condition for each given row: the plan has a row with the cells of the given row.

        Equal rows without a key must match different rows of the plan.
        """
        slots = self._lowered.slots.by_table[table]
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple(getattr(row, name) for name in row._table.columns), []).append(row)
        model = self._model
        for equal_rows in groups.values():
            places = [self._has_cells(slot, equal_rows[0]) for slot in slots]
            if equal_rows[0]._table.key or len(equal_rows) == 1:
                condition = model.disj(places)
            else:
                count = model.sum(model.indicator(place) for place in places)
                condition = model.at_most_zero(model.minus(model.constant(len(equal_rows)), count))
            yield Rooted(condition, self._row_name(equal_rows[0]))

    def _has_cells(self, slot: RowVariables, row: Row) -> Bool:
        parts = [slot.present]
        for name in slot.fields:
            value = getattr(row, name)
            if value is not None:
                parts.append(self._atoms.equal(slot.fields[name], value))
        return self._model.conj(parts)

    def _includes_all_rows(self, rows: Sequence[Row], plan_rows: Sequence[Row]) -> bool:
        """Return whether each given row can be matched to a different row of the plan that has all of its cells."""
        if rows and rows[0]._table.key:
            return all(any(_includes_cells(other, row) for other in plan_rows) for row in rows)
        edges = [[i for i, other in enumerate(plan_rows) if _includes_cells(other, row)] for row in rows]
        return len(maximum_matching(edges)) == len(rows)


def _includes_cells(extension: Row, row: Row) -> bool:
    return all(
        getattr(row, name) is None or getattr(row, name) == getattr(extension, name) for name in row._table.columns
    )
