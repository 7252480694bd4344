"""Worker processes, each of which makes one attempt at a time.

An agent may hang, run out of memory or crash. This affects only its worker, and the main process records the failure.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOBase
from pathlib import Path
from typing import Any

from planspec.agents.agent import AgentSpec, agent
from planspec.agents.models.reply_cache import ReplyCache
from planspec.agents.optional import conceal
from planspec.agents.view import Limits
from planspec.runs.attempting import AttemptSpec, attempt

GRACE = 15.0
"""Seconds after an attempt's time limit before its worker is killed."""
UNOPENED = "unopened"
"""Key of a worker's reply if the task could not be opened. Its value is the reason, and there is no attempt."""
STARTING = 120.0
"""Seconds that a worker may take to load its modules before its first attempt."""


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """A request to a worker for an attempt. `path` is the file of the task."""

    spec: AttemptSpec
    path: str


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Configuration that each worker gets when it starts.

    Attributes:
        spec: name and options of the agent.
        setting: setting in which the agent solves tasks; None for the default.
        folder: folder of the suite; None if unknown.
        limits: limits of each attempt.
        hidden: folders and files to hide from the agent's programs.
        replies: folder of cached replies of models; None for no cache.
        run: folder of the run, in which pictures are stored; None to store none.
    """

    spec: AgentSpec
    setting: str | None
    folder: str | None
    limits: Limits
    hidden: tuple[Path, ...] = ()
    replies: Path | None = None
    run: Path | None = None


class ScreenLines(TextIOBase):
    """A text stream to a terminal with a progress bar. Each line is written over the bar, which then reappears below.

    Args:
        terminal: file descriptor of the terminal.
    """

    def __init__(self, terminal: int) -> None:
        self._terminal, self._incomplete = terminal, ""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Buffer the text, and write each complete line."""
        *lines, self._incomplete = (self._incomplete + text).split("\n")
        for line in lines:
            self._print_line(line)
        return len(text)

    def end(self) -> None:
        """Write a remaining incomplete line."""
        if self._incomplete:
            self._print_line(self._incomplete)
            self._incomplete = ""

    def _print_line(self, line: str) -> None:
        with suppress(OSError):  # the terminal may be closed
            os.write(self._terminal, f"\r\x1b[2K{line}\n".encode("utf-8", "backslashreplace"))


def print_on_stderr() -> None:
    """Redirect this process's standard output to standard error.

    Otherwise the output of agents and of programs that they start would be mixed with the command's result.
    """
    with suppress(OSError):  # a stream may be closed
        sys.stdout.flush()
        os.dup2(2, 1)
    lines: Any = ScreenLines(2) if os.isatty(2) else sys.stderr
    sys.stdout = sys.stderr = lines


class AttemptMaker:
    """Makes attempts with one agent. Files that several tasks use are read once."""

    def __init__(self, config: WorkerConfig) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._config, self._workspace = config, Workspace()
        self._agent = agent(config.spec)
        self._replies = None if config.replies is None else ReplyCache(config.replies)
        conceal(self._agent, config.hidden)

    def __call__(self, order: WorkOrder) -> dict[str, Any]:
        """Make an attempt and return it as JSON.

        If the task cannot be opened, the result contains only the reason, under `UNOPENED`, and the run must end.
        """
        from planspec.environments import open_task

        config = self._config
        folder = Path(config.folder) if config.folder else None
        try:
            opened = open_task(order.path, config.setting, folder=folder, workspace=self._workspace)
        except Exception as error:  # noqa: BLE001 any error of the suite
            return {UNOPENED: f"the task `{order.spec.task}` cannot be opened: {error}"}
        record = attempt(
            order.spec,
            self._agent,
            str(config.spec),
            opened,
            config.limits,
            replies=self._replies,
            folder=config.run,
        )
        if isinstance(sys.stdout, ScreenLines):
            sys.stdout.end()
        return record.model_dump(mode="json")
