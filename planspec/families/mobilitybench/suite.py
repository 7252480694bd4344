"""A folder with a suite of episodes: written one by one, so that a hundred thousand need no more memory than one."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError

from planspec.errors import PlanspecError
from planspec.families.mobilitybench.calls import TOOLS
from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.translation import PUBLIC_TOOLS
from planspec.families.mobilitybench.replay import ReplaySandbox
from planspec.families.mobilitybench.snapshot import BrokenSnapshot, call_of
from planspec.families.mobilitybench.tasks import LIBRARY, SPLIT, task_text
from planspec.families.mobilitybench.ways import Ways, ways_of
from planspec.families.suite_writing.options import UnfitSuite
from planspec.families.suite_writing.writing import quoted, suite_text
from planspec.files import replace_text

EPISODES, BASE, TASKS, SUITE = "episodes.jsonl", "ways.sqlite", "tasks", "suite.yaml"
PART = ".part"
"""The folder of what is being written."""
A_COMMIT = 1000
"""Episodes between two commits."""
COLUMNS: dict[str, str] = {
    "Place": "id text not null, names text, addresses text, x integer, y integer",
    "Road": "id text not null, motorway text not null",
    "Line": "id text not null, names text",
    "Route": (
        "id text not null, origin text, destination text, time_min integer not null, length_m integer not null, "
        "depart text, arrive text, transfers integer not null, walking_m integer not null, tolls integer not null, "
        "fare integer not null, lights integer not null"
    ),
    "Piece": (
        "route text not null, n integer not null, vehicle text not null, road text, line text, "
        "time_min integer not null, length_m integer not null"
    ),
    "Halt": "route text not null, n integer not null, place text not null",
    "Weather": "day text not null, words text, temperature integer, low integer, high integer",
}
"""The tables of the base, column for column as `Ways` has them."""


class BrokenEpisode(PlanspecError, ValueError):
    """A line that is no episode, or no longer the one that was written."""


class SuiteWriter:
    """Writes a suite; what is broken off leaves the folder as it was.

    Args:
        folder: new, or of a suite that was written before, which is replaced; what others put there stays.
        title: of the suite, for people.

    Raises:
        UnfitSuite: the folder holds something else.
    """

    def __init__(self, folder: Path, title: str) -> None:
        if folder.exists() and not is_suite(folder):
            raise UnfitSuite(f"`{folder}` is neither a new folder nor one with a suite of MobilityBench")
        self.folder = folder
        self.title = title
        self.count = 0
        self._part = folder / PART
        self._extra: list[str] = []

    @property
    def id(self) -> str:
        """The suite is called as its folder."""
        word = "".join(c if c.isalnum() or c in "-_." else "-" for c in self.folder.resolve().name)
        return word if word[:1].isalnum() else LIBRARY

    def __enter__(self) -> Self:
        self._new = not self.folder.exists()
        if not (self.folder / SUITE).exists():  # one was broken off among its last moves
            self._forget(self._part / BASE)
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
        self._base = self._opened.enter_context(closing(sqlite3.connect(self._part / BASE)))
        # what is broken off is thrown away, and needs no journal
        self._base.execute("pragma journal_mode = off")
        self._base.execute("pragma synchronous = off")
        for table, columns in COLUMNS.items():
            self._base.execute(
                f"create table {table} (episode text, at integer, {columns}, primary key (episode, at)) without rowid"
            )
        self._base.execute("create table Episode (id text primary key) without rowid")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:
            if kind is None:
                self._lines.close()
                self._base.commit()
                self._base.close()
                self._finish()

    def _clear(self) -> None:
        """Take away what is left of the part, and the folder if it was made for nothing."""
        shutil.rmtree(self._part, ignore_errors=True)
        if self._new and self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def add(self, episode: Episode) -> None:
        """Write an episode, sealed, with its task and its ways.

        Raises:
            ValueError: another one has its id, its id is no name of a file, or a record is no result of its tool.
        """
        if not _is_name(episode.id):
            raise ValueError(f"`{episode.id}` cannot be the name of a file")
        ways = ways_of(episode)
        text = self.task(episode, ways)
        try:
            self._base.execute("insert into Episode values (?)", (episode.id,))
        except sqlite3.IntegrityError:
            raise ValueError(f"two episodes are called `{episode.id}`") from None
        for table, rows in _rows(ways):
            self._insert(table, episode.id, rows)
        self._lines.write(episode.sealed().line() + "\n")
        with (self._part / TASKS / f"{episode.id}.yaml").open("x", encoding="utf-8") as task:
            task.write(text)
        self.count += 1
        if self.count % A_COMMIT == 0:
            self._base.commit()

    def task(self, episode: Episode, ways: Ways) -> str:
        """The text of an episode's task."""
        return task_text(episode, f"../{BASE}", ways)

    def beside(self, name: str) -> Path:
        """The file to write what else belongs to the suite to; it is kept if the suite is."""
        if name not in self._extra:
            self._extra.append(name)
        return self._part / name

    def _insert(self, table: str, episode: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            holes = ", ".join("?" * (len(rows[0]) + 2))
            self._base.executemany(
                f"insert into {table} values ({holes})",  # noqa: S608
                [(episode, at, *row) for at, row in enumerate(rows)],
            )

    def _forget(self, base: Path) -> None:
        """Take the tasks of a base away."""
        for name in _ids(base):
            (self.folder / TASKS / f"{name}.yaml").unlink(missing_ok=True)

    def _finish(self) -> None:
        """Replace the earlier suite; its own file is taken away first and written last."""
        suite = self.folder / SUITE
        suite.unlink(missing_ok=True)
        tasks = self.folder / TASKS
        tasks.mkdir(exist_ok=True)
        self._forget(self.folder / BASE)
        for task in (self._part / TASKS).iterdir():
            task.replace(tasks / task.name)
        for name in (EPISODES, BASE, *self._extra):
            (self._part / name).replace(self.folder / name)
        listed = [f"{TASKS}/*"] if self.count else []
        replace_text(suite, suite_text(self.id, LIBRARY, quoted(self.title), listed, LIBRARY))


def is_suite(folder: Path) -> bool:
    """The folder holds what a `SuiteWriter` wrote, finished or not, or nothing."""
    if not folder.is_dir():
        return False
    suite = folder / SUITE
    if suite.is_file():
        same = f"protocol: {LIBRARY}" in suite.read_text("utf-8", errors="replace").splitlines()
        return same and (folder / BASE).is_file()
    found = {entry.name for entry in folder.iterdir()}
    return not found or PART in found


def episode_named(folder: Path, name: str) -> Episode | None:
    """The episode of an id, None if the suite has none; other lines are passed over unread.

    Raises:
        BrokenEpisode: its line is none, or no longer the one that was written.
        OSError: the suite has no episodes.
    """
    said = json.dumps(name, ensure_ascii=False).encode()
    path = folder / EPISODES
    with path.open("rb") as opened:
        for number, line in enumerate(opened, 1):
            if said in line and (found := read_episode(line, f"`{path}`, line {number}: ")).id == name:
                return found
    return None


def read_episodes(path: Path) -> Iterator[Episode]:
    """The episodes of a file, or of a suite's folder, one by one.

    Raises:
        FileNotFoundError: there is no such file.
        BrokenEpisode: a line is no episode, or its checksum is another one.
    """
    path = path / EPISODES if path.is_dir() else path
    with path.open("rb") as opened:
        for number, line in enumerate(opened, 1):
            if not line.strip():
                continue
            yield read_episode(line, f"`{path}`, line {number}: ")


def read_episode(line: bytes | str, where: str = "") -> Episode:
    """The episode of a line.

    Args:
        line: JSON.
        where: it stands, for people.

    Raises:
        BrokenEpisode: it is none, or its checksum is another one.
    """
    try:
        episode = Episode.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        part = ".".join(map(str, first["loc"]))
        raise BrokenEpisode(f"{where}{part}: {first['msg']}") from None
    if episode.checksum != episode.computed:
        raise BrokenEpisode(f"{where}`{episode.id}` is not as it was written: its checksum is another one")
    return episode


def sandbox_of(episode: Episode) -> ReplaySandbox:
    """The tools as the episode's records answer them; what is missing or answers no known call cannot be replayed.

    Raises:
        BrokenSnapshot: a record's arguments are none of its tool.
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
            raise BrokenSnapshot(f"`{episode.id}`: {error}") from None
    return ReplaySandbox(
        calls, now=episode.context.time, tools=TOOLS if episode.source is None else PUBLIC_TOOLS
    )


def _rows(ways: Ways) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    tables: tuple[Sequence[Any], ...] = (
        ways.places,
        ways.roads,
        ways.lines,
        ways.routes,
        ways.pieces,
        ways.halts,
        ways.weather,
    )
    for table, rows in zip(COLUMNS, tables, strict=True):
        yield table, [tuple(_stored(getattr(row, name)) for name in row.__slots__) for row in rows]


def _stored(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return SPLIT.join(" ".join(item.split()) for item in value) if isinstance(value, tuple) else value


def _ids(base: Path) -> Iterable[str]:
    """The ids of the episodes of a base; none if there is no base."""
    if not base.is_file():
        return []
    opened = sqlite3.connect(f"{base.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return [row[0] for row in opened.execute("select id from Episode") if _is_name(row[0])]
    except sqlite3.Error:
        return []
    finally:
        opened.close()


def _is_name(word: str) -> bool:
    """No file but in its own folder can have the name, and none that is hidden."""
    return word[:1].isalnum() and all(c.isalnum() or c in "-_." for c in word) and len(word.encode()) <= 100
