"""Program that grades with an evaluation of Inspect: inspect-harbor's samples and scorer, in the local sandbox."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from graded import ORACLE, print_results, reset_folders, write_answer_and_forged_reward
from inspect_ai import Task, eval_async
from inspect_ai.solver import solver
from inspect_ai.util import SandboxEnvironmentSpec
from inspect_harbor._harbor.converters import harbor_task_to_sample
from inspect_harbor._harbor.scorer import harbor_scorer
from inspect_harbor._harbor.solver import oracle
from inspect_harbor._harbor.task import load_harbor_tasks


@solver
def answering_solver(answer: str | None) -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        reset_folders()
        write_answer_and_forged_reward(answer)
        return state

    return solve


async def grade(folder: Path, answer: str | None) -> dict[str, float]:
    [task] = load_harbor_tasks(path=folder)
    sample = harbor_task_to_sample(task)
    sample.sandbox = SandboxEnvironmentSpec("local")  # the local sandbox takes no compose file
    [log] = await eval_async(
        Task(
            dataset=[sample], solver=oracle() if answer == ORACLE else answering_solver(answer), scorer=harbor_scorer()
        ),
        model="mockllm/model",
        log_dir="/tmp/logs",
    )
    if log.status != "success":
        raise RuntimeError(log.error.message)
    [score] = log.samples[0].scores.values()
    assert score.value == score.metadata["reward_dict"]["reward"]
    return dict(score.metadata["reward_dict"])


asyncio.run(print_results(grade))
