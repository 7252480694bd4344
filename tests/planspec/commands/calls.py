"""A call of each command, for tests of options that many commands have."""

from __future__ import annotations

from functools import cache
from typing import Any

from typer.main import get_command

from planspec.cli import COMMANDS, app

TASKS, ANSWER, ANSWERS, NEW = "TASKS", "ANSWER", "ANSWERS", "NEW"
"""Placeholders in calls: a name of tasks, a file with one answer, a file with several, and a new file or folder."""
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "compare": (TASKS, TASKS),
    "dimacs": (TASKS, "-o", NEW),
    "export rows": (TASKS, "--out", NEW),
    "repair": (ANSWER, "--task", TASKS),
    "run": (TASKS, "--agent", "empty", "--out", NEW),
    "score": (ANSWERS, "--suite", TASKS),
    "tighten": (TASKS, "-o", NEW),
    "verify": (ANSWER, TASKS),
}
"""Arguments of the commands that take other arguments than exactly one name of tasks, by command."""


@cache
def options_by_command() -> dict[str, dict[str, Any]]:
    """Return the options of each command and subcommand by name. An option with two names occurs twice."""
    group: Any = get_command(app)
    commands: dict[str, Any] = {}
    for name in COMMANDS:
        command = group.get_command(None, name)
        subcommands = getattr(command, "commands", None)
        commands |= (
            {name: command} if subcommands is None else {f"{name} {each}": it for each, it in subcommands.items()}
        )
    return {name: {option: param for param in it.params for option in param.opts} for name, it in commands.items()}


def commands_with(option: str) -> list[str]:
    """Return the commands and subcommands with an option, in the order of the help."""
    return [name for name, options in options_by_command().items() if option in options]


def call(command: str, **values: str) -> list[str]:
    """Return the words of a command line. `values` replaces the placeholders `TASKS`, `ANSWER`, `ANSWERS` and
    `NEW`.
    """
    return [*command.split(), *(values.get(word, word) for word in ARGUMENTS.get(command, (TASKS,)))]
