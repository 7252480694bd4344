"""Program that grades like OpenEnv: it runs a trial of Harbor, and OpenEnv's code selects one of the rewards."""

from __future__ import annotations

import asyncio
from pathlib import Path

from by_harbor import grade as trial
from graded import print_results
from openenv.harbor.rollout import _pick_reward


async def grade(task: Path, answer: str | None) -> dict[str, float]:
    rewards = await trial(task, answer)
    reward, key = _pick_reward(rewards)
    assert key == "reward"
    return {**rewards, "reward": reward}


asyncio.run(print_results(grade))
