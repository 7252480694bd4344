"""A chat model for the agent `himap`. A policy makes its replies, in separate conversations for each role."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from planspec.agents import UnknownAgentError
from planspec.agents.models import Assistant, Chat, Message, ModelAgent, Reply, ToolCall, ToolResult, User
from planspec.agents.tools import Tool
from planspec_train.himap.coordinator import coordinate
from planspec_train.himap.decisions import Conversation, Decider
from planspec_train.himap.executor import execute
from planspec_train.policy import Policy, Step

COORDINATOR = "coordinator"


@dataclass(slots=True)
class RoleChat(Chat):
    """A chat model for the coordinator and the executors. A policy determines its replies.

    Attributes:
        policy: the policy.
        generator: source of randomness.
        greedy: whether to take the most probable candidate at each decision.
        steps: decisions by role, such as `executor day 2`, and by conversation, in order.
    """

    policy: Policy
    generator: np.random.Generator
    greedy: bool = False
    steps: dict[str, list[list[Step]]] = field(default_factory=dict)
    _conversations: dict[int, Conversation] = field(default_factory=dict)

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        """Return a reply with the policy's next calls.

        The identity of the list `messages` identifies the conversation.
        """
        key = id(messages)
        if any(isinstance(message, Assistant) for message in messages):
            results = _last_results(messages)
            calls = self._conversations[key].send(results) if results else next(self._conversations[key])
        else:
            self._conversations[key] = self._begin(messages, tools)
            calls = next(self._conversations[key])
        number = len(messages)
        return Reply(
            None,
            tuple(
                ToolCall(f"call-{number}-{place}", name, json.dumps(arguments, ensure_ascii=False))
                for place, (name, arguments) in enumerate(calls)
            ),
            stopped="calls",
        )

    def about(self) -> Mapping[str, Any]:
        """Return the name and the size of the policy."""
        return {"model": "planspec-train", "parameters": self.policy.size}

    def _begin(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Conversation:
        text = next(message.text for message in messages if isinstance(message, User))
        if any(tool.name == "distribute_task" for tool in tools):
            decider = self._decider(COORDINATOR, COORDINATOR)
            return coordinate(decider, text)
        task = json.loads(text)["task"]
        return execute(self._decider("executor", f"executor day {task['day']}"), task)

    def _decider(self, role: str, name: str) -> Decider:
        decider = Decider(self.policy, role, self.generator, self.greedy)
        self.steps.setdefault(name, []).append(decider.steps)
        return decider


class TrainedRoles(ModelAgent):
    """Agent that uses a trained policy as model, for both roles of `himap`.

    Args:
        weights: file of the policy's parameters.
        draws: seed of the policy's random choices. With several `workers`, results still vary, because the order in
            which the days use random numbers varies.
    """

    def __init__(self, weights: str, draws: int = 0) -> None:
        try:
            policy = Policy.load(Path(weights))
        except (OSError, ValueError) as error:
            raise UnknownAgentError(f"`{weights}` has no weights: {error}") from None
        super().__init__(RoleChat(policy, np.random.default_rng(draws)), retries=0)


def _last_results(messages: Sequence[Message]) -> list[Any]:
    """Return the results of the calls in the model's last reply, in order."""
    last = max(place for place, message in enumerate(messages) if isinstance(message, Assistant))
    return [json.loads(message.text) for message in messages[last:] if isinstance(message, ToolResult)]
