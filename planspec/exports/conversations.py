"""Attempts as rows for fine-tuning: chat conversations with tools, in the format of OpenAI and Hugging Face.

The trace of an attempt has the messages of a model. For agents without a model, such as the oracle, the conversation
consists of the setting's messages, a message for each call, a message for each result, and the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from planspec.agents.tools import tool_definition
from planspec.agents.view import Limits
from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, open_task
from planspec.runs.folder import RunFolder
from planspec.runs.record import Attempt, Run
from planspec.runs.running import ChangedSuiteError, read_tasks
from planspec.runs.suite_copy import SuiteCopy
from planspec.traces.json_text import text_of
from planspec.traces.record import Call, Message, Trace


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation of an attempt.

    Attributes:
        part: part of the agent, such as `planner`; None if the agent has only one conversation.
        privileged: whether the agent got the task itself, like the oracle.
        messages: objects with `role` and `content`. Messages with calls have `tool_calls`, each with `id`, `type` and
            `function` (`name`, and `arguments` as JSON text). Results have `tool_call_id`.
        tools: JSON text of a list of functions, each with `name`, `description` and `parameters`.
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
    """Yield the conversations of a run, in the order in which its attempts ended.

    Args:
        run: folder of the run. Its copy of the suite must be unchanged; without a copy, the suite itself.
        failed: whether to include attempts that do not pass.

    Raises:
        InvalidRunError: the folder is not a run, or its records were changed.
        ChangedSuiteError: the suite has changed.
        NotFoundError: the suite no longer exists.
        DiagnosticError: a task has errors.
    """
    folder = RunFolder(Path(run))
    header, copy = folder.read_header(), SuiteCopy.of(folder.path)
    workspace = Workspace() if copy is None else Workspace(copy.shipped)
    paths = _task_files(header, workspace, copy)
    suite = suite_folder(Path(header.suite_path)) if copy is None else copy.folder
    for attempt in folder.attempts():
        if failed or attempt.status == "pass":
            opened = open_task(
                paths[attempt.task],
                header.setting or None,
                folder=suite,
                workspace=workspace,
            )
            yield from _attempt_rows(attempt, opened, header)


def _task_files(header: Run, workspace: Workspace, copy: SuiteCopy | None) -> Mapping[str, Path]:
    """Return the files of a run's tasks: the copies in its folder or, without copies, the files of the suite.

    Raises:
        ChangedSuiteError: the files have changed.
    """
    catalog = Catalog(workspace)
    by_id = dict(catalog.ids(catalog.suite(header.suite_path).tasks)) if copy is None else copy.tasks
    paths = {task: by_id[task] for task in header.tasks if task in by_id}
    if read_tasks(paths.values(), workspace) != (header.tasks, header.suite_sha256):
        where = header.suite_path if copy is None else copy.root
        raise ChangedSuiteError(
            f"the suite in `{where}` has changed since the run, and with it what agents see; run it again"
        )
    return paths


def _attempt_rows(attempt: Attempt, opened: AgentTask, run: Run) -> Iterator[ConversationRow]:
    tools = json.dumps(
        [{"type": "function", "function": tool_definition(tool)} for tool in opened.tools],
        ensure_ascii=False,
    )
    for part, messages in _conversations(attempt, opened, run):
        yield ConversationRow(
            task=attempt.task,
            repeat=attempt.repeat,
            agent=run.agent,
            part=part,
            passed=attempt.status == "pass",
            privileged=attempt.privileged,
            messages=messages,
            tools=tools,
        )


def _conversations(attempt: Attempt, opened: AgentTask, run: Run) -> Iterator[tuple[str | None, list[dict[str, Any]]]]:
    """Yield the conversations of an attempt, each with the name of its part of the agent, or None."""
    trace = attempt.trace
    if not trace.messages:
        yield None, _reconstruct_messages(attempt, opened, opened.view_limits(Limits(**run.limits.model_dump())))
        return
    for stage in dict.fromkeys(message.stage for message in trace.messages):
        part = None if stage is None else trace.stages[stage].name
        yield part, [_chat_message(message, trace) for message in trace.messages if message.stage == stage]


def _chat_message(message: Message, trace: Trace) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": message.text or ""}
    if message.calls:
        entry["tool_calls"] = [_tool_call(trace.calls[index], index) for index in message.calls]
    if message.answers is not None:
        entry["tool_call_id"] = _call_id(trace.calls[message.answers], message.answers)
    return entry


def _reconstruct_messages(attempt: Attempt, opened: AgentTask, limits: Limits) -> list[dict[str, Any]]:
    """Return a conversation for an attempt without recorded messages, from the task, the calls and the answers."""
    messages: list[dict[str, Any]] = []
    calls = list(enumerate(attempt.trace.calls))
    for number, turn in enumerate(attempt.turns):
        messages += opened.messages(number, limits)
        count = len(calls) if turn.calls is None else turn.calls
        for index, call in calls[:count]:
            messages.append({"role": "assistant", "content": "", "tool_calls": [_tool_call(call, index)]})
            messages.append({"role": "tool", "content": _result_text(call), "tool_call_id": _call_id(call, index)})
        calls = calls[count:]
        if turn.answer is not None:
            messages.append({"role": "assistant", "content": text_of(turn.answer)})
    return messages


def _tool_call(call: Call, index: int) -> dict[str, Any]:
    written = text_of(call.arguments or {}) if call.written is None else call.written
    return {
        "id": _call_id(call, index),
        "type": "function",
        "function": {"name": call.name or "", "arguments": written},
    }


def _result_text(call: Call) -> str:
    if call.result is None:
        return ""
    return text_of(call.result.value) if call.result.text is None else call.result.text


def _call_id(call: Call, index: int) -> str:
    return call.id or f"call-{index + 1}"
