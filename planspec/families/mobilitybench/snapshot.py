"""Snapshots: recorded calls of tools with their results, as JSON lines, and the recorder that writes them."""

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
    """The file is not a snapshot, or not the one that was written."""


class KnownCall(Protocol):
    """A call whose answer is known."""

    @property
    def tool(self) -> str:
        """Name of the tool."""

    @property
    def arguments(self) -> Canonical:
        """Arguments in canonical form."""

    @property
    def result(self) -> str:
        """Answer, or `{"error": ...}`, as JSON text."""

    @property
    def key(self) -> tuple[str, Canonical]:
        """Key for lookups."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call and its answer.

    Attributes:
        tool: name of the tool.
        arguments: arguments in canonical form, read by the tool's schema.
        result: answer, or `{"error": ...}`, as JSON text.
    """

    tool: str
    arguments: Canonical
    result: str

    @property
    def key(self) -> tuple[str, Canonical]:
        """Key for lookups."""
        return self.tool, self.arguments


def text_of(result: object) -> str:
    """Return a result as its canonical JSON text."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def recorded(tool: str, arguments: Arguments, result: object) -> RecordedCall:
    """Return a call with its result."""
    return RecordedCall(tool, canonical_arguments(arguments), text_of(result))


def answered(call: KnownCall, match: JsonResult | None = None) -> JsonResult:
    """Return a recorded answer as agents get it: the result with the kind of match, or the error.

    Args:
        call: the recorded call.
        match: kind of the match; exact if None.
    """
    result = json.loads(call.result)
    if isinstance(result, dict) and set(result) == {"error"}:
        return result
    return {"match": match or {"kind": "exact"}, "result": result}


EXACT = text_of({"kind": "exact"})


def answered_text(call: KnownCall, match: JsonResult | None = None) -> str:
    """Return `answered` as JSON text, without parsing the recorded result."""
    if call.result.startswith('{"error":'):
        return text_of(answered(call, match))
    match_text = EXACT if match is None else text_of(match)
    return f'{{"match":{match_text},"result":{call.result}}}'


class Recorder:
    """Recorder of the calls that it passes on.

    A repeated call gets the recorded answer. A recording therefore has one answer for each call, and a replay
    gives the answers that the recorded agent got.

    Args:
        answer: answers a tool's name and arguments, such as a client of a live service; its exceptions are
            recorded as errors of the upstream service.
    """

    def __init__(self, answer: Callable[[str, Arguments], object]) -> None:
        self._answer = answer
        self._records: dict[tuple[str, Canonical], RecordedCall] = {}

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool; a wrong call is refused and not recorded, since a replay refuses it too."""
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
            self._records[key] = recorded(key[0], parsed, self._ask(key[0], parsed))
        return answered(self._records[key])

    def _ask(self, name: str, arguments: Arguments) -> object:
        try:
            return self._answer(name, arguments)
        except RefusedCallError as refused:
            return refused.result()
        except Exception as error:  # noqa: BLE001 every fault of a live service is its answer
            return RefusedCallError("upstream", f"{type(error).__name__}: {error}").result()

    def snapshot(self) -> list[RecordedCall]:
        """Return the recorded calls, in order."""
        return list(self._records.values())


# ------------------------------------------------------------------ files


def lines(snapshot: Iterable[RecordedCall]) -> Iterator[str]:
    """Yield a line for each call."""
    for call in snapshot:
        arguments = text_of(dict(call.arguments))
        yield f'{{"tool":{json.dumps(call.tool)},"arguments":{arguments},"result":{call.result}}}'


def checksum(snapshot: Iterable[RecordedCall]) -> str:
    """Return the SHA-256 of the lines."""
    digest = hashlib.sha256()
    for line in lines(snapshot):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def save(snapshot: Iterable[RecordedCall], path: Path) -> None:
    """Write the lines to a file.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path) as opened:
        opened.writelines(line.encode() + b"\n" for line in lines(snapshot))


def load(path: Path) -> list[RecordedCall]:
    """Return the calls of a file, each read by its tool's schema again.

    Raises:
        FileNotFoundError: the file does not exist; a missing snapshot is not an empty one.
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
    """Return the recorded call of a JSON object.

    Raises:
        ValueError: the tool is unknown, or the arguments do not fit it.
    """
    tool = record["tool"]
    if tool not in TOOLS:
        raise ValueError(f"there is no tool `{tool}`")
    try:
        arguments = read_arguments(TOOLS[tool][0], record["arguments"])
    except RefusedCallError as refused:
        raise ValueError(refused.message) from None
    return recorded(tool, arguments, record["result"])
