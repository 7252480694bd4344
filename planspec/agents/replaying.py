"""An agent that repeats recorded answers, so that they can be judged and compared like other runs."""

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
    """The file is not a recording of answers."""


class Replay:
    """Repeats recorded answers, from JSON lines that each name a `task`.

    Each line has its answer under `answer` or `plan`, or an object with the answer of each turn under `turns`. Lines
    `{"task": ..., "plan": ...}`, traces and lines of a run's `attempts.jsonl` have this form. If a task has several
    lines, the last one counts.

    Args:
        file: file of JSON lines.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        _ = self._answers  # an unreadable file should raise an error now

    def about(self) -> Mapping[str, Any]:
        """Return the name and the hash of the file."""
        import hashlib

        return {
            "file": self._file.name,
            "sha256": hashlib.sha256(read_bytes(self._file, RECORDS_BYTES)).hexdigest(),
        }

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the recorded answer for the task at this turn."""
        answers = self._answers.get(view.task)
        turn = view.turn
        if answers is None or turn >= len(answers) or answers[turn] is None:
            raise AttemptFailedError(
                "adapter", f"nothing is recorded for `{view.task}`" + (f", turn {turn + 1}" if turn else "")
            )
        answer: Answer = answers[turn]
        return answer

    @cached_property
    def _answers(self) -> dict[str, list[Any]]:
        return dict(_recordings(self._file))


def _recordings(file: Path) -> Iterator[tuple[str, list[Any]]]:
    """Yield the task id and the answers of each line.

    Raises:
        InvalidRecordingError: a line is not an object with a task.
        OSError: the file cannot be read.
    """
    with open_regular(file, RECORDS_BYTES) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                raise InvalidRecordingError(f"`{file}`, line {number} is not JSON") from None
            task = record.get("task") if isinstance(record, dict) else None
            if not isinstance(task, str):
                raise InvalidRecordingError(f"`{file}`, line {number} does not say which `task` it answers")
            turns = record.get("turns")
            answers = [_answer_in(turn) for turn in turns] if isinstance(turns, list) else [_answer_in(record)]
            yield task, answers


def _answer_in(record: Any) -> Any:
    """Return the answer in a record, or the record itself if it is an answer; None if it records a failure.

    If the record has a plan `null`, return the string `null`: an answer without a plan.
    """
    if not isinstance(record, dict):
        return record
    for name in ("answer", "plan"):
        if name in record:
            return "null" if name == "plan" and record[name] is None else record[name]
    return None if {"task", "failure", "trace"} & set(record) else record
