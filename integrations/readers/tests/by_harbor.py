"""Grades with a whole trial of Harbor: an agent's environment, its artifacts, a separate verifier."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import mkdtemp

from graded import results
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig
from harbor.trial.trial import Trial


async def grade(task: Path, answer: str | None) -> dict[str, float]:
    config = TrialConfig(
        task=TaskConfig(path=task),
        trials_dir=Path(mkdtemp()),
        agent=AgentConfig(import_path="local_environment:AnsweringAgent", kwargs={"answer": answer}),
        environment=EnvironmentConfig(import_path="local_environment:LocalEnvironment"),
    )
    outcome = await (await Trial.create(config)).run()
    if outcome.exception_info is not None:
        raise RuntimeError(f"{outcome.exception_info.exception_type}: {outcome.exception_info.exception_message}")
    return dict(outcome.verifier_result.rewards)


asyncio.run(results(grade))
