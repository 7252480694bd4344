"""Snapshots: recorded calls of tools with their results, as JSON lines; and the recorder that writes them."""

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
from planspec.families.mobilitybench.calls import TOOLS, Canonical, canonical
from planspec.files import replacing


class InvalidSnapshotError(PlanspecError, ValueError):
    """A file that is no snapshot, or no longer the one that was written."""


class KnownCall(Protocol):
    """A call whose answer is known."""

    @property
    def tool(self) -> str:
        """The tool's name."""

    @property
    def arguments(self) -> Canonical:
        """In the canonical form."""

    @property
    def result(self) -> str:
        """The answer, or `{"error": ...}` as it was given, in JSON."""

    @property
    def key(self) -> tuple[str, Canonical]:
        """The key by which the call is found again."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call and what it was answered.

    Attributes:
        tool: its name.
        arguments: as they were sent, read by the tool's schema and put into the canonical form.
        result: the answer, or `{"error": ...}` as it was given, in JSON.
    """

    tool: str
    arguments: Canonical
    result: str

    @property
    def key(self) -> tuple[str, Canonical]:
        """The key by which the call is found again."""
        return self.tool, self.arguments


def text_of(result: object) -> str:
    """A result as the one JSON text that stands for it."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def recorded(tool: str, arguments: Arguments, result: object) -> RecordedCall:
    """A call with its result."""
    return RecordedCall(tool, canonical(arguments), text_of(result))


def answered(call: KnownCall, match: JsonResult | None = None) -> JsonResult:
    """A recorded answer as agents get it: the result with how it was found, or the error that it is.

    Args:
        call: what is recorded.
        match: how the call was found; exactly if left out.
    """
    result = json.loads(call.result)
    if isinstance(result, dict) and set(result) == {"error"}:
        return result
    return {"match": match or {"kind": "exact"}, "result": result}


EXACT = text_of({"kind": "exact"})


def answered_text(call: KnownCall, match: JsonResult | None = None) -> str:
    """The result of `answered` as JSON text; the recorded result is not parsed for it."""
    if call.result.startswith('{"error":'):
        return text_of(answered(call, match))
    found = EXACT if match is None else text_of(match)
    return f'{{"match":{found},"result":{call.result}}}'


class Recorder:
    """Passes calls on to something that answers them, and keeps what it said.

    A repeated call gets the recorded answer, so that a recording has one answer to each call, and replaying it gives the answers that its own agent got.

    Args:
        answer: takes a tool's name and its arguments, such as a client of a live service; what it raises is recorded as
            an error of the upstream service.
    """

    def __init__(self, answer: Callable[[str, Arguments], object]) -> None:
        self._answer = answer
        self._kept: dict[tuple[str, Canonical], RecordedCall] = {}

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool; a wrong call is refused and not recorded, since replaying refuses it likewise."""
        try:
            known = TOOLS.get(name) if isinstance(name, str) else None
            if known is None:
                raise RefusedCallError(
                    "unknown-tool", f"there is no such tool; the tools are {', '.join(TOOLS)}"
                )
            read = read_arguments(known[0], arguments)
        except RefusedCallError as refused:
            return refused.result()
        key = str(name), canonical(read)
        if key not in self._kept:
            self._kept[key] = recorded(key[0], read, self._ask(key[0], read))
        return answered(self._kept[key])

    def _ask(self, name: str, arguments: Arguments) -> object:
        try:
            return self._answer(name, arguments)
        except RefusedCallError as refused:
            return refused.result()
        except Exception as error:  # noqa: BLE001 whatever a live service does wrong is what it answered
            return RefusedCallError("upstream", f"{type(error).__name__}: {error}").result()

    def snapshot(self) -> list[RecordedCall]:
        """The recorded calls, in order."""
        return list(self._kept.values())


# ------------------------------------------------------------------ files


def lines(snapshot: Iterable[RecordedCall]) -> Iterator[str]:
    """A line for each call."""
    for call in snapshot:
        arguments = text_of(dict(call.arguments))
        yield f'{{"tool":{json.dumps(call.tool)},"arguments":{arguments},"result":{call.result}}}'


def checksum(snapshot: Iterable[RecordedCall]) -> str:
    """The SHA-256 of the lines."""
    made = hashlib.sha256()
    for line in lines(snapshot):
        made.update(line.encode() + b"\n")
    return made.hexdigest()


def save(snapshot: Iterable[RecordedCall], path: Path) -> None:
    """Write the lines.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path) as opened:
        opened.writelines(line.encode() + b"\n" for line in lines(snapshot))


def load(path: Path) -> list[RecordedCall]:
    """The calls of a file; each call is read by its tool's schema again.

    Raises:
        FileNotFoundError: there is no such file; a snapshot that is missing is no empty one.
        InvalidSnapshotError: a line is no recorded call.
    """
    found = []
    with open_text(path, RECORDS_BYTES) as opened:
        for number, line in enumerate(opened, 1):
            if line.strip():
                try:
                    found.append(call_of(json.loads(line)))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    raise InvalidSnapshotError(f"`{path}`, line {number}: {error}") from None
    return found


def call_of(record: Mapping[str, Any]) -> RecordedCall:
    """A recorded call of its JSON.

    Raises:
        ValueError: the tool is unknown, or the arguments are none of its.
    """
    tool = record["tool"]
    if tool not in TOOLS:
        raise ValueError(f"there is no tool `{tool}`")
    try:
        arguments = read_arguments(TOOLS[tool][0], record["arguments"])
    except RefusedCallError as refused:
        raise ValueError(refused.message) from None
    return recorded(tool, arguments, record["result"])
