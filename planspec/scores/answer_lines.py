"""Lines of answers from a JSON Lines file, a Parquet table, a stream, or an iterable.

Lines are read one at a time. The required memory depends only on the longest line.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from planspec.dsl.resources.limits import ANSWER_BYTES
from planspec.dsl.resources.reading import open_regular
from planspec.errors import UnsuitableAnswersError
from planspec.extras import install_command

AnswersLike: TypeAlias = PathLike[str] | Iterable[bytes | str | Mapping[str, Any]]
"""Answers: the path of a JSON Lines file or Parquet table, or the lines as bytes, strings or decoded objects."""
PARQUET = ".parquet"
ATTEMPT = re.compile(rb'\{"task": (?P<task>"(?:[^"\\]|\\.)*"), "repeat": (?P<repeat>\d+), "seed": ')
"""Pattern of the beginning of a line in a run's `attempts.jsonl`."""
BATCH_ROWS = 1_000
"""Number of rows of a Parquet table that are read at a time."""
NO_PARQUET = f"Parquet files need an extra: {install_command('parquet')}"


def answer_lines(answers: AnswersLike) -> Iterator[tuple[int, bytes]]:
    """Yield the number, from 1, and the bytes of each line that is not blank. Decoded lines are encoded again.

    A line longer than the size limit of an answer is cut off. It is then rejected as unreadable.

    Raises:
        TypeError: the argument is not a path or an iterable of lines.
        UnsuitableAnswersError: the lines are not JSON Lines in UTF-8, a Parquet table is unreadable, or the
            extra `parquet` is not installed.
        OSError: a file cannot be read.
    """
    for number, line in enumerate(_raw_lines(answers), 1):
        if number == 1:
            _check_first(line)
        if line and not line.isspace():
            yield number, line


def envelope_lines(answers: AnswersLike) -> Iterator[tuple[int, bytes]]:
    """Yield lines like `answer_lines`, with attempts of a run converted to `{"task": ..., "plan": ...}`.

    The repeat of an attempt becomes its `sample`. If a file has several records of an attempt, the last one
    counts. In a stream all records remain and are later rejected as duplicates. Raises the same errors as
    `answer_lines`.
    """
    last: dict[tuple[bytes, bytes], int] = {}
    if isinstance(answers, PathLike) and Path(answers).suffix != PARQUET:
        for number, line in answer_lines(answers):
            if (head := ATTEMPT.match(line)) is None:
                break  # not the file of a run, which contains only attempts
            last[head["task"], head["repeat"]] = number
    for number, line in answer_lines(answers):
        head = ATTEMPT.match(line)
        if head is None:
            yield number, line
        elif last.get((head["task"], head["repeat"]), number) == number:
            yield number, _envelope(line)


def _check_first(line: bytes) -> None:
    """Raise UnsuitableAnswersError if the first line of a file shows that it is not JSON Lines."""
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\x00" in line[:4]:
        raise UnsuitableAnswersError("the answers look like UTF-16; save them as UTF-8")
    if line.strip() in (b"{", b"["):
        raise UnsuitableAnswersError(
            "the answers are JSON lines, each one object on one line, and this is JSON over several lines; "
            "`jq -c . FILE` writes an object on one line, `jq -c .[] FILE` the objects of a list"
        )


def _envelope(line: bytes) -> bytes:
    """Convert a line with an attempt of a run to `{"task": ..., "plan": ...}`; return any other line unchanged."""
    try:
        record = json.loads(line)
        answers = [turn.get("answer") for turn in record["turns"]]
        address = {"task": record["task"], "sample": record["repeat"]}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return line
    plan = {"turns": answers} if len(answers) > 1 else {"plan": answers[0] if answers else None}
    return _encode(address | plan)


def _raw_lines(answers: AnswersLike) -> Iterator[bytes]:
    match answers:
        case PathLike():
            if Path(answers).suffix == PARQUET:
                yield from _parquet_lines(Path(answers))
                return
            with open_regular(answers, sys.maxsize) as file:
                yield from stream_lines(file)
            return
        case str() | bytes() | Mapping():
            raise TypeError("answers are JSON lines: the pathlib.Path of a file with them, or the lines, not one text")
    for line in answers:
        match line:
            case bytes():
                yield line
            case str():
                yield line.encode("utf-8", "surrogatepass")
            case Mapping():
                yield _encode(line)
            case _:
                raise TypeError(f"an answer is a line of JSON, as text or decoded, not {type(line).__name__}")


def stream_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of an open file. Each is cut off one byte after the size limit of an answer."""
    most = ANSWER_BYTES + 2  # one byte beyond the limit, and the line feed
    for line in iter(partial(file.readline, most), b""):
        yield line
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = file.readline(most)


def _encode(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _parquet_lines(path: Path) -> Iterator[bytes]:
    """Yield each row of a table as a JSON object with a member for each column. A string in column `plan` is JSON."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise UnsuitableAnswersError(f"`{path}`: {NO_PARQUET}") from None
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(BATCH_ROWS):
                for record in batch.to_pylist():
                    yield _encode({name: value for name, value in record.items() if value is not None})
    except (ArrowException, TypeError) as error:
        raise UnsuitableAnswersError(f"`{path}` cannot be read: {error}") from None
