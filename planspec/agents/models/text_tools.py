"""Tools for models that cannot call tools. The model writes an action as JSON in the text of its reply."""

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
from planspec.agents.models.reply_json import InvalidReplyError, extract_json
from planspec.agents.pictures import Image
from planspec.agents.prompts import Prompts
from planspec.agents.tools import Tool
from planspec.traces.json_text import text_of

TEMPLATES = ("text_tools.j2", "text_result.j2")
"""File names of the prompts that this module uses."""
SUBMIT = "submit"
"""Name of the action that submits the answer."""


@dataclass(frozen=True, slots=True)
class SubmitAction:
    """An action that submits an answer."""

    text: str


@dataclass(frozen=True, slots=True)
class CallAction:
    """An action that calls a tool. The arguments are a JSON object."""

    name: str
    arguments: str


def read_action(text: str) -> SubmitAction | CallAction:
    """Parse the only action in a reply.

    The action is a JSON object: the whole reply, or a single fenced block in it.

    Raises:
        InvalidReplyError: there is no action, or more than one.
    """
    action = extract_json(text)
    name = action.get("action") if isinstance(action, dict) else None
    if not isinstance(action, dict) or not isinstance(name, str):
        raise InvalidReplyError("it is not an object with `action`, a text")
    key = "answer" if name == SUBMIT else "arguments"
    given = action.get(key)
    if more := sorted(action.keys() - {"thought", "action", key}):
        raise InvalidReplyError(f"`{more[0]}` does not belong there")
    if name == SUBMIT:
        if given is None or given == "":
            raise InvalidReplyError("the action `submit` needs `answer`")
        return SubmitAction(text_of(given))
    if not isinstance(given, dict):
        raise InvalidReplyError("the action needs `arguments`, an object")
    return CallAction(name, json.dumps(given, ensure_ascii=False))


class TextTools(Chat):
    """A chat in which tools are described in the prompt and called by text.

    Args:
        chat: the underlying chat, which gets no tools.
        prompts: templates of the tools' descriptions and results.
        titles_only: whether the chat gets the titles of pictures instead of the pictures.
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
        """Send one request. If there are tools, a reply without an action gets a `fault`."""
        converted = [self._convert(message) for message in messages]
        if tools:
            rules = self._prompts.render("text_tools.j2", tools=[_tool_fields(tool) for tool in tools])
            match converted[0]:
                case System(text):
                    converted[0] = System(f"{text}\n\n{rules}")
                case _:
                    converted.insert(0, System(rules))
        enforced = None if tools else schema  # a reply that calls a tool does not match the answer's schema
        reply = self._chat.complete(_merge_user_messages(converted), (), seed=seed, seconds=seconds, schema=enforced)
        provider_data = (reply.text or "", reply.provider_data)
        reply = replace(reply, written=reply.text)
        if not tools:
            return replace(reply, calls=(), provider_data=provider_data, written=None)
        try:
            action = read_action(reply.text or "")
        except InvalidReplyError as fault:
            return replace(reply, calls=(), fault=str(fault), provider_data=provider_data, written=None)
        match action:
            case SubmitAction(text):
                return replace(reply, text=text, calls=(), provider_data=provider_data)
            case CallAction(name, arguments):
                call = ToolCall("", name, arguments)
                return replace(reply, text=None, calls=(call,), stopped="calls", provider_data=provider_data)

    def constrained(self) -> TextTools | None:
        """Return a copy of this chat whose replies the service constrains to a schema; None if it cannot."""
        chat = self._chat.constrained()
        return None if chat is None else TextTools(chat, self._prompts, titles_only=self._titles_only)

    def about(self) -> Mapping[str, Any]:
        """Return the description of the underlying chat."""
        return self._chat.about()

    def _convert(self, message: Message) -> Message:
        match message:
            case Assistant(_, _, (str(written), provider_data)):
                return Assistant(written, (), provider_data)
            case ToolResult(_, name, _, images) if images and self._titles_only:
                raise ChatRequestError(
                    f"the tool {name} returns pictures, and this agent gets only their titles: it needs a model "
                    "that takes pictures, and `images=parts`; or choose a setting whose tools return text",
                    transient=False,
                    boundary="adapter",
                )
            case ToolResult(_, name, text, images):
                return User(self._prompts.render("text_result.j2", name=name, result=text), images)
            case User(text, images) if images and self._titles_only:
                return User("\n".join([text, *(_title_line(image) for image in images)]))
            case _:
                return message


def _title_line(image: Image) -> str:
    return f"[picture: {image.title}]"


def _merge_user_messages(messages: Sequence[Message]) -> list[Message]:
    """Merge adjacent user messages, because the formats of several models require alternating turns."""
    merged: list[Message] = []
    for message in messages:
        match (merged[-1] if merged else None), message:
            case User(before, images), User(text, more):
                merged[-1] = User(f"{before}\n\n{text}", images + more)
            case _:
                merged.append(message)
    return merged


def _tool_fields(tool: Tool) -> dict[str, str]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": json.dumps(tool.parameters, ensure_ascii=False),
    }
