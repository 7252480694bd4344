"""The setting `text`, the default for families without settings. Agents get the query and the answer format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planspec.api.judging import Judge
from planspec.environments.agent_task import AgentTask, Setting
from planspec.environments.declared import open_declared


def text(name: str, judges: tuple[Judge, ...], folder: Path | None) -> AgentTask:
    """Open a task in the setting `text`, in which agents get only the query."""
    return open_declared(name, judges, folder, "text")


SETTINGS: Mapping[str, Setting] = {"text": text}
