"""The part of a task that an agent sees: query, tools, limits and turns, but no constraints, reference or scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planspec.agents.tools import Toolset

NO_TOOLS = Toolset(())


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an agent's attempt; None means no limit. For the limits of a solver's search, see `planspec.Limits`.

    Attributes:
        seconds: wall-clock time of the whole attempt, over all turns.
        tool_calls: calls over all turns.
        steps: requests to a model, over all turns.
        tokens: input and output tokens, over all turns.
    """

    seconds: float = 600.0
    tool_calls: int | None = None
    steps: int | None = 60
    tokens: int | None = None


def smallest_bound(*bounds: int | None) -> int | None:
    """Return the smallest of the bounds that are not None; None if all are."""
    return min((bound for bound in bounds if bound is not None), default=None)


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as an agent sees it at one turn.

    Attributes:
        task: id of the task.
        family: family of the task, or None.
        setting: setting of the view, such as `api` or `text`.
        query: the user's message at this turn.
        turn: index of the turn, counted from 0.
        earlier: earlier queries of this attempt, each with its answer or None. They are queries of earlier turns, or
            feedback from an agent that wraps this one.
        brief: description of the answer format.
        schema: JSON schema of answers, or None.
        materials: texts of the setting, by title.
        images: pictures of the setting as PNG or JPEG, by title.
        tools: tools that may be called through `Desk.call`.
        given: further data for the agent, such as the address of a website.
        limits: limits of the attempt.
        seed: seed for agents that draw random numbers.
        role: the agent's role, a sentence such as "You dispatch technicians."; empty for an agent without a role.
    """

    task: str
    family: str | None
    setting: str
    query: str
    brief: str
    turn: int = 0
    earlier: tuple[tuple[str, str | None], ...] = ()
    schema: Mapping[str, Any] | None = None
    materials: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, bytes] = field(default_factory=dict)
    tools: Toolset = NO_TOOLS
    given: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    role: str = ""
