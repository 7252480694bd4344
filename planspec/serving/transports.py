"""How a server is reached: over standard input and output, or over HTTP."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server import Server

PATH = "/mcp"
"""Where a server is, at its host."""


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client on standard input and output, until its input ends."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(server: Server[Any], host: str, port: int, told: Callable[[str], None]) -> None:
    """Serve any number of clients over streamable HTTP, until the process is told to end.

    Args:
        server: of a task.
        host: the address that is listened at; there is no login, so that whoever reaches it may call.
        port: 0 for one that is free.
        told: hears the address once it can be called.

    Raises:
        OSError: the address cannot be listened at.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        app = server.streamable_http_app(streamable_http_path=PATH, host=host)
        bound = f"[{host}]" if family == socket.AF_INET6 else host
        url = f"http://{bound}:{listening.getsockname()[1]}{PATH}"

        class Telling(uvicorn.Server):  # type: ignore[misc,unused-ignore]
            """Says that it serves when it does: before, an interruption would find a server half begun."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets=sockets)
                told(url)

        Telling(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
