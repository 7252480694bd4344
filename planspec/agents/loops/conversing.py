"""A conversation in which a model calls tools until it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.agents.failures import AttemptFailedError
from planspec.agents.models.asking import Talk
from planspec.agents.models.chat import Message, Reply, ToolCall, ToolResult, User
from planspec.agents.pictures import images_of, result_text
from planspec.agents.prompts import Prompts
from planspec.agents.tools import JsonResult, Tool

TEMPLATES = ("unread.j2", "used_up.j2")
"""File names of the prompts that this module uses."""
MAX_UNREADABLE = 5
"""Number of consecutive unusable replies (without an answer or a call) after which the attempt fails."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """The part of an agent that talks to the model.

    Attributes:
        name: name under which tokens are counted.
        stage_index: index of the part's stage in the trace.
    """

    name: str
    stage_index: int


def converse(
    talk: Talk,
    prompts: Prompts,
    messages: Sequence[Message],
    indices: Sequence[int],
    tools: Sequence[Tool],
    speaker: Speaker | None = None,
    schema: Mapping[str, Any] | None = None,
) -> str:
    """Exchange messages with the model until a reply calls no tool, and return the text of that reply.

    Args:
        talk: the model.
        prompts: templates of the messages to the model, such as remarks on unusable replies.
        messages: the conversation so far.
        indices: indices of these messages in the trace.
        tools: tools that may be called.
        speaker: the part of the agent that talks to the model; None for an agent without parts.
        schema: JSON schema of the answer, for services that can enforce one.

    Raises:
        AttemptFailedError: `MAX_UNREADABLE` consecutive replies were unusable (boundary `decode`), or `Talk.ask`
            or `Desk.call` failed.
    """
    stage, stage_index = (speaker.name, speaker.stage_index) if speaker else (None, None)
    history, indices = list(messages), list(indices)
    unusable = 0
    while True:
        reply = talk.ask(history, tools, stage=stage, schema=schema, context=indices, stage_index=stage_index)
        history.append(reply.message())
        if reply.calls:
            unusable = 0
            for message, index in _run_calls(talk, prompts, reply, stage_index):
                indices.append(index)
                if message is not None:
                    history.append(message)
            continue
        indices.append(talk.desk.record_message("assistant", reply.text, stage=stage_index, generation=reply.place))
        fault = reply.fault or _why_unusable(reply)
        if fault is None:
            if reply.stopped != "end":
                talk.desk.note("stopped", reply.stopped)  # the trace should show why the answer was cut off
            return reply.text or ""
        unusable += 1
        correction, index = report_fault(talk, prompts, fault, unusable, stage_index)
        history.append(correction)
        indices.append(index)


def report_fault(
    talk: Talk, prompts: Prompts, fault: str, count: int, stage_index: int | None = None
) -> tuple[User, int]:
    """Record an unusable reply. Return a message to the model about it, and the message's index in the trace.

    Args:
        talk: the model.
        prompts: templates, among them the one for the message.
        fault: reason why the reply is unusable.
        count: number of consecutive unusable replies so far.
        stage_index: index of the stage in the trace, if there is one.

    Raises:
        AttemptFailedError: too many consecutive replies were unusable.
    """
    talk.desk.count("unread_replies")
    if count >= MAX_UNREADABLE:
        raise AttemptFailedError("decode", f"{count} replies in a row could not be used; the last: {fault}")
    text = prompts.render("unread.j2", fault=fault)
    return User(text), talk.desk.record_message("user", text, stage=stage_index)


def _why_unusable(reply: Reply) -> str | None:
    if reply.text and reply.text.strip():
        return None
    return "it was cut off before its first word" if reply.stopped == "length" else "it is empty"


def _run_calls(talk: Talk, prompts: Prompts, reply: Reply, stage: int | None) -> list[tuple[Message | None, int]]:
    """Make and record the calls of a reply.

    Returns:
        The next messages to the model, each with its index in the trace. The first entry is for the reply itself; its
        message is None because the conversation already contains it.
    """
    desk = talk.desk
    results: list[tuple[ToolCall, int, JsonResult]] = []
    try:
        for call in reply.calls:
            index, result = desk.place_call(call.name, call.arguments, id=call.id or None, stage=stage)
            results.append((call, index, result))
    finally:  # calls before the one that exceeds the limit must be recorded as well
        own = desk.record_message(
            "assistant",
            reply.text,
            calls=[index for _, index, _ in results],
            stage=stage,
            generation=reply.place,
        )
        messages: list[tuple[Message | None, int]] = [(None, own)]
        for call, call_index, result in results:
            text = result_text(result)
            index = desk.record_message("tool", text, answers=call_index, stage=stage)
            messages.append((ToolResult(call.id, call.name, text, images_of(result)), index))
    none_left = desk.calls_left is not None and desk.calls_left <= 0
    if none_left or desk.steps_left == 1:
        text = prompts.render("used_up.j2", calls=none_left)
        messages.append((User(text), desk.record_message("user", text, stage=stage)))
    return messages
