"""Lines of answers: of a file of JSON lines or a Parquet table, of a stream, or as a caller has them.

They come one by one, so that a file of any length needs the memory of its longest line.
"""

from __future__ import annotations

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
from planspec.errors import UnfitAnswers
from planspec.extras import install

AnswersLike: TypeAlias = PathLike[str] | Iterable[bytes | str | Mapping[str, Any]]
"""The path of a file of JSON lines or of a Parquet table, or the lines themselves, as text or decoded."""
PARQUET = ".parquet"
A_BATCH = 1_000
"""Rows of a Parquet table that are read at a time."""
NO_PARQUET = f"Parquet files need an extra: {install('parquet')}"


def answer_lines(answers: AnswersLike) -> Iterator[tuple[int, bytes]]:
    """The lines that say something, with their numbers from 1; those that are decoded are written again.

    A line that is longer than an answer may be is cut behind what is too much, and is no answer then.

    Raises:
        TypeError: they are no answers.
        UnfitAnswers: a Parquet table cannot be read, or no installed package reads it.
        OSError: a file cannot be read.
    """
    first = True
    for number, line in enumerate(_lines(answers), 1):
        if line and not line.isspace():
            if first:
                _refuse_other_files(line, number)
                first = False
            yield number, _answer_of_attempt(line) if ATTEMPT.match(line) else line


ATTEMPT = re.compile(rb'\{"task": "(?:[^"\\]|\\.)*+", "repeat": [0-9]++, "seed": -?[0-9]++, "turns": ')
"""The beginning of a line of a run's `attempts.jsonl`."""


def _refuse_other_files(line: bytes, number: int) -> None:
    """Refuse a file that is no JSON lines, by its first line.

    Raises:
        UnfitAnswers: it is UTF-16, or one object or list over several lines.
    """
    if line[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in line[:4]:
        raise UnfitAnswers("the answers look like UTF-16: save the file as UTF-8")
    if line.removeprefix(b"\xef\xbb\xbf").strip() in (b"{", b"["):
        raise UnfitAnswers(
            f"line {number} begins a value that goes on below it: each answer stands on one line, as `jq -c` writes it"
        )


def _answer_of_attempt(line: bytes) -> bytes:
    """The envelope of the last answer of an attempt."""
    try:
        record = json.loads(line)
        turns = record["turns"]
        answer = turns[-1].get("answer") if turns else None
        return _written({"task": record["task"], "sample": record.get("repeat", 0), "plan": answer})
    except (ValueError, KeyError, TypeError, AttributeError):
        return line


def _lines(answers: AnswersLike) -> Iterator[bytes]:
    match answers:
        case PathLike():
            if Path(answers).suffix == PARQUET:
                yield from _parquet_lines(Path(answers))
                return
            with open_regular(answers, sys.maxsize) as file:
                yield from stream_lines(file)
            return
        case str() | bytes() | Mapping():
            raise TypeError(
                "answers are JSON lines: the pathlib.Path of a file with them, or the lines, not one text"
            )
    for line in answers:
        match line:
            case bytes():
                yield line
            case str():
                yield line.encode("utf-8", "surrogatepass")
            case Mapping():
                yield _written(line)
            case _:
                raise TypeError(f"an answer is a line of JSON, as text or decoded, not {type(line).__name__}")


def stream_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of an opened file, each up to one byte more than an answer may have."""
    most = ANSWER_BYTES + 2  # with its end
    for line in iter(partial(file.readline, most), b""):
        yield line
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = file.readline(most)


def _written(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _parquet_lines(path: Path) -> Iterator[bytes]:
    """The rows of a table, each an envelope whose members are the columns; a text under `plan` is JSON."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise UnfitAnswers(f"`{path}`: {NO_PARQUET}") from None
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(A_BATCH):
                for record in batch.to_pylist():
                    yield _written({name: value for name, value in record.items() if value is not None})
    except (ArrowException, TypeError) as error:
        raise UnfitAnswers(f"`{path}` cannot be read: {error}") from None
