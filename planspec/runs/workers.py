"""Processes that attempt: each is asked for one attempt at a time, and is ended where its time is over.

An agent may hang, exhaust the memory or crash its process; what happens to it happens to a process of its own, and is
recorded by the one that runs them all.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.agents.agent import Agent, AgentSpec, agent
from planspec.agents.view import Limits
from planspec.runs.attempting import AttemptSpec, attempt

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

GRACE = 15.0
"""Seconds past its limit after which an attempt's process is ended: agents that look at the clock end by themselves."""
UNOPENED = "unopened"
"""The key of an answer that is no attempt: why the task cannot be opened."""
STARTING = 120.0
"""Seconds that a process may take to load what it needs before its first attempt."""


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """An attempt that a process is asked for."""

    asked: AttemptSpec
    path: str


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The configuration that every worker process gets once."""

    spec: AgentSpec
    setting: str | None
    folder: str | None
    limits: Limits
    hidden: tuple[Path, ...] = ()


@dataclass(slots=True, eq=False)
class Worker:
    """A process, and what it was asked for.

    Attributes:
        order: what it is at; None while it waits.
        deadline: on the monotonic clock, when it is ended.
    """

    office: WorkerConfig
    process: BaseProcess = field(init=False)
    line: Connection[Any, Any] = field(init=False)
    order: WorkOrder | None = None
    begun: float = 0.0
    deadline: float = 0.0
    _fresh: bool = True

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.office), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, order: WorkOrder) -> None:
        """Ask for an attempt."""
        self.order, self.begun = order, time.monotonic()
        self.deadline = self.begun + self.office.limits.seconds + GRACE + STARTING * self._fresh
        self._fresh = False
        self.line.send(order)

    def answer(self) -> dict[str, Any] | None:
        """The process's answer; None if it ended instead."""
        try:
            made: dict[str, Any] = json.loads(self.line.recv_bytes())
        except (EOFError, OSError, ValueError):
            return None
        self.order = None
        return made

    def end(self) -> int | None:
        """End the process, whatever it is at; the status it ended with."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.line.close()
        return self.process.exitcode


def ready(workers: list[Worker], seconds: float) -> list[Worker]:
    """Those of which something came, or that ended, within a time."""
    lines = {worker.line: worker for worker in workers if worker.order is not None}
    return [lines[line] for line in wait(list(lines), seconds)]  # type: ignore[index]


def conceal(agent: Agent, folders: Iterable[Path]) -> None:
    """Tell an agent that starts programs what they must not see.

    Raises:
        UnknownAgent: it was asked to show them one of these folders.
    """
    concealing = getattr(agent, "conceal", None)
    if callable(concealing):
        concealing(folders)


def _end_with_parent() -> None:
    """End the process when the one that runs them all is gone, whatever it is at: models cost money."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _serve(line: Connection[Any, Any], office: WorkerConfig) -> None:
    """The life of a process: attempts until nobody asks any more, or the one that asked is gone."""
    import signal

    from planspec.dsl.workspace.workspace import Workspace
    from planspec.environments import open_task

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that runs them all decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    made = agent(office.spec)
    conceal(made, office.hidden)
    workspace = Workspace()
    folder = Path(office.folder) if office.folder else None
    while True:
        try:
            order: WorkOrder = line.recv()
        except (EOFError, OSError):
            os._exit(0)  # threads that an agent left must not keep the process
        try:
            opened = open_task(order.path, office.setting, folder=folder, workspace=workspace)
        except Exception as error:  # noqa: BLE001 whatever is wrong with the suite ends the run, and no attempt
            told: dict[str, Any] = {UNOPENED: f"the task `{order.asked.task}` cannot be opened: {error}"}
        else:
            done = attempt(order.asked, made, str(office.spec), opened, office.limits)
            told = done.model_dump(mode="json")
        line.send_bytes(json.dumps(told).encode("ascii"))  # no pickle: an agent may have run in this process
