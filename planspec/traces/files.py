"""Trace files: planspec's own JSON Lines, and records of other tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from pydantic import ValidationError

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_text
from planspec.traces.json_text import load
from planspec.traces.record import Trace

MOST_REASON = 300


@dataclass(frozen=True, slots=True)
class Unread:
    """A record that could not be read as a trace, with the reason.

    Attributes:
        file: name of the file.
        place: number of the record in the file, counted from 1; the line number in JSON Lines.
        reason: reason in one line.
    """

    file: str
    place: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.place}: {self.reason}"


def read_traces(path: Path) -> Iterator[Trace | Unread]:
    """Yield the traces in a JSON Lines file, and an `Unread` for each line that is not a trace.

    Raises:
        OSError: the file cannot be read.
    """
    with open_regular(path, RECORDS_BYTES) as lines:
        for place, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield Trace.model_validate(load(line.decode("utf-8-sig")))
            except (ValueError, RecursionError) as error:
                yield Unread(path.name, place, reason(error))


def write_traces(file: TextIO, traces: Iterable[Trace]) -> int:
    """Write each trace as a line.

    Args:
        file: text file in UTF-8.
        traces: traces to write, consumed one at a time.

    Returns:
        The number of traces written.
    """
    count = 0
    for trace in traces:
        file.write(line_of(trace) + "\n")
        count += 1
    return count


def line_of(trace: Trace) -> str:
    """Return a trace as a line of JSON, without default values."""
    data = trace.model_dump(mode="json", exclude_defaults=True)
    return json.dumps({"trace": trace.trace, **data}, ensure_ascii=False, allow_nan=False)


def records(path: Path) -> Iterator[tuple[int, Any] | Unread]:
    """Yield the records of a file: a JSON list, JSON Lines, or a single record.

    Of a truncated list, the complete records are yielded, then an `Unread`.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        text = read_text(path, RECORDS_BYTES)
    except UnicodeDecodeError as error:
        yield Unread(path.name, 1, f"no text in UTF-8: {error.reason} at byte {error.start}")
        return
    body = text.lstrip()
    if body.startswith("["):
        yield from _list_items(path.name, body)
        return
    try:
        yield 1, load(body)
    except ValueError as whole:
        lines = [(place, line) for place, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2:
            yield Unread(path.name, 1, reason(whole))
            return
        for place, line in lines:
            try:
                yield place, load(line)
            except ValueError as error:
                yield Unread(path.name, place, reason(error))


def reason(error: Exception) -> str:
    """Return an error's message in one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        text = f"{place + ': ' if place else ''}{first['msg']}"
    elif isinstance(error, RecursionError):
        text = "it is nested too deeply"
    elif isinstance(error, json.JSONDecodeError):
        text = f"no JSON: {error}"
    else:
        text = str(error)
    return " ".join(text.split())[:MOST_REASON]


def object_of(record: Any) -> Mapping[str, Any]:
    """Return a record after checking that it is a JSON object.

    Raises:
        ValueError: the record is not an object.
    """
    if not isinstance(record, dict):
        raise ValueError(f"the record is no JSON object but {type(record).__name__}")
    return record


def _list_items(name: str, body: str) -> Iterator[tuple[int, Any] | Unread]:
    """Yield the elements of a list one by one. Of a truncated list, the complete elements are yielded."""
    decoder = json.JSONDecoder()
    at, place = _skip_blanks(body, 1), 0
    while at < len(body) and body[at] != "]":
        place += 1
        try:
            _, end = decoder.raw_decode(body, at)
        except (ValueError, RecursionError) as error:
            yield Unread(name, place, f"the list breaks off here: {reason(error)}")
            return
        try:
            yield place, load(body[at:end])
        except ValueError as error:
            yield Unread(name, place, reason(error))
        at = _skip_blanks(body, end)
        if at < len(body) and body[at] == ",":
            at = _skip_blanks(body, at + 1)
        elif at < len(body) and body[at] != "]":
            yield Unread(name, place + 1, f"the list breaks off here: `{body[at : at + 20]}` is no comma")
            return
    if at >= len(body):
        yield Unread(name, place + 1, "the list breaks off here: it is not closed")
    elif _skip_blanks(body, at + 1) < len(body):
        yield Unread(name, place + 1, "there is more text after the list")


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
