"""`planspec import travelplanner`: a suite from the public tables and queries."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from planspec.families.suite_writing.folder import ImportResult, SkippedLine, SuiteFolder
from planspec.families.suite_writing.writing import world_text
from planspec.families.travelplanner.importing.conversations import conversations_of, published_conversation
from planspec.families.travelplanner.importing.database import build
from planspec.families.travelplanner.importing.queries import KnownPlaces, PublicQuery, read_queries
from planspec.families.travelplanner.importing.tasks import task_text

BASE = "travelplanner.sqlite"
NAMED_BY = {"dialogue": "dialogues", "query": "queries"}
"""Plural nouns of the imported things."""
BLIND = (
    "people, budget and wishes are not published: the eight rules of common sense are judged, and no request"
)
TABLES = {
    "State": "", "City": "", "Cuisine": "", "Hotel": "{bans: {split: ', '}}", "Restaurant": "{cuisines: {split: ', '}}",
    "Attraction": "", "Road": "",
}  # fmt: skip


def suite_folder(out: Path, *, conversations: bool = False) -> SuiteFolder:
    """Return the folder of a suite of queries, or of conversations."""
    return SuiteFolder(
        out, "travelplanner", "TravelPlanner", "flextravel" if conversations else "travelplanner", BASE
    )


def import_travelplanner(
    db: Path, queries: Sequence[Path], out: Path, *, conversations: bool = False
) -> ImportResult:
    """Write the suite: `suite.yaml`, `world.yaml` with its SQLite database, and a task for each query.

    Args:
        db: public folder `database`.
        queries: files of JSON lines, or of one JSON list each.
        out: folder; an earlier import is replaced after all input is read.
        conversations: whether to write conversations, which reveal parts of a query in later turns, instead
            of a task for each query. A published dialogue is one conversation.

    Raises:
        InvalidDatabaseError: the folder is not the public database.
        OSError: a file cannot be read or written.
    """
    folder = suite_folder(out, conversations=conversations)
    with folder.database_file() as part:
        counts = build(db, part)
        tasks, left_out, unknown = _texts(part, queries, conversations=conversations)
        world = world_text(
            f"{folder.id}-world", "TravelPlanner's tables", "travelplanner", "USD", BASE, TABLES
        )
        folder.finish(world, tasks)
    what = "dialogue" if conversations else "query"
    notes = tuple(
        f"{count} {what if count == 1 else NAMED_BY[what]}: {why}" for why, count in unknown.items()
    )
    return ImportResult(out, folder.id, tuple(counts), tuple(tasks), tuple(left_out), notes)


def _texts(
    base: Path, queries: Sequence[Path], *, conversations: bool
) -> tuple[dict[str, str], list[SkippedLine], Counter[str]]:
    """Return the task texts by id, the lines that are no queries, and counted remarks on unpublished facts."""
    with closing(sqlite3.connect(base)) as opened:
        places = places_of(opened)
    tasks: dict[str, str] = {}
    left_out: list[SkippedLine] = []
    unknown: Counter[str] = Counter()
    taken: set[str] = set()
    for path in queries:
        for query in read_queries(path, places, taken, dialogues=conversations):
            match query:
                case SkippedLine():
                    left_out.append(query)
                case PublicQuery():
                    if query.said_later:
                        new = {
                            query.name: published_conversation(query, places, f"../{BASE}", "../world.yaml")
                        }
                        unknown.update(_unknown(query))
                    elif conversations:
                        new = conversations_of(query, places, f"../{BASE}", "../world.yaml")
                    else:
                        new = {query.name: task_text(query, places, f"../{BASE}", "../world.yaml")}
                        unknown.update([BLIND] if query.blind else [])
                    tasks |= new
    return tasks, left_out, unknown


def _unknown(dialogue: PublicQuery) -> list[str]:
    """Return remarks on the facts that a published dialogue lacks, and their substitutes."""
    people = ["the first turn says no number of people, one person is meant until then"]
    return [
        "the words of later turns are not published, planspec's sentences say what they add",
        *(people if "people" in dialogue.said_later else []),
    ]


def places_of(base: sqlite3.Connection) -> KnownPlaces:
    """Return the database's places, against which queries are checked."""
    lodging, sights = (
        frozenset(city for (city,) in base.execute(f"select distinct city from {table}"))  # noqa: S608
        for table in ("Hotel where plain = 'true'", "Attraction")
    )
    return KnownPlaces(
        cities=dict(base.execute("select id, state from City")),
        states=frozenset(state for (state,) in base.execute("select id from State")),
        cuisines=frozenset(cuisine for (cuisine,) in base.execute("select id from Cuisine")),
        lodging=lodging,
        sights=sights,
    )
