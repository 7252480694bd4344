"""Reading of another judge's verdicts on published answers, from a JSON Lines or CSV file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import UnsuitableAnswersError

TABLE = ".csv"
TASK, PASS = "task", "pass"
DELIMITERS = ",;\t"
WORDS: Mapping[str, bool] = {"true": True, "yes": True, "false": False, "no": False}
"""Words that stand for verdicts in a table. Numbers are scores."""


def read_verdicts(path: Path) -> dict[str, bool]:
    """Read another judge's verdicts: for each task, whether it accepts the answer.

    A line is `{"task": ..., "pass": ...}`, where `pass` is a Boolean or a number. A table has the same columns. A
    number is a score: the answer is accepted if it is at least 1.

    Args:
        path: JSON lines, or a table whose name ends with `.csv`.

    Raises:
        UnsuitableAnswersError: a line is not a verdict, or is a second verdict on a task; the message names it.
        OSError: the file cannot be read.
    """
    try:
        text = read_text(path, RECORDS_BYTES)
    except UnicodeDecodeError as error:
        raise UnsuitableAnswersError(f"`{path}` is not UTF-8 (byte {error.start})") from None
    records = _table(text, path) if path.suffix.lower() == TABLE else _json_lines(text, path)
    verdicts: dict[str, bool] = {}
    for number, task, value in records:
        accepted = _accepted(value)
        if not isinstance(task, str) or not task or accepted is None:
            raise UnsuitableAnswersError(
                f'`{path}`, line {number} is no verdict: write `{{"task": "its id", "pass": true}}`, or a number from 0 to 1'
            )
        if task in verdicts:
            raise UnsuitableAnswersError(f"`{path}`, line {number} is a second verdict on `{task}`")
        verdicts[task] = accepted
    return verdicts


def _json_lines(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    """Yield the line number, the task and the verdict of each line, unchecked."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise UnsuitableAnswersError(f"`{path}`, line {number} is not JSON") from None
        members = record if isinstance(record, dict) else {}
        yield number, members.get(TASK), members.get(PASS)


def _table(text: str, path: Path) -> Iterator[tuple[int, Any, Any]]:
    """Yield the line number, the task and the verdict of each row, unchecked."""
    lines = text.removeprefix("\ufeff").splitlines()
    for delimiter in DELIMITERS:
        rows = csv.DictReader(lines, delimiter=delimiter)
        if {TASK, PASS} <= set(rows.fieldnames or ()):
            for row in rows:
                yield rows.line_num, (row[TASK] or "").strip(), (row[PASS] or "").strip()
            return
    raise UnsuitableAnswersError(f"`{path}` has no columns `{TASK}` and `{PASS}`")


def _accepted(value: Any) -> bool | None:
    """Return whether a verdict accepts an answer; None if the value is not a verdict."""
    if isinstance(value, str):
        if value.lower() in WORDS:
            return WORDS[value.lower()]
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool):
        return value
    is_number = isinstance(value, int | float) and value == value  # noqa: PLR0124 NaN alone differs from itself
    return value >= 1 if is_number else None
