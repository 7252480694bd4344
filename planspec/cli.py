"""`planspec` on the command line. Exit codes: 0 holds, 1 does not, 2 wrong input, 3 undecided, 70 our bug, 130 interrupted."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from planspec.commands.console import CallError, Exit, Interrupted, note, show_diagnostics

COMMANDS = {
    "check": "documents", "fmt": "documents", "explain": "documents", "schema": "documents", "tasks": "documents",
    "verify": "judging", "score": "judging", "solve": "solving", "validate": "validating", "why": "explaining",
    "repair": "repairing", "tighten": "tightening", "difficulty": "measuring", "tour": "touring", "import": "importing",
    "generate": "generating", "serve-tools": "serving", "run": "running",
    "report": "reporting",
}  # fmt: skip
"""Each command's module: a call loads the one that it names, and the others only for the list of them."""


class _Commands(typer.core.TyperGroup):
    """The commands, each made when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - of click, or of typer's own copy of it
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        attribute = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name.replace("-", "_")
        found = getattr(import_module(f"planspec.commands.{COMMANDS[cmd_name]}"), attribute)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            alone.command(cmd_name)(found)
            found = alone
        made = typer.main.get_command(found)
        made.name = cmd_name
        return made


app = typer.Typer(
    name="planspec", cls=_Commands,
    help="Planning tasks that are right: one text for a constraint, judged by a verifier and proved by solvers.",
    no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip


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
    """Run the command line and leave the process.

    After Ctrl-C at once: taking down a solver that was stopped in the middle has crashed (Z3, one time in twenty).
    """
    try:
        command_line()
    except SystemExit as left:
        if left.code != Exit.INTERRUPTED:
            raise
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(Exit.INTERRUPTED)


def command_line() -> None:
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
