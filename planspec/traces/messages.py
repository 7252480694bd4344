"""Reads chats as OpenAI's interface has them: messages with `tool_calls`, and tool messages that answer them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from planspec.traces.files import Unread, reason, records
from planspec.traces.parts import (  # fmt: skip
    TraceDraft,
    call_of,
    cleaned,
    milliseconds,
    rest,
    result_of,
    text_or_none,
    tokens_from,
)
from planspec.traces.record import Message, Trace

TASK = ("task", "task_id", "case_id", "id")
AGENT = ("agent", "model", "model_name")
UNREADABLE = "unreadable"
"""The role of what is no message."""


def read_messages(path: Path) -> Iterator[Trace | Unread]:
    """The traces of a file of chats, and why other records are none.

    Args:
        path: a JSON list or JSON lines; each record is a list of messages, or an object with `messages`, and with the
            task under one of `TASK`. A list of messages is one chat, and a chat without a task is called by its place.

    Raises:
        OSError: the file cannot be read.
    """
    alone: list[Any] = []
    broken: list[Unread] = []
    for found in records(path):
        if isinstance(found, Unread):
            if alone:
                broken.append(found)
            else:
                yield found
            continue
        place, record = found
        if isinstance(record, Mapping) and "role" in record and "messages" not in record:
            alone.append(record)
            continue
        try:
            yield trace_of_record(record, place)
        except ValueError as error:
            yield Unread(path.name, place, reason(error))
    if alone:
        trace = trace_of_messages(alone, path.stem)
        faults = tuple(str(one) for one in broken)
        yield trace.model_copy(update={"faults": trace.faults + faults, "ended": trace.ended and not broken})


def trace_of_record(record: Any, place: int) -> Trace:
    """A chat with what is said about it.

    Args:
        record: a list of messages, or an object with `messages`.
        place: by which the task is called where the record does not say.

    Raises:
        ValueError: there is no list of messages.
    """
    if isinstance(record, list):
        return trace_of_messages(record, str(place))
    if not isinstance(record, Mapping) or not isinstance(record.get("messages"), list):
        raise ValueError("it is neither a list of messages nor an object with `messages`")
    faults: list[str] = []
    said = cleaned(record, faults)
    task, agent = _first(said, TASK), _first(said, AGENT)
    used = [name for name, _ in (task, agent) if name]
    extra = rest(said, ("messages", "usage", "error", *used))
    error = said.get("error")
    tokens = () if said.get("usage") is None else (tokens_from(None, said["usage"], faults),)
    elapsed, exact = milliseconds(extra.get("execution_time"))
    if exact:
        extra.pop("execution_time", None)
    trace = trace_of_messages(said["messages"], task[1] or str(place), agent[1])
    return trace.model_copy(
        update={
            "tokens": tokens, "elapsed_ms": elapsed, "faults": (*faults, *trace.faults), "extra": extra,
            "error": error if error is None or isinstance(error, str) else json.dumps(error, ensure_ascii=False),
            "ended": trace.ended and not error,
        }
    )  # fmt: skip


def trace_of_messages(messages: Sequence[Any], task: str, agent: str | None = None) -> Trace:
    """A chat as a trace.

    The answer is what the assistant says in the last message, if it calls no tool there; else the chat stops in the
    middle.

    Args:
        messages: as the interface has them.
        task: the id of the task.
        agent: who ran.
    """
    draft = TraceDraft()
    for place, said in enumerate(cleaned(list(messages), draft.faults)):
        if isinstance(said, Mapping) and isinstance(said.get("role"), str):
            _message(said, place, draft)
        else:
            draft.faults.append(f"messages[{place}] is no message")
            draft.messages.append(Message(role=UNREADABLE, parts=said))
    last = draft.messages[-1] if draft.messages else None
    ended = last is not None and last.role == "assistant" and not last.calls
    return Trace(
        task=task, agent=agent, messages=tuple(draft.messages), calls=tuple(draft.calls),
        answer=last.text if ended and last is not None else None, ended=ended, faults=tuple(draft.faults),
    )  # fmt: skip


def _message(said: Mapping[str, Any], place: int, draft: TraceDraft) -> None:
    role = said["role"]
    extra = rest(said, ("role", "content", "tool_calls", "function_call", "tool_call_id"))
    text, parts = _content(said.get("content"))
    first = len(draft.calls)
    _calls(said, place, extra, draft)
    answers = None
    if role in ("tool", "function"):
        answers = _answered(said, role, place, draft)
        if answers is None and said.get("tool_call_id") is not None:
            extra["tool_call_id"] = said["tool_call_id"]
        elif answers is not None:
            draft.answer(answers, result_of(text if text is not None else parts))
    elif "tool_call_id" in said:
        extra["tool_call_id"] = said["tool_call_id"]
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


def _content(said: Any) -> tuple[str | None, Any]:
    """The text of a content, and the content itself where it is more than that."""
    if said is None or isinstance(said, str):
        return said, None
    texts = [
        part["text"]
        for part in (said if isinstance(said, list) else ())
        if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    ]
    return "".join(texts) if texts else None, said


def _calls(said: Mapping[str, Any], place: int, extra: dict[str, Any], draft: TraceDraft) -> None:
    listed = said.get("tool_calls") or []
    if not isinstance(listed, list):
        draft.faults.append(f"messages[{place}].tool_calls is no list")
        extra["tool_calls"], listed = listed, []
    for call in listed:
        if not isinstance(call, Mapping):
            draft.faults.append(f"messages[{place}] has a call that is no object")
            draft.calls.append(call_of(None, None, extra={"said": call}))
            continue
        function = call.get("function")
        left = rest(call, ("id", "function")) if isinstance(function, Mapping) else rest(call, ("id",))
        if left.get("type") == "function":
            del left["type"]
        inner = function if isinstance(function, Mapping) else {}
        unknown = rest(inner, ("name", "arguments"))
        name = text_or_none(inner, "name", unknown)
        left |= {"function": unknown} if unknown else {}
        draft.calls.append(call_of(name, inner.get("arguments"), id=call.get("id"), extra=left))
    old = said.get("function_call")
    if isinstance(old, Mapping):
        left = rest(old, ("name", "arguments"))
        draft.calls.append(call_of(old.get("name"), old.get("arguments"), extra=left))
    elif old is not None:
        extra["function_call"] = old


def _answered(said: Mapping[str, Any], role: str, place: int, draft: TraceDraft) -> int | None:
    """The place of the call that the message answers; the latest one where several have its id."""
    open_calls = [at for at, call in enumerate(draft.calls) if call.result is None]
    asked = said.get("tool_call_id")
    if asked is not None:
        found = [at for at in open_calls if draft.calls[at].id == str(asked)]
        if not found:
            known = any(call.id == str(asked) for call in draft.calls)
            draft.faults.append(
                f"messages[{place}] answers the call `{asked}`, which {'is answered already' if known else 'nobody makes'}"
            )
        return found[-1] if found else None
    if role == "function":
        named = [at for at in open_calls if draft.calls[at].name == said.get("name")]
        if len(named) == 1:
            return named[0]
    draft.faults.append(f"messages[{place}] does not say which call it answers")
    return open_calls[0] if role == "tool" and len(open_calls) == 1 else None


def _first(said: Mapping[str, Any], names: Sequence[str]) -> tuple[str | None, str | None]:
    """The first of the names that has a text or a number, and what it says."""
    for name in names:
        value = said.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return name, str(value)
    return None, None
