"""Completion of a plan that is half made: its rows are fixed, and the rest is searched.

A completion is a plan within the task's scope that satisfies every hard constraint and grows out of the given rows: it
has them all, with every cell that they have.
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
from planspec.verifiers.meaning.plan_shape import matching

MOST_QUESTIONS = 500
"""The number of questions after which the back end gets a new copy of the model, since questions stay in it."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer about the completions of some rows.

    Attributes:
        status: FEASIBLE: `plan` is one; INFEASIBLE: there is none, proved; UNKNOWN: neither.
        plan: a completion, which the verifier has accepted.
        core: the rows among those given that suffice for a proof, such as `days[2022-03-16]`.
        outside: a row that the scope does not offer, because of which nothing is known.
    """

    status: Status
    plan: Plan | None = None
    core: tuple[str, ...] = ()
    outside: str | None = None


class Completions:
    """Asks again and again, of one model. Not for several threads at once.

    Args:
        ground: the task.
        backend: who searches.
        limits: hold for each question.

    Raises:
        DiagnosticError: the task has no encoding.
    """

    def __init__(self, ground: Ground, *, backend: str = "cpsat", limits: Limits = Limits()) -> None:  # noqa: B008
        self.ground = ground
        self._backend = named_backend(backend)
        self._limits = limits
        self._lowered = lower(ground)
        self._model = self._lowered.problem.model
        self._atoms = Atoms(self._model, Algebra(self._model), self._lowered.coding)
        self._session: Session | None = None
        self._asked = 0

    def ask(self, plan: Plan, more: Mapping[str, Sequence[Row]] | None = None) -> Completion:
        """Ask whether there is a completion.

        Args:
            plan: the rows that it must have.
            more: rows by table that it must have too; of a table with a key they may repeat keys of the plan's rows.

        Raises:
            InternalError: a plan does not pass the verifier.
        """
        wanted = {name: [*rows, *(more or {}).get(name, ())] for name, rows in plan.tables.items()}
        for rows in wanted.values():
            for row in rows:
                if not self._offered(row):
                    return Completion(Status.UNKNOWN, outside=self._called(row))
        if self._session is None or self._session.broken or self._asked >= MOST_QUESTIONS:
            self._session, self._asked = self._backend.open(self._lowered.problem, self._limits), 0
        self._asked += 1
        pins = [pin for name, rows in wanted.items() for pin in self._pins(name, rows)]
        outcome = self._session.solve(assumptions=pins)
        if not outcome.found:
            return Completion(outcome.status, core=outcome.core)
        found = witness(self._lowered, outcome.values)
        if not all(self._holds(rows, found.tables[name]) for name, rows in wanted.items()):
            return Completion(Status.UNKNOWN)  # rows without a key that share a row of the search
        return Completion(Status.FEASIBLE, found)

    def _offered(self, row: Row) -> bool:
        """Some row in scope admits every cell."""
        return any(
            all(
                (value := getattr(row, name)) is None or domain.admits(value)
                for name, domain in offered.fields.items()
            )
            for offered in self.ground.rows[row._table.name]
        )

    def _called(self, row: Row) -> str:
        return (
            row._table.name
            if row._table.one
            else f"{row._table.name}[{row_key(row, self.ground.task.currency)}]"
        )

    def _pins(self, table: str, rows: Sequence[Row]) -> Iterator[Rooted]:
        """Each row stands somewhere in the search; of rows that say the same, as many."""
        slots = self._lowered.slots.by_table[table]
        alike: dict[tuple[Any, ...], list[Row]] = {}
        for row in rows:
            alike.setdefault(tuple(getattr(row, name) for name in row._table.columns), []).append(row)
        model = self._model
        for same in alike.values():
            places = [self._is(slot, same[0]) for slot in slots]
            if same[0]._table.key or len(same) == 1:
                condition = model.disj(places)
            else:
                count = model.sum(model.indicator(place) for place in places)
                condition = model.at_most_zero(model.minus(model.constant(len(same)), count))
            yield Rooted(condition, self._called(same[0]))

    def _is(self, slot: RowVariables, row: Row) -> Bool:
        parts = [slot.present]
        for name in slot.fields:
            value = getattr(row, name)
            if value is not None:
                parts.append(self._atoms.equal(slot.fields[name], value))
        return self._model.conj(parts)

    def _holds(self, rows: Sequence[Row], found: Sequence[Row]) -> bool:
        """Every row has a row of its own in the plan that says all that it says."""
        if rows and rows[0]._table.key:
            return all(any(_extends(other, row) for other in found) for row in rows)
        edges = [[i for i, other in enumerate(found) if _extends(other, row)] for row in rows]
        return len(matching(edges)) == len(rows)


def _extends(later: Row, row: Row) -> bool:
    return all(
        getattr(row, name) is None or getattr(row, name) == getattr(later, name)
        for name in row._table.columns
    )
