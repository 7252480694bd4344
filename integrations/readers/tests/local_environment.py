"""An environment and an agent for Harbor without containers: they use the files of this process."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

from graded import FOLDERS, reset_folders, write_answer_and_forged_reward
from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities


class LocalEnvironment(BaseEnvironment):
    """A Harbor environment without a container. Each start empties the folders, as if the container were new."""

    @staticmethod
    def type() -> str:
        return "local"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    def _validate_definition(self) -> None:
        if not self.task_env_config.docker_image:
            raise FileNotFoundError("no image")

    async def start(self, force_build: bool) -> None:
        reset_folders()
        for folder in ("agent", "verifier", "artifacts"):
            Path("/logs", folder).mkdir(parents=True)
        await self._upload_environment_dir_after_start()

    async def stop(self, delete: bool) -> None:
        reset_folders()

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target_path)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        shutil.copytree(source_dir, target_dir, dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(source_dir, target_dir, dirs_exist_ok=True)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        words = ["env", *(f"{name}={value}" for name, value in (env or {}).items()), "bash", "-c", command]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*words, cwd=cwd or "/tmp", stdout=pipe, stderr=pipe)
        out, errors = await asyncio.wait_for(process.communicate(), timeout_sec)
        return ExecResult(stdout=out.decode(), stderr=errors.decode(), return_code=process.returncode or 0)


class AnsweringAgent(BaseAgent):
    """An agent that writes the answer in its option `answer`."""

    capabilities = AgentCapabilities(mcp_servers=True)  # without this capability, Harbor refuses tasks with tools

    def __init__(self, *args: Any, answer: str | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._answer = answer

    @staticmethod
    def name() -> str:
        return "answering"

    def version(self) -> str:
        return "1"

    async def setup(self, environment: BaseEnvironment) -> None:
        assert all(not any(Path(folder).rglob("*.json")) for folder in FOLDERS), "a file of an earlier trial"

    async def run(self, instruction: str, environment: BaseEnvironment, context: Any) -> None:
        write_answer_and_forged_reward(self._answer)
