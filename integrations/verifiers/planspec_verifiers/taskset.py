"""The tasks of a suite, or without end those that a family's generator makes."""

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
from planspec_verifiers.episodes import episode_of, replayed
from planspec_verifiers.tools import PlanspecState, PlanspecTools

MEASURED = ("pass", "reward", "hard", "soft", "delivered", "violations", "calls")
"""What of an outcome is a metric; `reward` is called `dense` there."""
INFO = "planspec"
"""Where a trace keeps what planspec says of it."""


class PlanspecTaskConfig(vf.TaskConfig):
    """How answers are paid.

    Attributes:
        dense: the reward is planspec's dense one instead of 1 for an answer that passes and 0 for any other.
    """

    dense: bool = False


class PlanspecConfig(vf.TasksetConfig):
    """Which tasks.

    Attributes:
        suite: its file, folder or id; a task alone is a suite, too.
        generate: instead of a suite the family whose generator makes tasks, `veritrip` or `mobilitybench`.
        options: of `planspec generate`, without dashes, as `{"size": "100"}`; each batch has them.
        seed: of the first batch; the next one has the next seed.
        folder: for the batches. One that is there already is not made again.
        setting: in which agents meet the tasks; if None, the first that each is prepared for.
        tools: where the server of the tools runs.
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
    """A task as it goes over the wire; nothing of it tells the answer.

    Attributes:
        source: `planspec.Environment.source`.
        setting: in which it is met.
        later: what the user says at the turns after the first.
    """

    source: str
    setting: str
    later: list[str] = Field(default_factory=list)


class PlanspecTask(vf.Task[PlanspecData, PlanspecState, PlanspecTaskConfig]):
    """A task of planspec: its tools, and the verdict on what is answered."""

    @property
    def key(self) -> str:
        """The task's id and setting."""
        return f"{self.data.id}:{self.data.setting}"

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Tell the server of the tools whose calls it will get."""
        trace.state.rollout, trace.state.source, trace.state.setting = (
            trace.id, self.data.source, self.data.setting,
        )  # fmt: skip

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether a right answer that the task's author states passes; None where none is stated."""
        return await asyncio.to_thread(self._reference_passes)

    def _reference_passes(self) -> bool | None:
        reference = planspec.load(self.data.source).reference
        return None if reference is None else planspec.verify(self.data.source, reference).status == "pass"

    @vf.metric
    async def measured(self, trace: vf.Trace) -> dict[str, float]:
        """What the last answer earned, by planspec's names."""
        outcome: Mapping[str, Any] = await self._outcome(trace)
        return {("dense" if name == "reward" else name): float(outcome[name]) for name in MEASURED}

    @vf.reward(weight=1.0)
    async def earned(self, trace: vf.Trace) -> float:
        """1 if the last answer passes, else 0; or the dense reward."""
        outcome: Mapping[str, Any] = await self._outcome(trace)
        return float(outcome["reward" if self.config.dense else "pass"])

    async def _outcome(self, trace: vf.Trace) -> planspec.Outcome:
        """What the rollout earned; worked out once, from its messages, and kept in the trace with what is violated."""
        kept = trace.info.setdefault(INFO, {})
        if "outcome" not in kept:
            kept.update(await asyncio.to_thread(self._judged, trace.assistant_messages, kept.get("ends", [])))
        outcome: planspec.Outcome = kept["outcome"]
        return outcome

    def _judged(self, replies: list[vf.AssistantMessage], ends: list[int]) -> dict[str, Any]:
        episode = episode_of(self.data.source, self.data.setting)
        outcome = replayed(episode, replies, ends)
        assert episode.verdict is not None, "the last turn was answered"
        violated = [finding for finding in episode.verdict.findings if finding.status == "violated"]
        return {"outcome": dict(outcome), "violated": {each.constraint: each.message for each in violated}}


class PlanspecTaskset(vf.Taskset[PlanspecTask, PlanspecConfig]):
    """A suite of planspec, or tasks without end from the generator of a family.

    Raises:
        ValueError: the config names neither, or both.
    """

    def __init__(self, config: PlanspecConfig) -> None:
        if (config.suite is None) == (config.generate is None):
            raise ValueError(
                "name either a suite or a family whose generator makes tasks: `suite` or `generate`"
            )
        super().__init__(config)
        self.INFINITE = config.generate is not None

    def load(self) -> Iterator[PlanspecTask]:
        """The tasks; a batch is generated when the one before is used up."""
        for suite in self._suites():
            for episode in planspec.environments_of(suite, self.config.setting):
                yield PlanspecTask(_data(episode), self.config.task)

    @classmethod
    def toolsets(cls, config: PlanspecConfig) -> list[vf.Toolset]:
        """One server for all rollouts."""
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
        done = folder.with_suffix(".done")
        if not done.exists():  # a batch that was broken off is made again
            said = [part for key, value in options.items() for part in (f"--{key}", value) if part]
            command = ["generate", family, "--out", str(folder), "--seed", str(seed), *said]
            made = subprocess.run(
                [sys.executable, "-P", "-m", "planspec", *command],
                capture_output=True,
                text=True,
                check=False,
            )
            if made.returncode:
                raise RuntimeError(f"`planspec {' '.join(command)}` failed:\n{made.stderr.strip()}")
            done.touch()
        return folder


def _data(episode: planspec.Environment) -> PlanspecData:
    """A task's data.

    Raises:
        ValueError: its messages are not those of one brief and one user.
    """
    brief, user = (message["content"] for message in episode.messages)
    pictures = episode.observation.images
    told: str | list[vf.UserMessage] = user
    if pictures:
        parts: list[vf.ContentPart] = [vf.TextContentPart(text=user)]
        for title, data in pictures.items():
            parts += [vf.TextContentPart(text=f"# {title}"), _picture(data)]
        told = [vf.UserMessage(content=parts)]
    assert episode.source is not None, "tasks of a suite have a file"
    ahead = episode.copy()
    later = []
    for _ in range(1, episode.turns):
        ahead.submit(None)
        later.append(ahead.messages[0]["content"])
    return PlanspecData(
        id=episode.task, name=episode.task, prompt=told, system_prompt=brief, source=episode.source,
        setting=episode.setting, later=later,
    )  # fmt: skip


def _picture(data: bytes) -> vf.ImageUrlContentPart:
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    address = f"data:image/{kind};base64,{b64encode(data).decode('ascii')}"
    return vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=address))
