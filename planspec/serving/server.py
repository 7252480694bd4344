"""An MCP server of one task: its tools, and its query and materials as prompts."""

from __future__ import annotations

import json
from base64 import b64encode
from itertools import count
from typing import TYPE_CHECKING, Any

from planspec.agents.pictures import Image, images_of, result_text
from planspec.agents.tools import is_error, no_calls_left
from planspec.extras import needing

if TYPE_CHECKING:
    from mcp import types
    from mcp.server import Server

    from planspec.environments import AgentTask


def require_mcp() -> None:
    """The extra is there.

    Raises:
        ModuleNotFoundError: it is not installed; the text says how to install it.
    """
    with needing("mcp", "serving tools needs an extra"):
        import mcp.server  # noqa: F401


def tool_server(opened: AgentTask) -> Server[Any]:
    """A server of a task's tools.

    A tool has the JSON schema that agents of ours see. Its result is structured content, and the same as text, with the pictures
    that it brings as content beside it; a call
    that has none is a result marked as an error, `{"error": {"code": ..., "message": ...}}`, which a model can read.
    What is asked, and how an answer is written, is a prompt: `task`, or `turn-1`, `turn-2`, ... of a conversation. Tools know
    what is known at the last turn whose prompt was taken, the first at first.

    Args:
        opened: the task under its setting.

    Raises:
        ModuleNotFoundError: the extra is not installed.
    """
    require_mcp()
    from importlib.metadata import version

    from mcp import MCPError, types
    from mcp.server import Server

    tools = types.ListToolsResult(
        tools=[
            types.Tool(name=tool.name, description=tool.description, input_schema=tool.parameters)
            for tool in opened.at_turn(0).tools.tools()
        ]
    )
    prompts = _prompts(opened)
    made = count()
    turn = 0

    async def list_tools(_context: Any, _asked: Any) -> types.ListToolsResult:
        return tools

    async def call_tool(_context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        if opened.calls is not None and next(made) >= opened.calls:
            result = no_calls_left(opened.calls).result()
        else:
            result = opened.at_turn(turn).tools.call(asked.name, asked.arguments or {})
        return types.CallToolResult(
            content=[
                types.TextContent(type="text", text=result_text(result)),
                *map(_picture, images_of(result)),
            ],
            structured_content=result,
            is_error=is_error(result),
        )

    async def list_prompts(_context: Any, _asked: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=name, description=said) for name, (said, _) in prompts.items()]
        )

    async def get_prompt(_context: Any, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        if asked.name not in prompts:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no prompt `{asked.name}`; there is {', '.join(prompts)}"
            )
        nonlocal turn
        turn = max(turn, list(prompts).index(asked.name))
        said, messages = prompts[asked.name]
        return types.GetPromptResult(description=said, messages=messages)

    task = opened.judge.task
    return Server(
        "planspec", version=version("planspec"), title=f"Tools of the task {task.id.partition('@')[0]}",
        instructions="The tools of one planning task. A prompt says what is asked, and how the answer is written.",
        on_list_tools=list_tools, on_call_tool=call_tool, on_list_prompts=list_prompts, on_get_prompt=get_prompt,
    )  # fmt: skip


def _picture(image: Image) -> types.ImageContent:
    from mcp import types

    return types.ImageContent(type="image", data=b64encode(image.data).decode("ascii"), mime_type=image.media)


def _prompts(opened: AgentTask) -> dict[str, tuple[str, list[types.PromptMessage]]]:
    """The prompts of each turn: its query and materials; the first turn brings the form of an answer."""
    from mcp import types

    def said(content: types.ContentBlock) -> types.PromptMessage:
        return types.PromptMessage(role="user", content=content)

    def text(words: str) -> types.PromptMessage:
        return said(types.TextContent(type="text", text=words))

    given = [text(opened.brief)]
    if opened.given:
        given.append(text(json.dumps(dict(opened.given), ensure_ascii=False)))
    for title, data in opened.images.items():
        given += [text(f"# {title}"), said(_picture(Image(title, data)))]
    turns = len(opened.judges)
    made = {}
    for turn, judge in enumerate(opened.judges, 1):
        name = "task" if turns == 1 else f"turn-{turn}"
        what = "What is asked" if turns == 1 else f"What is asked at turn {turn} of {turns}"
        shown = [text(f"# {title}\n\n{words}") for title, words in opened.new_at(turn - 1).items()]
        made[name] = (what, [*(given if turn == 1 else []), *shown, text(judge.task.query)])
    return made
