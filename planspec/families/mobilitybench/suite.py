"""A folder with a suite of episodes: written one by one, so that a hundred thousand need no more memory than one."""

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
    suite_id,
    take_away,
    take_tasks_away,
    task_of,
)
from planspec.families.mobilitybench.tasks import LIBRARY, task_text
from planspec.families.mobilitybench.ways import Ways, ways_of
from planspec.families.mobilitybench.ways_base import WaysBase
from planspec.families.suite_writing.kept_cases import kept_cases
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.suite_writing.writing import quoted, suite_text
from planspec.files import replace_text


class InvalidEpisodeError(PlanspecError, ValueError):
    """A line that is no episode, or no longer the one that was written."""


class SuiteWriter:
    """Writes a suite; what is broken off leaves the folder as it was.

    Args:
        folder: new, or of a suite that was written before, which is replaced; what others put there stays.
        title: of the suite, for people.

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
        """The suite is called as its folder."""
        return suite_id(self.folder)

    def __enter__(self) -> Self:
        self._new = not self.folder.exists()
        if not (self.folder / SUITE).exists():  # one was broken off among its last moves
            take_tasks_away(self.folder, self._part / BASE)
        shutil.rmtree(self._part, ignore_errors=True)
        self._opened = ExitStack()
        self._opened.callback(self._clear)
        with ExitStack() as failing:
            failing.callback(self._opened.close)
            self._begin()
            failing.pop_all()
        return self

    def _begin(self) -> None:
        """Open the files of the part."""
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
        """Take away what is left of the part, and the folder if it was made for nothing."""
        shutil.rmtree(self._part, ignore_errors=True)
        if self._new and self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def add(self, episode: Episode, ways: Ways | None = None) -> None:
        """Write an episode, sealed, with its task and its ways.

        Args:
            episode: sealed or not.
            ways: its own, if they are known.

        Raises:
            ValueError: another one has its id, its id is no name of a file, or a record is no result of its tool.
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
        """The text of an episode's task."""
        return task_text(episode, f"../{BASE}", ways)

    def beside(self, name: str) -> Path:
        """The file to write what else belongs to the suite to; it is kept if the suite is."""
        if name not in self._extra:
            self._extra.append(name)
        return self._part / name

    def _finish(self) -> None:
        """Replace the earlier suite; its own file is taken away first and written last."""
        tasks = self.folder / TASKS
        for task in (self._part / TASKS).iterdir():
            if cases := kept_cases(tasks / task.name):
                replace_text(task, task.read_text("utf-8") + cases)
        take_away(self.folder)
        tasks.mkdir(exist_ok=True)
        for task in (self._part / TASKS).iterdir():
            task.replace(tasks / task.name)
        for name in (EPISODES, BASE, *self._extra):
            (self._part / name).replace(self.folder / name)
        listed = [f"{TASKS}/*.yaml"] if self.count else []
        replace_text(self.folder / SUITE, suite_text(self.id, LIBRARY, quoted(self.title), listed, LIBRARY))


def read_episodes(path: Path) -> Iterator[Episode]:
    """The episodes of a file, or of a suite's folder, one by one.

    Raises:
        FileNotFoundError: there is no such file.
        InvalidEpisodeError: a line is no episode, or its checksum is another one.
    """
    for episode, _ in read_with_tasks(path):
        yield episode


def read_with_tasks(path: Path) -> Iterator[tuple[Episode, Path]]:
    """The episodes of a file, or of a suite's folder, one by one, each with the path of its task; see `read_episodes`."""
    for file in (episode_files(path) or [path / EPISODES]) if path.is_dir() else [path]:
        for number, line in _lines(file):
            if line.strip():
                episode = read_episode(line, f"`{file}`, line {number}: ")
                yield episode, task_of(file, episode.id)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, from 1."""
    with path.open("rb") as opened:
        yield from enumerate(opened, 1)


def read_episode(line: bytes | str, where: str = "") -> Episode:
    """The episode of a line.

    Args:
        line: JSON.
        where: it stands, for people.

    Raises:
        InvalidEpisodeError: it is none, or its checksum is another one.
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
    """The tools as the episode's records answer them; what is missing or answers no known call cannot be replayed.

    Args:
        episode: whose.
        more: of an episode of the public table, what its suite has recorded besides.

    Raises:
        InvalidSnapshotError: a record's arguments are none of its tool.
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
