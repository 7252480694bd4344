"""The files of a suite of episodes: one for each task, or, of many episodes, shards with a thousand episodes or more.

suite.yaml                              suite.yaml
episodes.jsonl                          shards/00001.tasks.yaml.gz
ways.sqlite                             shards/episodes-00001.jsonl
tasks/ID.yaml                           shards/00001.ways.sqlite
shards/00002.tasks.yaml.gz ...

Suites on an imported map have it beside them, as `map.json` with the notice of its licence.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.workspace.shards import PACKED, SHARD, read_shard, shard_of, task_place
from planspec.environments.line_index import FileState
from planspec.families.mobilitybench.tasks import LIBRARY

EPISODES, BASE, TASKS, SUITE, SHARDS = "episodes.jsonl", "ways.sqlite", "tasks", "suite.yaml", "shards"
MAP, NOTICE = "map.json", "NOTICE.md"
"""An imported map, and the notice of its licence, in a folder of their own and beside suites that are drawn on it."""
PART = ".part"
"""The folder of what is being written."""
SHARD_TASKS, SHARD_BASE = f"{SHARD}{PACKED}", f".{BASE}"
"""The endings of the files of a shard, behind its number."""
SHARD_EPISODES = "episodes-{}.jsonl"
"""The name of the file with the episodes of a shard; they are not packed, so that anything reads them line by line."""
OF_SHARD = re.compile(rf"\d{{5,}}({re.escape(SHARD_TASKS)}|{re.escape(SHARD_BASE)})|episodes-\d{{5,}}\.jsonl")
_EPISODES = re.compile(r"episodes-(\d{5,})\.jsonl")


def suite_id(folder: Path) -> str:
    """The suite is called as its folder."""
    word = "".join(c if c.isalnum() or c in "-_." else "-" for c in folder.resolve().name)
    return word if word[:1].isalnum() else LIBRARY


def is_suite(folder: Path) -> bool:
    """The folder holds a suite that was written here, finished or not, or nothing."""
    if not folder.is_dir():
        return False
    suite = folder / SUITE
    if suite.is_file():
        same = f"protocol: {LIBRARY}" in suite.read_text("utf-8", errors="replace").splitlines()
        return same and ((folder / BASE).is_file() or (folder / SHARDS).is_dir())
    found = {entry.name for entry in folder.iterdir()}
    return not found or PART in found


def take_away(folder: Path) -> None:
    """Take the files of an earlier suite away, first its own; what others put there stays."""
    (folder / SUITE).unlink(missing_ok=True)
    take_tasks_away(folder, folder / BASE)
    notice = (NOTICE,) if (folder / MAP).is_file() else ()
    for name in (EPISODES, BASE, MAP, *notice):
        (folder / name).unlink(missing_ok=True)
    for path in list((folder / SHARDS).glob("*")):
        if OF_SHARD.fullmatch(path.name):
            path.unlink(missing_ok=True)
    for name in (TASKS, SHARDS):
        if (folder / name).is_dir() and not any((folder / name).iterdir()):
            (folder / name).rmdir()


def suite_folder(episodes: Path) -> Path:
    """The folder of the suite of a file with episodes."""
    return episodes.parent.parent if _EPISODES.fullmatch(episodes.name) else episodes.parent


def take_tasks_away(folder: Path, base: Path) -> None:
    """Take the tasks of a base away from a folder."""
    for name in _ids(base):
        (folder / TASKS / f"{name}.yaml").unlink(missing_ok=True)


def is_name(word: str) -> bool:
    """No file but in its own folder can have the name, and none that is hidden."""
    return word[:1].isalnum() and all(c.isalnum() or c in "-_." for c in word) and len(word.encode()) <= 100


def _ids(base: Path) -> Iterable[str]:
    """The ids of the episodes of a base; none if there is no base."""
    if not base.is_file():
        return []
    opened = sqlite3.connect(f"{base.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return [row[0] for row in opened.execute("select id from Episode") if is_name(row[0])]
    except sqlite3.Error:
        return []
    finally:
        opened.close()


# ------------------------------------------------------------------ which stands where


def episode_files(folder: Path) -> list[Path]:
    """The files with the episodes of a suite, in order; none if it has no episodes."""
    if (folder / EPISODES).is_file():
        return [folder / EPISODES]
    found = (folder / SHARDS).glob(SHARD_EPISODES.format("*"))
    return sorted(path for path in found if _EPISODES.fullmatch(path.name))


def task_of(episodes: Path, id_: str) -> Path:
    """The path of the task of an episode.

    Args:
        episodes: the file with the episode.
        id_: of the episode.
    """
    if _EPISODES.fullmatch(episodes.name):
        return task_place(_tasks_beside(episodes), id_)
    return episodes.parent / TASKS / f"{id_}.yaml"


def episodes_beside(task: Path) -> Path | None:
    """The file with the episode of a task in a shard; None of a task in a file."""
    inside = shard_of(task)
    if inside is None:
        return None
    shard = inside[0]
    return shard.with_name(SHARD_EPISODES.format(shard.name.removesuffix(PACKED).removesuffix(SHARD)))


def task_ids(folder: Path) -> set[str]:
    """The ids of the tasks of a suite."""
    found = {path.stem for path in (folder / TASKS).glob("*.yaml")}
    return found.union(*(_names(FileState.of(_tasks_beside(file))) for file in _packed(folder)))


def _packed(folder: Path) -> list[Path]:
    return [file for file in episode_files(folder) if file.name != EPISODES]


def _tasks_beside(episodes: Path) -> Path:
    found = _EPISODES.fullmatch(episodes.name)
    assert found is not None, "a file with the episodes of a shard"
    return episodes.with_name(found[1] + SHARD_TASKS)


@lru_cache(maxsize=1000)
def _names(shard: FileState) -> Mapping[str, object]:
    """The ids of a shard's tasks; of one that cannot be read there are none, and loading a task says why."""
    read = read_shard(shard.path, shard.path.name, Report())
    return {} if read is None else dict.fromkeys(read.entries)
