"""Messages of a trace in the chat format of OpenAI's API, for training models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from planspec.traces.record import Call, Message, Span, Trace


def chat_of(trace: Trace, places: Iterable[int] | None = None) -> list[dict[str, Any]]:
    """Return messages as `{"role": ..., "content": ...}`, with `tool_calls` and `tool_call_id` if present.

    Args:
        trace: trace with the messages.
        places: indices in `Trace.messages`, in order; None for all. Indices out of range are skipped.
    """
    requested = range(len(trace.messages)) if places is None else places
    return [message_of(trace, trace.messages[at]) for at in requested if at < len(trace.messages)]


def message_of(trace: Trace, message: Message) -> dict[str, Any]:
    """Return a message in the chat format."""
    chat_message: dict[str, Any] = {
        "role": message.role,
        "content": message.text if message.parts is None else message.parts,
    }
    calls = [at for at in message.calls if at < len(trace.calls)]
    if calls:
        chat_message["tool_calls"] = [_tool_call(at, trace.calls[at]) for at in calls]
    if message.answers is not None and message.answers < len(trace.calls):
        chat_message["tool_call_id"] = _call_id(message.answers, trace.calls[message.answers])
    return chat_message


def tools_of(trace: Trace, spans: Iterable[Span]) -> list[dict[str, Any]]:
    """Return tools in the chat format: `{"type": "function", "function": ...}`.

    Args:
        trace: trace with the tools.
        spans: ranges of indices in `Trace.tools`.
    """
    return [
        {"type": "function", "function": trace.tools[at].model_dump(mode="json")}
        for at in places_of(spans)
        if at < len(trace.tools)
    ]


def places_of(spans: Iterable[Span]) -> Iterator[int]:
    """Yield the indices in half-open ranges, in order."""
    return chain.from_iterable(range(first, after) for first, after in spans)


def spans_of(places: Iterable[int]) -> tuple[Span, ...]:
    """Combine indices into half-open ranges of consecutive indices, in order."""
    spans: list[Span] = []
    for at in places:
        if spans and spans[-1][1] == at:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return tuple(spans)


def _tool_call(place: int, call: Call) -> dict[str, Any]:
    arguments = call.written if call.written is not None else json.dumps(call.arguments or {}, ensure_ascii=False)
    return {
        "id": _call_id(place, call),
        "type": "function",
        "function": {"name": call.name or "", "arguments": arguments},
    }


def _call_id(place: int, call: Call) -> str:
    """Return an id for a call, unique in the trace. Ids from services can repeat in later replies."""
    return f"{call.id or 'call'}-{place}"
