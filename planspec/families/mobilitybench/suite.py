"""Writer and readers of a suite's folder. Their memory does not grow with the number of episodes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from planspec.deprecation import former_parameters
from planspec.errors import PlanspecError
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.replaying import PublicSandbox
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.row_collector import EpisodeRows, rows_of_episode
from planspec.families.mobilitybench.rows_database import RowsDatabase
from planspec.families.mobilitybench.snapshot import InvalidSnapshotError, call_of
from planspec.families.mobilitybench.suite_files import (
    BASE,
    EPISODES,
    PART,
    SUITE,
    TASKS,
    can_hold_suite,
    episode_files,
    is_safe_file_name,
    remove_suite,
    remove_tasks,
    suite_id,
    task_of,
)
from planspec.families.mobilitybench.tasks import LIBRARY, task_text
from planspec.files import replace_text
from planspec.suite_writing.kept_sections import existing_sections
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.suite_writing.writing import suite_text, yaml_scalar


class InvalidEpisodeError(PlanspecError, ValueError):
    """Error if a line is not an episode, or its checksum is wrong."""


class SuiteWriter:
    """Writer of a suite. If it is interrupted, an earlier suite in the folder remains unchanged.

    Args:
        folder: a new folder, or the folder of an earlier suite, which is replaced. Files that are not part of a suite
            are not changed.
        title: title of the suite.

    Raises:
        UnsuitableSuiteError: the folder holds other files.
    """

    def __init__(self, folder: Path, title: str) -> None:
        if folder.exists() and not can_hold_suite(folder):
            raise UnsuitableSuiteError(f"`{folder}` is neither a new folder nor one with a suite of MobilityBench")
        self.folder = folder
        self.title = title
        self.count = 0
        self._part = folder / PART
        self._extra: list[str] = []

    @property
    def id(self) -> str:
        """Id of the suite, derived from the name of its folder."""
        return suite_id(self.folder)

    def __enter__(self) -> Self:
        self._new = not self.folder.exists()
        if not (self.folder / SUITE).exists():  # an earlier writer was interrupted while it moved files
            remove_tasks(self.folder, self._part / BASE)
        shutil.rmtree(self._part, ignore_errors=True)
        self._opened = ExitStack()
        self._opened.callback(self._remove_part)
        with ExitStack() as failing:
            failing.callback(self._opened.close)
            self._open_files()
            failing.pop_all()
        return self

    def _open_files(self) -> None:
        (self._part / TASKS).mkdir(parents=True)
        self._lines = self._opened.enter_context((self._part / EPISODES).open("w", encoding="utf-8", newline="\n"))
        self._base = self._opened.enter_context(RowsDatabase(self._part / BASE))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:
            if kind is None:
                self._lines.close()
                self._base.close()
                self._replace_suite()

    def _remove_part(self) -> None:
        """Remove the unfinished files, and the folder if it is new and empty."""
        shutil.rmtree(self._part, ignore_errors=True)
        if self._new and self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def add(self, episode: Episode, episode_rows: EpisodeRows | None = None) -> None:
        """Write an episode with its checksum, its task and its rows.

        Args:
            episode: the episode, with or without its checksum.
            episode_rows: rows of the episode; None to compute them.

        Raises:
            ValueError: another episode has this id, the id cannot be the name of a file, or a record does not fit its
                tool.
        """
        if not is_safe_file_name(episode.id):
            raise ValueError(f"`{episode.id}` cannot be the name of a file")
        episode_rows = episode_rows or rows_of_episode(episode)
        text = self.episode_task(episode, episode_rows)
        self._base.add(episode.id, episode_rows)
        self._lines.write(episode.with_checksum().line() + "\n")
        with (self._part / TASKS / f"{episode.id}.yaml").open("x", encoding="utf-8") as task:
            task.write(text)
        self.count += 1

    def episode_task(self, episode: Episode, episode_rows: EpisodeRows) -> str:
        """Return the text of an episode's task."""
        return task_text(episode, f"../{BASE}", episode_rows)

    def extra_file(self, name: str) -> Path:
        """Return the path at which to write an additional file. It is moved to the folder together with the suite."""
        if name not in self._extra:
            self._extra.append(name)
        return self._part / name

    def _replace_suite(self) -> None:
        """Replace the earlier suite. `suite.yaml` is removed first and written last, so it marks a complete suite."""
        tasks = self.folder / TASKS
        for task in (self._part / TASKS).iterdir():
            if cases := existing_sections(tasks / task.name):
                replace_text(task, task.read_text("utf-8") + cases)
        remove_suite(self.folder)
        tasks.mkdir(exist_ok=True)
        for task in (self._part / TASKS).iterdir():
            task.replace(tasks / task.name)
        for name in (EPISODES, BASE, *self._extra):
            (self._part / name).replace(self.folder / name)
        listed = [f"{TASKS}/*.yaml"] if self.count else []
        replace_text(
            self.folder / SUITE, suite_text(self.id, LIBRARY, yaml_scalar(self.title), listed, LIBRARY, "feasible")
        )


def read_episodes(path: Path) -> Iterator[Episode]:
    """Yield the episodes in a file or in a suite's folder.

    Raises:
        FileNotFoundError: the file does not exist.
        InvalidEpisodeError: a line is not an episode, or its checksum is wrong.
    """
    for episode, _ in read_episodes_with_tasks(path):
        yield episode


def read_episodes_with_tasks(path: Path) -> Iterator[tuple[Episode, Path]]:
    """Yield the episodes in a file or in a suite's folder, each with the path of its task.

    Raises:
        FileNotFoundError: the file does not exist.
        InvalidEpisodeError: a line is not an episode, or its checksum is wrong.
    """
    for file in (episode_files(path) or [path / EPISODES]) if path.is_dir() else [path]:
        for number, line in _numbered_lines(file):
            if line.strip():
                episode = read_episode(line, f"`{file}`, line {number}: ")
                yield episode, task_of(file, episode.id)


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as opened:
        yield from enumerate(opened, 1)


def read_episode(line: bytes | str, where: str = "") -> Episode:
    """Parse an episode.

    Args:
        line: the episode as JSON.
        where: position of the line in its file, put before messages.

    Raises:
        InvalidEpisodeError: the line is not an episode, or its checksum is wrong.
    """
    try:
        episode = Episode.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        part = ".".join(map(str, first["loc"]))
        raise InvalidEpisodeError(f"{where}{part}: {first['msg']}") from None
    if episode.checksum != episode.expected_checksum:
        raise InvalidEpisodeError(f"{where}`{episode.id}` was changed after it was written: its checksum is wrong")
    return episode


@former_parameters(more="fallback")
def sandbox_of(episode: Episode, fallback: ReplaySandbox | None = None) -> ReplaySandbox:
    """Return a sandbox that replays the records of an episode.

    A record without arguments or without a result is not replayed.

    Args:
        episode: the episode.
        fallback: sandbox with further recorded calls of the suite. It is used only for episodes of the public table.

    Raises:
        InvalidSnapshotError: a record's arguments do not fit its tool.
    """
    calls = []
    for record in episode.snapshot:
        if record.arguments is None or record.missing is not None:
            continue
        try:
            calls.append(call_of({"tool": record.tool, "arguments": record.arguments, "result": record.result}))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidSnapshotError(f"`{episode.id}`: {error}") from None
    if episode.source is not None:
        return PublicSandbox(calls, now=episode.context.time, fallback=fallback)
    return ReplaySandbox(calls, now=episode.context.time)
