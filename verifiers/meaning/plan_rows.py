"""A plan in the form that is judged: its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.model.rows import Row


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The rows of a plan.

    Invariant: every plan table of the task is a key of `tables`; rows stand in the order of the answer.

    Attributes:
        tables: the rows of each table by the table's name.
        memo: what evaluations of this plan worked out, kept by whoever worked it out under a key of its own.
    """

    tables: Mapping[str, tuple[Row, ...]]
    memo: dict[object, Any] = field(default_factory=dict, init=False, repr=False)  # of these rows alone

    def __repr__(self) -> str:
        tables = ", ".join(f"{len(rows)} {name}" for name, rows in self.tables.items())
        return f"<Plan: {tables or 'no tables'}>"
