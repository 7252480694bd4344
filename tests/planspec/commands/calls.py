"""Calls of every command that has an option, for tests of what the option means to all of them."""

from __future__ import annotations

from functools import cache
from typing import Any

from typer.main import get_command

from planspec.cli import COMMANDS, app

TASKS, ANSWER, ANSWERS, NEW = "TASKS", "ANSWER", "ANSWERS", "NEW"
"""Words for a name of tasks, files with one answer and with several, and a new file or folder."""
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
"""Arguments of the commands that do not take exactly one name of tasks, by command."""


@cache
def options_by_command() -> dict[str, dict[str, Any]]:
    """Return the options of each command and subcommand, by their names. An option with two names has two keys."""
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
    """Return the words of a call of a command. `values` maps `TASKS` and the other words of `ARGUMENTS` to texts."""
    return [*command.split(), *(values.get(word, word) for word in ARGUMENTS.get(command, (TASKS,)))]
