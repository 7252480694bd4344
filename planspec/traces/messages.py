"""Reading of chats in the format of OpenAI's API: messages with `tool_calls`, and messages with results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from planspec.traces.files import Unread, reason, records
from planspec.traces.parts import (
    TraceDraft,
    call_of,
    clean_record,
    milliseconds,
    other_fields,
    result_of,
    text_or_none,
    tokens_from,
)
from planspec.traces.record import Message, Trace

TASK = ("task", "task_id", "case_id", "id")
AGENT = ("agent", "model", "model_name")
UNREADABLE = "unreadable"
"""Role given to an item of a chat that is not a message."""


def read_messages(path: Path) -> Iterator[Trace | Unread]:
    """Yield the traces of a file of chats, and an `Unread` for each record that is not a chat.

    Args:
        path: path of a JSON list or JSON Lines. Each record is a list of messages, or an object with
            `messages` and with the task under one of the keys `TASK`. A file with a single list of messages is one
            chat. The task of a chat that names none is its number.

    Raises:
        OSError: the file cannot be read.
    """
    alone: list[Any] = []
    broken: list[Unread] = []
    for item in records(path):
        if isinstance(item, Unread):
            if alone:
                broken.append(item)
            else:
                yield item
            continue
        place, record = item
        if isinstance(record, Mapping) and "role" in record and "messages" not in record:
            alone.append(record)
            continue
        try:
            yield trace_of_record(record, place)
        except ValueError as error:
            yield Unread(path.name, place, reason(error))
    if alone:
        trace = trace_of_messages(alone, path.stem)
        faults = tuple(str(each) for each in broken)
        yield trace.model_copy(update={"faults": trace.faults + faults, "ended": trace.ended and not broken})


def trace_of_record(record: Any, place: int) -> Trace:
    """Return the trace of a chat, with metadata from the record.

    Args:
        record: list of messages, or an object with `messages`.
        place: number of the record. It serves as the task's id if the record names none.

    Raises:
        ValueError: the record has no list of messages.
    """
    if isinstance(record, list):
        return trace_of_messages(record, str(place))
    if not isinstance(record, Mapping) or not isinstance(record.get("messages"), list):
        raise ValueError("it is neither a list of messages nor an object with `messages`")
    faults: list[str] = []
    data = clean_record(record, faults)
    task, agent = _first_name(data, TASK), _first_name(data, AGENT)
    used = [name for name, _ in (task, agent) if name]
    extra = other_fields(data, ("messages", "usage", "error", *used))
    error = data.get("error")
    tokens = () if data.get("usage") is None else (tokens_from(None, data["usage"], faults),)
    elapsed, exact = milliseconds(extra.get("execution_time"))
    if exact:
        extra.pop("execution_time", None)
    trace = trace_of_messages(data["messages"], task[1] or str(place), agent[1])
    return trace.model_copy(
        update={
            "tokens": tokens,
            "elapsed_ms": elapsed,
            "faults": (*faults, *trace.faults),
            "extra": extra,
            "error": error if error is None or isinstance(error, str) else json.dumps(error, ensure_ascii=False),
            "ended": trace.ended and not error,
        }
    )


def trace_of_messages(messages: Sequence[Any], task: str, agent: str | None = None) -> Trace:
    """Return the trace of a chat.

    The answer is the text of the last message if that is the assistant's and has no tool calls. Otherwise the trace is
    marked as incomplete.

    Args:
        messages: messages in the chat format.
        task: id of the task.
        agent: name of the agent.
    """
    draft = TraceDraft()
    for place, message in enumerate(clean_record(list(messages), draft.faults)):
        if isinstance(message, Mapping) and isinstance(message.get("role"), str):
            _add_message(message, place, draft)
        else:
            draft.faults.append(f"messages[{place}] is no message")
            draft.messages.append(Message(role=UNREADABLE, parts=message))
    last = draft.messages[-1] if draft.messages else None
    ended = last is not None and last.role == "assistant" and not last.calls
    return Trace(
        task=task,
        agent=agent,
        messages=tuple(draft.messages),
        calls=tuple(draft.calls),
        answer=last.text if ended and last is not None else None,
        ended=ended,
        faults=tuple(draft.faults),
    )


def _add_message(message: Mapping[str, Any], place: int, draft: TraceDraft) -> None:
    role = message["role"]
    extra = other_fields(message, ("role", "content", "tool_calls", "function_call", "tool_call_id"))
    text, parts = _text_and_parts(message.get("content"))
    first = len(draft.calls)
    _add_calls(message, place, extra, draft)
    answers = None
    if role in ("tool", "function"):
        answers = _answered_call(message, role, place, draft)
        if answers is None and message.get("tool_call_id") is not None:
            extra["tool_call_id"] = message["tool_call_id"]
        elif answers is not None:
            draft.answer(answers, result_of(text if text is not None else parts))
    elif "tool_call_id" in message:
        extra["tool_call_id"] = message["tool_call_id"]
    draft.messages.append(
        Message(
            role=role,
            text=text,
            parts=parts,
            calls=tuple(range(first, len(draft.calls))),
            answers=answers,
            extra=extra,
        )
    )


def _text_and_parts(content: Any) -> tuple[str | None, Any]:
    """Return the text of a message's content, and the content itself, or None if it is a plain string."""
    if content is None or isinstance(content, str):
        return content, None
    texts = [
        part["text"]
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    ]
    return "".join(texts) if texts else None, content


def _add_calls(message: Mapping[str, Any], place: int, extra: dict[str, Any], draft: TraceDraft) -> None:
    listed = message.get("tool_calls") or []
    if not isinstance(listed, list):
        draft.faults.append(f"messages[{place}].tool_calls is no list")
        extra["tool_calls"], listed = listed, []
    for call in listed:
        if not isinstance(call, Mapping):
            draft.faults.append(f"messages[{place}] has a call that is no object")
            draft.calls.append(call_of(None, None, extra={"said": call}))
            continue
        function = call.get("function")
        left = other_fields(call, ("id", "function")) if isinstance(function, Mapping) else other_fields(call, ("id",))
        if left.get("type") == "function":
            del left["type"]
        inner = function if isinstance(function, Mapping) else {}
        unknown = other_fields(inner, ("name", "arguments"))
        name = text_or_none(inner, "name", unknown)
        left |= {"function": unknown} if unknown else {}
        draft.calls.append(call_of(name, inner.get("arguments"), id=call.get("id"), extra=left))
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        left = other_fields(legacy, ("name", "arguments"))
        draft.calls.append(call_of(legacy.get("name"), legacy.get("arguments"), extra=left))
    elif legacy is not None:
        extra["function_call"] = legacy


def _answered_call(message: Mapping[str, Any], role: str, place: int, draft: TraceDraft) -> int | None:
    """Return the index in `draft.calls` of the call that a message answers, or None.

    If several unanswered calls have the same id, the latest is returned. Missing or wrong ids become faults of the
    draft.
    """
    open_calls = [at for at, call in enumerate(draft.calls) if call.result is None]
    id_ = message.get("tool_call_id")
    if id_ is not None:
        matches = [at for at in open_calls if draft.calls[at].id == str(id_)]
        if not matches:
            exists = any(call.id == str(id_) for call in draft.calls)
            draft.faults.append(
                f"messages[{place}] answers the call `{id_}`, which {'is answered already' if exists else 'nobody makes'}"
            )
        return matches[-1] if matches else None
    if role == "function":
        named = [at for at in open_calls if draft.calls[at].name == message.get("name")]
        if len(named) == 1:
            return named[0]
    draft.faults.append(f"messages[{place}] does not say which call it answers")
    return open_calls[0] if role == "tool" and len(open_calls) == 1 else None


def _first_name(data: Mapping[str, Any], names: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first name whose value is a string or an integer, and this value as a string.

    Both are None if there is no such name.
    """
    for name in names:
        value = data.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return name, str(value)
    return None, None
