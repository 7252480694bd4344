"""Commands `planspec import travelplanner` and `planspec import flextravel`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from planspec.suite_writing.folder import ImportResult
from planspec.suite_writing.options import Option

Db: TypeAlias = Annotated[Path, Option("The public folder `database`, with its CSV files.", "DIR", exists="folder")]
Queries: TypeAlias = Annotated[
    list[Path], Option("Queries: JSON lines or a list; may be given several times.", "FILE", exists="file")
]
Out: TypeAlias = Annotated[Path, Option("The suite's folder, new or of an earlier import.", "DIR")]


def import_suite(db: Db, queries: Queries, out: Out) -> ImportResult:
    """TravelPlanner: a world with its tables, and a task for each query.

    Converts the CSV files to one indexed SQLite database.

    Reports the number of rows stored and dropped, and each line that is not a query for these tables (exit status 2).
    """
    return _import(db, queries, out, conversations=False)


def import_conversations(db: Db, queries: Queries, out: Out) -> ImportResult:
    """FlexTravelBench: conversations that reveal queries step by step.

    A conversation reveals parts of a query in later turns: a local wish (cuisine, room type, house rule), a global
    wish (budget, number of people), or both in either order. A published dialogue (`val_dataset_without_*.json`)
    becomes one conversation.
    """
    return _import(db, queries, out, conversations=True)


def _import(db: Path, queries: list[Path], out: Path, *, conversations: bool) -> ImportResult:
    from planspec.families.travelplanner.importing.suite import import_travelplanner, suite_folder

    suite_folder(out, conversations=conversations).require_writable()
    return import_travelplanner(db, queries, out, conversations=conversations)
