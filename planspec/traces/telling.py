"""Tells the forms of traces apart: our own, the public toolkit's records, chats, and bare answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from planspec.dsl.resources.limits import RECORDS_BYTES, STREAM_BYTES
from planspec.dsl.resources.reading import lines_of, open_regular
from planspec.families.registry import families
from planspec.traces.files import Unread, reason, records
from planspec.traces.json_text import load
from planspec.traces.messages import TASK, read_messages, trace_of_record
from planspec.traces.record import VERSION, Trace
from planspec.verifiers.answers.envelope import OTHER_ANSWERS

TraceForm: TypeAlias = Callable[[Mapping[str, Any]], Trace | None]
"""From a record to its trace; None of a record that the tools of a family's benchmark did not write."""
NO_FORM = "it is no trace: neither `trace/1`, nor a record of the public toolkit, nor a chat, nor an answer with its task"


def trace_of(record: Any, place: int = 1, text: str | None = None) -> Trace:
    """A record of any of the forms as a trace.

    The trace of a bare answer, `{"task": ..., "plan": ...}`, has the answer and nothing else. That of an attempt is in its record.

    Args:
        record: as JSON.
        place: by which a chat is called that does not say its task.
        text: of the record; it is the answer where that is alone.

    Raises:
        ValueError: it has none of the forms.
    """
    if isinstance(record, Mapping):
        if record.get("trace") == VERSION:
            return Trace.model_validate(record)
        within = record.get("trace")
        if isinstance(within, Mapping) and "verdict" in record:
            return Trace.model_validate(within)
        for form in [family.trace_form for family in families() if family.trace_form is not None]:
            read = form.load()(record)
            if read is not None:
                return read
        if "task" in record and ("plan" in record or record.keys() & OTHER_ANSWERS):
            return Trace(task=_named(record["task"]), answer=text or json.dumps(record, ensure_ascii=False))
    if isinstance(record, list) or (isinstance(record, Mapping) and isinstance(record.get("messages"), list)):
        return trace_of_record(record, place)
    if isinstance(record, Mapping) and "task" in record:
        return Trace.model_validate(record)
    raise ValueError(NO_FORM)


def task_of(record: Any, place: int = 1) -> str:
    """The task of a record, whether or not all of it is a trace.

    Raises:
        ValueError: it has none of the forms.
    """
    if isinstance(record, Mapping):
        name = next((name for name in TASK if name in record), None)
        if name is not None:
            return _named(record[name])
        if not isinstance(record.get("messages"), list):
            raise ValueError(NO_FORM)
    elif not isinstance(record, list):
        raise ValueError(NO_FORM)
    return str(place)


def _named(task: Any) -> str:
    if isinstance(task, bool) or not isinstance(task, str | int):
        raise ValueError("its task is no id")
    return str(task)


@dataclass(slots=True)
class TraceFile:
    """The traces of a file, by their tasks; of JSON lines only the places are kept.

    Attributes:
        path: the file.
        unread: the records that are no traces, as far as that shows before they are read.
        again: tasks of which there is more than one trace, with the places of both.
    """

    path: Path
    unread: list[Unread] = field(default_factory=list)
    again: list[tuple[str, int, int]] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    _lines: dict[str, tuple[int, int]] = field(default_factory=dict)
    _whole: dict[str, Trace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._is_lines():
            self._index()
            return
        for found in self._listed():
            if isinstance(found, Unread):
                self.unread.append(found)
            elif self._new(found[0].task, found[1]):
                self._whole[found[0].task] = found[0]

    @property
    def tasks(self) -> Mapping[str, int]:
        """The tasks, with the places of their traces."""
        return self._places

    def raw(self, task: str) -> bytes | Trace | None:
        """A task's trace, or the line that holds it; None if there is none."""
        if task in self._lines:
            start, length = self._lines[task]
            with open_regular(self.path, STREAM_BYTES) as file:
                file.seek(start)
                return file.read(length)
        return self._whole.get(task)

    def _new(self, task: str, place: int) -> bool:
        if task in self._places:
            self.again.append((task, self._places[task], place))
            return False
        self._places[task] = place
        return True

    def _is_lines(self) -> bool:
        """Each line is a record: the first is one, and no message of a chat."""
        with open_regular(self.path, STREAM_BYTES) as file:
            first = next((line for line in self._read(file) if line.strip()), b"")
            if not first.lstrip(b"\xef\xbb\xbf \t").startswith(b"{"):
                return False
            try:
                record = load(first.decode("utf-8-sig"))
            except ValueError:
                # a record that is cut off, or the first line of one that is written on several
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
                        if self._new(task, place):
                            self._lines[task] = start, len(line)
                start += len(line)

    def _listed(self) -> Iterator[tuple[Trace, int] | Unread]:
        """The items of a list or a single record; messages that stand alone are one chat."""
        found = list(records(self.path))
        if any(not isinstance(one, Unread) and _is_message(one[1]) for one in found):
            for number, chat in enumerate(read_messages(self.path), 1):
                yield chat if isinstance(chat, Unread) else (chat, number)
            return
        for one in found:
            if isinstance(one, Unread):
                yield one
                continue
            try:
                yield trace_of(one[1], one[0]), one[0]
            except (ValueError, RecursionError) as error:
                yield Unread(self.path.name, one[0], reason(error))


def line_trace(line: bytes, place: int = 1) -> Trace:
    """The trace of a line.

    Raises:
        ValueError: it is none.
    """
    text = line.decode("utf-8-sig")
    return trace_of(load(text), place, text)


def _is_message(record: Any) -> bool:
    return isinstance(record, Mapping) and "role" in record and "messages" not in record
