"""Tables in the layout of the family's publication, computed from the records of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from planspec.family.descriptor import Part
from planspec.family.registry import find
from planspec.scores.attempts import AttemptedRun
from planspec.scores.record import RunTable

RunTables: TypeAlias = Callable[[AttemptedRun], Sequence[RunTable]]
"""Function that computes tables from the records of a run. Tables that lack data are left out."""
RUN_TABLES: Part[RunTables | None] = Part("run_tables", None)
"""Function for the tables of the family's publication; None if there are no such tables."""


def tables_of_run(run: AttemptedRun) -> tuple[RunTable, ...]:
    """Return the tables that a run's family defines. Tables without rows are left out."""
    family = find(run.run.family)
    tables = None if family is None else RUN_TABLES.of(family)
    return () if tables is None else tuple(table for table in tables(run) if table.rows)
