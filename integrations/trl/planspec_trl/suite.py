"""A suite as the data set, environments and reward of `GRPOTrainer`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from datasets import Dataset

import planspec
from planspec_trl.tools import Episode, UnsuitableToolError, episode_class

__all__ = ["PlanspecSuite", "UnsuitableToolError"]


class PlanspecSuite:
    """The tasks of a suite for `GRPOTrainer`.

    Tasks with different tools have different environment classes, so that a model sees only the tools of its
    task.

    Attributes:
        train_dataset: one row for each task, with its messages as `prompt`.
        environment_factory: an environment class for each set of tools, by its name in the column `environment`.
        reward_funcs: a list of one function, `planspec_reward`.

    Args:
        suite: file, folder or id of a suite or of a single task.
        setting: setting of the tasks, or None for the first one.
        dense: whether to use planspec's dense reward instead of 1 for a passing answer and 0 for any other.
        limit: maximum number of tasks, or None for all.

    Raises:
        UnsuitableToolError: a tool cannot be a method.
        ValueError: a task has several turns or pictures; TRL's loop takes a single text prompt.
    """

    def __init__(
        self,
        suite: str | PathLike[str],
        setting: str | None = None,
        *,
        dense: bool = False,
        limit: int | None = None,
    ) -> None:
        self._dense = dense
        rows: list[dict[str, Any]] = []
        classes: dict[str, type[Episode]] = {}
        names: dict[str, str] = {}
        for episode in planspec.environments_of(suite, setting):
            if len(rows) == limit:
                break
            if episode.turns > 1 or episode.observation.images:
                raise ValueError(f"`{episode.task}` has several turns or pictures, which TRL's loop does not support")
            tools = json.dumps(episode.tools, sort_keys=True)
            name = names.setdefault(tools, f"tools-{len(names) + 1}")
            if name not in classes:
                classes[name] = episode_class(episode.tools)
            rows.append(
                {
                    "prompt": episode.messages,
                    "task": episode.task,
                    "source": episode.source,
                    "setting": episode.setting,
                    "environment": name,
                }
            )
        self.train_dataset = Dataset.from_list(rows)
        self.environment_factory: dict[str, Callable[[], Episode]] = dict(classes)
        self.reward_funcs = [self.planspec_reward]

    def planspec_reward(
        self,
        completions: Sequence[Sequence[dict[str, Any]]],
        environments: Sequence[Episode],
        log_metric: Callable[[str, float], None] | None = None,
        **columns: Any,
    ) -> list[float]:
        """Return the reward of each rollout. The last message of a rollout is its answer.

        Args:
            completions: messages of each rollout.
            environments: environment of each rollout.
            log_metric: the trainer's function that records a metric. It is called with the means over the rollouts;
                `soft` is left out if no task has soft constraints.
            columns: columns of the data set and further arguments of the trainer, which are ignored.
        """
        outcomes = [
            environment._submit(answer_of(messages))
            for messages, environment in zip(completions, environments, strict=True)
        ]
        if log_metric is not None:
            for name in ("pass", "reward", "hard", "soft", "delivered", "violations", "calls"):
                shown = [outcome[name] for outcome in outcomes]  # type: ignore[literal-required]
                values = [float(value) for value in shown if value is not None]
                if values:
                    log_metric(f"planspec/{'dense' if name == 'reward' else name}", sum(values) / len(values))
        return [float(outcome["reward"] if self._dense else outcome["pass"]) for outcome in outcomes]


def answer_of(messages: Sequence[dict[str, Any]]) -> str | None:
    """Return the text of the last message, or None if the rollout ended with a call or has no message."""
    last = messages[-1] if messages else {}
    return last.get("content") if last.get("role") == "assistant" and not last.get("tool_calls") else None
