"""Recognition of trace formats: planspec's own, records of public toolkits, chats, and bare answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from planspec.dsl.resources.limits import RECORDS_BYTES, STREAM_BYTES
from planspec.dsl.resources.reading import lines_of, open_regular
from planspec.family.descriptor import Part
from planspec.family.registry import families
from planspec.traces.files import Unread, reason, records
from planspec.traces.json_text import load
from planspec.traces.messages import TASK, read_messages, trace_of_record
from planspec.traces.record import VERSION, Trace
from planspec.verifiers.answers.envelope import OTHER_ANSWERS

TraceForm: TypeAlias = Callable[[Mapping[str, Any]], Trace | None]
"""Function that converts a record of a benchmark's own tools to a trace; None for any other record."""
TRACE_FORM: Part[TraceForm | None] = Part("trace_form", None)
"""Reader of a family's trace format: the records that its benchmark's own tools write."""
NO_FORM = (
    "it is no trace: neither `trace/1`, nor a record of the public toolkit, nor a chat, nor an answer with its task"
)


def trace_of(record: Any, place: int = 1, text: str | None = None) -> Trace:
    """Return the trace of a record in any of the formats.

    The trace of a bare answer, `{"task": ..., "plan": ...}`, has only the answer. From the record of an attempt in a
    run, the trace in it is returned.

    Args:
        record: record as JSON.
        place: number of the record. It serves as the task's id for a chat that names none.
        text: text of the record. For a bare answer it becomes the answer of the trace.

    Raises:
        ValueError: the record has none of the formats.
    """
    if isinstance(record, Mapping):
        if record.get("trace") == VERSION:
            return Trace.model_validate(record)
        within = record.get("trace")
        if isinstance(within, Mapping) and "verdict" in record:
            return Trace.model_validate(within)
        for form in map(TRACE_FORM.of, families()):
            trace = None if form is None else form(record)
            if trace is not None:
                return trace
        if "task" in record and ("plan" in record or record.keys() & OTHER_ANSWERS):
            return Trace(task=_task_name(record["task"]), answer=text or json.dumps(record, ensure_ascii=False))
    if isinstance(record, list) or (isinstance(record, Mapping) and isinstance(record.get("messages"), list)):
        return trace_of_record(record, place)
    if isinstance(record, Mapping) and "task" in record:
        return Trace.model_validate(record)
    raise ValueError(NO_FORM)


def task_of(record: Any, place: int = 1) -> str:
    """Return the task id of a record, even if the record is not a valid trace.

    Args:
        record: record as JSON.
        place: number of the record. It serves as the task's id for a chat that names none.

    Raises:
        ValueError: the record has none of the formats.
    """
    if isinstance(record, Mapping):
        name = next((name for name in TASK if name in record), None)
        if name is not None:
            return _task_name(record[name])
        if not isinstance(record.get("messages"), list):
            raise ValueError(NO_FORM)
    elif not isinstance(record, list):
        raise ValueError(NO_FORM)
    return str(place)


def _task_name(task: Any) -> str:
    if isinstance(task, bool) or not isinstance(task, str | int):
        raise ValueError("its task is no id")
    return str(task)


@dataclass(slots=True)
class TraceFile:
    """The traces in a file, by task. For JSON Lines, only the positions of the lines are kept in memory.

    Attributes:
        path: path of the file.
        unread: records that were found to be no traces while the file was indexed.
        duplicates: tasks with several traces, each with the numbers of two of them.
    """

    path: Path
    unread: list[Unread] = field(default_factory=list)
    duplicates: list[tuple[str, int, int]] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    _lines: dict[str, tuple[int, int]] = field(default_factory=dict)
    _whole: dict[str, Trace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._has_record_lines():
            self._index()
            return
        for item in self._list_traces():
            if isinstance(item, Unread):
                self.unread.append(item)
            elif self._is_first(item[0].task, item[1]):
                self._whole[item[0].task] = item[0]

    @property
    def tasks(self) -> Mapping[str, int]:
        """Number of each task's trace in the file, by task id."""
        return self._places

    def raw(self, task: str) -> bytes | Trace | None:
        """Return a task's trace or, for JSON Lines, the line that contains it; None if there is no trace."""
        if task in self._lines:
            start, length = self._lines[task]
            with open_regular(self.path, STREAM_BYTES) as file:
                file.seek(start)
                return file.read(length)
        return self._whole.get(task)

    def _is_first(self, task: str, place: int) -> bool:
        if task in self._places:
            self.duplicates.append((task, self._places[task], place))
            return False
        self._places[task] = place
        return True

    def _has_record_lines(self) -> bool:
        """Return whether the file is JSON Lines with one record per line, judging by the first line."""
        with open_regular(self.path, STREAM_BYTES) as file:
            first = next((line for line in self._read(file) if line.strip()), b"")
            if not first.lstrip(b"\xef\xbb\xbf \t").startswith(b"{"):
                return False
            try:
                record = load(first.decode("utf-8-sig"))
            except ValueError:
                # invalid JSON: a truncated record, or the first line of a record that spans several lines
                return first.rstrip() not in (b"{", b"\xef\xbb\xbf{")
            return not _is_message(record)

    def _read(self, file: BinaryIO) -> Iterator[bytes]:
        return lines_of(file, str(self.path), RECORDS_BYTES)

    def _index(self) -> None:
        start = 0
        with open_regular(self.path, STREAM_BYTES) as file:
            for place, line in enumerate(self._read(file), 1):
                if line.strip():
                    try:
                        task = task_of(load(line.decode("utf-8-sig")), place)
                    except (ValueError, RecursionError) as error:
                        self.unread.append(Unread(self.path.name, place, reason(error)))
                    else:
                        if self._is_first(task, place):
                            self._lines[task] = start, len(line)
                start += len(line)

    def _list_traces(self) -> Iterator[tuple[Trace, int] | Unread]:
        """Yield the traces of a JSON list or a single record, each with its number. A list of messages is one chat."""
        items = list(records(self.path))
        if any(not isinstance(item, Unread) and _is_message(item[1]) for item in items):
            for number, chat in enumerate(read_messages(self.path), 1):
                yield chat if isinstance(chat, Unread) else (chat, number)
            return
        for item in items:
            if isinstance(item, Unread):
                yield item
                continue
            try:
                yield trace_of(item[1], item[0]), item[0]
            except (ValueError, RecursionError) as error:
                yield Unread(self.path.name, item[0], reason(error))


def line_trace(line: bytes, place: int = 1) -> Trace:
    """Return the trace of a line.

    Raises:
        ValueError: the line is not a trace.
    """
    text = line.decode("utf-8-sig")
    return trace_of(load(text), place, text)


def _is_message(record: Any) -> bool:
    return isinstance(record, Mapping) and "role" in record and "messages" not in record
