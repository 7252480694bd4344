"""Conversion of a suite's tasks to samples, and of a sample to its task."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
)

from planspec.api.catalog import Catalog, suite_folder
from planspec.dsl.workspace.workspace import Workspace
from planspec.environments import AgentTask, open_task
from planspec.environments.opened import require_no_site
from planspec.errors import NotFoundError

PLANSPEC = "planspec"
"""Key in a sample's metadata for suite, task and setting."""


@cache
def _workspace() -> Workspace:
    return Workspace()


@lru_cache(maxsize=256)
def _open_cached(name: str, setting: str, folder: str) -> AgentTask:
    return open_task(name, setting, folder=Path(folder), workspace=_workspace())


def open_sample(metadata: Mapping[str, Any]) -> AgentTask:
    """Return the task of a sample.

    Args:
        metadata: metadata of the sample.
    """
    origin = metadata[PLANSPEC]
    folder = suite_folder(Catalog(_workspace()).suite_path(origin["suite"]))
    return _open_cached(str(folder / origin["task"]), origin["setting"], str(folder))


def dataset(suite: str, setting: str | None, limit: int | None) -> MemoryDataset:
    """Return the tasks of a suite as samples.

    The metadata of a sample has the suite and the path of the task file in it. A log can therefore be scored again even
    if the suite has moved.

    Args:
        suite: file, folder or id.
        setting: setting of the tasks; None for the family's first.
        limit: number of tasks to take from the beginning of the suite; None for all.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: the family has no such setting.
        DiagnosticError: a task has errors.
    """
    _workspace.cache_clear()  # the suite may have changed since an earlier call
    _open_cached.cache_clear()
    catalog = Catalog(_workspace())
    path = catalog.suite_path(suite)
    opened_suite = catalog.suite(suite)
    try:
        name_or_path = (
            opened_suite.id
            if os.path.realpath(catalog.suite_path(opened_suite.id)) == os.path.realpath(path)
            else str(path.absolute())
        )
    except NotFoundError:
        name_or_path = str(path.absolute())
    folder = suite_folder(path)
    samples = []
    for task in opened_suite.tasks[:limit]:
        opened = open_task(task, setting, folder=folder, workspace=_workspace())
        require_no_site(opened, "Inspect")
        name = Path(os.path.relpath(task, folder)).as_posix()
        samples.append(
            Sample(
                id=opened.judge.task.id.partition("@")[0],
                input=_first_messages(opened),
                metadata={
                    PLANSPEC: {"suite": name_or_path, "task": name, "setting": opened.setting},
                    "family": opened_suite.family,
                    "turns": len(opened.judges),
                },
            )
        )
    return MemoryDataset(samples, name=opened_suite.id)


def _first_messages(opened: AgentTask) -> list[ChatMessage]:
    """Return the first messages to a model: system prompt, materials and query of the first turn."""
    *given, query = opened.words(0)
    parts: list[Content] = [ContentText(text=text) for text in given]
    for title, data in opened.images.items():
        kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
        address = f"data:image/{kind};base64,{b64encode(data).decode('ascii')}"
        parts += [ContentText(text=f"# {title}"), ContentImage(image=address)]
    parts.append(ContentText(text=query))
    return [ChatMessageSystem(content=opened.system_text()), ChatMessageUser(content=parts)]
