"""The command line `planspec`.

Exit codes: 0 holds, 1 does not hold, 2 wrong input or unwritable output, 3 undecided, 70 bug in planspec,
130 interrupted, 141 standard output was closed by its reader.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from keyword import iskeyword
from typing import Annotated, Any, NoReturn

import typer
import typer.core

from planspec.commands.console import CommandInterrupt, Exit, note, report_failure
from planspec.commands.jobs import add_ray_address
from planspec.commands.messages import forget_printed_diagnostics
from planspec.commands.streams import ClosedOutputError, UnwritableOutputError, replace_standard_streams
from planspec.commands.terminal import Color, apply_color

GROUPS: dict[str, dict[str, str]] = {
    "Write": {
        "init": "init",
        "draft": "draft",
        "request": "request",
        "check": "check",
        "play": "play",
        "fmt": "fmt",
        "test": "test",
        "explain": "documents",
        "schema": "documents",
        "docs": "docs",
        "playground": "playground",
        "server": "server",
    },
    "Judge": {"verify": "verify", "score": "score", "repair": "repair"},
    "Prove": {
        "solve": "solve",
        "validate": "validate",
        "audit": "audit",
        "why": "why",
        "tighten": "tighten",
        "difficulty": "difficulty",
        "compare": "compare",
        "tour": "tour",
        "dimacs": "dimacs",
    },
    "Run agents": {
        "run": "run",
        "rescore": "rescore",
        "rewards": "rewards",
        "report": "report",
        "view": "view",
        "agents": "agents",
        "serve-tools": "serve_tools",
        "serve-site": "serve_site",
    },
    "Get tasks": {"tasks": "tasks", "import": "imports", "generate": "generate", "export": "export"},
}
"""Module of each command, by group in the help and by command. Only the module of the requested command is loaded."""
COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}
TIME_LIMITED = (
    "check",
    "compare",
    "repair",
    "solve",
    "validate",
    "why",
    "tighten",
    "difficulty",
    "tour",
    "report",
)
FORMER = {"run": {"--seconds": "--timeout"}} | {name: {"--limit": "--timeout"} for name in TIME_LIMITED}
"""New names of renamed options, by command and former name. Former names still work."""


class _PlanspecCommand(typer.core.TyperCommand):
    """A command that also accepts former names of options, and `--ray` without an address."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        renamed = _replace_former_options(args, FORMER.get(self.name or "", {}))
        return super().parse_args(ctx, add_ray_address(list(renamed)))


def _replace_former_options(args: list[str], former: dict[str, str]) -> Iterator[str]:
    """Yield the arguments with new names of options, and print a note for each former name."""
    is_past_options = False
    for arg in args:
        name, equals, value = arg.partition("=")
        is_past_options = is_past_options or arg == "--"
        if is_past_options or name not in former:
            yield arg
        else:
            note(f"note: `{name}` is now `{former[name]}`")
            yield former[name] + equals + value


class _CommandGroup(typer.core.TyperGroup):
    """A group of commands, each loaded when it is needed."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the name is click's, or that of typer's copy
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        attribute = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name.replace("-", "_")
        command_or_app = getattr(import_module(f"planspec.commands.{COMMANDS[cmd_name]}"), attribute)
        if not isinstance(command_or_app, typer.Typer):
            single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            single.command(cmd_name, cls=_PlanspecCommand)(command_or_app)
            command_or_app = single
        loaded = typer.main.get_command(command_or_app)
        loaded.name = cmd_name
        shared = next(param for param in self.params if param.name == "color")
        for command in (loaded, *getattr(loaded, "commands", {}).values()):
            command.params.append(shared)
        return loaded

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from planspec.dsl.diagnostics.suggestions import did_you_mean

            close = did_you_mean(name, COMMANDS)
            ctx.fail(f"there is no command `{name}`" + (f"; {close}" if close else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, names in GROUPS.items():
            with formatter.section(title):
                room = formatter.width - 6 - max(map(len, COMMANDS))
                formatter.write_dl(
                    [
                        (
                            f"{name:<{max(map(len, COMMANDS))}}",
                            self.get_command(ctx, name).get_short_help_str(room),
                        )
                        for name in names
                    ]
                )


app = typer.Typer(
    name="planspec",
    cls=_CommandGroup,
    help="Write planning tasks, judge plans by every constraint, and prove with two solvers what tasks allow.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(is_requested: bool) -> None:
    if is_requested:
        from importlib.metadata import version

        typer.echo(f"planspec {version('planspec')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    color: Annotated[
        Color | None,
        typer.Option(
            callback=apply_color,
            expose_value=False,
            show_default=False,
            help="When to use colours; `auto`: on a terminal. If left out, as `auto`, but NO_COLOR turns colours off and "
            "FORCE_COLOR turns them on.",
        ),
    ] = None,
) -> None:
    """Options before a command: `--version` and `--color`. Each command also accepts `--color`."""


def main() -> None:
    """Run the command line and exit.

    The interpreter's shutdown is skipped after Ctrl-C, or if an abandoned solver is still running. Destroying a solver
    that was stopped midway can crash: Z3 did so one time in twenty.
    """
    replace_standard_streams()
    sys.unraisablehook = _handle_unraisable
    try:
        command_line()
    except CommandInterrupt:  # a second Ctrl-C during shutdown is ignored
        _leave()
    except SystemExit as exit_:
        solvers = sys.modules.get("planspec.solvers.backends.interruption")  # loaded only if a solver has run
        if exit_.code == Exit.INTERRUPTED or (solvers is not None and solvers.any_abandoned()):
            _leave(int(exit_.code or 0))
        raise


def _leave(code: int = Exit.INTERRUPTED) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _handle_unraisable(unraisable: Any) -> None:
    """Exit if Ctrl-C was pressed where no exception can propagate, such as in a finaliser."""
    if unraisable.exc_type is CommandInterrupt:
        note("interrupted")
        _leave()
    sys.__unraisablehook__(unraisable)


def command_line() -> None:
    """Run the command line. Every outcome is an exit code, never a traceback."""
    gc.set_threshold(100_000, 20, 20)  # commands keep their objects, so searches for cycles free little
    forget_printed_diagnostics()
    interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal interrupted
        if interrupted:
            os._exit(Exit.INTERRUPTED)
        interrupted = True
        raise CommandInterrupt

    previous_handler = signal.signal(signal.SIGINT, interrupt)
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except CommandInterrupt:
        note("interrupted")
        sys.exit(Exit.INTERRUPTED)
    except ClosedOutputError:
        sys.exit(Exit.UNREAD)
    except UnwritableOutputError as error:
        note(f"error: {error}")
        sys.exit(Exit.WRONG_INPUT)
    except Exception as error:  # noqa: BLE001 the boundary: an error that is not the user's is our bug
        if interrupted:  # an interrupted import can raise another error
            note("interrupted")
            sys.exit(Exit.INTERRUPTED)
        sys.exit(report_failure(error))
    finally:
        signal.signal(signal.SIGINT, previous_handler)


if __name__ == "__main__":
    main()
