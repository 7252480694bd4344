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

    Raises:
        UnfitDatabase: the folder is not the public database.
        OSError: a file cannot be read or written.
    """
    out.mkdir(parents=True, exist_ok=True)
    name = suite_id(out)
    base = out / BASE
    base.unlink(missing_ok=True)
    counts = build(db, base)
    with closing(sqlite3.connect(base)) as opened:
        places = Places(*(frozenset(row[0] for row in opened.execute(f"select id from {table}"))  # noqa: S608
                          for table in ("City", "State", "Cuisine")))  # fmt: skip
    (out / "world.yaml").write_text(_world(f"{name}-world"), "utf-8")
    tasks: list[str] = []
    left_out: list[LeftOut] = []
    folder = out / "tasks"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.yaml"):
        old.unlink()
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
                    for task, text in made.items():
                        (folder / f"{task}.yaml").write_text(text, "utf-8")
                    tasks += made
    protocol = "flextravel" if conversations else "travelplanner"
    (out / "suite.yaml").write_text(_suite(name, tasks, protocol), "utf-8")
    return Imported(out, name, tuple(counts), tuple(tasks), tuple(left_out))


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
