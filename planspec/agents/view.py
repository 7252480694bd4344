"""The agent's view of a task: the query, tools, limits and turns; never constraints, reference or scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planspec.agents.tools import Toolset

NO_TOOLS = Toolset(())


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an agent's attempt; None is without limit. `planspec.Limits` are those of a solver's search.

    Attributes:
        seconds: wall-clock time of the whole attempt, over all turns.
        tool_calls: over all turns.
        steps: requests to a model, over all turns.
        tokens: given to models and made by them, over all turns.
    """

    seconds: float = 600.0
    tool_calls: int | None = None
    steps: int | None = 60
    tokens: int | None = None


def least(*bounds: int | None) -> int | None:
    """The narrowest of several bounds; None if there is none."""
    return min((bound for bound in bounds if bound is not None), default=None)


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as an agent sees it at one turn.

    Attributes:
        task: its id.
        family: None where it has none.
        setting: by which the view was made, such as `api` or `text`.
        query: what the user says, at this turn.
        turn: which one of the task's turns it is, from 0.
        earlier: what was asked before in this attempt, each with the answer that was given (None where none was): the
            turns before, and what an agent around this one told it.
        brief: how an answer is written, in words.
        schema: a JSON schema of answers, where there is one.
        materials: texts that the setting gives, by title.
        images: pictures that the setting gives, by title, as PNG or JPEG.
        tools: what may be called; go through `Desk.call`, which counts and records.
        given: what the setting gives beyond the query, such as gold parameters.
        limits: of the attempt.
        seed: for agents that draw.
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
