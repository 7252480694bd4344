"""Snapshots: recorded tool calls with their results, as JSON lines, and the recorder that makes them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from planspec.agents.tools import Arguments, JsonResult, RefusedCallError, read_arguments
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_text
from planspec.errors import PlanspecError
from planspec.families.mobilitybench.calls import TOOLS, Canonical, canonical_arguments
from planspec.files import replacing


class InvalidSnapshotError(PlanspecError, ValueError):
    """A file or an episode holds a record that is not a valid call."""


class KnownCall(Protocol):
    """Protocol of a call with a known answer."""

    @property
    def tool(self) -> str:
        """Name of the tool."""

    @property
    def arguments(self) -> Canonical:
        """Arguments in canonical form."""

    @property
    def result(self) -> str:
        """The result or `{"error": ...}`, as JSON text."""

    @property
    def key(self) -> tuple[str, Canonical]:
        """The tool and the arguments, as a key for lookups."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call and its answer.

    Attributes:
        tool: name of the tool.
        arguments: arguments in canonical form.
        result: the result or `{"error": ...}`, as JSON text.
    """

    tool: str
    arguments: Canonical
    result: str

    @property
    def key(self) -> tuple[str, Canonical]:
        """The tool and the arguments, as a key for lookups."""
        return self.tool, self.arguments


def text_of(result: object) -> str:
    """Convert a result to canonical JSON text, with sorted keys and without blanks."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def record_call(tool: str, arguments: Arguments, result: object) -> RecordedCall:
    """Make the record of a call and its result."""
    return RecordedCall(tool, canonical_arguments(arguments), text_of(result))


def replayed_answer(call: KnownCall, match: JsonResult | None = None) -> JsonResult:
    """Return the answer that an agent gets from a recorded call: the result with the kind of match, or the error.

    Args:
        call: the recorded call.
        match: kind of match; None for an exact match.
    """
    result = json.loads(call.result)
    if isinstance(result, dict) and set(result) == {"error"}:
        return result
    return {"match": match or {"kind": "exact"}, "result": result}


EXACT = text_of({"kind": "exact"})


def replayed_text(call: KnownCall, match: JsonResult | None = None) -> str:
    """Return `replayed_answer` as JSON text, without parsing the recorded result."""
    if call.result.startswith('{"error":'):
        return text_of(replayed_answer(call, match))
    match_text = EXACT if match is None else text_of(match)
    return f'{{"match":{match_text},"result":{call.result}}}'


class Recorder:
    """Recorder of calls, which passes each new call on and records the answer.

    A repeated call gets the recorded answer. Every call therefore has only one answer, and a replay returns what
    the recorded agent saw.

    Args:
        answer: function that answers a call, given the tool's name and the arguments, such as a client of a live
            service. Its exceptions are recorded as errors of the upstream service.
    """

    def __init__(self, answer: Callable[[str, Arguments], object]) -> None:
        self._answer = answer
        self._records: dict[tuple[str, Canonical], RecordedCall] = {}

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool and record the call. An invalid call is refused and not recorded, as a replay refuses it too."""
        try:
            entry = TOOLS.get(name) if isinstance(name, str) else None
            if entry is None:
                raise RefusedCallError(
                    "unknown-tool", f"there is no such tool; the tools are {', '.join(TOOLS)}"
                )
            parsed = read_arguments(entry[0], arguments)
        except RefusedCallError as refused:
            return refused.result()
        key = str(name), canonical_arguments(parsed)
        if key not in self._records:
            self._records[key] = record_call(key[0], parsed, self._answer_or_error(key[0], parsed))
        return replayed_answer(self._records[key])

    def _answer_or_error(self, name: str, arguments: Arguments) -> object:
        try:
            return self._answer(name, arguments)
        except RefusedCallError as refused:
            return refused.result()
        except Exception as error:  # noqa: BLE001 any error of a live service is recorded as its answer
            return RefusedCallError("upstream", f"{type(error).__name__}: {error}").result()

    def snapshot(self) -> list[RecordedCall]:
        """Return the recorded calls, in order."""
        return list(self._records.values())


# ------------------------------------------------------------------ files


def snapshot_lines(snapshot: Iterable[RecordedCall]) -> Iterator[str]:
    """Yield each call as a line of JSON."""
    for call in snapshot:
        arguments = text_of(dict(call.arguments))
        yield f'{{"tool":{json.dumps(call.tool)},"arguments":{arguments},"result":{call.result}}}'


def checksum(snapshot: Iterable[RecordedCall]) -> str:
    """Return the SHA-256 of a snapshot's lines."""
    digest = hashlib.sha256()
    for line in snapshot_lines(snapshot):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def save(snapshot: Iterable[RecordedCall], path: Path) -> None:
    """Write a snapshot to a file.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path) as opened:
        opened.writelines(line.encode() + b"\n" for line in snapshot_lines(snapshot))


def load(path: Path) -> list[RecordedCall]:
    """Read a snapshot from a file, and check each call against its tool's schema.

    Raises:
        FileNotFoundError: the file does not exist.
        InvalidSnapshotError: a line is not a recorded call.
    """
    calls = []
    with open_text(path, RECORDS_BYTES) as opened:
        for number, line in enumerate(opened, 1):
            if line.strip():
                try:
                    calls.append(call_of(json.loads(line)))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise InvalidSnapshotError(f"`{path}`, line {number}: {error}") from None
    return calls


def call_of(record: Mapping[str, Any]) -> RecordedCall:
    """Read a recorded call from a JSON object.

    Raises:
        ValueError: the tool is unknown, or its schema refuses the arguments.
    """
    tool = record["tool"]
    if tool not in TOOLS:
        raise ValueError(f"there is no tool `{tool}`")
    try:
        arguments = read_arguments(TOOLS[tool][0], record["arguments"])
    except RefusedCallError as refused:
        raise ValueError(refused.message) from None
    return record_call(tool, arguments, record["result"])
