"""The writer and readers of a suite's folder, in memory that does not grow with the number of episodes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from planspec.errors import PlanspecError
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.replaying import PublicSandbox
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.snapshot import InvalidSnapshotError, call_of
from planspec.families.mobilitybench.suite_files import (
    BASE,
    EPISODES,
    PART,
    SUITE,
    TASKS,
    episode_files,
    is_name,
    is_suite,
    remove_suite,
    remove_tasks,
    suite_id,
    task_of,
)
from planspec.families.mobilitybench.tasks import LIBRARY, task_text
from planspec.families.mobilitybench.ways import Ways, ways_of
from planspec.families.mobilitybench.ways_base import WaysBase
from planspec.families.suite_writing.kept_cases import existing_cases
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.suite_writing.writing import suite_text, yaml_scalar
from planspec.files import replace_text


class InvalidEpisodeError(PlanspecError, ValueError):
    """The line is not an episode, or not the one that was written."""


class SuiteWriter:
    """Writer of a suite; an interruption leaves the folder as it was.

    Args:
        folder: a new folder, or that of an earlier suite, which is replaced; foreign files stay.
        title: title of the suite.

    Raises:
        UnsuitableSuiteError: the folder holds something else.
    """

    def __init__(self, folder: Path, title: str) -> None:
        if folder.exists() and not is_suite(folder):
            raise UnsuitableSuiteError(
                f"`{folder}` is neither a new folder nor one with a suite of MobilityBench"
            )
        self.folder = folder
        self.title = title
        self.count = 0
        self._part = folder / PART
        self._extra: list[str] = []

    @property
    def id(self) -> str:
        """Id of the suite, which is the name of its folder."""
        return suite_id(self.folder)

    def __enter__(self) -> Self:
        self._new = not self.folder.exists()
        if not (self.folder / SUITE).exists():  # an earlier writer was interrupted among its last moves
            remove_tasks(self.folder, self._part / BASE)
        shutil.rmtree(self._part, ignore_errors=True)
        self._opened = ExitStack()
        self._opened.callback(self._clear)
        with ExitStack() as failing:
            failing.callback(self._opened.close)
            self._begin()
            failing.pop_all()
        return self

    def _begin(self) -> None:
        (self._part / TASKS).mkdir(parents=True)
        self._lines = self._opened.enter_context(
            (self._part / EPISODES).open("w", encoding="utf-8", newline="\n")
        )
        self._base = self._opened.enter_context(WaysBase(self._part / BASE))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:
            if kind is None:
                self._lines.close()
                self._base.close()
                self._finish()

    def _clear(self) -> None:
        """Remove the rest of the part, and the folder if it is new and empty."""
        shutil.rmtree(self._part, ignore_errors=True)
        if self._new and self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def add(self, episode: Episode, ways: Ways | None = None) -> None:
        """Write an episode, sealed, with its task and its ways.

        Args:
            episode: the episode, sealed or not.
            ways: its rows, if known.

        Raises:
            ValueError: the id is taken or cannot be the name of a file, or a record does not fit its tool.
        """
        if not is_name(episode.id):
            raise ValueError(f"`{episode.id}` cannot be the name of a file")
        ways = ways or ways_of(episode)
        text = self.task(episode, ways)
        self._base.add(episode.id, ways)
        self._lines.write(episode.sealed().line() + "\n")
        with (self._part / TASKS / f"{episode.id}.yaml").open("x", encoding="utf-8") as task:
            task.write(text)
        self.count += 1

    def task(self, episode: Episode, ways: Ways) -> str:
        """Return the text of an episode's task."""
        return task_text(episode, f"../{BASE}", ways)

    def beside(self, name: str) -> Path:
        """Return the path to write another file of the suite to; it stays if the suite does."""
        if name not in self._extra:
            self._extra.append(name)
        return self._part / name

    def _finish(self) -> None:
        """Replace the earlier suite; its suite file is removed first and written last."""
        tasks = self.folder / TASKS
        for task in (self._part / TASKS).iterdir():
            if cases := existing_cases(tasks / task.name):
                replace_text(task, task.read_text("utf-8") + cases)
        remove_suite(self.folder)
        tasks.mkdir(exist_ok=True)
        for task in (self._part / TASKS).iterdir():
            task.replace(tasks / task.name)
        for name in (EPISODES, BASE, *self._extra):
            (self._part / name).replace(self.folder / name)
        listed = [f"{TASKS}/*.yaml"] if self.count else []
        replace_text(
            self.folder / SUITE, suite_text(self.id, LIBRARY, yaml_scalar(self.title), listed, LIBRARY)
        )


def read_episodes(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a file, or of a suite's folder.

    Raises:
        FileNotFoundError: the file does not exist.
        InvalidEpisodeError: a line is not an episode, or its checksum is wrong.
    """
    for episode, _ in read_with_tasks(path):
        yield episode


def read_with_tasks(path: Path) -> Iterator[tuple[Episode, Path]]:
    """Yield the episodes of a file or a suite's folder with the paths of their tasks; see `read_episodes`."""
    for file in (episode_files(path) or [path / EPISODES]) if path.is_dir() else [path]:
        for number, line in _lines(file):
            if line.strip():
                episode = read_episode(line, f"`{file}`, line {number}: ")
                yield episode, task_of(file, episode.id)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as opened:
        yield from enumerate(opened, 1)


def read_episode(line: bytes | str, where: str = "") -> Episode:
    """Parse a line as an episode.

    Args:
        line: JSON.
        where: position of the line, as a prefix of messages.

    Raises:
        InvalidEpisodeError: the line is not an episode, or its checksum is wrong.
    """
    try:
        episode = Episode.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        part = ".".join(map(str, first["loc"]))
        raise InvalidEpisodeError(f"{where}{part}: {first['msg']}") from None
    if episode.checksum != episode.computed:
        raise InvalidEpisodeError(
            f"{where}`{episode.id}` is not as it was written: its checksum is another one"
        )
    return episode


def sandbox_of(episode: Episode, more: ReplaySandbox | None = None) -> ReplaySandbox:
    """Return the tools that replay the episode's records.

    A record without arguments or result is not replayed.

    Args:
        episode: the episode.
        more: further recorded calls of the suite, for an episode of the public table.

    Raises:
        InvalidSnapshotError: a record's arguments do not fit its tool.
    """
    calls = []
    for record in episode.snapshot:
        if record.arguments is None or record.missing is not None:
            continue
        try:
            calls.append(
                call_of({"tool": record.tool, "arguments": record.arguments, "result": record.result})
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidSnapshotError(f"`{episode.id}`: {error}") from None
    if episode.source is not None:
        return PublicSandbox(calls, now=episode.context.time, more=more)
    return ReplaySandbox(calls, now=episode.context.time)
