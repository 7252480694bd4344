"""The only setting of errands, and an agent that visits no shop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planspec import Judge
from planspec.agents import Answer, Desk, TaskView
from planspec.environments.agent_task import AgentTask, Setting

BRIEF = 'Answer with the shops to call on: {"go": ["..."]}.'


def street(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """Open a task for agents. The brief describes the form of answers."""
    return AgentTask(name, judges, "street", brief=BRIEF, folder=folder, calls=3)


class Homebody:
    """An agent whose answer has no shops."""

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        return {"go": []}


SETTINGS: Mapping[str, Setting] = {"street": street}
