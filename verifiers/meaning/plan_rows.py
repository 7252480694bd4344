"""Plans: the decoded rows of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.dsl.model.memory import Memory
from planspec.dsl.model.rows import Row
from planspec.shown import NotebookValue


@dataclass(frozen=True, slots=True, eq=False)
class Plan(NotebookValue):
    """The rows of a plan.

    Invariant: every plan table of the task is a key of `tables`; rows are in the order of the answer.

    Attributes:
        tables: rows of each table, by its name.
        memo: cache of results computed for these rows.
    """

    tables: Mapping[str, tuple[Row, ...]]
    memo: Memory = field(default_factory=Memory, init=False, repr=False)

    def __repr__(self) -> str:
        tables = ", ".join(f"{len(rows)} {name}" for name, rows in self.tables.items())
        return f"<Plan: {tables or 'no tables'}>"
