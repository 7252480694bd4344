"""The transports of a server: standard input and output, or HTTP."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from mcp.server import Server

PATH = "/mcp"
"""The path of a server at its host."""
SLOW_S = 20.0
"""The time that a client has to send a request; then its connection is closed."""
MOST_SESSIONS = 256
"""The most sessions at a time; a further one is refused (503)."""
IDLE_S = 600.0
"""The time after which an idle session ends."""
MOST_CONNECTIONS = 512
"""Connections at a time on which requests are answered; on further ones it is 503."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client on standard input and output, until its input ends."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


def serve_http(
    server: Server[Any], host: str, port: int, told: Callable[[str], None], names: Sequence[str] = ()
) -> None:
    """Serve any number of clients over streamable HTTP, until the process is ended.

    A request has to name the server as it can be reached, and a web page's has to come from there: otherwise every page
    that a browser shows could call the tools, by a name of its own that leads here.

    Args:
        server: of a task.
        host: the address that is listened at; there is no login, so that whoever reaches it may call.
        port: 0 for one that is free.
        told: hears the address once it can be called.
        names: by which clients reach it beside the host's own: of a proxy, of this machine in its network.

    Raises:
        OSError: the address cannot be listened at.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    def made(port: int) -> Any:
        places = sorted({place for name in (*_names(host), *names) for place in _places(name, port)})
        return server.streamable_http_app(
            streamable_http_path=PATH, max_sessions=MOST_SESSIONS, session_idle_timeout=IDLE_S,
            transport_security=TransportSecuritySettings(
                allowed_hosts=places,
                allowed_origins=[f"{scheme}://{place}" for place in places for scheme in ("http", "https")],
            ),
        )  # fmt: skip

    serve_app(made, host, port, lambda url: told(f"{url}{PATH}"))


def serve_site(
    app: Any, host: str, port: int, told: Callable[[str], None], names: Sequence[str] = ()
) -> None:
    """Serve a site, until the process is ended; a request has to name the server as it can be reached.

    Args:
        app: the site, an ASGI application.
        host: the address that is listened at; there is no login.
        port: 0 for one that is free.
        told: hears the address once it can be called.
        names: by which clients reach it beside the host's own.

    Raises:
        OSError: the address cannot be listened at.
    """
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    hosts = {name if name.startswith("[") else name.partition(":")[0] for name in (*_names(host), *names)}
    serve_app(
        lambda _: TrustedHostMiddleware(app, allowed_hosts=sorted(hosts), www_redirect=False),
        host,
        port,
        told,
    )


def serve_app(made: Callable[[int], Any], host: str, port: int, told: Callable[[str], None]) -> None:
    """Serve an application over HTTP, until the process is ended.

    Args:
        made: makes it for a port.
        host: the address that is listened at.
        port: 0 for one that is free.
        told: hears the address once it can be called.

    Raises:
        OSError: the address cannot be listened at.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        # connections take it over; without it each answer waits for the client's acknowledgement of its head, 40 ms
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        bound = listening.getsockname()[1]
        url = f"http://{_bracketed(host)}:{bound}"

        class Telling(uvicorn.Server):  # type: ignore[misc,unused-ignore]
            """Says that it serves when it does: before, an interruption would find a server half begun."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets=sockets)
                told(url)

        config = uvicorn.Config(
            made(bound),
            log_level="warning",
            http=_impatient(),
            ws="none",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=int(SLOW_S),
        )
        Telling(config).run(sockets=[listening])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _names(host: str) -> Iterator[str]:
    """The names by which clients reach an address that is listened at."""
    yield _bracketed(host)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a name
        if host == "localhost":
            yield from _LOOPBACK
        return
    if address.is_loopback or address.is_unspecified:
        yield from _LOOPBACK
    if address.is_unspecified:
        name = socket.gethostname()
        yield name
        with suppress(OSError):
            yield from {_bracketed(str(found[4][0])) for found in socket.getaddrinfo(name, None)}


def _places(name: str, port: int) -> tuple[str, ...]:
    """The values of `Host` for a name: it alone, and with the port, unless it has one, as behind a proxy."""
    return (name,) if name.rpartition("]")[2].count(":") else (f"{name}:{port}", name)


def _impatient() -> type[asyncio.Protocol]:
    """The protocol of a connection, which is closed if a request is not there as a whole after some time."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Impatient(H11Protocol):  # type: ignore[misc,unused-ignore]
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._rest()

        def _watch(self) -> None:
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
                self._rest()
            elif self._late is None:
                self._late = self.loop.call_later(SLOW_S, self.transport.abort)

        def _rest(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Impatient
