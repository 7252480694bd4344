"""Calls of every command that has an option, for tests of what the option means to all of them."""

from __future__ import annotations

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


def options_of(command: str) -> dict[str, Any]:
    """Return the options of a command or subcommand, keyed by name. An option with two names has two keys."""
    name, _, subcommand = command.partition(" ")
    group: Any = get_command(app)
    found = group.get_command(None, name)
    if subcommand:
        found = found.commands[subcommand]
    return {option: param for param in found.params for option in param.opts}


def commands_with(option: str) -> list[str]:
    """Return the commands and subcommands with an option, in the order of the help."""
    group: Any = get_command(app)
    names = []
    for name in COMMANDS:
        subcommands = getattr(group.get_command(None, name), "commands", None)
        names += [name] if subcommands is None else [f"{name} {each}" for each in subcommands]
    return [name for name in names if option in options_of(name)]


def call(command: str, **values: str) -> list[str]:
    """Return the words of a call of a command. `values` maps `TASKS` and the other words of `ARGUMENTS` to texts."""
    return [*command.split(), *(values.get(word, word) for word in ARGUMENTS.get(command, (TASKS,)))]
