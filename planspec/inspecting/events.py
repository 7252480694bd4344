"""The events of a sample: its requests to models, and when each of them and each tool call began and how long it took."""

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
from planspec.traces.json_text import whole_characters
from planspec.traces.record import Generation, OfferedTool, Timing

STOPS: Mapping[StopReason, Literal["end", "calls", "length"]] = {
    "stop": "end", "tool_calls": "calls", "max_tokens": "length", "model_length": "length",
}  # fmt: skip
"""Why a reply went no further, in the words of traces; any other reason is `other`."""


@dataclass(slots=True)
class SampleEvents:
    """What the events of a sample tell.

    Attributes:
        generations: the requests to models whose replies, and all that led to them, are messages of the sample.
        tools: that these could call.
        made: the place of the generation that made a message, by the message's id.
        called: when a tool was called, by the call's id.
    """

    generations: list[Generation] = field(default_factory=list)
    tools: list[OfferedTool] = field(default_factory=list)
    made: dict[str, int] = field(default_factory=dict)
    called: dict[str, Timing] = field(default_factory=dict)


def events_of(sample: EvalSample) -> SampleEvents:
    """What the events of a sample tell.

    A request is left out whose messages are not all among the sample's, as where a solver writes a history anew: what
    the model was given would be told wrongly.

    Args:
        sample: of a log.
    """
    told = SampleEvents()
    places = {message.id: place for place, message in enumerate(sample.messages) if message.id is not None}
    for event in sample.events:
        match event:
            case ModelEvent() if event.error is None and event.output.choices:
                reply = event.output.choices[0].message.id
                context = _places(event.input, places)
                if reply in places and reply not in told.made and context is not None:
                    told.made[str(reply)] = len(told.generations)
                    told.generations.append(_generation(sample, event, context, _offered(told, event.tools)))
            case ToolEvent():
                time = _time(sample, event)
                if time is not None:
                    told.called.setdefault(event.id, time)
            case _:
                pass
    return told


def _places(messages: Sequence[ChatMessage], places: Mapping[str, int]) -> list[int] | None:
    """The places of messages; None where one is not among them."""
    found = [places.get(message.id or "") for message in messages]
    known = [place for place in found if place is not None]
    return known if len(known) == len(found) else None


def _offered(told: SampleEvents, tools: Sequence[ToolInfo]) -> Iterator[int]:
    """The places of tools that a model could call, among all that were offered."""
    for tool in tools:
        offered = OfferedTool(
            name=tool.name, description=tool.description, parameters=tool.parameters.model_dump(mode="json", exclude_none=True),
        )  # fmt: skip
        if offered not in told.tools:
            told.tools.append(offered)
        yield told.tools.index(offered)


def _generation(
    sample: EvalSample, event: ModelEvent, context: Sequence[int], tools: Iterator[int]
) -> Generation:
    usage = event.output.usage
    served = event.output.model
    return Generation(
        model=event.model, served=None if served in ("", event.model) else served, context=spans_of(context), tools=spans_of(tools),
        thinking=_thinking(event.output.choices[0].message), input=None if usage is None else usage.input_tokens,
        cached=None if usage is None else usage.input_tokens_cache_read, output=None if usage is None else usage.output_tokens,
        stopped=STOPS.get(event.output.choices[0].stop_reason, "other"), seed=event.config.seed, hit=event.cache == "read",
        time=_time(sample, event),
    )  # fmt: skip


def _thinking(message: ChatMessage) -> str | None:
    parts = [] if isinstance(message.content, str) else message.content
    said = [part.reasoning for part in parts if isinstance(part, ContentReasoning)]
    return whole_characters("\n\n".join(said))[0] if said else None


def _time(sample: EvalSample, event: ModelEvent | ToolEvent) -> Timing | None:
    """The time of an event on the clock; None where the log does not tell when it ended, or when the sample began."""
    if event.completed is None or sample.started_at is None:
        return None
    start = (event.timestamp - datetime.fromisoformat(sample.started_at)).total_seconds()
    seconds = (event.completed - event.timestamp).total_seconds()
    return Timing(start_s=max(0.0, start), seconds=max(0.0, seconds))
