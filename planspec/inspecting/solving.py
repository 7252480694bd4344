"""Two Inspect solvers: one provides a task's tools; the other lets a model call them until it answers, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, Content, ContentImage, ContentText, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolParams

from planspec.agents.failures import Boundary
from planspec.agents.pictures import images_of, result_text
from planspec.agents.tools import JsonResult, no_calls_left
from planspec.agents.tools import Tool as AgentTool
from planspec.agents.view import Limits
from planspec.environments import AgentTask
from planspec.inspecting.samples import open_sample

ANSWERS, CALLS, FAILURE = "planspec_answers", "planspec_calls", "planspec_failure"
"""Keys in a sample's store: answers by turn, number of calls in each turn, and where the attempt failed (in the
agent, its model or its program)."""


def tool_def(tool: AgentTool, refuse: Callable[[], JsonResult | None] = lambda: None) -> ToolDef:
    """Convert a tool to Inspect's form. A failed call raises Inspect's tool error, with JSON as its text.

    Args:
        tool: the tool.
        refuse: called before each call. It returns an error to give in place of the result, or None to allow the call.
    """

    async def execute(**kwargs: Any) -> str | list[Content]:
        result = refuse() or tool.run(kwargs)
        text = result_text(result)
        if set(result) == {"error"}:
            raise ToolError(text)
        pictures: list[Content] = [ContentImage(image=image.data_url) for image in images_of(result)]
        return [ContentText(text=text), *pictures] if pictures else text

    parameters = ToolParams.model_validate(tool.parameters)
    for name, parameter in parameters.properties.items():
        parameter.description = parameter.description or name  # Inspect requires a description of each parameter
    # a truncated result would not be valid JSON
    return ToolDef(execute, name=tool.name, description=tool.description, parameters=parameters, max_output=0)


@solver
def give_tools() -> Solver:
    """Give a sample's tools to the next Inspect solver, whichever it is."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 required by the protocol
        state.tools = _tools_at(open_sample(state.metadata), 0, count())
        return state

    return solve


@solver
def take_turns(tool_calls: int | None = None, steps: int = 60) -> Solver:
    """Let a model call tools until it answers, in each turn of a task. The system prompt states the limits.

    Args:
        tool_calls: maximum number of calls over all turns. A further call ends the sample. Calls beyond a setting's own
            limit (`calls`) only return an error.
        steps: maximum number of model requests over all turns.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        opened = open_sample(state.metadata)
        turns = opened.judges
        call_numbers = count()
        state.tools = _tools_at(opened, 0, call_numbers)
        _state_limits(state, opened, Limits(tool_calls=tool_calls, steps=steps))
        answers: list[str] = []
        by_turn: list[int] = []
        calls = requests = 0
        state.store.set(ANSWERS, answers)
        for turn in range(len(turns)):
            if turn:
                state.messages.append(ChatMessageUser(content="\n\n".join(opened.words(turn))))
                state.tools = _tools_at(opened, turn, call_numbers)
            while True:
                if requests >= steps:
                    return _end_with_failure(state, "limit", f"{steps} steps are used up")
                requests += 1
                state = await generate(state, tool_calls="none")
                requested_calls = state.output.message.tool_calls or []
                if not requested_calls:
                    break
                calls += len(requested_calls)
                if tool_calls is not None and calls > tool_calls:
                    return _end_with_failure(state, "limit", f"{tool_calls} tool calls are used up")
                executed = await execute_tools(state.messages, state.tools)
                state.messages.extend(executed.messages)
            answers = [*answers, state.output.completion]
            by_turn = [*by_turn, calls - sum(by_turn)]
            state.store.set(ANSWERS, answers)
            state.store.set(CALLS, by_turn)
        return state

    return solve


def _state_limits(state: TaskState, opened: AgentTask, limits: Limits) -> None:
    """Replace the system prompt of a sample by one that states the limits of this solver."""
    plain = opened.system_text()
    for place, message in enumerate(state.messages):
        if isinstance(message, ChatMessageSystem) and message.content == plain:
            text = opened.system_text(opened.view_limits(limits))
            state.messages[place] = message.model_copy(update={"content": text})


def _tools_at(opened: AgentTask, turn: int, call_numbers: Iterator[int]) -> list[Tool]:
    """Return a turn's tools in Inspect's form. `call_numbers` counts the calls of a sample, from 0."""

    def refuse() -> JsonResult | None:
        if opened.calls is None or next(call_numbers) < opened.calls:
            return None
        return no_calls_left(opened.calls).result()

    return [tool_def(tool, refuse).as_tool() for tool in opened.at_turn(turn).tools.tools()]


def _end_with_failure(state: TaskState, boundary: Boundary, message: str) -> TaskState:
    state.store.set(FAILURE, {"boundary": boundary, "message": message})
    state.completed = True
    return state
