"""What is given and may be called at one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.agents.tools import Toolset
from planspec.agents.view import NO_TOOLS


@dataclass(frozen=True, slots=True)
class TurnView:
    """The part of an agent's view that a turn may change.

    Attributes:
        materials: texts that are given, by title.
        tools: what may be called.
    """

    materials: Mapping[str, str] = field(default_factory=dict)
    tools: Toolset = NO_TOOLS
