"""Rewards for training policies from a run, for each role of an agent, with advantages over repeats.

A group consists of the trajectories of a role at a task over all repeats, as defined by Bui et al. (2026, section 4.6).
The trajectories in a group are comparable because they come from the same prompt. An attempt that failed at the
provider does not measure the policy and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from planspec.agents.credit import CREDIT, TrajectoryReward, group_relative_advantages, reward_of
from planspec.family.registry import family_of
from planspec.runs import Attempt, RunFolder
from planspec.text import align
from planspec.traces.record import Trace


@dataclass(frozen=True, slots=True)
class RoleReward:
    """The reward of one trajectory of a role.

    Attributes:
        task: id of the task.
        repeat: repeat of the attempt, counted from 0.
        role: role, such as `coordinator`, `executor day 2`, or `agent` for an agent without roles.
        round: round of bargaining, counted from 1; None if the trajectory spans all rounds.
        stage: index of the trajectory in the stages of the attempt's trace; None if the trace has no stages.
        reward: reward of the trajectory.
        advantage: reward minus the mean of the group, divided by the standard deviation of the group; None in
            a group of one.
        terms: terms of the reward by name.
    """

    task: str
    repeat: int
    role: str
    round: int | None
    stage: int | None
    reward: Fraction
    advantage: float | None
    terms: Mapping[str, Fraction]

    def __repr__(self) -> str:
        return f"<RoleReward {self.task} repeat {self.repeat}, {self.role}: {float(self.reward):.4g}>"


@dataclass(frozen=True, slots=True)
class RewardGroup:
    """The rewards of one role at one task over all repeats.

    Attributes:
        task: id of the task.
        role: role of the trajectories.
        size: number of trajectories.
        mean: mean of the rewards.
        std: population standard deviation of the rewards.
    """

    task: str
    role: str
    size: int
    mean: float
    std: float

    def __repr__(self) -> str:
        return f"<RewardGroup {self.task}, {self.role}: {self.size}, mean {self.mean:.4g}>"


@dataclass(frozen=True, slots=True)
class RoleRewards:
    """The rewards of a run.

    Attributes:
        run: folder of the run.
        rewards: rewards of the trajectories, in the order of the attempts.
        groups: groups by task and role, in the order of their first trajectories.
        unserved: number of attempts left out because they failed at the provider.
    """

    run: str
    rewards: tuple[RoleReward, ...]
    groups: tuple[RewardGroup, ...]
    unserved: int

    def __repr__(self) -> str:
        return f"<RoleRewards {self.run}: {len(self.rewards)} trajectories, {len(self.groups)} groups>"

    def __str__(self) -> str:
        """Return the text that `planspec rewards` prints."""
        rows = [
            (
                group.task,
                group.role,
                str(group.size),
                f"{group.mean:.4f}",
                "" if group.size == 1 else f"{group.std:.4f}",
            )
            for group in self.groups
        ]
        lines = align([("task", "role", "n", "mean", "std"), *rows], right={2, 3, 4}) if rows else []
        summary = f"{len(self.rewards)} trajectories in {len(self.groups)} groups"
        alone = sum(group.size == 1 for group in self.groups)
        if alone:
            summary += f"; {alone} of one trajectory, which has no advantage: run with --repeats"
        if self.unserved:
            summary += f"; {self.unserved} attempts failed at the provider and are left out"
        return "\n".join([*lines, summary])


def role_rewards(run: str | PathLike[str]) -> RoleRewards:
    """Return the rewards of each role of a run's agent, with advantages over the repeats of each task.

    Args:
        run: folder of the run.

    Raises:
        InvalidRunError: the folder is not a run, or was changed.
    """
    folder = RunFolder(Path(run))
    own = CREDIT.of(family_of(folder.read_header().family))
    credit = _whole_agent_reward if own is None else own
    unserved = 0
    rewards: list[RoleReward] = []
    for attempt in sorted(folder.attempts(), key=_attempt_order(folder)):
        if attempt.unserved:
            unserved += 1
        else:
            rewards += [_role_reward(attempt, earned) for earned in credit(attempt.verdict, attempt.trace)]
    return RoleRewards(str(run), *_with_advantages(rewards), unserved)


def _attempt_order(folder: RunFolder) -> _AttemptOrder:
    return _AttemptOrder({task: index for index, task in enumerate(folder.read_header().tasks)})


@dataclass(frozen=True, slots=True)
class _AttemptOrder:
    """Sort key of attempts: by the order of their tasks in the run, then by repeat."""

    task_indices: Mapping[str, int]

    def __call__(self, attempt: Attempt) -> tuple[int, int]:
        return self.task_indices.get(attempt.task, len(self.task_indices)), attempt.repeat


def _whole_agent_reward(verdict: Mapping[str, Any], _: Trace) -> Sequence[TrajectoryReward]:
    """Return the reward of an agent without roles, from validity and the share of satisfied hard constraints."""
    hard = verdict["hard"]
    share = Fraction(hard["satisfied"], hard["total"] or 1)
    earned = reward_of(verdict["status"] == "pass", share, 0)
    return (TrajectoryReward("agent", earned, {"global": earned}),)


def _role_reward(attempt: Attempt, earned: TrajectoryReward) -> RoleReward:
    return RoleReward(
        attempt.task,
        attempt.repeat,
        earned.role,
        earned.round,
        earned.stage,
        earned.reward,
        None,
        earned.terms,
    )


def _with_advantages(rewards: Sequence[RoleReward]) -> tuple[tuple[RoleReward, ...], tuple[RewardGroup, ...]]:
    """Return the rewards with advantages, and their groups."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, reward in enumerate(rewards):
        places.setdefault((reward.task, reward.role), []).append(place)
    with_advantages, groups = list(rewards), []
    for (task, role), members in places.items():
        values = [rewards[place].reward for place in members]
        floats = [float(value) for value in values]
        groups.append(RewardGroup(task, role, len(members), mean(floats), pstdev(floats)))
        if len(members) > 1:
            for place, advantage in zip(members, group_relative_advantages(values), strict=True):
                with_advantages[place] = replace(with_advantages[place], advantage=advantage)
    return tuple(with_advantages), tuple(groups)
