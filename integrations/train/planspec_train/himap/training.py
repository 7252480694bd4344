"""Training of a policy for both roles. Advantages are computed for each role separately."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from planspec_train.himap.episodes import Attempt, Trajectory, Trip
from planspec_train.policy import Floats, Policy, advantages
from planspec_train.training import TrainingSettings

ROLES = ("coordinator", "executor")


def open_trips(suite: Path) -> list[Trip]:
    """Open the tasks of a suite as trips."""
    return [Trip.open(str(file)) for file in sorted(suite.parent.glob("tasks/*.yaml"))]


def train(
    policy: Policy, trips: Sequence[Trip], settings: TrainingSettings, seed: int, on_step: Callable[[int], None]
) -> list[float]:
    """Train a policy that both roles share, and return the mean pass rate of the attempts of each update.

    An advantage compares a trajectory with its group: all trajectories of one role, such as `executor day 2`, at one
    task. Coordinator and executors have the same weight in the gradient, whatever their numbers of trajectories.
    """
    generator = np.random.default_rng(seed)
    passes = []
    for number in range(settings.steps):
        on_step(number)
        entropy = settings.entropy * min(1.0, 3 * (1 - (number + 1) / settings.steps))
        total = np.zeros(policy.size)
        places = generator.choice(len(trips), size=min(settings.groups, len(trips)), replace=False)
        attempts = [[trips[place].attempt(policy, generator) for _ in range(settings.episodes)] for place in places]
        for role in ROLES:
            groups = [group for each in attempts for group in groups_of(each, role)]
            count = sum(map(len, groups))
            if count:
                total += (
                    sum((_gradient(policy, group, settings.addend, entropy) for group in groups), np.zeros(policy.size))
                    / count
                )
        policy.ascend(total)
        passes.append(fmean(each.passes for group in attempts for each in group))
    on_step(settings.steps)
    return passes


def groups_of(attempts: Sequence[Attempt], role: str) -> list[list[Trajectory]]:
    """Group the trajectories of attempts at one task by role, such as `executor day 2`.

    Only roles that begin with `role` are included.
    """
    groups: dict[str, list[Trajectory]] = {}
    for attempt in attempts:
        for each in attempt.trajectories:
            if each.role.startswith(role):
                groups.setdefault(each.role, []).append(each)
    return list(groups.values())


def _gradient(policy: Policy, group: Sequence[Trajectory], addend: float, entropy: float) -> Floats:
    relative = advantages([each.reward for each in group], addend)
    return sum(
        (
            policy.gradient(each.steps, float(advantage), entropy)
            for each, advantage in zip(group, relative, strict=True)
        ),
        np.zeros(policy.size),
    )


def measure(policy: Policy, trips: Sequence[Trip], seed: int, *, greedy: bool = False) -> dict[str, float]:
    """Return the mean reward of each role, the pass rate and the number of calls of one attempt at each trip."""
    generator = np.random.default_rng(seed)
    attempts = [trip.attempt(policy, generator, greedy=greedy) for trip in trips]
    rewards = {role: [r for each in attempts if (r := each.reward(role)) is not None] for role in ROLES}
    return {role: fmean(each) if each else 0.0 for role, each in rewards.items()} | {
        "pass": fmean(each.passes for each in attempts),
        "calls": fmean(each.calls for each in attempts),
    }
