"""`agents`: the installed agents and their options."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from planspec.commands.completion import complete_agents
from planspec.commands.console import Format, command_group, print_json
from planspec.text import align

if TYPE_CHECKING:
    from planspec.api.outputs.shown import AgentOutput

agents = command_group("List the agents that `run` takes, or show one.")


@agents.command("list")
def agents_list(format: Annotated[Format, typer.Option(help="How to print.")] = Format.text) -> None:
    """List the installed agents."""
    from planspec.agents import agent_names

    outputs = [_agent_output(name) for name in agent_names()]
    if format is Format.json:
        print_json(outputs)
        return
    lines = align([(each.name, each.does.partition("\n")[0]) for each in outputs])
    sys.stdout.writelines(f"{line}\n" for line in lines)


@agents.command("show")
def agents_show(
    name: Annotated[str, typer.Argument(help="The agent.", metavar="NAME", autocompletion=complete_agents)],
    format: Annotated[Format, typer.Option(help="How to print.")] = Format.text,
) -> None:
    """Show what an agent does, and its options."""
    output = _agent_output(name)
    if format is Format.json:
        print_json(output)
        return
    out = sys.stdout.write
    out(f"{output.name}\n\n{output.does}\n")
    if output.options:
        out("\noptions:\n")
    for option in output.options:
        out(f"  {option.name}{' (required)' if option.default is None else f'={option.default}'}\n")
    if output.missing is not None:
        out(f"\n{output.missing}\n")


def _agent_output(name: str) -> AgentOutput:
    from planspec.agents import describe_agent
    from planspec.api.outputs.shown import AgentOptionOutput, AgentOutput

    try:
        does, options = describe_agent(name)
    except ModuleNotFoundError as error:
        return AgentOutput(name=name, does="", options=[], missing=str(error))
    return AgentOutput(
        name=name, does=does, options=[AgentOptionOutput(name=o.name, default=o.default) for o in options]
    )
