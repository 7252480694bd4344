"""The parts of an agent's view that can differ between turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.agents.tools import Toolset
from planspec.agents.view import NO_TOOLS


@dataclass(frozen=True, slots=True)
class TurnView:
    """The materials and tools of one turn.

    Attributes:
        materials: texts given to the agent, by title.
        tools: tools that the agent may call.
    """

    materials: Mapping[str, str] = field(default_factory=dict)
    tools: Toolset = NO_TOOLS
