"""Import of a suite from TravelPlanner's public tables and queries."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from planspec.families.travelplanner.importing.conversations import conversations_of, published_conversation
from planspec.families.travelplanner.importing.database import build_database
from planspec.families.travelplanner.importing.queries import KnownPlaces, PublicQuery, read_queries
from planspec.families.travelplanner.importing.tasks import task_text
from planspec.suite_writing.folder import ImportResult, SkippedLine, SuiteFolder
from planspec.suite_writing.writing import world_text

BASE = "travelplanner.sqlite"
PLURALS = {"dialogue": "dialogues", "query": "queries"}
"""Plural of each kind of imported record."""
BLIND = "people, budget and wishes are not published: the eight rules of common sense are judged, and no request"
TABLES = {
    "State": "",
    "City": "",
    "Cuisine": "",
    "Hotel": "{bans: {split: ', '}}",
    "Restaurant": "{cuisines: {split: ', '}}",
    "Attraction": "",
    "Road": "",
}


def suite_folder(out: Path, *, conversations: bool = False) -> SuiteFolder:
    """Return the folder of an imported suite, of single queries or of conversations."""
    return SuiteFolder(out, "travelplanner", "TravelPlanner", "flextravel" if conversations else "travelplanner", BASE)


def import_travelplanner(db: Path, queries: Sequence[Path], out: Path, *, conversations: bool = False) -> ImportResult:
    """Write a suite: `suite.yaml`, `world.yaml` with its SQLite database, and the tasks.

    Args:
        db: public folder `database`.
        queries: files of JSON lines, or of one JSON list each.
        out: folder of the suite. An earlier import there is replaced once all input is read.
        conversations: whether to write conversations, which reveal parts of a query in later turns. Otherwise each
            query becomes one task. A published dialogue becomes one conversation.

    Raises:
        InvalidDatabaseError: the folder is not the public database.
        OSError: a file cannot be read or written.
    """
    folder = suite_folder(out, conversations=conversations)
    with folder.database_file() as part:
        counts = build_database(db, part)
        tasks, left_out, unknown = _task_texts(part, queries, conversations=conversations)
        world = world_text(f"{folder.id}-world", "TravelPlanner's tables", "travelplanner", "USD", BASE, TABLES)
        folder.finish(world, tasks)
    what = "dialogue" if conversations else "query"
    notes = tuple(f"{count} {what if count == 1 else PLURALS[what]}: {remark}" for remark, count in unknown.items())
    return ImportResult(out, folder.id, tuple(counts), tuple(tasks), tuple(left_out), notes)


def _task_texts(
    base: Path, queries: Sequence[Path], *, conversations: bool
) -> tuple[dict[str, str], list[SkippedLine], Counter[str]]:
    """Return the task texts by id, the lines that were left out, and counts of remarks.

    A remark states which fact a record lacks.
    """
    with closing(sqlite3.connect(base)) as opened:
        places = places_of(opened)
    tasks: dict[str, str] = {}
    left_out: list[SkippedLine] = []
    unknown: Counter[str] = Counter()
    used_ids: set[str] = set()
    for path in queries:
        for query in read_queries(path, places, used_ids, dialogues=conversations):
            match query:
                case SkippedLine():
                    left_out.append(query)
                case PublicQuery():
                    if query.later_wishes:
                        new = {query.name: published_conversation(query, places, f"../{BASE}", "../world.yaml")}
                        unknown.update(_remarks_on_dialogue(query))
                    elif conversations:
                        new = conversations_of(query, places, f"../{BASE}", "../world.yaml")
                    else:
                        new = {query.name: task_text(query, places, f"../{BASE}", "../world.yaml")}
                        unknown.update([BLIND] if query.blind else [])
                    tasks |= new
    return tasks, left_out, unknown


def _remarks_on_dialogue(dialogue: PublicQuery) -> list[str]:
    """Return remarks on the facts that a published dialogue lacks, with the assumed values."""
    people = ["the first turn lacks the number of people; one is assumed until a turn gives it"]
    return [
        "later turns' words are not published; planspec's own sentences replace them",
        *(people if "people" in dialogue.later_wishes else []),
    ]


def places_of(base: sqlite3.Connection) -> KnownPlaces:
    """Return the places in a database, against which queries are checked."""
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
