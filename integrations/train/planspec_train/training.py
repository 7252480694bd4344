"""Training by group-relative advantages: the reward of an episode is compared with other episodes of its task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

import planspec
from planspec_train.episodes import Episode, observed_facts
from planspec_train.facts import Facts
from planspec_train.policy import Policy, advantages


@dataclass(frozen=True, slots=True)
class Task:
    """An opened task, with the facts that it shows at the beginning."""

    environment: planspec.Environment
    facts: Facts

    def attempt(
        self, policy: Policy, generator: np.random.Generator, *, greedy: bool = False
    ) -> tuple[Episode, planspec.Outcome]:
        """Let a policy attempt the task once."""
        episode = Episode(policy, self.environment.copy(), self.facts.copy(), generator, greedy)
        return episode, episode.play()


@dataclass(frozen=True, slots=True)
class Plan:
    """Training settings.

    Attributes:
        steps: number of updates.
        groups: number of tasks in an update.
        episodes: number of episodes of each task in an update.
        every: number of updates between two measurements on the held-out tasks.
        entropy: initial weight of the entropy of decisions; it falls to 0 in the last third of the updates.
        addend: addition to the deviation of a group's rewards, by which advantages are divided.
    """

    steps: int = 100
    groups: int = 6
    episodes: int = 16
    every: int = 10
    entropy: float = 0.02
    addend: float = 0.0


def open_tasks(suite: Path) -> list[Task]:
    """Open the tasks of a suite."""
    return [Task(each, observed_facts(each)) for each in planspec.environments_of(suite)]


def train(
    policy: Policy,
    tasks: Sequence[Task],
    plan: Plan,
    seed: int,
    on_step: Callable[[int], None],
) -> list[float]:
    """Train a policy, and return the mean reward of the episodes of each update."""
    generator = np.random.default_rng(seed)
    means = []
    for number in range(plan.steps):
        on_step(number)
        gradient = np.zeros(policy.size)
        entropy = plan.entropy * min(1.0, 3 * (1 - (number + 1) / plan.steps))
        useful = 0
        rewards: list[float] = []
        for place in generator.choice(len(tasks), size=min(plan.groups, len(tasks)), replace=False):
            pairs = [tasks[place].attempt(policy, generator) for _ in range(plan.episodes)]
            rewards += [outcome["reward"] for _, outcome in pairs]
            paid = advantages(rewards[-plan.episodes :], plan.addend)
            useful += bool(paid.any())
            for (episode, _), advantage in zip(pairs, paid, strict=True):
                if useful:
                    gradient += policy.gradient(episode.steps, float(advantage), entropy)
        if useful:
            policy.ascend(gradient / (useful * plan.episodes))
        means.append(fmean(rewards))
    on_step(plan.steps)
    return means


def measure(policy: Policy, tasks: Sequence[Task], seed: int, *, greedy: bool = False) -> dict[str, float]:
    """Play one episode of each task. Return the mean reward, pass rate and number of calls."""
    generator = np.random.default_rng(seed)
    outcomes = [task.attempt(policy, generator, greedy=greedy)[1] for task in tasks]
    return {
        "reward": fmean(outcome["reward"] for outcome in outcomes),
        "pass": fmean(outcome["pass"] for outcome in outcomes),
        "calls": fmean(outcome["calls"] for outcome in outcomes),
    }
