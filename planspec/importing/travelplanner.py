"""`planspec import travelplanner`: the public tables and queries -> a folder that is a suite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from planspec.importing.counts import TableCount
from planspec.importing.travelplanner_conversations import conversations_of
from planspec.importing.travelplanner_database import build
from planspec.importing.travelplanner_queries import LeftOut, Places, Query, read_queries
from planspec.importing.travelplanner_tasks import task_text

BASE = "travelplanner.sqlite"
PART = f"{BASE}.part"
"""The base while it is written."""
TABLES = {
    "State": "", "City": "", "Cuisine": "", "Hotel": "{bans: {split: ', '}}", "Restaurant": "{cuisines: {split: ', '}}",
    "Attraction": "", "Road": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import made.

    Attributes:
        folder: the suite's.
        tables: what became of the rows of each public table.
        tasks: the ids of the tasks, in the order of the queries.
        left_out: the lines that are no queries for these tables.
    """

    folder: Path
    suite: str
    tables: tuple[TableCount, ...]
    tasks: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


def import_travelplanner(
    db: Path, queries: Sequence[Path], out: Path, *, conversations: bool = False
) -> Imported:
    """Write the suite: `suite.yaml`, `world.yaml` with its SQLite base, and a task for each query.

    Args:
        db: the public folder `database`.
        queries: files of JSON lines.
        out: a folder; what an import wrote there before is replaced.
        conversations: instead of a task for each query those in which parts of it are said in later turns.

    Nothing is replaced before all was read; the suite's own file is taken away first and written last, so that what
    was broken off is no suite.

    Raises:
        UnfitDatabase: the folder is not the public database.
        OSError: a file cannot be read or written.
    """
    out.mkdir(parents=True, exist_ok=True)
    name = suite_id(out)
    part = out / PART
    try:
        part.unlink(missing_ok=True)
        counts = build(db, part)
        tasks, left_out = _texts(part, queries, conversations=conversations)
        earlier = _listed(out)
        (out / "suite.yaml").unlink(missing_ok=True)
        part.replace(out / BASE)
    except BaseException:
        part.unlink(missing_ok=True)
        if not any(out.iterdir()):
            out.rmdir()
        raise
    folder = out / "tasks"
    folder.mkdir(exist_ok=True)
    for old in earlier:
        old.unlink(missing_ok=True)
    (out / "world.yaml").write_text(_world(f"{name}-world"), "utf-8")
    for task, text in tasks.items():
        (folder / f"{task}.yaml").write_text(text, "utf-8")
    protocol = "flextravel" if conversations else "travelplanner"
    (out / "suite.yaml").write_text(_suite(name, tuple(tasks), protocol), "utf-8")
    return Imported(out, name, tuple(counts), tuple(tasks), tuple(left_out))


def _texts(
    base: Path, queries: Sequence[Path], *, conversations: bool
) -> tuple[dict[str, str], list[LeftOut]]:
    """The tasks by their ids, and the lines that are none."""
    with closing(sqlite3.connect(base)) as opened:
        places = places_of(opened)
    tasks: dict[str, str] = {}
    left_out: list[LeftOut] = []
    taken: set[str] = set()
    for path in queries:
        for found in read_queries(path, places, taken):
            match found:
                case LeftOut():
                    left_out.append(found)
                case Query():
                    if conversations:
                        made = conversations_of(found, places, f"../{BASE}", "../world.yaml")
                    else:
                        made = {found.name: task_text(found, places, f"../{BASE}", "../world.yaml")}
                    tasks |= made
    return tasks, left_out


def places_of(base: sqlite3.Connection) -> Places:
    """What the base has, by which queries are checked."""
    lodging, sights = (
        frozenset(city for (city,) in base.execute(f"select distinct city from {table}"))  # noqa: S608
        for table in ("Hotel where plain = 'true'", "Attraction")
    )
    return Places(
        cities=dict(base.execute("select id, state from City")),
        states=frozenset(state for (state,) in base.execute("select id from State")),
        cuisines=frozenset(cuisine for (cuisine,) in base.execute("select id from Cuisine")),
        lodging=lodging,
        sights=sights,
    )


def _listed(folder: Path) -> list[Path]:
    """The tasks of an earlier import; what others put beside them is theirs."""
    suite = folder / "suite.yaml"
    lines = suite.read_text("utf-8").splitlines() if suite.is_file() else []
    return [folder / line.removeprefix("  - ") for line in lines if line.startswith("  - tasks/")]


def is_import(folder: Path, *, conversations: bool = False) -> bool:
    """The folder holds what an import wrote, and may be written again; so may one with what one left unfinished."""
    suite = folder / "suite.yaml"
    if suite.is_file():
        kind = "flextravel" if conversations else "travelplanner"
        same = f"protocol: {kind}" in suite.read_text("utf-8", errors="replace").splitlines()
        return same and (folder / BASE).is_file()
    return all(entry.name == PART for entry in folder.iterdir())


def suite_id(out: Path) -> str:
    """The suite is called as its folder."""
    word = "".join(c if c.isalnum() or c in "-_." else "-" for c in out.resolve().name)
    return word if word[:1].isalnum() else "travelplanner"


def _world(name: str) -> str:
    lines = ["planspec: world/1", f"id: {name}", "title: TravelPlanner's tables", "uses: [travelplanner]",
             "currency: USD", "tables:"]  # fmt: skip
    for table, split in TABLES.items():
        lines += [f"  {table}:", f"    sqlite: {{file: {BASE}, query: select * from {table}}}"]  # noqa: S608
        lines += [f"    map: {split}"] if split else []
    return "\n".join(lines) + "\n"


def _suite(name: str, tasks: Sequence[str], protocol: str) -> str:
    listed = "\n".join(f"  - tasks/{task}.yaml" for task in tasks)
    entries = f"tasks:\n{listed}" if tasks else "tasks: []"
    return (
        f"planspec: suite/1\nid: {name}\nfamily: travelplanner\ntitle: TravelPlanner\n{entries}\n"
        f"protocol: {protocol}\n"
    )
