"""Attempts as conversations of chat models with tools, in the form that OpenAI and Hugging Face use: rows for fine-tuning.

What a model was told and said stands in the trace of its attempt. Other agents, such as the oracle, say nothing: their conversation is what
the setting tells, one message for each call and one for its result, and the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, open_task
from planspec.runs.folder import RunFolder
from planspec.runs.record import Attempt, Run
from planspec.runs.running import ChangedSuiteError, read_tasks
from planspec.runs.suite_copy import SuiteCopy
from planspec.traces.record import Call, Message, Trace


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation of an attempt.

    Attributes:
        part: of the agent, where it has several, each with a conversation of its own: `planner`; None where it has none.
        privileged: the agent was given the task itself, as the oracle is.
        messages: `role`, `content`, and, where there are some, `tool_calls` (of each `id`, `type` and `function` with `name` and
            `arguments`, which are JSON text) or `tool_call_id`.
        tools: JSON text: a list of functions, each with `name`, `description` and `parameters`.
    """

    task: str
    repeat: int
    agent: str
    part: str | None
    passed: bool
    privileged: bool
    messages: list[dict[str, Any]]
    tools: str


def conversation_rows(run: str | PathLike[str], *, failed: bool = False) -> Iterator[ConversationRow]:
    """The conversations of a run, in the order in which its attempts ended.

    Args:
        run: its folder; the copy of its suite, or the suite of a run without one, must be as it was.
        failed: also those of attempts that do not pass.

    Raises:
        InvalidRunError: it is no run, or not as it was written.
        ChangedSuiteError: its suite is not as it was.
        NotFoundError: its suite is not where it was.
        DiagnosticError: a task of it has errors.
    """
    folder = RunFolder(Path(run))
    header, copy = folder.run(), SuiteCopy.of(folder.path)
    workspace = Workspace() if copy is None else Workspace(copy.shipped)
    paths = _tasks(header, workspace, copy)
    suite = suite_folder(Path(header.suite_path)) if copy is None else copy.folder
    for made in folder.attempts():
        if failed or made.status == "pass":
            opened = open_task(
                paths[made.task],
                header.setting or None,
                folder=suite,
                workspace=workspace,
            )
            yield from _rows(made, opened, header.agent)


def _tasks(header: Run, workspace: Workspace, copy: SuiteCopy | None) -> Mapping[str, Path]:
    """The files of a run's tasks: their copies, or the suite's own where a run has none.

    Raises:
        ChangedSuiteError: they are not as they were.
    """
    catalog = Catalog(workspace)
    there = dict(catalog.ids(catalog.suite(header.suite_path).tasks)) if copy is None else copy.tasks
    paths = {task: there[task] for task in header.tasks if task in there}
    if read_tasks(paths.values(), workspace) != (header.tasks, header.suite_sha256):
        where = header.suite_path if copy is None else copy.root
        raise ChangedSuiteError(
            f"the suite in `{where}` has changed since the run, and what agents are told with it; run it again"
        )
    return paths


def _rows(made: Attempt, opened: AgentTask, agent: str) -> Iterator[ConversationRow]:
    tools = json.dumps(
        [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in opened.tools
        ],
        ensure_ascii=False,
    )
    for part, messages in _conversations(made, opened):
        yield ConversationRow(
            task=made.task, repeat=made.repeat, agent=agent, part=part, passed=made.status == "pass",
            privileged=made.privileged, messages=messages, tools=tools,
        )  # fmt: skip


def _conversations(made: Attempt, opened: AgentTask) -> Iterator[tuple[str | None, list[dict[str, Any]]]]:
    """The conversations of an attempt by the part of the agent that had each."""
    trace = made.trace
    if not trace.messages:
        yield None, _played(made, opened)
        return
    for stage in dict.fromkeys(message.stage for message in trace.messages):
        part = None if stage is None else trace.stages[stage].name
        yield part, [_said(message, trace) for message in trace.messages if message.stage == stage]


def _said(message: Message, trace: Trace) -> dict[str, Any]:
    """A message as it was recorded."""
    said: dict[str, Any] = {"role": message.role, "content": message.text or ""}
    if message.calls:
        said["tool_calls"] = [_asked(trace.calls[place], place) for place in message.calls]
    if message.answers is not None:
        said["tool_call_id"] = _id(trace.calls[message.answers], message.answers)
    return said


def _played(made: Attempt, opened: AgentTask) -> list[dict[str, Any]]:
    """What an agent that says nothing was told, called and answered."""
    messages: list[dict[str, Any]] = []
    calls = list(enumerate(made.trace.calls))
    for number, turn in enumerate(made.turns):
        messages += opened.messages(number)
        count = len(calls) if turn.calls is None else turn.calls
        for place, call in calls[:count]:
            messages.append({"role": "assistant", "content": "", "tool_calls": [_asked(call, place)]})
            messages.append({"role": "tool", "content": _told(call), "tool_call_id": _id(call, place)})
        calls = calls[count:]
        if turn.answer is not None:
            messages.append({"role": "assistant", "content": _text(turn.answer)})
    return messages


def _asked(call: Call, place: int) -> dict[str, Any]:
    written = _text(call.arguments or {}) if call.written is None else call.written
    return {
        "id": _id(call, place),
        "type": "function",
        "function": {"name": call.name or "", "arguments": written},
    }


def _told(call: Call) -> str:
    if call.result is None:
        return ""
    return _text(call.result.value) if call.result.text is None else call.result.text


def _id(call: Call, place: int) -> str:
    return call.id or f"call-{place + 1}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
