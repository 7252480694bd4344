"""The record of a table from which a task was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.diagnostics.source import Source, Span


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """The place of a record.

    Attributes:
        path: file of the suite whose table of tasks has it, with `#` and the task's id.
        number: number of the record in its source, from 1.
        span: first line of the record.
        document: text of the task as a document of its own.
    """

    path: Path
    number: int
    span: Span
    document: Source
