"""The differences between two plans, row by row and field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.dsl.model.value_text import json_value, show
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import row_ref


@dataclass(frozen=True, slots=True)
class PlanDifference:
    """One field that differs, or one row that only one of two plans has.

    Attributes:
        table: the plan table.
        key: the row's key, or its place where the table has none; None for the row of a `one` table.
        field: the column; None where the whole row is there on one side only.
        before: the cell (or all cells of the row) of the first plan as JSON; None where it has none.
        after: likewise of the second plan.
        said: the same for people: `start 10:00 -> 11:30`.
    """

    table: str
    key: str | None
    field: str | None
    before: Any
    after: Any
    said: str

    @property
    def place(self) -> str:
        """`visits[pergamon].start`, `visits[pergamon]` or `lodging.hotel`."""
        row = self.table if self.key is None else f"{self.table}[{self.key}]"
        return row if self.field is None else f"{row}.{self.field}"


Pairs = Sequence[tuple[Row, Row]]
"""Rows of one plan with the rows of another that stand for them."""


def differences(
    task: Task, first: Plan, second: Plan, met: Mapping[str, Pairs] | None = None
) -> tuple[PlanDifference, ...]:
    """The differences that turn the first plan into the second.

    Args:
        task: whose plans they are.
        first: the plan before.
        second: the plan after.
        met: by table, which rows are the same row. Without it rows of a table with a key are where their keys are
            equal; rows of a table without one are paired in order of how much they have in common.
    """
    made: list[PlanDifference] = []
    for table in task.plan_tables:
        before, after = first.tables[table.name], second.tables[table.name]
        pairs = _alike(table, before, after) if met is None else met.get(table.name, ())
        partners = dict(pairs)
        for a in before:
            made.extend(_of_rows(task, table, a, partners.get(a)))
        taken = set(partners.values())
        for b in after:
            if b not in taken:
                made.extend(_of_rows(task, table, None, b))
    return tuple(made)


def _alike(table: Table, before: Sequence[Row], after: Sequence[Row]) -> list[tuple[Row, Row]]:
    scored = sorted(
        (-_likeness(table, a, b), i, j)
        for i, a in enumerate(before)
        for j, b in enumerate(after)
        if table.one or not table.key or a._key == b._key
    )
    partners: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in scored:
        if i not in partners and j not in taken:
            partners[i] = j
            taken.add(j)
    return [(before[i], after[j]) for i, j in partners.items()]


def _likeness(table: Table, a: Row, b: Row) -> int:
    return sum(same(getattr(a, name), getattr(b, name)) for name in table.columns)


def same(a: Any, b: Any) -> bool:
    """Two cells are equal; sets whatever their order."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return frozenset(a) == frozenset(b)
    return bool(a == b)


def _of_rows(task: Task, table: Table, a: Row | None, b: Row | None) -> Iterator[PlanDifference]:
    currency = task.currency
    known = b if a is None or (b is not None and None in a._key) else a
    assert known is not None
    key = row_ref(known, currency).key
    if a is None or b is None:
        cells = {
            name: json_value(getattr(known, name), column.type, currency)
            for name, column in table.columns.items()
        }
        shown = ", ".join(
            f"{name} {show(getattr(known, name), column.type, currency)}"
            for name, column in table.columns.items()
            if name not in table.key
        )
        if a is None:
            yield PlanDifference(table.name, key, None, None, cells, f"added ({shown})" if shown else "added")
        else:
            yield PlanDifference(table.name, key, None, cells, None, "removed")
        return
    for name, column in table.columns.items():
        before, after = getattr(a, name), getattr(b, name)
        if not same(before, after):
            named = a._unknown.get(name) if isinstance(a._unknown, Mapping) else None
            was = show(before, column.type, currency) if named is None else f'"{named}"'
            cell = json_value(before, column.type, currency) if named is None else named
            yield PlanDifference(
                table.name, key, name, cell, json_value(after, column.type, currency),
                f"{was} -> {show(after, column.type, currency)}",
            )  # fmt: skip
