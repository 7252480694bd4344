"""Episodes of planspec tasks. A process opens each task only once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from verifiers.v1 import AssistantMessage, ToolCall

import planspec

MOST_OPEN_TASKS = 1024
"""Maximum number of tasks that a process keeps open."""


@lru_cache(maxsize=MOST_OPEN_TASKS)
def _open_environment(source: str, setting: str) -> planspec.Environment:
    return planspec.environment(source, setting)


def episode_of(source: str, setting: str) -> planspec.Environment:
    """Return a new episode of a task.

    Args:
        source: value of `planspec.Environment.source`.
        setting: setting of the task.
    """
    return _open_environment(source, setting).copy()


def replay(episode: planspec.Environment, replies: Sequence[AssistantMessage], ends: Iterable[int]) -> planspec.Outcome:
    """Repeat the calls and answers of a conversation in an episode, and return the outcome of the last answer.

    Args:
        episode: a new episode.
        replies: messages of the model, in order.
        ends: number of messages up to the end of each turn, without the last turn. If the conversation broke off,
            later turns are missing and count as unanswered.
    """
    start = 0
    outcome = None
    for end in [*ends, *[len(replies)] * episode.turns][: episode.turns]:
        messages = replies[start:end]
        tools = {tool["name"] for tool in episode.tools}
        for call in (call for reply in messages for call in reply.tool_calls or []):
            # verifiers refuses other calls before they reach a tool
            if call.name in tools and _has_object_arguments(call):
                episode.call(call.name, call.arguments)
        outcome = episode.submit(messages[-1].content if messages else None)
        start = end
    assert outcome is not None, "a task has a turn"
    return outcome


def _has_object_arguments(call: ToolCall) -> bool:
    try:
        return isinstance(json.loads(call.arguments or "{}"), dict)
    except ValueError:
        return False
