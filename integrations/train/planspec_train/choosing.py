"""Choice of the training settings for a kind of tasks, by rewards on the validation tasks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from planspec_train.courses import Course
from planspec_train.policy import Policy
from planspec_train.training import TrainingSettings

SEEDS = (100, 101)
"""Seeds of the trainings that are compared. Reported results have other seeds."""
GRID: MutableMapping[str, Sequence[Mapping[str, Any]]] = {
    "errands": [{"steps": 120, "entropy": entropy} for entropy in (0.02, 0.04)],
    "scheduling": [{"steps": 120, "entropy": entropy} for entropy in (0.02, 0.04)],
    "himap": [{"steps": 40, "episodes": 8, "entropy": 0.01, "addend": addend} for addend in (0.0, 0.1)],
}
"""Settings to compare, by kind: fields of `TrainingSettings`."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Result of training with one setting and several seeds.

    Attributes:
        settings: the training settings.
        rewards: for each seed, the mean reward on the validation tasks after the last update.
        cpu_s: CPU time of all trainings in seconds.
    """

    settings: TrainingSettings
    rewards: Sequence[float]
    cpu_s: float

    @property
    def score(self) -> float:
        """Mean of the rewards minus their standard deviation. It prefers settings that learn with every seed."""
        return fmean(self.rewards) - stdev(self.rewards)


def trials(kind: str, course: Course, folder: Path) -> Iterator[Trial]:
    """Train with each setting of the grid and each seed. Held-out tasks are neither written nor opened.

    Args:
        kind: name of the kind of tasks.
        course: functions that make the tasks and train on them.
        folder: folder of the suites.
    """
    tasks, checked = (course.open(course.prepare(folder, split)) for split in ("train", "validation"))
    for setting in GRID[kind]:
        begun, settings = time.process_time(), replace(course.settings, **setting)
        rewards = [_validation_reward(course, settings, tasks, checked, seed) for seed in SEEDS]
        yield Trial(settings, rewards, time.process_time() - begun)


def _validation_reward(
    course: Course, settings: TrainingSettings, tasks: Sequence[Any], checked: Sequence[Any], seed: int
) -> float:
    """Train once, and return the mean reward on the validation tasks."""
    policy = Policy()
    course.train(policy, tasks, settings, seed, lambda _: None)
    measured = course.measure(policy, checked, seed)
    return fmean(measured[name] for name in course.rewards)
