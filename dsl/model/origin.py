"""The record of a table from which a task was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.diagnostics.source import Span


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """The place of a record.

    Attributes:
        suite: file of the suite whose table of tasks has it.
        number: number of the record in its source, from 1.
        span: first line of the record.
    """

    suite: Path
    number: int
    span: Span
