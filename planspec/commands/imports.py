"""`planspec import`: public data sets -> suites."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from planspec.commands.console import (
    CallError,
    Exit,
    Format,
    collect_as_it_goes,
    command_group,
    leave,
    note,
    print_json,
)
from planspec.text_table import align

if TYPE_CHECKING:
    from planspec.families.suite_writing.counts import TableCount
    from planspec.families.suite_writing.folder import Imported, SuiteFolder

import_ = command_group("Make a suite of a public data set.")


@import_.callback()
def _families() -> None:
    """Make a suite of a public data set."""
    collect_as_it_goes()


Db = Annotated[Path, typer.Option(help="The public folder `database`, with its CSV files.", metavar="DIR")]
Queries = Annotated[
    list[Path], typer.Option(help="Queries as JSON lines; may be given several times.", metavar="FILE.jsonl")
]
Out = Annotated[Path, typer.Option(help="The suite's folder, new or of an earlier import.", metavar="DIR")]
How = Annotated[Format, typer.Option(help="How to print.")]


@import_.command()
def travelplanner(db: Db, queries: Queries, out: Out, format: How = Format.text) -> None:
    """TravelPlanner: a world of its tables, tasks of its queries.

    The CSV files become one indexed SQLite base.

    Says what became of each row. Lines that are no queries for these tables are left out and named (exit status 2).
    """
    _import("travelplanner", db, queries, out, format)


@import_.command()
def flextravel(db: Db, queries: Queries, out: Out, format: How = Format.text) -> None:
    """FlexTravelBench: conversations made of queries.

    What a query asks is said bit by bit: a local wish (cuisine, room type, room rule), a global one (budget, number
    of people), or one after the other.
    """
    _import("flextravel", db, queries, out, format)


@import_.command()
def veritrip(
    facts: Annotated[
        Path, typer.Option(help="The fact base: a CSV or JSONL file for each table.", metavar="DIR")
    ],
    currency: Annotated[str, typer.Option(help="Of its prices, such as CNY.", metavar="CODE")],
    queries: Queries,
    out: Out,
    format: How = Format.text,
) -> None:
    """VeriTrip: a world of a fact base, tasks of its queries.

    The tables are transportation, attractions, restaurants, accommodations and pois, each as NAME.csv or NAME.jsonl; a
    column that is missing is named.

    Says what became of each row. Lines that are no queries for this fact base are left out and named (exit status 2).
    """
    from planspec.families.veritrip.importing import import_veritrip, suite_folder
    from planspec.families.veritrip.reading import UnfitBase

    if not re.fullmatch("[A-Z]{3}", currency):
        raise CallError(f"`{currency}` is no currency; write three letters, such as CNY")
    _check(facts, queries, out, suite_folder(out), "veritrip")
    try:
        made = import_veritrip(facts, currency, queries, out)
    except UnfitBase as error:
        raise CallError(str(error)) from None
    _show("veritrip", made, format)


@import_.command()
def mobilitybench(
    csv: Annotated[Path, typer.Option(help="The public table, with its 33 columns.", metavar="FILE")],
    out: Out,
    format: How = Format.text,
) -> None:
    """MobilityBench: episodes with their recorded tools, and tasks, of the public table.

    Says what became of each column's cells: those that are cut off or cannot be read have no value. What an episode's task
    does not ask for want of it is named. Rows that are no episodes are left out and named (exit status 2).
    """
    from planspec.families.mobilitybench.public.importing import import_mobilitybench
    from planspec.families.mobilitybench.public.table import UnfitTable

    if not csv.is_file():
        raise CallError(f"there is no file `{csv}`")
    try:
        made, report = import_mobilitybench(csv, out)
    except (UnfitTable, FileExistsError) as error:
        raise CallError(str(error)) from None
    for cell in report.cells:
        if cell.lost:
            note(f"note: {cell}")
    for left in report.unasked:
        note(f"note: {left}")
    _show("mobilitybench", made, format)


def _import(family: str, db: Path, queries: list[Path], out: Path, format: Format) -> None:
    from planspec.families.travelplanner.importing.database import UnfitDatabase
    from planspec.families.travelplanner.importing.suite import import_travelplanner, suite_folder

    talks = family == "flextravel"
    _check(db, queries, out, suite_folder(out, conversations=talks), family)
    try:
        made = import_travelplanner(db, queries, out, conversations=talks)
    except UnfitDatabase as error:
        raise CallError(str(error)) from None
    _show(family, made, format)


def _check(source: Path, queries: list[Path], out: Path, folder: SuiteFolder, family: str) -> None:
    """The files are there, and the folder may be written."""
    if not source.is_dir():
        raise CallError(f"there is no folder `{source}`")
    for path in queries:
        if not path.is_file():
            raise CallError(f"there is no file `{path}`")
    if out.exists() and not (out.is_dir() and folder.is_import()):
        raise CallError(f"`{out}` is neither a new folder nor one of an earlier import of {family}")


def _show(family: str, made: Imported, format: Format) -> NoReturn:
    """Say what was made, and leave."""
    from planspec.api.outputs import ImportOutput

    if format is Format.json:
        print_json(ImportOutput.of(family, made))
    else:
        lines = align([(count.table, _rows(count)) for count in made.tables], least=(14,))
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.write(f"suite {made.suite}: {len(made.tasks)} tasks in {made.folder}\n")
    for left in made.left_out:
        note(f"error: {left}; it is left out")
    leave(Exit.WRONG_INPUT if made.left_out or not made.tasks else Exit.HOLDS)


def _rows(count: TableCount) -> str:
    parts = [f"{count.kept:,} of {count.read:,} rows"]
    if count.repeated:
        parts.append(f"{count.repeated:,} repeated (the first counts)")
    parts += [f"{n:,} dropped: {reason}" for reason, n in count.dropped.items()]
    parts += [f"{n:,} {remark}" for remark, n in count.noted.items() if n]
    return "; ".join(parts)
