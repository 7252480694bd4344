"""The rewards of a run for whoever trains a policy: of each part of an agent, with advantages over the repeats of a task.

A group is what one role did at one task in all repeats, as in Bui et al. (2026, section 4.6): its trajectories were generated under the same
prompt, so they compare. An attempt that failed at the provider says nothing of the policy and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from statistics import mean, pstdev
from typing import Any

from planspec.agents.credit import Earned, group_relative_advantages, reward_of
from planspec.families.registry import family_of
from planspec.runs import Attempt, RunFolder
from planspec.text_table import align
from planspec.traces.record import Trace


@dataclass(frozen=True, slots=True)
class RoleReward:
    """What one trajectory of a role earned.

    Attributes:
        task: its id.
        repeat: of the attempt, from 0.
        role: such as `coordinator`, `executor day 2`, or `agent` for an agent without roles.
        round: of bargaining, from 1; None where the trajectory goes on through all of them.
        stage: the place of the trajectory in the stages of the attempt's trace; None where the trace has none.
        reward: what it earned.
        advantage: the reward less the mean of the group, by its standard deviation; None in a group of one.
        terms: of which the reward is made up, by name.
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
    """What one role earned at one task over all repeats.

    Attributes:
        task: its id.
        role: of its trajectories.
        size: how many there are.
        mean: of the rewards.
        std: their standard deviation, that of the group itself.
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
        run: its folder.
        rewards: of each trajectory, in the order of the attempts.
        groups: of them, by task and role, in the order in which they begin.
        unserved: attempts that failed at the provider and are left out.
    """

    run: str
    rewards: tuple[RoleReward, ...]
    groups: tuple[RewardGroup, ...]
    unserved: int

    def __repr__(self) -> str:
        return f"<RoleRewards {self.run}: {len(self.rewards)} trajectories, {len(self.groups)} groups>"

    def __str__(self) -> str:
        """What `planspec rewards` prints."""
        rows = [
            (one.task, one.role, str(one.size), f"{one.mean:.4f}", "" if one.size == 1 else f"{one.std:.4f}")
            for one in self.groups
        ]
        lines = align([("task", "role", "n", "mean", "std"), *rows], right={2, 3, 4}) if rows else []
        told = f"{len(self.rewards)} trajectories in {len(self.groups)} groups"
        alone = sum(one.size == 1 for one in self.groups)
        if alone:
            told += f"; {alone} of one trajectory, which has no advantage: run with --repeats"
        if self.unserved:
            told += f"; {self.unserved} attempts failed at the provider and are left out"
        return "\n".join([*lines, told])


def role_rewards(run: str | PathLike[str]) -> RoleRewards:
    """The rewards of a run: of each role of the agent, with advantages over the repeats of each task.

    Args:
        run: its folder.

    Raises:
        InvalidRunError: it is no run, or not as it was written.
    """
    folder = RunFolder(Path(run))
    lazy = family_of(folder.run().family).credit
    credit = _whole if lazy is None else lazy.load()
    unserved = 0
    made: list[RoleReward] = []
    for attempt in sorted(folder.attempts(), key=_placed(folder)):
        if attempt.unserved:
            unserved += 1
        else:
            made += [_reward(attempt, one) for one in credit(attempt.verdict, attempt.trace)]
    return RoleRewards(str(run), *_grouped(made), unserved)


def _placed(folder: RunFolder) -> _Order:
    return _Order({task: place for place, task in enumerate(folder.run().tasks)})


@dataclass(frozen=True, slots=True)
class _Order:
    """The order of attempts: that of their tasks in the run, then of their repeats."""

    places: Mapping[str, int]

    def __call__(self, attempt: Attempt) -> tuple[int, int]:
        return self.places.get(attempt.task, len(self.places)), attempt.repeat


def _whole(verdict: Mapping[str, Any], _: Trace) -> Sequence[Earned]:
    """The reward of an agent whose parts nobody knows: valid, and the share of the hard rules that hold."""
    hard = verdict["hard"]
    share = Fraction(hard["satisfied"], hard["total"] or 1)
    earned = reward_of(verdict["status"] == "pass", share, 0)
    return (Earned("agent", earned, {"global": earned}),)


def _reward(attempt: Attempt, one: Earned) -> RoleReward:
    return RoleReward(
        attempt.task, attempt.repeat, one.role, one.round, one.stage, one.reward, None, one.terms
    )


def _grouped(made: Sequence[RoleReward]) -> tuple[tuple[RoleReward, ...], tuple[RewardGroup, ...]]:
    """The rewards with their advantages, and their groups."""
    places: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(made):
        places.setdefault((one.task, one.role), []).append(place)
    told, groups = list(made), []
    for (task, role), members in places.items():
        rewards = [made[place].reward for place in members]
        floats = [float(reward) for reward in rewards]
        groups.append(RewardGroup(task, role, len(members), mean(floats), pstdev(floats)))
        if len(members) > 1:
            for place, advantage in zip(members, group_relative_advantages(rewards), strict=True):
                told[place] = replace(told[place], advantage=advantage)
    return tuple(told), tuple(groups)
