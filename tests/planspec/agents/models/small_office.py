"""A task with two tools, a desk (an agent's interface to the task), and a scripted chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planspec.agents import Desk, Limits, TaskView
from planspec.agents.models import Chat, ChatRequestError, Message, Reply, ToolCall
from planspec.agents.tools import Arguments, JsonResult, ModelTool, RefusedCallError, Tool, Toolset

PNG = b"\x89PNG\r\n\x1a\nnot much of a picture"


class CityArguments(Arguments):
    city: str


class NoArguments(Arguments):
    pass


def _sights(arguments: CityArguments) -> JsonResult:
    if arguments.city != "Rome":
        raise RefusedCallError("not-found", f"there is no data on {arguments.city}")
    return {"sights": ["Pantheon", "Forum"]}


TOOLS = Toolset(
    [
        ModelTool("sights", "Lists the sights of a city.", CityArguments, _sights),
        ModelTool("today", "Says what day it is.", NoArguments, lambda _: {"day": "Monday"}),
    ]
)


def view(**other: Any) -> TaskView:
    """Return an agent's view of the task with two tools."""
    given: dict[str, Any] = {
        "task": "small",
        "family": None,
        "setting": "text",
        "query": "What is there to see in Rome?",
        "brief": "Answer with one JSON object with `sights`.",
        "tools": TOOLS,
    }
    return TaskView(**(given | other))


def desk(tools: Toolset = TOOLS, seed: int = 5, **limits: Any) -> Desk:
    """Return a desk (an agent's interface) for the task."""
    return Desk(tools, Limits(**limits), seed)


def call_reply(*calls: tuple[str, str], text: str | None = None) -> Reply:
    """Return a model's reply with tool calls, each given as a name and its arguments as text."""
    return Reply(
        text,
        tuple(ToolCall(f"c{place}", name, arguments) for place, (name, arguments) in enumerate(calls)),
        input=10,
        output=5,
        stopped="calls",
    )


def text_reply(text: str | None) -> Reply:
    """Return a reply with text."""
    return Reply(text, input=10, output=5)


class ScriptedChat(Chat):
    """A chat that gives scripted replies and records its requests."""

    def __init__(self, *replies: Reply | ChatRequestError) -> None:
        self._replies = list(replies)
        self.requests: list[tuple[Message, ...]] = []
        self.tools: list[tuple[str, ...]] = []
        self.seeds: list[int | None] = []

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        self.requests.append(tuple(messages))
        self.tools.append(tuple(tool.name for tool in tools))
        self.seeds.append(seed)
        reply = self._replies.pop(0)
        if isinstance(reply, ChatRequestError):
            raise reply
        return reply

    def about(self) -> Mapping[str, Any]:
        return {"model": "scripted"}
