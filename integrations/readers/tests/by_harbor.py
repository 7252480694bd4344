"""Program that grades with a complete trial of Harbor: the agent's environment, its artifacts, a separate verifier."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import mkdtemp

from graded import ORACLE, print_results
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig
from harbor.trial.trial import Trial


async def grade(task: Path, answer: str | None) -> dict[str, float]:
    agent = AgentConfig(import_path="local_environment:AnsweringAgent", kwargs={"answer": answer})
    config = TrialConfig(
        task=TaskConfig(path=task),
        trials_dir=Path(mkdtemp()),
        agent=AgentConfig(name="oracle") if answer == ORACLE else agent,
        environment=EnvironmentConfig(import_path="local_environment:LocalEnvironment"),
    )
    outcome = await (await Trial.create(config)).run()
    if outcome.exception_info is not None:
        raise RuntimeError(f"{outcome.exception_info.exception_type}: {outcome.exception_info.exception_message}")
    return dict(outcome.verifier_result.rewards)


if __name__ == "__main__":
    asyncio.run(print_results(grade))
