"""`planspec` on the command line. Exit codes: 0 holds, 1 does not, 2 wrong input, 3 undecided, 70 our bug, 130 interrupted."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from planspec.commands import (
    documents,
    explaining,
    judging,
    measuring,
    repairing,
    solving,
    tightening,
    touring,
    validating,
)
from planspec.commands.console import CallError, Exit, Interrupted, note, show_diagnostics

app = typer.Typer(
    name="planspec",
    help="Planning tasks that are right: one text for a constraint, judged by a verifier and proved by solvers.",
    no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
for command in (
    documents.check, documents.fmt, documents.explain, documents.schema, judging.verify, judging.score, solving.solve,
    validating.validate, explaining.why, repairing.repair, tightening.tighten,
    measuring.difficulty, touring.tour,
):  # fmt: skip
    app.command()(command)
app.add_typer(documents.tasks, name="tasks")


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"planspec {version('planspec')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Nothing but `--version` is common to all commands."""


def _interrupt(*_: object) -> None:
    raise Interrupted


def main() -> None:
    """Run the command line; every outcome is an exit code, never a traceback."""
    gc.set_threshold(100_000, 20, 20)  # most of what a command makes it keeps: looking for cycles is in vain
    signal.signal(signal.SIGINT, _interrupt)
    try:
        app()
    except Interrupted:
        note("interrupted")
        sys.exit(Exit.INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(Exit.FAILS)
    except Exception as error:  # noqa: BLE001 the boundary: what is not the caller's mistake is our bug
        sys.exit(_failure(error))


def _failure(error: Exception) -> Exit:
    """Say what went wrong.

    Raises:
        Exception: the error itself, if it is our bug and the environment asks for tracebacks.
    """
    from planspec.catalog import NotFound
    from planspec.dsl.diagnostics import DiagnosticError
    from planspec.errors import UnknownProfile
    from planspec.verifiers.plan import UnfitTask, UnknownFormat
    from planspec.verifiers.protocols.registry import UnknownProtocol

    match error:
        case DiagnosticError():
            show_diagnostics(error.diagnostics)
        case NotFound():
            note(f"error[PS702]: {error}")
        case CallError() | UnknownProfile() | UnfitTask() | UnknownFormat() | UnknownProtocol():
            note(f"error: {error}")
        case OSError(filename=str() | bytes() | Path() as name, strerror=str() as reason):
            note(f"error: `{os.fsdecode(name)}`: {reason}")
        case _:
            if os.environ.get("PLANSPEC_DEBUG"):
                raise error
            note(f"error[PS901]: this is a bug in planspec: {type(error).__name__}: {error}")
            note("please report it with the files that show it; PLANSPEC_DEBUG=1 prints the traceback")
            return Exit.BUG
    return Exit.WRONG_INPUT


if __name__ == "__main__":
    main()
