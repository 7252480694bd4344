"""`planspec import`: converts public data sets to suites and maps, and constraint models to tasks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.console import CommandLineError, Exit, Format, leave, note, print_json
from planspec.commands.family_commands import family_group
from planspec.suite_writing.options import IMPORTERS
from planspec.text import align

if TYPE_CHECKING:
    from planspec.suite_writing.counts import TableCount
    from planspec.suite_writing.folder import ImportResult


def _import_suite(family: str, make: Callable[[], ImportResult], format: Format) -> None:
    """Import a suite or a map, print a summary, and end the command."""
    from planspec.api.outputs.imports import ImportOutput

    result = make()
    for remark in result.notes:
        note(f"note: {remark}")
    if format is Format.json:
        print_json(ImportOutput.of(family, result))
    else:
        for count in result.tables:  # not aligned in columns, because a long name would shift the other lines
            sys.stdout.writelines(
                f"{line}\n" for line in align([(count.table, _row_counts_text(count))], min_widths=(14,))
            )
        size = f": {len(result.tasks)} tasks" if result.made == "suite" else ""
        sys.stdout.write(f"{result.made} {result.suite}{size} in {result.folder}\n")
    for left in result.left_out:
        note(f"error: {left}; it is left out")
    is_empty = result.made == "suite" and not result.tasks
    leave(Exit.WRONG_INPUT if result.left_out or is_empty else Exit.HOLDS)


import_ = family_group(
    "Make a suite or map from public data, or a task from CPMpy.",
    IMPORTERS.of,
    _import_suite,
)


@import_.command("cpmpy")
def import_cpmpy(
    file: Annotated[Path, typer.Argument(help="Python file that builds a `cpmpy.Model`; it is run.", metavar="FILE")],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The task's file (.yaml), or its folder.", metavar="FILE|DIR")
    ],
    model: Annotated[
        str | None,
        typer.Option(help="Name of the model in the file, if it is not the one that the file solves.", metavar="NAME"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """CPMpy: a task from a constraint model in Python.

    Runs FILE with your rights, up to the point where it solves a model. If planspec's language cannot express a
    constraint of the model, the command prints this constraint and writes nothing.
    """
    from planspec.foreign_models.importing import import_cpmpy as write_task
    from planspec.foreign_models.output import ModelImportOutput

    if not file.is_file():
        raise CommandLineError(f"there is no file `{file}`")
    result = write_task(file, out, name=model, force=force)
    output = ModelImportOutput.of(result)
    if format is Format.json:
        print_json(output)
        return
    aim = f", {output.objective}" if output.objective else ""
    sys.stdout.write(
        f"task {output.task} in {output.file}: {output.variables} variables, {output.constraints} constraints{aim}\n"
    )
    if output.auxiliary:
        note(f"note: {output.auxiliary} further variables were added, which follow from the others")


def _row_counts_text(count: TableCount) -> str:
    parts = [f"{count.stored:,} of {count.read:,} rows"]
    if count.repeated:
        parts.append(f"{count.repeated:,} repeated (the first counts)")
    parts += [f"{n:,} dropped: {reason}" for reason, n in count.dropped.items()]
    parts += [f"{n:,} {remark}" for remark, n in count.noted.items() if n]
    return "; ".join(parts)
