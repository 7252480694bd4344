"""Workers that attempt, one attempt at a time: what happens to an agent happens to its worker alone.

An agent may hang, exhaust the memory or crash its process; that is recorded by the process which runs them all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from io import TextIOBase
from pathlib import Path
from typing import Any

from planspec.agents.agent import Agent, AgentSpec, agent
from planspec.agents.models.reply_cache import ReplyCache
from planspec.agents.view import Limits
from planspec.runs.attempting import AttemptSpec, attempt

GRACE = 15.0
"""Seconds past its limit after which an attempt's worker is ended: agents that look at the clock end by themselves."""
UNOPENED = "unopened"
"""The key of an answer that is no attempt: why the task cannot be opened."""
STARTING = 120.0
"""Seconds that a worker may take to load what it needs before its first attempt."""


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """An attempt that a worker is asked for."""

    asked: AttemptSpec
    path: str


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The configuration that every worker gets once."""

    spec: AgentSpec
    setting: str | None
    folder: str | None
    limits: Limits
    hidden: tuple[Path, ...] = ()
    replies: Path | None = None
    run: Path | None = None


class ScreenLines(TextIOBase):
    """A stream of whole lines to a terminal on which a progress bar stands: each line takes the bar's, which is drawn below again.

    Args:
        terminal: the number of its file.
    """

    def __init__(self, terminal: int) -> None:
        self._terminal, self._begun = terminal, ""

    def writable(self) -> bool:
        """It can be written."""
        return True

    def write(self, text: str) -> int:
        """Keep the text until its line ends, and write each line that does."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._line(line)
        return len(text)

    def end(self) -> None:
        """Write what stands after the last end of a line."""
        if self._begun:
            self._line(self._begun)
            self._begun = ""

    def _line(self, line: str) -> None:
        with suppress(OSError):  # the terminal is gone
            os.write(self._terminal, f"\r\x1b[2K{line}\n".encode("utf-8", "backslashreplace"))


def print_on_stderr() -> None:
    """Let what agents print, and the programs that they start, go to standard error: standard output is the command's."""
    with suppress(OSError):  # of a process without either
        sys.stdout.flush()
        os.dup2(2, 1)
    lines: Any = ScreenLines(2) if os.isatty(2) else sys.stderr
    sys.stdout = sys.stderr = lines


def conceal(agent: Agent, folders: Iterable[Path]) -> None:
    """Tell an agent that starts programs what they must not see.

    Raises:
        UnknownAgentError: it was asked to show them one of these folders.
    """
    concealing = getattr(agent, "conceal", None)
    if callable(concealing):
        concealing(folders)


class Attempting:
    """Makes attempt after attempt with one agent, and reads what tasks share once."""

    def __init__(self, office: WorkerConfig) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._office, self._workspace = office, Workspace()
        self._agent = agent(office.spec)
        self._replies = None if office.replies is None else ReplyCache(office.replies)
        conceal(self._agent, office.hidden)

    def __call__(self, order: WorkOrder) -> dict[str, Any]:
        """The attempt as JSON; or why its task cannot be opened, which ends the run and is no attempt."""
        from planspec.environments import open_task

        office = self._office
        folder = Path(office.folder) if office.folder else None
        try:
            opened = open_task(order.path, office.setting, folder=folder, workspace=self._workspace)
        except Exception as error:  # noqa: BLE001 whatever is wrong with the suite
            return {UNOPENED: f"the task `{order.asked.task}` cannot be opened: {error}"}
        made = attempt(
            order.asked,
            self._agent,
            str(office.spec),
            opened,
            office.limits,
            replies=self._replies,
            folder=office.run,
        )
        if isinstance(sys.stdout, ScreenLines):
            sys.stdout.end()
        return made.model_dump(mode="json")
