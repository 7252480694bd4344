"""`request`: a natural-language request generated from a task's specification."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from planspec.commands.completion import complete_documents
from planspec.commands.console import CommandLineError, Format, note, note_folder_precedence, print_json


def request(
    task: Annotated[str, typer.Argument(help="A task.", metavar="TASK", autocompletion=complete_documents)],
    language: Annotated[str, typer.Option(help="The language, such as de, zh or pt-BR.", metavar="CODE")] = "en",
    seed: Annotated[int, typer.Option(help="Seed for the choice among alternative templates.")] = 0,
    write: Annotated[
        bool, typer.Option("--write", help="Also replace the query and `tells` in the task's file.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Generate the query of a task from its values and rules.

    Sentences come from the wording documents `LIBRARY.LANGUAGE` and `TASK.LANGUAGE`. Numbers, money, dates and lists
    have the form of the language. Prints the sections `query` and `tells` of the task.

    A value or rule that no wording expresses is a mistake (exit status 2).
    """
    from planspec.api.catalog import Catalog
    from planspec.api.outputs.shown import RequestOutput
    from planspec.api.requests.writing import request as write_text
    from planspec.api.requests.writing import write_request

    note_folder_precedence(task)
    catalog = Catalog()
    written = write_text(task, language=language, seed=seed, workspace=catalog.workspace)
    if write:
        path = catalog.named(task).path
        try:
            write_request(path, written)
        except OSError as error:
            raise CommandLineError(f"`{path}` cannot be written: {error.strerror}") from None
        note(f"wrote the query of {path}")
    if format is Format.json:
        print_json(RequestOutput.of(written))
    else:
        sys.stdout.write(written.sections())
