"""`planspec play`: tasks in a browser while they are written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands.completion import complete_tasks
from planspec.commands.console import CommandLineError, Exit, existing_file, leave, note


def play(
    path: Annotated[
        str,
        typer.Argument(
            help="A task or suite by file or id, or a folder with tasks.",
            metavar="[PATH]",
            autocompletion=complete_tasks,
        ),
    ] = ".",
    answer: Annotated[
        Path | None,
        typer.Option(help="Show the plan of this answer instead of the reference.", metavar="FILE", show_default=False),
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="Time limit of each question to a solver, in seconds.", min=0.1)
    ] = 10.0,
    proofs: Annotated[bool, typer.Option("--proofs/--no-proofs", help="Also ask solvers.")] = True,
    port: Annotated[int, typer.Option(help="The port to listen at; 0 for a free one.", min=0, max=65535)] = 0,
) -> None:
    """Show tasks in a browser while they are written.

    Prints the address of a page on this machine. The page follows the files: mistakes, the reference's
    verdict and its plan to scale at once, then what solvers prove: feasibility, uniqueness, another plan,
    conflicts, ways out, the smallest repair. Ctrl-C ends it.
    """
    from planspec.live.play import PlayServer

    tasks = _named_tasks(path)
    if answer is not None:
        existing_file(str(answer), "the answer")
    try:
        server = PlayServer(tasks, port, timeout, answer, proofs=proofs)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
        raise CommandLineError(f"cannot listen at port {port}: {reason}") from None
    note(f"showing {tasks[0][0] if len(tasks) == 1 else f'{len(tasks)} tasks'} at {server.url}")
    try:
        server.serve()
    finally:
        server.close()
    leave(Exit.HOLDS)


def _named_tasks(path: str) -> list[tuple[str, Path]]:
    """Return the names and files of the tasks at `path`, which is a task, a suite or a folder.

    Raises:
        CommandLineError: the folder or suite has no task.
    """
    from planspec.api.catalog import Catalog

    catalog = Catalog()
    folder = Path(path)
    if not catalog.means_several(path):
        named = catalog.named(path)
        return [(path, named.path)]
    tasks = list(catalog.ids(catalog.documents([folder] if folder.exists() else [catalog.suite_path(path)])))
    if not tasks:
        raise CommandLineError(
            f"there is no task in `{path}`; name one, or make a folder with some: `planspec init NAME`"
        )
    return tasks
