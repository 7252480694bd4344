"""Grades as OpenEnv does: a trial of Harbor, of whose rewards OpenEnv picks one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from by_harbor import grade as trial
from graded import results
from openenv.harbor.rollout import _pick_reward


async def grade(task: Path, answer: str | None) -> dict[str, float]:
    rewards = await trial(task, answer)
    reward, key = _pick_reward(rewards)
    assert key == "reward"
    return {**rewards, "reward": reward}


asyncio.run(results(grade))
