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
"""Prompts that this module uses."""
MAX_UNREADABLE = 5
"""Consecutive replies without an answer or a call after which the attempt fails."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """A part of an agent that talks to the model.

    Attributes:
        name: name of its stage; tokens are counted under it.
        place: index of the stage in the trace.
    """

    name: str
    place: int


def converse(
    talk: Talk,
    prompts: Prompts,
    messages: Sequence[Message],
    places: Sequence[int],
    tools: Sequence[Tool],
    part: Speaker | None = None,
    schema: Mapping[str, Any] | None = None,
) -> str:
    """Converse until a reply calls no tool, and return its text.

    Args:
        talk: the model.
        prompts: templates of further messages to the model.
        messages: the conversation so far.
        places: indices of these messages in the trace.
        tools: tools that may be called.
        part: the speaking part of the agent; None for an agent without parts.
        schema: JSON schema of the answer, for services that can enforce one.

    Raises:
        AttemptFailedError: at `decode`, after `MAX_UNREADABLE` consecutive unreadable replies; or as for
            `Talk.ask` and `Desk.call`.
    """
    stage, place = (part.name, part.place) if part else (None, None)
    history, indices = list(messages), list(places)
    unread = 0
    while True:
        reply = talk.ask(history, tools, stage=stage, schema=schema, context=indices, place=place)
        history.append(reply.message())
        if reply.calls:
            unread = 0
            for message, at in _call(talk, prompts, reply, place):
                indices.append(at)
                if message is not None:
                    history.append(message)
            continue
        indices.append(talk.desk.say("assistant", reply.text, stage=place, generation=reply.place))
        fault = reply.fault or _fault(reply)
        if fault is None:
            if reply.stopped != "end":
                talk.desk.note("stopped", reply.stopped)  # so that the trace shows why an answer was cut off
            return reply.text or ""
        unread += 1
        back, at = report_fault(talk, prompts, fault, unread, place)
        history.append(back)
        indices.append(at)


def report_fault(
    talk: Talk, prompts: Prompts, fault: str, times: int, place: int | None = None
) -> tuple[User, int]:
    """Return the message to the model after an unusable reply, and its index in the trace; count the reply.

    Raises:
        AttemptFailedError: too many consecutive replies were unusable.
    """
    talk.desk.count("unread_replies")
    if times >= MAX_UNREADABLE:
        raise AttemptFailedError("decode", f"{times} replies in a row could not be used; the last: {fault}")
    text = prompts.render("unread.j2", fault=fault)
    return User(text), talk.desk.say("user", text, stage=place)


def _fault(reply: Reply) -> str | None:
    if reply.text and reply.text.strip():
        return None
    return "it was cut off before its first word" if reply.stopped == "length" else "it is empty"


def _call(talk: Talk, prompts: Prompts, reply: Reply, stage: int | None) -> list[tuple[Message | None, int]]:
    """Make a reply's calls; return the next messages to the model, None for the reply, with trace indices."""
    desk = talk.desk
    results: list[tuple[ToolCall, int, JsonResult]] = []
    try:
        for call in reply.calls:
            place, result = desk.place_call(call.name, call.arguments, id=call.id or None, stage=stage)
            results.append((call, place, result))
    finally:  # records the calls before one beyond the limit too
        own = desk.say(
            "assistant",
            reply.text,
            calls=[place for _, place, _ in results],
            stage=stage,
            generation=reply.place,
        )
        messages: list[tuple[Message | None, int]] = [(None, own)]
        for call, place, result in results:
            text = result_text(result)
            at = desk.say("tool", text, answers=place, stage=stage)
            messages.append((ToolResult(call.id, call.name, text, images_of(result)), at))
    none_left = desk.calls_left is not None and desk.calls_left <= 0
    if none_left or desk.steps_left == 1:
        text = prompts.render("used_up.j2", calls=none_left)
        messages.append((User(text), desk.say("user", text, stage=stage)))
    return messages
