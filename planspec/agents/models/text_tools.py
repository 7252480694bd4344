"""Tools for models that cannot call any: actions are JSON in the text of a reply, and are read strictly."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planspec.agents.models.chat import (
    Assistant,
    Chat,
    ChatRequestError,
    Message,
    Reply,
    System,
    ToolCall,
    ToolResult,
    User,
)
from planspec.agents.models.reply_json import InvalidReplyError, json_in
from planspec.agents.pictures import Image
from planspec.agents.prompts import Prompts
from planspec.agents.tools import Tool

TEMPLATES = ("text_tools.j2", "text_result.j2")
"""The prompts that are used here."""
SUBMIT = "submit"
"""The action that gives the answer."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """An answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool; its arguments are a JSON object."""

    name: str
    arguments: str


def read_action(text: str) -> Submitted | Called:
    """The one action of a reply.

    The reply is a JSON object, or text with one fenced block that holds it.

    Raises:
        InvalidReplyError: there is none, or more than one.
    """
    action = json_in(text)
    name = action.get("action") if isinstance(action, dict) else None
    if not isinstance(action, dict) or not isinstance(name, str):
        raise InvalidReplyError("it is no object with `action`, a text")
    wanted = "answer" if name == SUBMIT else "arguments"
    given = action.get(wanted)
    if more := sorted(action.keys() - {"thought", "action", wanted}):
        raise InvalidReplyError(f"`{more[0]}` does not belong there")
    if name == SUBMIT:
        if given is None or given == "":
            raise InvalidReplyError("the action `submit` needs `answer`")
        return Submitted(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
    if not isinstance(given, dict):
        raise InvalidReplyError("the action needs `arguments`, an object")
    return Called(name, json.dumps(given, ensure_ascii=False))


class TextTools(Chat):
    """A chat whose tools are described in words and called by text.

    Args:
        chat: that is asked without tools.
        prompts: with the words.
        titles_only: pictures are named and not shown.
    """

    def __init__(self, chat: Chat, prompts: Prompts, *, titles_only: bool = False) -> None:
        self._chat = chat
        self._prompts = prompts
        self._titles_only = titles_only

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Ask once. A reply without an action has a `fault`; without tools the reply is as it is."""
        told = [self._worded(message) for message in messages]
        if tools:
            rules = self._prompts.render("text_tools.j2", tools=[_described(tool) for tool in tools])
            match told[0]:
                case System(text):
                    told[0] = System(f"{text}\n\n{rules}")
                case _:
                    told.insert(0, System(rules))
        held = None if tools else schema  # what calls a tool is no answer
        reply = self._chat.complete(_merged(told), (), seed=seed, seconds=seconds, schema=held)
        kept = (reply.text or "", reply.kept)
        reply = replace(reply, written=reply.text)
        if not tools:
            return replace(reply, calls=(), kept=kept, written=None)
        try:
            action = read_action(reply.text or "")
        except InvalidReplyError as fault:
            return replace(reply, calls=(), fault=str(fault), kept=kept, written=None)
        match action:
            case Submitted(text):
                return replace(reply, text=text, calls=(), kept=kept)
            case Called(name, arguments):
                call = ToolCall("", name, arguments)
                return replace(reply, text=None, calls=(call,), stopped="calls", kept=kept)

    def about(self) -> Mapping[str, Any]:
        """The record of the chat inside."""
        return self._chat.about()

    def _worded(self, message: Message) -> Message:
        match message:
            case Assistant(_, _, (str(written), kept)):
                return Assistant(written, (), kept)
            case ToolResult(_, name, _, images) if images and self._titles_only:
                raise ChatRequestError(
                    f"the tool {name} answers with pictures, and this agent is told only their titles: it needs a model that "
                    "sees, and `images=parts`; or take a setting whose tools answer with text",
                    passing=False,
                    boundary="adapter",
                )
            case ToolResult(_, name, text, images):
                return User(self._prompts.render("text_result.j2", name=name, result=text), images)
            case User(text, images) if images and self._titles_only:
                return User("\n".join([text, *(_named(image) for image in images)]))
            case _:
                return message


def _named(image: Image) -> str:
    return f"[picture: {image.title}]"


def _merged(messages: Sequence[Message]) -> list[Message]:
    """Messages by turns: several models' own forms take no two of one side, one after the other."""
    made: list[Message] = []
    for message in messages:
        match (made[-1] if made else None), message:
            case User(before, images), User(text, more):
                made[-1] = User(f"{before}\n\n{text}", images + more)
            case _:
                made.append(message)
    return made


def _described(tool: Tool) -> dict[str, str]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": json.dumps(tool.parameters, ensure_ascii=False),
    }
