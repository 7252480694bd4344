"""Traces of attempts prepared for a page, within size limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from planspec.report.record import (
    ShownCall,
    ShownMessage,
    ShownPicture,
    ShownRequest,
    ShownTime,
    ShownTimes,
    ShownTrace,
)
from planspec.report.texts import json_text, line, number, visible_text
from planspec.runs.prices import usd, usd_of
from planspec.runs.record import ModelPrice
from planspec.traces.record import Call, Generation, Stage, Timing, Trace

MOST_ENTRIES = 400
"""Maximum number of messages, and of calls, shown for one attempt."""
MOST_CHARACTERS = 150_000
"""Maximum number of characters shown for one attempt, over messages and calls."""


def shown_trace(
    trace: Trace, prices: Mapping[str, ModelPrice] | None = None, seconds: float | None = None
) -> ShownTrace:
    """Return a trace prepared for a page, without its answer.

    Messages and calls beyond the size limits are left out, and their number is recorded.

    Args:
        trace: trace of an attempt.
        prices: prices of models, for the costs of messages.
        seconds: duration of the attempt in seconds; None to use the one in the trace.
    """
    known_prices = prices or {}
    room = _SizeLimit(MOST_CHARACTERS)
    calls = []
    for call in trace.calls[:MOST_ENTRIES]:
        call_shown = _shown_call(call, trace.stages)
        if not room.has_room_for(call_shown.name, call_shown.arguments, call_shown.result or ""):
            break
        calls.append(call_shown)
    messages = []
    for message in trace.messages[:MOST_ENTRIES]:
        answers = message.answers if message.answers is not None and message.answers < len(calls) else None
        text = "" if answers is not None else visible_text(message.text or "")
        if message.parts is not None and not text:
            text = json_text(message.parts)
        if not room.has_room_for(text):
            break
        made_by = _generation_of(message.generation, trace)
        messages.append(
            ShownMessage(
                role=line(message.role, 40),
                text=text,
                calls=tuple(index for index in message.calls if index < len(calls)),
                answers=answers,
                stage=_stage_name(message.stage, trace.stages),
                spent=None if made_by is None else _spent_text(made_by, known_prices),
                time=None if made_by is None else _shown_time(made_by.time),
            )
        )
    shown_generations = {message.generation for message in trace.messages}
    requests = [one for index, one in enumerate(trace.generations) if index not in shown_generations]
    notes = {name: value for name, value in trace.extra.items() if value not in (None, {}, [])}
    return ShownTrace(
        messages=tuple(messages),
        calls=tuple(calls),
        stages=tuple((line(stage.name, 80), _stage_text(stage)) for stage in trace.stages[:MOST_ENTRIES]),
        requests=tuple(_shown_request(one, trace.stages, known_prices) for one in requests[:MOST_ENTRIES]),
        times=_shown_times(trace, known_prices, seconds),
        notes=json_text(notes) if notes else "",
        left_out=len(trace.messages)
        + len(trace.calls)
        - len(messages)
        - len(calls)
        + max(0, len(requests) - MOST_ENTRIES),
    )


def _generation_of(index: int | None, trace: Trace) -> Generation | None:
    return trace.generations[index] if index is not None and index < len(trace.generations) else None


def _shown_request(generation: Generation, stages: Sequence[Stage], prices: Mapping[str, ModelPrice]) -> ShownRequest:
    who = _stage_name(generation.stage, stages) or generation.role or generation.served or generation.model or "model"
    return ShownRequest(name=line(who, 80), spent=_spent_text(generation, prices), time=_shown_time(generation.time))


def _shown_time(measured: Timing | None) -> ShownTime | None:
    return None if measured is None else (measured.start_s, measured.seconds)


def _shown_times(trace: Trace, prices: Mapping[str, ModelPrice], seconds: float | None) -> ShownTimes | None:
    """Return the time and cost of an attempt by use; None if no time is known.

    Calls of the agent's own tools are left out. Calls made within them count.
    """
    model = [one.time for one in trace.generations if one.time is not None]
    tools = [call.time for call in trace.calls if call.time is not None and not call.own]
    if not model and not tools:
        return None
    elapsed_s = (trace.elapsed_ms or 0) / 1000 if seconds is None else seconds
    own = [call.time for call in trace.calls if call.time is not None and call.own]
    last = max(time.start_s + time.seconds for time in (*model, *tools, *own))
    whole = max(elapsed_s, round(last, 6))
    return (
        ShownTimes(
            seconds=whole,
            model=_count_and_seconds(model),
            tools=_count_and_seconds(tools),
            usd=usd(trace, prices),
        )
        if whole
        else None
    )


def _count_and_seconds(times: Sequence[Timing]) -> tuple[int, float]:
    return len(times), round(sum(time.seconds for time in times), 6)


def _spent_text(generation: Generation, prices: Mapping[str, ModelPrice]) -> str | None:
    """Return the tokens of a request and its reply, with their cost if the price is known."""
    if generation.input is None and generation.output is None:
        return None
    tokens = f"{number(generation.input)} tokens in, {number(generation.output)} out"
    usd = usd_of(generation, prices)
    return tokens if usd is None else f"{tokens}, {usd:.4f} USD"


class _SizeLimit:
    """Counter of characters up to a limit. The first entry always fits."""

    def __init__(self, max_length: int) -> None:
        self._left, self._empty = max_length, True

    def has_room_for(self, *texts: str) -> bool:
        self._left -= sum(map(len, texts))
        fits, self._empty = self._empty or self._left >= 0, False
        return fits


def _shown_call(call: Call, stages: Sequence[Stage]) -> ShownCall:
    result = call.result
    text = None
    if result is not None:
        text = visible_text(result.text) if result.text is not None else json_text(result.value)
    arguments = call.written if call.written is not None else call.arguments
    faults = [fault for fault in (call.fault, result.error if result else "no result") if fault]
    return ShownCall(
        name=line(call.name or "(no name)", 80),
        arguments="" if arguments is None else json_text(arguments),
        result=text,
        error=line("; ".join(faults)) or None,
        stage=_stage_name(call.stage, stages),
        pictures=_pictures(None if result is None else result.value),
        time=_shown_time(call.time),
    )


def _pictures(result: JsonValue) -> tuple[ShownPicture, ...]:
    """Return the pictures listed in a tool's result, in the form of `planspec.agents.pictures.PicturedResult`."""
    pictures = result.get("pictures") if isinstance(result, dict) else None
    return tuple(
        ShownPicture(title=line(str(one.get("title", "")), 120), sha256=sha256)
        for one in (pictures if isinstance(pictures, list) else [])
        if isinstance(one, dict) and isinstance(sha256 := one.get("sha256"), str)
    )


def _stage_text(stage: Stage) -> str:
    steps = [" | ".join(group) for group in stage.steps]
    parts = [
        stage.intent,
        stage.thinking,
        "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1)),
        stage.text,
    ]
    return visible_text("\n\n".join(part for part in parts if part))


def _stage_name(index: int | None, stages: Sequence[Stage]) -> str | None:
    return line(stages[index].name, 80) if index is not None and index < len(stages) else None
