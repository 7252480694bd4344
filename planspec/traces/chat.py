"""Messages of a trace as chats have them in OpenAI's interface: what models are trained on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from planspec.traces.record import Call, Message, Span, Trace


def chat_of(trace: Trace, places: Iterable[int] | None = None) -> list[dict[str, Any]]:
    """Messages as `{"role": ..., "content": ...}`, with `tool_calls` and `tool_call_id` where there are any.

    Args:
        trace: that has them.
        places: of the messages in `messages`, in order; all of them if None. What is not there is left out.
    """
    wanted = range(len(trace.messages)) if places is None else places
    return [message_of(trace, trace.messages[at]) for at in wanted if at < len(trace.messages)]


def message_of(trace: Trace, message: Message) -> dict[str, Any]:
    """One message of a chat."""
    made: dict[str, Any] = {
        "role": message.role,
        "content": message.text if message.parts is None else message.parts,
    }
    calls = [at for at in message.calls if at < len(trace.calls)]
    if calls:
        made["tool_calls"] = [_called(at, trace.calls[at]) for at in calls]
    if message.answers is not None and message.answers < len(trace.calls):
        made["tool_call_id"] = _id(message.answers, trace.calls[message.answers])
    return made


def tools_of(trace: Trace, spans: Iterable[Span]) -> list[dict[str, Any]]:
    """Tools as the interface has them: `{"type": "function", "function": ...}`."""
    return [
        {"type": "function", "function": trace.tools[at].model_dump(mode="json")}
        for at in places_of(spans)
        if at < len(trace.tools)
    ]


def places_of(spans: Iterable[Span]) -> Iterator[int]:
    """The places of spans, in order."""
    return chain.from_iterable(range(first, after) for first, after in spans)


def spans_of(places: Iterable[int]) -> tuple[Span, ...]:
    """Places as spans, in order."""
    made: list[Span] = []
    for at in places:
        if made and made[-1][1] == at:
            made[-1] = (made[-1][0], at + 1)
        else:
            made.append((at, at + 1))
    return tuple(made)


def _called(place: int, call: Call) -> dict[str, Any]:
    said = call.written if call.written is not None else json.dumps(call.arguments or {}, ensure_ascii=False)
    return {
        "id": _id(place, call),
        "type": "function",
        "function": {"name": call.name or "", "arguments": said},
    }


def _id(place: int, call: Call) -> str:
    """Unique in the trace: services number the calls of each reply anew."""
    return f"{call.id or 'call'}-{place}"
