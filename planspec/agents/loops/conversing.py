"""One conversation: a model calls tools until it says something."""

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
"""The prompts that are used here."""
MOST_UNREAD = 5
"""Replies in a row that hold neither an answer nor a call before the conversation is given up."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """The part of an agent that speaks.

    Attributes:
        name: of the stage; tokens are counted under it.
        place: of the stage in the trace.
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
        talk: with the model.
        prompts: templates of the messages to the model on the way.
        messages: the conversation so far.
        places: of these messages in the trace.
        tools: that it may call.
        part: who speaks, where the agent has parts.
        schema: a JSON schema of the answer, for services that hold replies to one.

    Raises:
        AttemptFailedError: `decode`, after `MOST_UNREAD` replies in a row that are none, or as `Talk.ask` and `Desk.call` say.
    """
    stage, place = (part.name, part.place) if part else (None, None)
    said, kept = list(messages), list(places)
    unread = 0
    while True:
        reply = talk.ask(said, tools, stage=stage, schema=schema, context=kept, place=place)
        said.append(reply.message())
        if reply.calls:
            unread = 0
            for message, at in _call(talk, prompts, reply, place):
                kept.append(at)
                if message is not None:
                    said.append(message)
            continue
        kept.append(talk.desk.say("assistant", reply.text, stage=place, generation=reply.place))
        fault = reply.fault or _fault(reply)
        if fault is None:
            if reply.stopped != "end":
                talk.desk.note("stopped", reply.stopped)  # an answer that was cut off explains itself
            return reply.text or ""
        unread += 1
        back, at = tell_back(talk, prompts, fault, unread, place)
        said.append(back)
        kept.append(at)


def tell_back(
    talk: Talk, prompts: Prompts, fault: str, times: int, place: int | None = None
) -> tuple[User, int]:
    """The message after a reply that could not be used, which is counted, and its place in the trace.

    Raises:
        AttemptFailedError: it was one too many.
    """
    talk.desk.count("unread_replies")
    if times >= MOST_UNREAD:
        raise AttemptFailedError("decode", f"{times} replies in a row could not be used; the last: {fault}")
    text = prompts.render("unread.j2", fault=fault)
    return User(text), talk.desk.say("user", text, stage=place)


def _fault(reply: Reply) -> str | None:
    if reply.text and reply.text.strip():
        return None
    return "it was cut off before it said anything" if reply.stopped == "length" else "it is empty"


def _call(talk: Talk, prompts: Prompts, reply: Reply, stage: int | None) -> list[tuple[Message | None, int]]:
    """Make the calls of a reply, and return its place in the trace and the next messages to the model with theirs."""
    desk = talk.desk
    made: list[tuple[ToolCall, int, JsonResult]] = []
    try:
        for call in reply.calls:
            place, result = desk.place_call(call.name, call.arguments, id=call.id or None, stage=stage)
            made.append((call, place, result))
    finally:  # also the calls before the one that was too many were made
        own = desk.say(
            "assistant",
            reply.text,
            calls=[place for _, place, _ in made],
            stage=stage,
            generation=reply.place,
        )
        said: list[tuple[Message | None, int]] = [(None, own)]
        for call, place, result in made:
            text = result_text(result)
            at = desk.say("tool", text, answers=place, stage=stage)
            said.append((ToolResult(call.id, call.name, text, images_of(result)), at))
    none_left = desk.calls_left is not None and desk.calls_left <= 0
    if none_left or desk.steps_left == 1:
        text = prompts.render("used_up.j2", calls=none_left)
        said.append((User(text), desk.say("user", text, stage=stage)))
    return said
