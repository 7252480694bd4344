"""An MCP server for one task. It offers the task's tools, and its query and materials as prompts."""

from __future__ import annotations

import json
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
    """Check that the extra `mcp` is installed.

    Raises:
        ModuleNotFoundError: the extra is not installed. The message says how to install it.
    """
    with needing("mcp", "serving tools needs an extra"):
        import mcp.server  # noqa: F401


def tool_server(opened: AgentTask) -> Server[Any]:
    """Return a server of a task's tools.

    Tools have the same JSON schemas as for planspec's own agents. A result is structured content, repeated as text,
    with pictures as further content. A failed call returns `{"error": {"code": ..., "message": ...}}`, marked as an
    error, which a model can read.

    The query and the system prompt are served as MCP prompts: `task`, or `turn-1`, `turn-2`, ... for a conversation.
    Tools use the facts of the latest turn for which a prompt was fetched; before the first fetch, those of the first
    turn.

    Args:
        opened: the task in its setting.

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
    calls = count()
    turn = 0

    async def list_tools(_context: Any, _request: Any) -> types.ListToolsResult:
        return tools

    async def call_tool(_context: Any, request: types.CallToolRequestParams) -> types.CallToolResult:
        if opened.calls is not None and next(calls) >= opened.calls:
            result = no_calls_left(opened.calls).result()
        else:
            result = opened.at_turn(turn).tools.call(request.name, request.arguments or {})
        return types.CallToolResult(
            content=[
                types.TextContent(type="text", text=result_text(result)),
                *map(_image_content, images_of(result)),
            ],
            structured_content=result,
            is_error=is_error(result),
        )

    async def list_prompts(_context: Any, _request: Any) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=name, description=title) for name, (title, _) in prompts.items()]
        )

    async def get_prompt(_context: Any, request: types.GetPromptRequestParams) -> types.GetPromptResult:
        if request.name not in prompts:
            raise MCPError(types.INVALID_PARAMS, f"there is no prompt `{request.name}`; there is {', '.join(prompts)}")
        nonlocal turn
        turn = max(turn, list(prompts).index(request.name))
        title, messages = prompts[request.name]
        return types.GetPromptResult(description=title, messages=messages)

    task = opened.judge.task
    return Server(
        "planspec",
        version=version("planspec"),
        title=f"Tools of the task {task.id.partition('@')[0]}",
        instructions="The tools of one planning task. A prompt has the request and the answer format.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def _image_content(image: Image) -> types.ImageContent:
    from mcp import types

    return types.ImageContent(type="image", data=image.base64, mime_type=image.media)


def _prompts(opened: AgentTask) -> dict[str, tuple[str, list[types.PromptMessage]]]:
    """Return the title and messages of each turn's prompt, by name.

    A prompt has the turn's new materials and its query. The prompt of the first turn begins with the system prompt.
    """
    from mcp import types

    def message(content: types.ContentBlock) -> types.PromptMessage:
        return types.PromptMessage(role="user", content=content)

    def text(content: str) -> types.PromptMessage:
        return message(types.TextContent(type="text", text=content))

    given = [text(opened.system_text())]
    if opened.given:
        given.append(text(json.dumps(dict(opened.given), ensure_ascii=False)))
    for title, data in opened.images.items():
        given += [text(f"# {title}"), message(_image_content(Image(title, data)))]
    turns = len(opened.judges)
    prompts = {}
    for turn, judge in enumerate(opened.judges, 1):
        name = "task" if turns == 1 else f"turn-{turn}"
        title = "The request" if turns == 1 else f"The request at turn {turn} of {turns}"
        shown = [text(f"# {heading}\n\n{words}") for heading, words in opened.new_materials(turn - 1).items()]
        prompts[name] = (title, [*(given if turn == 1 else []), *shown, text(judge.task.query)])
    return prompts
