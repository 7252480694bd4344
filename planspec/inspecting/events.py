"""Data from the events of an Inspect sample: model requests, and the timing of requests and tool calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ContentReasoning, StopReason
from inspect_ai.tool import ToolInfo

from planspec.traces.chat import spans_of
from planspec.traces.json_text import replace_surrogates
from planspec.traces.record import Generation, OfferedTool, Timing

STOPS: Mapping[StopReason, Literal["end", "calls", "length"]] = {
    "stop": "end",
    "tool_calls": "calls",
    "max_tokens": "length",
    "model_length": "length",
}
"""Value of `stopped` in traces, by Inspect's stop reason. All other reasons become `other`."""


@dataclass(slots=True)
class SampleEvents:
    """Data from the events of a sample.

    Attributes:
        generations: model requests whose reply and complete context are messages of the sample.
        tools: tools that these requests offered.
        generation_indices: index of the generation that produced a message, by the message's id.
        call_timings: timing of a tool call, by the call's id.
    """

    generations: list[Generation] = field(default_factory=list)
    tools: list[OfferedTool] = field(default_factory=list)
    generation_indices: dict[str, int] = field(default_factory=dict)
    call_timings: dict[str, Timing] = field(default_factory=dict)


def events_of(sample: EvalSample) -> SampleEvents:
    """Extract data from the events of a sample.

    A request is left out if a message of its context is not in the sample, for example because an Inspect solver
    rewrote the history. The trace could not show the input of such a request.

    Args:
        sample: a sample of a log.
    """
    events = SampleEvents()
    indices_by_id = {message.id: index for index, message in enumerate(sample.messages) if message.id is not None}
    for event in sample.events:
        match event:
            case ModelEvent() if event.error is None and event.output.choices:
                reply = event.output.choices[0].message.id
                context = _message_indices(event.input, indices_by_id)
                if reply in indices_by_id and reply not in events.generation_indices and context is not None:
                    events.generation_indices[str(reply)] = len(events.generations)
                    events.generations.append(_generation(sample, event, context, _tool_indices(events, event.tools)))
            case ToolEvent():
                time = _event_timing(sample, event)
                if time is not None:
                    events.call_timings.setdefault(event.id, time)
            case _:
                pass
    return events


def _message_indices(messages: Sequence[ChatMessage], indices_by_id: Mapping[str, int]) -> list[int] | None:
    """Return the indices of messages, or None if one of them is not in the sample."""
    indices = [indices_by_id.get(message.id or "") for message in messages]
    present = [index for index in indices if index is not None]
    return present if len(present) == len(indices) else None


def _tool_indices(events: SampleEvents, tools: Sequence[ToolInfo]) -> Iterator[int]:
    """Yield the index in `events.tools` of each tool in a request. New tools are added."""
    for tool in tools:
        offered = OfferedTool(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters.model_dump(mode="json", exclude_none=True),
        )
        if offered not in events.tools:
            events.tools.append(offered)
        yield events.tools.index(offered)


def _generation(sample: EvalSample, event: ModelEvent, context: Sequence[int], tools: Iterator[int]) -> Generation:
    usage = event.output.usage
    served = event.output.model
    return Generation(
        model=event.model,
        served=None if served in ("", event.model) else served,
        context=spans_of(context),
        tools=spans_of(tools),
        thinking=_thinking(event.output.choices[0].message),
        input=None if usage is None else usage.input_tokens,
        cached=None if usage is None else usage.input_tokens_cache_read,
        output=None if usage is None else usage.output_tokens,
        stopped=STOPS.get(event.output.choices[0].stop_reason, "other"),
        seed=event.config.seed,
        hit=event.cache == "read",
        time=_event_timing(sample, event),
    )


def _thinking(message: ChatMessage) -> str | None:
    parts = [] if isinstance(message.content, str) else message.content
    texts = [part.reasoning for part in parts if isinstance(part, ContentReasoning)]
    return replace_surrogates("\n\n".join(texts))[0] if texts else None


def _event_timing(sample: EvalSample, event: ModelEvent | ToolEvent) -> Timing | None:
    """Return the timing of an event; None if the log lacks the event's end or the sample's beginning."""
    if event.completed is None or sample.started_at is None:
        return None
    start = (event.timestamp - datetime.fromisoformat(sample.started_at)).total_seconds()
    seconds = (event.completed - event.timestamp).total_seconds()
    return Timing(start_s=max(0.0, start), seconds=max(0.0, seconds))
