"""Recorded answers as an agent: what others gave, judged and compared like any run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from planspec.agents.agent import Answer
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.view import TaskView
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_bytes
from planspec.errors import PlanspecError


class InvalidRecordingError(PlanspecError, ValueError):
    """A file that holds no recorded answers."""


class Replay:
    """Answers as recorded, one JSON object on each line with its `task`.

    The answer is `answer`, `plan`, or `turns` (one of these for each turn): envelopes, lines of a run's
    `attempts.jsonl` and traces are read alike. The last line for a task counts.

    Args:
        file: JSON lines.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        _ = self._answers  # a file that cannot be read fails at once

    def about(self) -> Mapping[str, Any]:
        """Whose answers they are."""
        import hashlib

        return {
            "file": self._file.name,
            "sha256": hashlib.sha256(read_bytes(self._file, RECORDS_BYTES)).hexdigest(),
        }

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The recorded answer for the task at this turn."""
        said = self._answers.get(view.task)
        turn = view.turn
        if said is None or turn >= len(said) or said[turn] is None:
            raise AttemptFailedError(
                "adapter", f"nothing is recorded for `{view.task}`" + (f", turn {turn + 1}" if turn else "")
            )
        found: Answer = said[turn]
        return found

    @cached_property
    def _answers(self) -> dict[str, list[Any]]:
        return dict(_recorded(self._file))


def _recorded(file: Path) -> Iterator[tuple[str, list[Any]]]:
    """The answers of each line by its task.

    Raises:
        InvalidRecordingError: a line is no object with a task.
        OSError: the file cannot be read.
    """
    with open_regular(file, RECORDS_BYTES) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise InvalidRecordingError(f"`{file}`, line {number} is no JSON") from None
            task = record.get("task") if isinstance(record, dict) else None
            if not isinstance(task, str):
                raise InvalidRecordingError(f"`{file}`, line {number} does not say which `task` it answers")
            turns = record.get("turns")
            yield task, [_said(turn) for turn in turns] if isinstance(turns, list) else [_said(record)]


def _said(record: Any) -> Any:
    """The answer in a record; a record that has none is one itself. A plan that is null is an answer without a plan."""
    if not isinstance(record, dict):
        return record
    for name in ("answer", "plan"):
        if name in record:
            return "null" if name == "plan" and record[name] is None else record[name]
    return None if {"task", "failure", "trace"} & set(record) else record
