"""The tools of all tasks, on one server for all rollouts of a worker."""

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
"""The most rollouts whose episodes the server keeps; the oldest one is forgotten first."""


class PlanspecState(vf.State):
    """By what the server of the tools knows whose call it is.

    Attributes:
        rollout: its id.
        source: of its task.
        setting: in which the task is met.
        turn: of the conversation, from 0.
    """

    rollout: str = ""
    source: str = ""
    setting: str = ""
    turn: int = 0


class PlanspecTools(vf.Toolset[vf.SharedToolsetConfig, PlanspecState]):
    """The tools that the task of each rollout has at its turn."""

    TOOL_PREFIX = None

    def __init__(self, config: vf.SharedToolsetConfig) -> None:
        super().__init__(config)
        self._episodes: OrderedDict[str, planspec.Environment] = OrderedDict()

    def register(self, mcp: MCPServer) -> None:
        """Take the place of the server's own list, which is the same for all who ask."""
        server = cast(Any, mcp)
        server.list_tools = self._with_state(self.list_tools)
        server.call_tool = self._with_state(self.call_tool)

    async def list_tools(self) -> list[Tool]:
        """The tools at the rollout's turn."""
        return [
            Tool(name=tool["name"], description=tool["description"], input_schema=tool["parameters"])
            for tool in self._episode().tools
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context | None = None
    ) -> CallToolResult:
        """The result of a call, as JSON; a refused one is a result, too."""
        told = json.dumps(self._episode().call(name, arguments), ensure_ascii=False)
        return CallToolResult(content=[TextContent(type="text", text=told)])

    def _episode(self) -> planspec.Environment:
        state = self.state
        if state.rollout not in self._episodes:
            self._episodes[state.rollout] = episode_of(state.source, state.setting)
            if len(self._episodes) > ROLLOUTS:
                self._episodes.popitem(last=False)
        episode = self._episodes[state.rollout]
        while episode.turn < state.turn:
            episode.submit(None)  # answers are judged by the task; here it only goes on
        return episode


if __name__ == "__main__":
    PlanspecTools.run()
