"""Suites as tables for the public toolkits of their benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from planspec.family.descriptor import Part


@dataclass(frozen=True, slots=True)
class WrittenTable:
    """A table file that was written.

    Attributes:
        file: path of the file.
        rows: number of rows, one for each task.
        columns: names of the columns, in order.
        unsaid: data that the toolkit's columns cannot express, each with the number of tasks that have it.
    """

    file: Path
    rows: int
    columns: tuple[str, ...]
    unsaid: Mapping[str, int]


SuiteTable: TypeAlias = Callable[[Path, Path], WrittenTable]
"""Function that writes the suite in a folder to a file, atomically."""

SUITE_TABLE: Part[SuiteTable | None] = Part("table", None)
"""Writer of a suite as a table for the family's public toolkit."""
