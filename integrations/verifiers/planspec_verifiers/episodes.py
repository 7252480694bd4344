"""Episodes of planspec by the name of their task; a process opens each task once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from verifiers.v1 import AssistantMessage, ToolCall

import planspec

OPENED = 1024
"""The most tasks that a process keeps open."""


@lru_cache(maxsize=OPENED)
def _opened(source: str, setting: str) -> planspec.Environment:
    return planspec.environment(source, setting)


def episode_of(source: str, setting: str) -> planspec.Environment:
    """A new episode with a task.

    Args:
        source: `planspec.Environment.source`.
        setting: in which the task is met.
    """
    return _opened(source, setting).copy()


def replayed(
    episode: planspec.Environment, replies: Sequence[AssistantMessage], ends: Iterable[int]
) -> planspec.Outcome:
    """Make the calls of a conversation again, answer its turns, and give what the last answer earned.

    Args:
        episode: at its beginning.
        replies: what the model said, in order.
        ends: how many of them had been said when each turn was answered; turns without an end have no answer.
    """
    begin = 0
    outcome = None
    for end in [*ends, *[len(replies)] * episode.turns][: episode.turns]:
        said = replies[begin:end]
        tools = {tool["name"] for tool in episode.tools}
        for call in (call for reply in said for call in reply.tool_calls or []):
            if call.name in tools and _is_object(call):  # any other call is refused before it comes to a tool
                episode.call(call.name, call.arguments)
        outcome = episode.submit(said[-1].content if said else None)
        begin = end
    assert outcome is not None, "a task has a turn"
    return outcome


def _is_object(call: ToolCall) -> bool:
    try:
        return isinstance(json.loads(call.arguments or "{}"), dict)
    except ValueError:
        return False
