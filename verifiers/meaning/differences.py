"""Differences between two plans by row and field."""

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
    """A cell in which two plans differ, or a row that only one of them has.

    Attributes:
        table: plan table.
        key: key of the row, or its position if the table has no key; None for a table with exactly one row (a table
            declared with `one: true`).
        field: column; None if only one plan has the row.
        before: JSON of the cell or row in the first plan; None if it is *none* or missing.
        after: JSON of the cell or row in the second plan; None if it is *none* or missing.
        said: text of the difference, such as `start 10:00 -> 11:30`.
    """

    table: str
    key: str | None
    field: str | None
    before: Any
    after: Any
    said: str

    def __str__(self) -> str:
        return f"{self.place} {self.said}"

    @property
    def place(self) -> str:
        """Place of the difference: `visits[pergamon].start`, `visits[pergamon]` or `lodging.hotel`."""
        row = self.table if self.key is None else f"{self.table}[{self.key}]"
        return row if self.field is None else f"{row}.{self.field}"


Pairs = Sequence[tuple[Row, Row]]
"""Pairs of corresponding rows of two plans."""


def differences(
    task: Task, first: Plan, second: Plan, pairs: Mapping[str, Pairs] | None = None
) -> tuple[PlanDifference, ...]:
    """Return the differences between two plans, in the order of tables and rows.

    Args:
        task: task of the plans.
        first: the plan before the changes.
        second: the plan after the changes.
        pairs: pairs of corresponding rows, by table. By default, rows correspond if their keys are equal; in a
            table without a key, rows are paired in order of decreasing similarity.
    """
    result: list[PlanDifference] = []
    for table in task.plan_tables:
        before, after = first.tables[table.name], second.tables[table.name]
        table_pairs = _most_similar_pairs(table, before, after) if pairs is None else pairs.get(table.name, ())
        partners = dict(table_pairs)
        for a in before:
            result.extend(_row_differences(task, table, a, partners.get(a)))
        taken = set(partners.values())
        for b in after:
            if b not in taken:
                result.extend(_row_differences(task, table, None, b))
    return tuple(result)


def _most_similar_pairs(table: Table, before: Sequence[Row], after: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Pair rows of two plans that may correspond, in order of decreasing similarity. A row is in one pair at most."""
    scored = sorted(
        (-_similarity(table, a, b), i, j)
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


def _similarity(table: Table, a: Row, b: Row) -> int:
    return sum(are_equal_cells(getattr(a, name), getattr(b, name)) for name in table.columns)


def are_equal_cells(a: Any, b: Any) -> bool:
    """Return whether two cells are equal. The order in sets is ignored."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return frozenset(a) == frozenset(b)
    return bool(a == b)


def _row_differences(task: Task, table: Table, a: Row | None, b: Row | None) -> Iterator[PlanDifference]:
    currency = task.currency
    row = b if a is None or (b is not None and None in a._key) else a
    assert row is not None
    key = row_ref(row, currency).key
    if a is None or b is None:
        cells = {name: json_value(getattr(row, name), column.type, currency) for name, column in table.columns.items()}
        shown = ", ".join(
            f"{name} {show(getattr(row, name), column.type, currency)}"
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
        if not are_equal_cells(before, after):
            named = a._unknown.get(name) if isinstance(a._unknown, Mapping) else None
            was = show(before, column.type, currency) if named is None else f'"{named}"'
            cell = json_value(before, column.type, currency) if named is None else named
            yield PlanDifference(
                table.name,
                key,
                name,
                cell,
                json_value(after, column.type, currency),
                f"{was} -> {show(after, column.type, currency)}",
            )
