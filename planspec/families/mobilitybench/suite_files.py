"""The files of a suite of episodes: one for each task or, for many episodes, shards of a thousand or more.

suite.yaml                              suite.yaml
episodes.jsonl                          shards/00001.tasks.yaml.gz
ways.sqlite                             shards/episodes-00001.jsonl
tasks/ID.yaml                           shards/00001.ways.sqlite
shards/00002.tasks.yaml.gz ...

A suite on an imported map has a copy of it, `map.json` with the notice of its licence.
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
"""An imported map and the notice of its licence, in a folder of their own and beside suites on the map."""
PART = ".part"
"""Folder of unfinished files."""
SHARD_TASKS, SHARD_BASE = f"{SHARD}{PACKED}", f".{BASE}"
"""Suffixes of the files of a shard, after its number."""
SHARD_EPISODES = "episodes-{}.jsonl"
"""Name of the file with a shard's episodes, uncompressed so that any program can read it line by line."""
OF_SHARD = re.compile(rf"\d{{5,}}({re.escape(SHARD_TASKS)}|{re.escape(SHARD_BASE)})|episodes-\d{{5,}}\.jsonl")
_EPISODES = re.compile(r"episodes-(\d{5,})\.jsonl")


def suite_id(folder: Path) -> str:
    """Return the id of the suite in a folder: the folder's name."""
    word = "".join(c if c.isalnum() or c in "-_." else "-" for c in folder.resolve().name)
    return word if word[:1].isalnum() else LIBRARY


def is_suite(folder: Path) -> bool:
    """Return whether the folder holds a suite of ours, finished or not, or nothing."""
    if not folder.is_dir():
        return False
    suite = folder / SUITE
    if suite.is_file():
        same = f"protocol: {LIBRARY}" in suite.read_text("utf-8", errors="replace").splitlines()
        return same and ((folder / BASE).is_file() or (folder / SHARDS).is_dir())
    names = {entry.name for entry in folder.iterdir()}
    return not names or PART in names


def remove_suite(folder: Path) -> None:
    """Remove the files of an earlier suite, the suite file first; foreign files stay."""
    (folder / SUITE).unlink(missing_ok=True)
    remove_tasks(folder, folder / BASE)
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
    """Return the folder of the suite to which a file of episodes belongs."""
    return episodes.parent.parent if _EPISODES.fullmatch(episodes.name) else episodes.parent


def remove_tasks(folder: Path, base: Path) -> None:
    """Remove the tasks of a base from a folder."""
    for name in _ids(base):
        (folder / TASKS / f"{name}.yaml").unlink(missing_ok=True)


def is_name(word: str) -> bool:
    """Return whether a word can only name a visible file in its own folder."""
    return word[:1].isalnum() and all(c.isalnum() or c in "-_." for c in word) and len(word.encode()) <= 100


def _ids(base: Path) -> Iterable[str]:
    """Return the ids of the episodes of a base; none if there is no base."""
    if not base.is_file():
        return []
    opened = sqlite3.connect(f"{base.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return [row[0] for row in opened.execute("select id from Episode") if is_name(row[0])]
    except sqlite3.Error:
        return []
    finally:
        opened.close()


# ------------------------------------------------------------------ lookups


def episode_files(folder: Path) -> list[Path]:
    """Return the files with the episodes of a suite, in order; none if it has no episodes."""
    if (folder / EPISODES).is_file():
        return [folder / EPISODES]
    paths = (folder / SHARDS).glob(SHARD_EPISODES.format("*"))
    return sorted(path for path in paths if _EPISODES.fullmatch(path.name))


def task_of(episodes: Path, id_: str) -> Path:
    """Return the path of an episode's task.

    Args:
        episodes: the file with the episode.
        id_: id of the episode.
    """
    if _EPISODES.fullmatch(episodes.name):
        return task_place(_tasks_beside(episodes), id_)
    return episodes.parent / TASKS / f"{id_}.yaml"


def episodes_beside(task: Path) -> Path | None:
    """Return the file with the episode of a task in a shard; None for a task in a file of its own."""
    place = shard_of(task)
    if place is None:
        return None
    shard = place[0]
    return shard.with_name(SHARD_EPISODES.format(shard.name.removesuffix(PACKED).removesuffix(SHARD)))


def task_ids(folder: Path) -> set[str]:
    """Return the ids of the tasks of a suite."""
    ids = {path.stem for path in (folder / TASKS).glob("*.yaml")}
    return ids.union(*(_names(FileState.of(_tasks_beside(file))) for file in _packed(folder)))


def _packed(folder: Path) -> list[Path]:
    return [file for file in episode_files(folder) if file.name != EPISODES]


def _tasks_beside(episodes: Path) -> Path:
    match = _EPISODES.fullmatch(episodes.name)
    assert match is not None, "a file with the episodes of a shard"
    return episodes.with_name(match[1] + SHARD_TASKS)


@lru_cache(maxsize=1000)
def _names(shard: FileState) -> Mapping[str, object]:
    """Return the ids of a shard's tasks; empty if it cannot be read, since loading a task reports why."""
    contents = read_shard(shard.path, shard.path.name, Report())
    return {} if contents is None else dict.fromkeys(contents.entries)
