"""Tasks of a suite, or an endless stream of tasks from a family's generator."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pydantic import Field

import planspec
from planspec_verifiers.episodes import episode_of, replay
from planspec_verifiers.tools import PlanspecState, PlanspecTools

METRICS = ("pass", "reward", "hard", "soft", "delivered", "violations", "calls")
"""Keys of an outcome that become metrics. The metric for `reward` is named `dense`."""
INFO = "planspec"
"""Key of planspec's results in `trace.info`."""


class PlanspecTaskConfig(vf.TaskConfig):
    """Configuration of rewards.

    Attributes:
        dense: whether to use planspec's dense reward instead of 1 for a passing answer and 0 for any other.
    """

    dense: bool = False


class PlanspecConfig(vf.TasksetConfig):
    """Configuration of the task set.

    Attributes:
        suite: file, folder or id of a suite or of a single task.
        generate: family that generates the tasks, `veritrip` or `mobilitybench`, instead of a suite.
        options: options of `planspec generate` for each batch, without dashes, such as `{"size": "100"}`.
        seed: seed of the first batch. Each further batch has the next seed.
        folder: folder of the batches. Existing batches are used again.
        setting: setting of the tasks, or None for the first setting of each task.
        tools: configuration of the server of the tools.
        task: configuration of rewards.
    """

    suite: str | None = None
    generate: str | None = None
    options: dict[str, str] = Field(default_factory=dict)
    seed: int = 0
    folder: Path = Path("planspec-generated")
    setting: str | None = None
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()
    task: PlanspecTaskConfig = PlanspecTaskConfig()


class PlanspecData(vf.TaskData):
    """Data of a task that is sent to agents. It does not reveal the answer.

    Attributes:
        source: value of `planspec.Environment.source`.
        setting: setting of the task.
        later: messages of the user in the turns after the first.
    """

    source: str
    setting: str
    later: list[str] = Field(default_factory=list)


class PlanspecTask(vf.Task[PlanspecData, PlanspecState, PlanspecTaskConfig]):
    """A planspec task, which judges its answers."""

    @property
    def key(self) -> str:
        """Id and setting of the task."""
        return f"{self.data.id}:{self.data.setting}"

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Store the rollout's id and task in its state, which the server of the tools reads."""
        trace.state.rollout, trace.state.source, trace.state.setting = (
            trace.id,
            self.data.source,
            self.data.setting,
        )

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether the task's reference passes, or None if the task has no reference."""
        return await asyncio.to_thread(self._reference_passes)

    def _reference_passes(self) -> bool | None:
        reference = planspec.load(self.data.source).reference
        return None if reference is None else planspec.verify(self.data.source, reference).status == "pass"

    @vf.metric
    async def outcome_metrics(self, trace: vf.Trace) -> dict[str, float]:
        """Return the metrics of the last answer by planspec's names. Only the dense reward has another name, `dense`.

        `soft` is left out if the task has no soft constraints.
        """
        outcome: Mapping[str, Any] = await self._outcome(trace)
        present = {name: outcome[name] for name in METRICS if outcome[name] is not None}
        return {("dense" if name == "reward" else name): float(value) for name, value in present.items()}

    @vf.reward(weight=1.0)
    async def earned(self, trace: vf.Trace) -> float:
        """Return 1 if the last answer passes and 0 if not, or the dense reward if configured."""
        outcome: Mapping[str, Any] = await self._outcome(trace)
        return float(outcome["reward" if self.config.dense else "pass"])

    async def _outcome(self, trace: vf.Trace) -> planspec.Outcome:
        """Return the outcome of the last answer. It is computed once, and stored in the trace with the violations."""
        results = trace.info.setdefault(INFO, {})
        if "outcome" not in results:
            results.update(await asyncio.to_thread(self._judge, trace.assistant_messages, results.get("ends", [])))
        outcome: planspec.Outcome = results["outcome"]
        return outcome

    def _judge(self, replies: list[vf.AssistantMessage], ends: list[int]) -> dict[str, Any]:
        episode = episode_of(self.data.source, self.data.setting)
        outcome = replay(episode, replies, ends)
        assert episode.verdict is not None, "the last turn was answered"
        violated = [finding for finding in episode.verdict.findings if finding.status == "violated"]
        return {"outcome": dict(outcome), "violated": {each.constraint: each.message for each in violated}}


class PlanspecTaskset(vf.Taskset[PlanspecTask, PlanspecConfig]):
    """A planspec suite, or an endless stream of tasks from the generator of a family.

    Raises:
        ValueError: the configuration names both a suite and a family, or neither.
    """

    def __init__(self, config: PlanspecConfig) -> None:
        if (config.suite is None) == (config.generate is None):
            raise ValueError("name either a suite or a family whose generator makes tasks: `suite` or `generate`")
        super().__init__(config)
        self.INFINITE = config.generate is not None

    def load(self) -> Iterator[PlanspecTask]:
        """Yield the tasks. A further batch is generated once all tasks of the previous one have been used."""
        for suite in self._suites():
            for episode in planspec.environments_of(suite, self.config.setting):
                yield PlanspecTask(_data(episode), self.config.task)

    @classmethod
    def toolsets(cls, config: PlanspecConfig) -> list[vf.Toolset]:
        """Return the tools, which one server offers to all rollouts."""
        return [PlanspecTools(config.tools)]

    def _suites(self) -> Iterator[str]:
        if self.config.suite is not None:
            yield self.config.suite
        else:
            for seed in count(self.config.seed):
                yield str(self._batch(seed))

    def _batch(self, seed: int) -> Path:
        family, options = self.config.generate, self.config.options
        assert family is not None, "the config names a suite or a family"
        name = "-".join([family, *(f"{key}{value}" for key, value in sorted(options.items())), str(seed)])
        folder = self.config.folder.absolute() / name
        done_file = folder.with_suffix(".done")
        if not done_file.exists():  # an interrupted batch is generated again
            arguments = [part for key, value in options.items() for part in (f"--{key}", value) if part]
            command = ["generate", family, "--out", str(folder), "--seed", str(seed), *arguments]
            process = subprocess.run(
                [sys.executable, "-P", "-m", "planspec", *command],
                capture_output=True,
                text=True,
                check=False,
            )
            if process.returncode:
                raise RuntimeError(f"`planspec {' '.join(command)}` failed:\n{process.stderr.strip()}")
            done_file.touch()
        return folder


def _data(episode: planspec.Environment) -> PlanspecData:
    """Return the data of a task.

    Raises:
        ValueError: the messages are not one system prompt and one message of the user.
    """
    system, user = (message["content"] for message in episode.messages)
    pictures = episode.observation.images
    prompt: str | list[vf.UserMessage] = user
    if pictures:
        parts: list[vf.ContentPart] = [vf.TextContentPart(text=user)]
        for title, data in pictures.items():
            parts += [vf.TextContentPart(text=f"# {title}"), _picture(data)]
        prompt = [vf.UserMessage(content=parts)]
    assert episode.source is not None, "tasks of a suite have a file"
    ahead = episode.copy()
    later = []
    for _ in range(1, episode.turns):
        ahead.submit(None)
        later.append(ahead.messages[0]["content"])
    return PlanspecData(
        id=episode.task,
        name=episode.task,
        prompt=prompt,
        system_prompt=system,
        source=episode.source,
        setting=episode.setting,
        later=later,
    )


def _picture(data: bytes) -> vf.ImageUrlContentPart:
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    address = f"data:image/{kind};base64,{b64encode(data).decode('ascii')}"
    return vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=address))
