"""Snapshots, which are recorded tool calls with their results, and the recorder that creates them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from planspec.agents.tools import Arguments, JsonResult, RefusedCallError, read_arguments
from planspec.errors import PlanspecError
from planspec.families.mobilitybench.calls import TOOLS, Canonical, canonical_arguments


class InvalidSnapshotError(PlanspecError, ValueError):
    """Error if a record of an episode is not a valid call."""


class KnownCall(Protocol):
    """A recorded call with its result, in memory or in a file."""

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
    """A tool call and its answer.

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
    """Return the record of a call and its result."""
    return RecordedCall(tool, canonical_arguments(arguments), text_of(result))


def replayed_answer(call: KnownCall, match: JsonResult | None = None) -> JsonResult:
    """Return the answer that an agent gets from a recorded call: the result with the kind of match, or the error.

    Args:
        call: the recorded call.
        match: description of the match; None for an exact match.
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
    """Recorder of tool calls. It passes each new call to a function and records the answer.

    A repeated call gets the recorded answer, so every call has only one answer, and a replay returns what the recorded
    agent saw.

    Args:
        answer: function that answers a call, given the tool's name and the arguments, such as a client of a live
            service. Its exceptions are recorded as errors of the upstream service.
    """

    def __init__(self, answer: Callable[[str, Arguments], object]) -> None:
        self._answer = answer
        self._records: dict[tuple[str, Canonical], RecordedCall] = {}

    def call(self, name: object, arguments: object) -> JsonResult:
        """Call a tool and record the call.

        An invalid call is refused and not recorded, since a replay also refuses it.
        """
        try:
            entry = TOOLS.get(name) if isinstance(name, str) else None
            if entry is None:
                raise RefusedCallError("unknown-tool", f"there is no such tool; the tools are {', '.join(TOOLS)}")
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
