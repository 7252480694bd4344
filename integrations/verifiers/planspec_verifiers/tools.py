"""The server of the tools, which serves all tasks and rollouts of a worker."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any, cast

import verifiers.v1 as vf
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent, Tool

import planspec
from planspec_verifiers.episodes import episode_of

ROLLOUTS = 4096
"""Maximum number of rollouts whose episodes the server keeps. The oldest one is dropped first."""


class PlanspecState(vf.State):
    """State of a rollout, by which the server of the tools finds the episode of a call.

    Attributes:
        rollout: id of the rollout.
        source: source of its task.
        setting: setting of its task.
        turn: turn of the conversation, from 0.
    """

    rollout: str = ""
    source: str = ""
    setting: str = ""
    turn: int = 0


class PlanspecTools(vf.Toolset[vf.SharedToolsetConfig, PlanspecState]):
    """The tools that a rollout's task offers in its current turn."""

    TOOL_PREFIX = None

    def __init__(self, config: vf.SharedToolsetConfig) -> None:
        super().__init__(config)
        self._episodes: OrderedDict[str, planspec.Environment] = OrderedDict()

    def register(self, mcp: MCPServer) -> None:
        """Replace the server's list of tools, so that each rollout gets the tools of its own task."""
        server = cast(Any, mcp)
        server.list_tools = self._with_state(self.list_tools)
        server.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        """Return the tools in the rollout's current turn."""
        return [
            Tool(name=tool["name"], description=tool["description"], input_schema=tool["parameters"])
            for tool in self._episode().tools
        ]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> CallToolResult:
        """Return the result of a call as JSON. A refused call has a result with an error."""
        text = json.dumps(self._episode().call(name, arguments), ensure_ascii=False)
        return CallToolResult(content=[TextContent(type="text", text=text)])

    def _episode(self) -> planspec.Environment:
        state = self.state
        if state.rollout not in self._episodes:
            self._episodes[state.rollout] = episode_of(state.source, state.setting)
            if len(self._episodes) > ROLLOUTS:
                self._episodes.popitem(last=False)
        episode = self._episodes[state.rollout]
        while episode.turn < state.turn:
            episode.submit(None)  # submitting only moves to the next turn; the task judges the answers
        return episode


if __name__ == "__main__":
    PlanspecTools.run()
