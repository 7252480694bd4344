"""Lines of answers: of a file of JSON lines or a Parquet table, of a stream, or as a caller has them.

They come one by one, so that a file of any length needs the memory of its longest line.
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
from planspec.extras import install

AnswersLike: TypeAlias = PathLike[str] | Iterable[bytes | str | Mapping[str, Any]]
"""The path of a file of JSON lines or of a Parquet table, or the lines themselves, as text or decoded."""
PARQUET = ".parquet"
ATTEMPT = re.compile(rb'\{"task": (?P<task>"(?:[^"\\]|\\.)*"), "repeat": (?P<repeat>\d+), "seed": ')
"""How a line of a run's `attempts.jsonl` begins."""
A_BATCH = 1_000
"""Rows of a Parquet table that are read at a time."""
NO_PARQUET = f"Parquet files need an extra: {install('parquet')}"


def answer_lines(answers: AnswersLike) -> Iterator[tuple[int, bytes]]:
    """The lines that say something, with their numbers from 1; those that are decoded are written again.

    A line that is longer than an answer may be is cut behind what is too much, and is no answer then.

    Raises:
        TypeError: they are no answers.
        UnsuitableAnswersError: they are no JSON lines in UTF-8; a Parquet table cannot be read, or no installed package reads it.
        OSError: a file cannot be read.
    """
    for number, line in enumerate(_lines(answers), 1):
        if number == 1:
            _check_first(line)
        if line and not line.isspace():
            yield number, line


def answers_alone(answers: AnswersLike) -> Iterator[tuple[int, bytes]]:
    """The same lines, where the attempts of a run are the envelopes of their answers: each with its repeat as its `sample`.

    If an attempt was made again, its last record in a file counts; in a stream both stay, and are refused as answered twice.
    Raises as `answer_lines` does.
    """
    last: dict[tuple[bytes, bytes], int] = {}
    if isinstance(answers, PathLike) and Path(answers).suffix != PARQUET:
        for number, line in answer_lines(answers):
            if (head := ATTEMPT.match(line)) is None:
                break  # a run's file has attempts alone
            last[head["task"], head["repeat"]] = number
    for number, line in answer_lines(answers):
        head = ATTEMPT.match(line)
        if head is None:
            yield number, line
        elif last.get((head["task"], head["repeat"]), number) == number:
            yield number, _envelope(line)


def _check_first(line: bytes) -> None:
    """Refuse what is no JSON lines, by the first line."""
    if line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\x00" in line[:4]:
        raise UnsuitableAnswersError("the answers look like UTF-16; save them as UTF-8")
    if line.strip() in (b"{", b"["):
        raise UnsuitableAnswersError(
            "the answers are JSON lines, each one object on one line, and this is JSON over several lines; "
            "`jq -c . FILE` writes an object on one line, `jq -c .[] FILE` the objects of a list"
        )


def _envelope(line: bytes) -> bytes:
    """The envelope of an attempt's answer, or of its turns' answers; a line that is no attempt stays as it is."""
    try:
        record = json.loads(line)
        said = [turn.get("answer") for turn in record["turns"]]
        address = {"task": record["task"], "sample": record["repeat"]}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return line
    return _written(address | ({"turns": said} if len(said) > 1 else {"plan": said[0] if said else None}))


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
        raise UnsuitableAnswersError(f"`{path}`: {NO_PARQUET}") from None
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(A_BATCH):
                for record in batch.to_pylist():
                    yield _written({name: value for name, value in record.items() if value is not None})
    except (ArrowException, TypeError) as error:
        raise UnsuitableAnswersError(f"`{path}` cannot be read: {error}") from None
