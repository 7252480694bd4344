"""`planspec view`: shows runs, and runs in progress, in a browser."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from planspec.commands.completion import complete_runs
from planspec.commands.console import INSPECT_LOG_SUFFIX, CommandLineError, Exit, leave, note
from planspec.commands.report import run_from_log


def view(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The folders of runs, or logs of Inspect; if left out, all runs in `runs/`.",
            metavar="[RUN]...",
            autocompletion=complete_runs,
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            help="Time limit in seconds of each search, for the task's best plan and for the repair of an opened attempt; "
            "0: no searches.",
            min=0,
        ),
    ] = 5.0,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for a free one.", min=0, max=65535)] = 0,
) -> None:
    """Show runs in a browser, also while they are in progress.

    Prints the address of a local page. The page has all attempts in a list that can be sorted and filtered, and a matrix
    of failures, in which each count opens its attempts. Two attempts at a task can be shown side by side. Ctrl-C ends
    the command.
    """
    from planspec.live.view import ViewServer
    from planspec.runs import RunFolder

    named = runs or sorted(path.parent for path in Path("runs").glob("*/run.json"))
    if not named:
        raise CommandLineError("there is no run in `runs/`; name the folder of one")
    if len({path.resolve() for path in named}) < len(named):
        raise CommandLineError("a run is named twice")
    with TemporaryDirectory() as temporary:
        folders = [
            run_from_log(path, Path(temporary) / str(number)) if path.suffix == INSPECT_LOG_SUFFIX else RunFolder(path)
            for number, path in enumerate(named)
        ]
        try:
            server = ViewServer(folders, port, timeout or None)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
            raise CommandLineError(f"cannot listen at port {port}: {reason}") from None
        note(f"showing {len(folders)} {'run' if len(folders) == 1 else 'runs'} at {server.url}")
        try:
            server.serve()
        finally:
            server.close()
    leave(Exit.HOLDS)
