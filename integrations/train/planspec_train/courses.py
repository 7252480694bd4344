"""The kinds of tasks to train on, each with functions that make tasks, train on them, and measure rewards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import planspec
from planspec_train.episodes import observed_facts
from planspec_train.himap import training as roles
from planspec_train.himap.episodes import Trip
from planspec_train.policy import Policy
from planspec_train.preparing import (
    prepare_errands,
    prepare_scheduling,
    prepare_trips,
    shipped_errands,
    shipped_schedules,
    shipped_trips,
)
from planspec_train.splits import Split
from planspec_train.training import Plan, Task, measure, open_tasks, train


@dataclass(frozen=True, slots=True)
class Course:
    """A kind of tasks with everything that training on it needs.

    Attributes:
        plan: training settings.
        prepare: function that writes the suite of a split into a folder and returns the suite's file.
        shipped: function that returns ids or files of shipped tasks of this kind, which are not trained on.
        open: function that opens the tasks of a suite.
        open_shipped: function that opens a shipped task by its id or file.
        train: function that trains a policy and returns the mean reward of the episodes of each update.
        measure: function that lets a policy attempt each task once and returns mean measurements by name.
        rewards: names of the measured rewards. Training counts as successful if each of them rises.
        bounds: rewards at the bottom and at the top of the chart.
    """

    plan: Plan
    prepare: Callable[[Path, Split], Path]
    shipped: Callable[[Path], Sequence[str]]
    open: Callable[[Path], Sequence[Any]]
    open_shipped: Callable[[str], Any]
    train: Callable[[Policy, Sequence[Any], Plan, int, Callable[[int], None]], list[float]]
    measure: Callable[..., Mapping[str, float]]
    rewards: Sequence[str] = ("reward",)
    bounds: tuple[float, float] = (0.0, 1.0)


def _open_task(name: str) -> Task:
    environment = planspec.environment(name)
    return Task(environment, observed_facts(environment))


COURSES: Mapping[str, Course] = {
    "errands": Course(Plan(steps=120), prepare_errands, shipped_errands, open_tasks, _open_task, train, measure),
    "scheduling": Course(
        Plan(steps=120),
        prepare_scheduling,
        shipped_schedules,
        open_tasks,
        _open_task,
        train,
        measure,
    ),
    "himap": Course(
        Plan(steps=40, episodes=8, every=10, entropy=0.01, addend=0.1),
        prepare_trips,
        shipped_trips,
        roles.open_trips,
        Trip.open,
        roles.train,
        roles.measure,
        roles.ROLES,
        (-0.4, 1.2),
    ),
}
"""Kinds of tasks by name."""
