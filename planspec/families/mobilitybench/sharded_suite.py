"""A suite of episodes in shards: each is written by one process, and what was broken off goes on with the next shard."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from planspec.dsl.workspace.shards import shard_bytes
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.suite_files import (
    PART,
    SHARD_BASE,
    SHARD_EPISODES,
    SHARD_TASKS,
    SHARDS,
    SUITE,
    is_name,
    is_suite,
    suite_id,
    take_away,
)
from planspec.families.mobilitybench.tasks import LIBRARY, task_text
from planspec.families.mobilitybench.ways import Ways
from planspec.families.mobilitybench.ways_base import WaysBase
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.suite_writing.writing import quoted, suite_text
from planspec.files import replace_bytes, replace_text

OPTIONS = "options.json"
ACCOUNT = ".json"
"""The ending of the account of a shard: it is written last, so that a shard with one is whole."""


class ShardWriter:
    """Writes the files of one shard; without its account, which comes last, they do not count.

    Args:
        folder: of the shards.
        number: from 1.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._shard = folder / f"{number:05}"
        self._episodes = folder / SHARD_EPISODES.format(f"{number:05}")
        self._texts: list[str] = []

    def __enter__(self) -> Self:
        for path in (self._path(SHARD_TASKS), self._episodes, self._path(SHARD_BASE)):
            path.unlink(missing_ok=True)
        with ExitStack() as opened:
            self._base = opened.enter_context(WaysBase(self._path(SHARD_BASE)))
            self._lines = opened.enter_context(self._episodes.open("wb"))
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def add(self, episode: Episode, ways: Ways) -> None:
        """Write a sealed episode with its task and its ways.

        Raises:
            ValueError: another one has its id, or its id is no name of a file.
        """
        if not is_name(episode.id):
            raise ValueError(f"`{episode.id}` cannot be the name of a file")
        self._base.add(episode.id, ways)
        self._texts.append(task_text(episode, self._path(SHARD_BASE).name, ways))
        self._lines.write(episode.line().encode() + b"\n")

    def finish(self, account: Mapping[str, Any]) -> None:
        """Write the rest, and at last the account of it."""
        self._opened.close()
        tasks = self._path(SHARD_TASKS)
        replace_bytes(tasks, shard_bytes(tasks, "---\n".join(self._texts)))
        replace_text(self._path(ACCOUNT), json.dumps(account))

    def _path(self, ending: str) -> Path:
        return self._shard.with_name(self._shard.name + ending)


def account_of(folder: Path, number: int) -> dict[str, Any] | None:
    """The account of a shard that is whole; None if there is none."""
    with suppress(OSError, ValueError):
        read = json.loads((folder / f"{number:05}{ACCOUNT}").read_text("utf-8"))
        return read if isinstance(read, dict) else None
    return None


class ShardedSuiteWriter:
    """Puts shards in the place of an earlier suite once all are whole.

    What is broken off stays beside the earlier suite: with the same options, the shards that are whole are not made again.

    Args:
        folder: new, or of a suite that was written before, which is replaced; what others put there stays.
        title: of the suite, for people.
        options: all that the shards follow from.

    Raises:
        UnsuitableSuiteError: the folder holds something else.
    """

    def __init__(self, folder: Path, title: str, options: Mapping[str, Any]) -> None:
        if folder.exists() and not is_suite(folder):
            raise UnsuitableSuiteError(
                f"`{folder}` is neither a new folder nor one with a suite of MobilityBench"
            )
        self.folder = folder
        self.title = title
        self._options = json.dumps(options, sort_keys=True)
        self._part = folder / PART
        self._extra: list[str] = []

    @property
    def id(self) -> str:
        """The suite is called as its folder."""
        return suite_id(self.folder)

    @property
    def shards(self) -> Path:
        """The folder to write the shards to, wherever the one who writes is."""
        return (self._part / SHARDS).absolute()

    def beside(self, name: str) -> Path:
        """The file to write what else belongs to the suite to."""
        if name not in self._extra:
            self._extra.append(name)
        return self._part / name

    def __enter__(self) -> Self:
        known = None
        with suppress(OSError, ValueError):
            known = (self._part / OPTIONS).read_text("utf-8")
        if known != self._options:
            shutil.rmtree(self._part, ignore_errors=True)
        self.shards.mkdir(parents=True, exist_ok=True)
        replace_text(self._part / OPTIONS, self._options)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._finish()

    def _finish(self) -> None:
        """Replace the earlier suite; its own file is taken away first and written last."""
        take_away(self.folder)
        shards = self.folder / SHARDS
        shards.mkdir(exist_ok=True)
        for path in self.shards.iterdir():
            if not path.name.endswith(ACCOUNT):
                path.replace(shards / path.name)
        for name in self._extra:
            (self._part / name).replace(self.folder / name)
        text = suite_text(self.id, LIBRARY, quoted(self.title), [f"{SHARDS}/*{SHARD_TASKS}"], LIBRARY)
        replace_text(self.folder / SUITE, text)
        shutil.rmtree(self._part, ignore_errors=True)
