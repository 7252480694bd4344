"""Grades with TRL's environment of Harbor's tasks, whose sandbox is the local environment."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from pathlib import Path
from unittest.mock import patch

from graded import cheat, results
from harbor.models.trial.config import EnvironmentConfig
from local_environment import LocalEnvironment
from trl.experimental.harbor import HarborBashEnv


def local(*args: object, **options: object) -> EnvironmentConfig:
    return EnvironmentConfig(import_path=f"{LocalEnvironment.__module__}:{LocalEnvironment.__name__}")


async def grade(folder: Path, answer: str | None) -> dict[str, float]:
    with patch("harbor.models.trial.config.EnvironmentConfig", local):
        environment = HarborBashEnv()
        environment.reset(str(folder))
        cheat(None)
        if answer is not None:
            text = b64encode(answer.encode()).decode()
            environment.bash(f"echo {text} | base64 -d > /workdir/answer.txt")  # as its prompt has the model do
        return {"reward": environment.reward}


asyncio.run(results(grade))
