"""Grades with verifiers' tasks of Harbor in its runtime of a process, in a box of the verifier's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from graded import ANSWER, cheat, clean, results
from verifiers.v1.runtimes.subprocess import SubprocessConfig, SubprocessRuntime
from verifiers.v1.tasksets.harbor import HarborConfig, HarborTask, HarborTaskset

TASKS = {task.data.task_dir: task for task in HarborTaskset(HarborConfig(dataset="planspec/suite")).load()}


def trace_of(task: HarborTask) -> Any:
    return vf.Trace.model_construct(state=vf.State(), metrics={}, rewards={}, task=task)


async def grade(folder: Path, answer: str | None) -> dict[str, float]:
    task = TASKS[str(folder)]
    assert task.data.image and task.data.verifier is not None
    task.verifier_staged = False
    agent, judge = (SubprocessRuntime(SubprocessConfig(), name) for name in ("agent", "judge"))
    await agent.start()
    await judge.start()
    try:
        trace = trace_of(task)
        await task.setup(agent)
        cheat(answer)
        await task.finalize(trace, agent)  # collects what the agent wrote
        clean()
        # verifiers restores files in containers alone: this is what its `restore` does with a single file
        if trace.state.artifacts.get(str(ANSWER.parent)) is not None:
            cheat(answer)
        await task.stage_verifier(trace, judge)
        rewards = await task.solved(judge, trace)
        return {**rewards, **trace.metrics}
    finally:
        await agent.teardown()
        await judge.teardown()


asyncio.run(results(grade))
