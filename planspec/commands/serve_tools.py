"""`planspec serve-tools`: serves a task's tools to any client of the Model Context Protocol."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from planspec.commands.completion import complete_tasks
from planspec.commands.console import CommandLineError, Exit, leave, note


class Transport(StrEnum):
    """How clients reach the tools."""

    stdio = "stdio"
    http = "http"


def serve_tools(
    task: Annotated[
        str,
        typer.Argument(
            help="The task's file or id.", metavar="TASK", show_default=False, autocompletion=complete_tasks
        ),
    ],
    transport: Annotated[Transport, typer.Option(help="How clients reach the tools.")] = Transport.stdio,
    setting: Annotated[
        str | None,
        typer.Option(help="The setting in which agents solve the task; if left out, the task's default."),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            help="With http: the address to listen on. There is no login; everyone who reaches it may call the tools."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(help="With http: the port to listen on; 0 for a free one.", min=0, max=65535)
    ] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="With http: another name by which clients reach the server, such as a proxy's, as NAME or NAME:PORT; may be repeated.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve a task's tools over MCP.

    The task's query is offered as a prompt.

    A client starts `planspec serve-tools TASK` itself and talks to it over standard input and output. With
    `--transport http` it connects to the address printed on standard error.
    """
    from planspec.environments import open_task
    from planspec.environments.opened import require_no_site
    from planspec.serving import require_mcp, serve_http, serve_stdio, tool_server

    require_mcp()
    opened = open_task(task, setting)
    require_no_site(opened, "`planspec serve-tools`")
    count = len(opened.tools.tools())
    if count == 0:
        note(f"warning: `{task}` has no tools in the setting `{opened.setting}`; only its prompts are served")
    server = tool_server(opened)
    if transport is Transport.stdio:
        serve_stdio(server)
    else:
        try:
            serve_http(server, host, port, lambda url: note(f"serving {count} tools at {url}"), name or ())
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or error
            raise CommandLineError(f"cannot listen at {host}:{port}: {reason}") from None
    leave(Exit.HOLDS)
