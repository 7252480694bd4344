"""Program that grades with the Harbor tasks of the package verifiers, in its subprocess runtimes.

The agent and the verifier have separate runtimes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from graded import ANSWER, print_results, reset_folders, write_answer_and_forged_reward
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
        write_answer_and_forged_reward(answer)
        await task.finalize(trace, agent)  # collects what the agent wrote
        reset_folders()
        # verifiers restores artifacts only in containers; this has the effect of its `restore` for a single file
        if trace.state.artifacts.get(str(ANSWER.parent)) is not None:
            write_answer_and_forged_reward(answer)
        await task.stage_verifier(trace, judge)
        rewards = await task.solved(judge, trace)
        return {**rewards, **trace.metrics}
    finally:
        await agent.teardown()
        await judge.teardown()


asyncio.run(print_results(grade))
