"""Somebody else's verdicts on answers, read from JSON lines or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import UnsuitableAnswersError

TRUE, FALSE = frozenset({"true", "yes", "pass", "passed"}), frozenset({"false", "no", "fail", "failed", ""})


def read_verdicts(path: Path) -> Mapping[str, bool]:
    """Return whether each answer was accepted, by the id of its task.

    Each line is `{"task": ID, "pass": VERDICT}`, or a row of a CSV file with these columns. A verdict is a Boolean, or a number, which
    accepts from 1.

    Args:
        path: file of the verdicts; CSV if its name ends in `.csv`.

    Raises:
        UnsuitableAnswersError: a line has no task or no verdict, or a task occurs twice.
        OSError: the file cannot be read.
        ValueError: it is not UTF-8.
    """
    text = read_text(path, RECORDS_BYTES)
    verdicts: dict[str, bool] = {}
    for number, record in _csv_records(text) if path.suffix == ".csv" else _json_records(text):
        task, accepted = record.get("task"), _verdict(record.get("pass"))
        if not isinstance(task, str) or not task or accepted is None:
            raise UnsuitableAnswersError(
                f"`{path}`, line {number}: a verdict has a `task`, and a `pass` that is true, false or a number"
            )
        if task in verdicts:
            raise UnsuitableAnswersError(f"`{path}`, line {number}: a second verdict on `{task}`")
        verdicts[task] = accepted
    return verdicts


def _json_records(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = None
            yield number, record if isinstance(record, dict) else {}


def _csv_records(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    for record in reader:
        yield reader.line_num, record


def _verdict(value: Any) -> bool | None:
    """Return whether a verdict accepts; None if it is no verdict."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value >= 1
    if not isinstance(value, str):
        return None
    word = value.strip().casefold()
    if word in TRUE | FALSE:
        return word in TRUE
    try:
        return float(word) >= 1
    except ValueError:
        return None
