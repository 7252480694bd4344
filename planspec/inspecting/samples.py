"""A suite's tasks as samples, and the task of a sample."""

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
"""The name in a sample's metadata under which stands what its task is."""


@cache
def _workspace() -> Workspace:
    return Workspace()


@lru_cache(maxsize=256)
def _opened(name: str, setting: str, folder: str) -> AgentTask:
    return open_task(name, setting, folder=Path(folder), workspace=_workspace())


def opened_of(metadata: Mapping[str, Any]) -> AgentTask:
    """The task of a sample.

    Args:
        metadata: of the sample.
    """
    told = metadata[PLANSPEC]
    folder = suite_folder(Catalog(_workspace()).suite_path(told["suite"]))
    return _opened(str(folder / told["task"]), told["setting"], str(folder))


def dataset(suite: str, setting: str | None, limit: int | None) -> MemoryDataset:
    """The tasks of a suite as samples.

    A sample's metadata names its task such that a log can be scored again where the suite is: by the suite and the
    file's place in it.

    Args:
        suite: file, folder or id.
        setting: the family's first if None.
        limit: take only the first tasks of the suite.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: the family has no such setting.
        DiagnosticError: a task has errors.
    """
    _workspace.cache_clear()  # who asks for a suite again may have changed it
    _opened.cache_clear()
    catalog = Catalog(_workspace())
    path = catalog.suite_path(suite)
    found = catalog.suite(suite)
    try:
        known = (
            found.id
            if os.path.realpath(catalog.suite_path(found.id)) == os.path.realpath(path)
            else str(path.absolute())
        )
    except NotFoundError:
        known = str(path.absolute())
    folder = suite_folder(path)
    samples = []
    for task in found.tasks[:limit]:
        opened = open_task(task, setting, folder=folder, workspace=_workspace())
        require_no_site(opened, "Inspect")
        name = Path(os.path.relpath(task, folder)).as_posix()
        samples.append(
            Sample(
                id=opened.judge.task.id.partition("@")[0],
                input=_messages(opened),
                metadata={
                    PLANSPEC: {"suite": known, "task": name, "setting": opened.setting},
                    "family": found.family,
                    "turns": len(opened.judges),
                },
            )
        )
    return MemoryDataset(samples, name=found.id)


def _messages(opened: AgentTask) -> list[ChatMessage]:
    """The messages to a model at the first turn: the form of an answer, the materials, and the query."""
    *given, query = opened.words(0)
    parts: list[Content] = [ContentText(text=text) for text in given]
    for title, data in opened.images.items():
        kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
        address = f"data:image/{kind};base64,{b64encode(data).decode('ascii')}"
        parts += [ContentText(text=f"# {title}"), ContentImage(image=address)]
    parts.append(ContentText(text=query))
    return [ChatMessageSystem(content=opened.brief), ChatMessageUser(content=parts)]
