"""Episodes of `himap` with a policy in both roles, and the rewards of their trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import planspec
from planspec.agents import Desk, Limits, TaskView
from planspec.agents.credit import TrajectoryReward
from planspec.agents.failures import AttemptFailedError
from planspec.agents.models import ModelAgent
from planspec.families.travelplanner.himap.chatting import plan_with_model
from planspec.families.travelplanner.himap.credit import credit
from planspec.families.travelplanner.himap.extraction import check_extraction
from planspec.families.travelplanner.himap.pricing import pricing_by_task
from planspec_train.himap.chat import RoleChat
from planspec_train.policy import Policy, Step

ROUNDS = 3
LIMITS = Limits(seconds=600.0, tool_calls=None, steps=400)


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Decisions and reward of one role in one conversation.

    Attributes:
        role: `coordinator` or `executor day N`. Rewards are compared among trajectories of the same role.
        reward: the role's reward.
        steps: its decisions.
    """

    role: str
    reward: float
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class Attempt:
    """Result of an attempt at a trip.

    Attributes:
        trajectories: trajectories of all roles.
        passes: whether the plan satisfies every hard rule.
        calls: number of calls of search tools.
    """

    trajectories: Sequence[Trajectory]
    passes: bool
    calls: int

    def reward(self, role: str) -> float | None:
        """Return the mean reward of the trajectories whose role begins with `role`; None if there is none."""
        rewards = [each.reward for each in self.trajectories if each.role.startswith(role)]
        return sum(rewards) / len(rewards) if rewards else None


@dataclass(frozen=True, slots=True)
class Trip:
    """An opened task of TravelPlanner."""

    view: TaskView
    judge: planspec.Judge

    @classmethod
    def open(cls, name: str) -> Trip:
        """Open a task by its id or file."""
        task = planspec.load(name)
        return cls(replace(planspec.environment(task).observation, limits=LIMITS), planspec.Judge(task))

    def attempt(self, policy: Policy, generator: np.random.Generator, *, greedy: bool = False) -> Attempt:
        """Let a policy plan the trip once, in both roles. The days are planned in sequence."""
        chat = RoleChat(policy, generator, greedy)
        desk = Desk(self.view.tools, LIMITS, timed=False)
        answer: Any = []
        try:
            answer = plan_with_model(
                ModelAgent(chat, retries=0),
                self.view,
                desk,
                pricing_by_task(self.judge),
                partial(check_extraction, self.judge.task),
                rounds=ROUNDS,
                workers=1,
                is_monitored=True,
                is_coordinated=True,
            )
        except AttemptFailedError as failed:
            if failed.boundary != "decode":
                raise
        verdict = self.judge.answer(answer)
        rewards = credit(asdict(verdict), desk.trace(self.view.task, "himap", None, None))
        calls = sum(not call.extra.get("own") for call in desk.calls)
        return Attempt(tuple(_trajectories(chat, rewards)), verdict.status == "pass", calls)


def _trajectories(chat: RoleChat, rewards: Sequence[TrajectoryReward]) -> list[Trajectory]:
    """Combine rewards with decisions. Both list the conversations of a role in the same order."""
    numbers: dict[str, int] = {}
    trajectories = []
    for each in rewards:
        number = numbers.get(each.role, 0)
        numbers[each.role] = number + 1
        trajectories.append(Trajectory(each.role, float(each.reward), chat.steps[each.role][number]))
    return trajectories
