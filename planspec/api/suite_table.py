"""Suites as the tables of their benchmarks' public toolkits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """What was written.

    Attributes:
        file: that was written.
        rows: one for each task.
        columns: of the table, in order.
        unsaid: what the toolkit's columns cannot say, by the number of tasks that have it.
    """

    file: Path
    rows: int
    columns: tuple[str, ...]
    unsaid: Mapping[str, int]


SuiteTable: TypeAlias = Callable[[Path, Path], WrittenTable]
"""Writes the suite of a folder to a file, whole or not at all."""
