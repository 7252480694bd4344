"""Program that grades with TRL's environment for Harbor tasks, with the local environment as its sandbox."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path
from unittest.mock import patch

from graded import print_results, write_answer_and_forged_reward
from harbor.models.trial.config import EnvironmentConfig
from local_environment import LocalEnvironment
from trl.experimental.harbor import HarborBashEnv


def local_config(*args: object, **options: object) -> EnvironmentConfig:
    return EnvironmentConfig(import_path=f"{LocalEnvironment.__module__}:{LocalEnvironment.__name__}")


async def grade(folder: Path, answer: str | None) -> dict[str, float]:
    with patch("harbor.models.trial.config.EnvironmentConfig", local_config):
        environment = HarborBashEnv()
        environment.reset(str(folder))
        write_answer_and_forged_reward(None)
        if answer is not None:
            text = b64encode(answer.encode()).decode()
            environment.bash(f"echo {text} | base64 -d > /workdir/answer.txt")  # as the task's prompt demands
        return {"reward": environment.reward}


asyncio.run(print_results(grade))
