"""`planspec import travelplanner` and `planspec import flextravel`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from planspec.families.suite_writing.folder import ImportResult
from planspec.families.suite_writing.options import Option

Db: TypeAlias = Annotated[
    Path, Option("The public folder `database`, with its CSV files.", "DIR", exists="folder")
]
Queries: TypeAlias = Annotated[
    list[Path], Option("Queries: JSON lines or a list; may be given several times.", "FILE", exists="file")
]
Out: TypeAlias = Annotated[Path, Option("The suite's folder, new or of an earlier import.", "DIR")]


def import_suite(db: Db, queries: Queries, out: Out) -> ImportResult:
    """TravelPlanner: a world of its tables, tasks of its queries.

    Makes one indexed SQLite database of the CSV files.

    Reports what became of each row, and each line that is not a query for these tables (exit status 2).
    """
    return _import(db, queries, out, conversations=False)


def import_conversations(db: Db, queries: Queries, out: Out) -> ImportResult:
    """FlexTravelBench: conversations made of queries.

    A conversation reveals a query bit by bit: a local wish (cuisine, room type, room rule), a global one (budget,
    number of people), or one after the other. A published dialogue (`val_dataset_without_*.json`) is one
    conversation.
    """
    return _import(db, queries, out, conversations=True)


def _import(db: Path, queries: list[Path], out: Path, *, conversations: bool) -> ImportResult:
    from planspec.families.travelplanner.importing.suite import import_travelplanner, suite_folder

    suite_folder(out, conversations=conversations).require_writable()
    return import_travelplanner(db, queries, out, conversations=conversations)
