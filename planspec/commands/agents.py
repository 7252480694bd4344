"""`agents`: which agents are installed, and what options each has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import agents_named
from planspec.commands.console import Format, command_group, print_json
from planspec.text_table import align

if TYPE_CHECKING:
    from planspec.api.outputs.shown import AgentOutput

agents = command_group("List the agents that `run` knows, or show the options of one.")


@agents.command("list")
def agents_list(format: Annotated[Format, typer.Option(help="How to print.")] = Format.text) -> None:
    """List the agents that are installed."""
    from planspec.agents import known

    made = [_described(name) for name in known()]
    if format is Format.json:
        print_json(made)
        return
    lines = align([(each.name, each.does.partition("\n")[0]) for each in made])
    sys.stdout.writelines(f"{line}\n" for line in lines)


@agents.command("show")
def agents_show(
    name: Annotated[str, typer.Argument(help="The agent.", metavar="NAME", autocompletion=agents_named)],
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Show what an agent does, and its options."""
    made = _described(name)
    if format is Format.json:
        print_json(made)
        return
    out = sys.stdout.write
    out(f"{made.name}\n\n{made.does}\n")
    if made.options:
        out("\noptions:\n")
    for option in made.options:
        out(f"  {option.name}{' (must be given)' if option.default is None else f'={option.default}'}\n")
    if made.missing is not None:
        out(f"\n{made.missing}\n")


def _described(name: str) -> AgentOutput:
    from planspec.agents import described
    from planspec.api.outputs.shown import AgentOptionOutput, AgentOutput

    try:
        does, options = described(name)
    except ModuleNotFoundError as error:
        return AgentOutput(name=name, does="", options=[], missing=str(error))
    return AgentOutput(
        name=name, does=does, options=[AgentOptionOutput(name=o.name, default=o.default) for o in options]
    )
