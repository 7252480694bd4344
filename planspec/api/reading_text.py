"""Texts about the readings (interpretations) of a suite's tasks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from planspec.dsl.model.reading import READING_MARK
from planspec.verifiers.meaning.verdict import violation_lines

if TYPE_CHECKING:
    from planspec.api.outputs.claims import ReadingDifferenceOutput
    from planspec.text import LineFormatter


def name_in_reading(task: str, reading: str | None) -> str:
    """Return the name of a task in a reading, such as `trip~whole`, which certificates use as well."""
    return task if reading is None else f"{task}{READING_MARK}{reading}"


def reading_difference_lines(difference: ReadingDifferenceOutput, paper: LineFormatter) -> Iterator[str]:
    """Yield lines about the difference between two readings: a plan, and why one reading refuses it."""
    if difference.passes is None:
        why = "no plan within the scope tells them apart" if difference.same else "no plan was found in time"
        yield f"differs from {difference.reading}: {why}"
        return
    yield f"differs from {difference.reading}: a plan that passes in {difference.passes} and fails in {difference.fails}:"
    yield f"  {json.dumps(difference.plan, ensure_ascii=False)}"
    yield from violation_lines(difference.refused, paper)
