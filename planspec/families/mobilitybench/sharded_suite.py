"""Writers of suites in shards, for several processes and for resuming interrupted runs."""

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
from planspec.families.mobilitybench.row_collector import EpisodeRows
from planspec.families.mobilitybench.rows_database import RowsDatabase
from planspec.families.mobilitybench.suite_files import (
    PART,
    SHARD_BASE,
    SHARD_EPISODES,
    SHARD_TASKS,
    SHARDS,
    SUITE,
    can_hold_suite,
    is_safe_file_name,
    remove_suite,
    suite_id,
)
from planspec.families.mobilitybench.tasks import LIBRARY, task_text
from planspec.files import replace_bytes, replace_text
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.suite_writing.writing import suite_text, yaml_scalar

OPTIONS = "options.json"
ACCOUNT = ".json"
"""Suffix of a shard's JSON file with counts (its account). It is written last and marks the shard as complete."""


class ShardWriter:
    """Writer of the files of one shard. The shard is complete once its account is written.

    Args:
        folder: folder of the shards.
        number: number of the shard, from 1.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._shard = folder / f"{number:05}"
        self._episodes = folder / SHARD_EPISODES.format(f"{number:05}")
        self._texts: list[str] = []

    def __enter__(self) -> Self:
        for path in (self._shard_path(SHARD_TASKS), self._episodes, self._shard_path(SHARD_BASE)):
            path.unlink(missing_ok=True)
        with ExitStack() as opened:
            self._base = opened.enter_context(RowsDatabase(self._shard_path(SHARD_BASE)))
            self._lines = opened.enter_context(self._episodes.open("wb"))
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def add(self, episode: Episode, episode_rows: EpisodeRows) -> None:
        """Write an episode that has its checksum, with its task and its rows.

        Raises:
            ValueError: another episode has this id, or the id cannot be the name of a file.
        """
        if not is_safe_file_name(episode.id):
            raise ValueError(f"`{episode.id}` cannot be the name of a file")
        self._base.add(episode.id, episode_rows)
        self._texts.append(task_text(episode, self._shard_path(SHARD_BASE).name, episode_rows))
        self._lines.write(episode.line().encode() + b"\n")

    def finish(self, account: Mapping[str, Any]) -> None:
        """Write the tasks, and then the shard's account."""
        self._opened.close()
        tasks = self._shard_path(SHARD_TASKS)
        replace_bytes(tasks, shard_bytes(tasks, "---\n".join(self._texts)))
        replace_text(self._shard_path(ACCOUNT), json.dumps(account))

    def _shard_path(self, ending: str) -> Path:
        return self._shard.with_name(self._shard.name + ending)


def read_account(folder: Path, number: int) -> dict[str, Any] | None:
    """Return the account of a shard, or None if the shard is not complete."""
    with suppress(OSError, ValueError):
        account = json.loads((folder / f"{number:05}{ACCOUNT}").read_text("utf-8"))
        return account if isinstance(account, dict) else None
    return None


class ShardedSuiteWriter:
    """Writer of a suite in shards. It replaces an earlier suite once all shards are complete.

    If a run is interrupted, its complete shards remain in a subfolder. A run with the same options reuses them.

    Args:
        folder: a new folder, or the folder of an earlier suite, which is replaced. Files that are not part of a suite
            are not changed.
        title: title of the suite.
        options: all options that affect the shards.

    Raises:
        UnsuitableSuiteError: the folder holds other files.
    """

    def __init__(self, folder: Path, title: str, options: Mapping[str, Any]) -> None:
        if folder.exists() and not can_hold_suite(folder):
            raise UnsuitableSuiteError(f"`{folder}` is neither a new folder nor one with a suite of MobilityBench")
        self.folder = folder
        self.title = title
        self._options = json.dumps(options, sort_keys=True)
        self._part = folder / PART
        self._extra: list[str] = []

    @property
    def id(self) -> str:
        """Id of the suite, derived from the name of its folder."""
        return suite_id(self.folder)

    @property
    def shards(self) -> Path:
        """Absolute path of the folder into which shards are written."""
        return (self._part / SHARDS).absolute()

    def extra_file(self, name: str) -> Path:
        """Return the path for writing an additional file of the suite."""
        if name not in self._extra:
            self._extra.append(name)
        return self._part / name

    def __enter__(self) -> Self:
        earlier = None
        with suppress(OSError, ValueError):
            earlier = (self._part / OPTIONS).read_text("utf-8")
        if earlier != self._options:
            shutil.rmtree(self._part, ignore_errors=True)
        self.shards.mkdir(parents=True, exist_ok=True)
        replace_text(self._part / OPTIONS, self._options)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._replace_suite()

    def _replace_suite(self) -> None:
        """Replace the earlier suite. `suite.yaml` is removed first and written last, so it marks a complete suite."""
        remove_suite(self.folder)
        shards = self.folder / SHARDS
        shards.mkdir(exist_ok=True)
        for path in self.shards.iterdir():
            if not path.name.endswith(ACCOUNT):
                path.replace(shards / path.name)
        for name in self._extra:
            (self._part / name).replace(self.folder / name)
        text = suite_text(self.id, LIBRARY, yaml_scalar(self.title), [f"{SHARDS}/*{SHARD_TASKS}"], LIBRARY, "feasible")
        replace_text(self.folder / SUITE, text)
        shutil.rmtree(self._part, ignore_errors=True)
