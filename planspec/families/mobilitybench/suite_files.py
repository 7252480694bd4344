"""Files of a suite of episodes. Large suites are written in shards of a thousand or more episodes.

without shards                          with shards

suite.yaml                              suite.yaml
episodes.jsonl                          shards/00001.tasks.yaml.gz
ways.sqlite                             shards/episodes-00001.jsonl
tasks/ID.yaml                           shards/00001.ways.sqlite
shards/00002.tasks.yaml.gz ...

A suite on an imported map also has a copy of the map, `map.json`, and the notice of its licence, `NOTICE.md`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.workspace.shards import PACKED, SHARD, read_shard, split_task_path, task_path
from planspec.environments.line_index import FileState
from planspec.families.mobilitybench.tasks import LIBRARY

EPISODES, BASE, TASKS, SUITE, SHARDS = "episodes.jsonl", "ways.sqlite", "tasks", "suite.yaml", "shards"
MAP, NOTICE = "map.json", "NOTICE.md"
"""Files of an imported map and of the notice of its licence, in a map's folder and in suites on the map."""
PART = ".part"
"""Subfolder for unfinished files."""
SHARD_TASKS, SHARD_BASE = f"{SHARD}{PACKED}", f".{BASE}"
"""Suffixes of a shard's files, after the number of the shard."""
SHARD_EPISODES = "episodes-{}.jsonl"
"""Name of the file with a shard's episodes. It is not compressed, so that any program can read its lines."""
SHARD_FILE = re.compile(rf"\d{{5,}}({re.escape(SHARD_TASKS)}|{re.escape(SHARD_BASE)})|episodes-\d{{5,}}\.jsonl")
_EPISODES = re.compile(r"episodes-(\d{5,})\.jsonl")


def suite_id(folder: Path) -> str:
    """Return the id of the suite in a folder: the folder's name, with unsuitable characters replaced."""
    word = "".join(c if c.isalnum() or c in "-_." else "-" for c in folder.resolve().name)
    return word if word[:1].isalnum() else LIBRARY


def can_hold_suite(folder: Path) -> bool:
    """Return whether a folder is empty or holds a suite of this family, complete or not."""
    if not folder.is_dir():
        return False
    suite = folder / SUITE
    if suite.is_file():
        same = f"protocol: {LIBRARY}" in suite.read_text("utf-8", errors="replace").splitlines()
        return same and ((folder / BASE).is_file() or (folder / SHARDS).is_dir())
    names = {entry.name for entry in folder.iterdir()}
    return not names or PART in names


def remove_suite(folder: Path) -> None:
    """Remove the files of a suite, `suite.yaml` first. Other files are not removed."""
    (folder / SUITE).unlink(missing_ok=True)
    remove_tasks(folder, folder / BASE)
    notice = (NOTICE,) if (folder / MAP).is_file() else ()
    for name in (EPISODES, BASE, MAP, *notice):
        (folder / name).unlink(missing_ok=True)
    for path in list((folder / SHARDS).glob("*")):
        if SHARD_FILE.fullmatch(path.name):
            path.unlink(missing_ok=True)
    for name in (TASKS, SHARDS):
        if (folder / name).is_dir() and not any((folder / name).iterdir()):
            (folder / name).rmdir()


def suite_folder(episodes: Path) -> Path:
    """Return the folder of a suite, given one of its files with episodes."""
    return episodes.parent.parent if _EPISODES.fullmatch(episodes.name) else episodes.parent


def remove_tasks(folder: Path, database: Path) -> None:
    """Remove the files of the tasks whose episodes a database lists."""
    for name in _episode_ids(database):
        (folder / TASKS / f"{name}.yaml").unlink(missing_ok=True)


def is_safe_file_name(word: str) -> bool:
    """Return whether a word is safe as a file name: visible, without path separators, and short."""
    return word[:1].isalnum() and all(c.isalnum() or c in "-_." for c in word) and len(word.encode()) <= 100


def _episode_ids(database: Path) -> Iterable[str]:
    """Return the ids of the episodes in a database; empty if it does not exist or cannot be read."""
    if not database.is_file():
        return []
    opened = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return [row[0] for row in opened.execute("select id from Episode") if is_safe_file_name(row[0])]
    except sqlite3.Error:
        return []
    finally:
        opened.close()


# ------------------------------------------------------------------ lookups


def episode_files(folder: Path) -> list[Path]:
    """Return the files with the episodes of a suite, in order; empty if there are none."""
    if (folder / EPISODES).is_file():
        return [folder / EPISODES]
    paths = (folder / SHARDS).glob(SHARD_EPISODES.format("*"))
    return sorted(path for path in paths if _EPISODES.fullmatch(path.name))


def task_of(episodes: Path, id_: str) -> Path:
    """Return the path of an episode's task.

    Args:
        episodes: file with the episode.
        id_: id of the episode.
    """
    if _EPISODES.fullmatch(episodes.name):
        return task_path(_tasks_beside(episodes), id_)
    return episodes.parent / TASKS / f"{id_}.yaml"


def episodes_beside(task: Path) -> Path | None:
    """Return the file with the episode of a task in a shard, or None if the task has its own file."""
    place = split_task_path(task)
    if place is None:
        return None
    shard = place[0]
    return shard.with_name(SHARD_EPISODES.format(shard.name.removesuffix(PACKED).removesuffix(SHARD)))


def task_ids(folder: Path) -> set[str]:
    """Return the ids of the tasks of a suite."""
    ids = {path.stem for path in (folder / TASKS).glob("*.yaml")}
    return ids.union(*(_shard_task_ids(FileState.of(_tasks_beside(file))) for file in _shard_episode_files(folder)))


def _shard_episode_files(folder: Path) -> list[Path]:
    return [file for file in episode_files(folder) if file.name != EPISODES]


def _tasks_beside(episodes: Path) -> Path:
    match = _EPISODES.fullmatch(episodes.name)
    assert match is not None, "a file with the episodes of a shard"
    return episodes.with_name(match[1] + SHARD_TASKS)


@lru_cache(maxsize=1000)
def _shard_task_ids(shard: FileState) -> Mapping[str, object]:
    """Return a mapping with the ids of a shard's tasks as keys.

    The mapping is empty if the shard cannot be read. Loading one of its tasks then reports the reason.
    """
    contents = read_shard(shard.path, shard.path.name, Report())
    return {} if contents is None else dict.fromkeys(contents.entries)
