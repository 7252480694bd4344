"""Transports of a server: standard input and output, or HTTP."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.deprecation import former_parameters
from planspec.dsl.model.task import Task
from planspec.family.descriptor import Part

if TYPE_CHECKING:
    import asyncio

    from mcp.server import Server

Site: TypeAlias = Callable[[Path, Sequence[Task], int, bool], Any]
"""Function that builds a website as an ASGI application.

It takes a suite's folder, its tasks, a seed of the appearance, and whether to hide facts that are shown only by
appearance from screen readers.
"""
SITE: Part[Site | None] = Part("site", None)
"""The family's function for a booking website of a suite's world, for `planspec serve-site`."""
PATH = "/mcp"
"""Path of the MCP endpoint."""
REQUEST_TIMEOUT_S = 20.0
"""Seconds that a client has to send a request. Then its connection is closed."""
MOST_SESSIONS = 256
"""Maximum number of concurrent sessions. Further ones are refused with status 503."""
IDLE_S = 600.0
"""Seconds after which an idle session ends."""
MOST_CONNECTIONS = 512
"""Maximum number of concurrent connections. Requests on further ones are refused with status 503."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve_stdio(server: Server[Any]) -> None:
    """Serve one client on standard input and output, until its input ends."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


@former_parameters(told="on_ready")
def serve_http(
    server: Server[Any], host: str, port: int, on_ready: Callable[[str], None], names: Sequence[str] = ()
) -> None:
    """Serve any number of clients over streamable HTTP until the process ends.

    Requests must address the server by one of its names, and requests from a web page must come from the server's own
    pages. Otherwise any page in a browser could call the tools through a domain that resolves to this server (DNS
    rebinding).

    Args:
        server: server of a task.
        host: address to listen on. There is no login: everyone who reaches it may call the tools.
        port: port to listen on; 0 for a free one.
        on_ready: called with the server's address once it accepts requests.
        names: names of the server besides those of the host, such as the name of a proxy.

    Raises:
        OSError: the server cannot listen on the address.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    def make_app(port: int) -> Any:
        values = sorted({value for name in (*_host_names(host), *names) for value in _host_values(name, port)})
        return server.streamable_http_app(
            streamable_http_path=PATH,
            max_sessions=MOST_SESSIONS,
            session_idle_timeout=IDLE_S,
            transport_security=TransportSecuritySettings(
                allowed_hosts=values,
                allowed_origins=[f"{scheme}://{value}" for value in values for scheme in ("http", "https")],
            ),
        )

    serve_app(make_app, host, port, lambda url: on_ready(f"{url}{PATH}"))


@former_parameters(told="on_ready")
def serve_site(app: Any, host: str, port: int, on_ready: Callable[[str], None], names: Sequence[str] = ()) -> None:
    """Serve a website until the process ends. Requests must address the server by one of its names.

    Args:
        app: the website, an ASGI application.
        host: address to listen on. There is no login.
        port: port to listen on; 0 for a free one.
        on_ready: called with the server's address once it accepts requests.
        names: names of the server besides those of the host.

    Raises:
        OSError: the server cannot listen on the address.
    """
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    hosts = {name if name.startswith("[") else name.partition(":")[0] for name in (*_host_names(host), *names)}
    serve_app(
        lambda _: TrustedHostMiddleware(app, allowed_hosts=sorted(hosts), www_redirect=False),
        host,
        port,
        on_ready,
    )


def serve_app(make_app: Callable[[int], Any], host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve an application over HTTP until the process ends.

    Args:
        make_app: function from the port to the ASGI application.
        host: address to listen on.
        port: port to listen on; 0 for a free one.
        on_ready: called with the server's address once it accepts requests.

    Raises:
        OSError: the server cannot listen on the address.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        # connections inherit this option; without it, a response waits 40 ms for the client to acknowledge its header
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        bound_port = listener.getsockname()[1]
        url = f"http://{_bracket_ipv6(host)}:{bound_port}"

        class NotifyingServer(uvicorn.Server):  # type: ignore[misc,unused-ignore]
            """A server that calls `on_ready` when it has started and can be interrupted safely."""

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets=sockets)
                on_ready(url)

        config = uvicorn.Config(
            make_app(bound_port),
            log_level="warning",
            http=_timed_protocol(),
            ws="none",
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=int(REQUEST_TIMEOUT_S),
        )
        NotifyingServer(config).run(sockets=[listener])


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _host_names(host: str) -> Iterator[str]:
    """Yield the names by which clients reach a server that listens on an address."""
    yield _bracket_ipv6(host)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # it is a name, not an IP address
        if host == "localhost":
            yield from _LOOPBACK
        return
    if address.is_loopback or address.is_unspecified:
        yield from _LOOPBACK
    if address.is_unspecified:
        name = socket.gethostname()
        yield name
        with suppress(OSError):
            yield from {_bracket_ipv6(str(entry[4][0])) for entry in socket.getaddrinfo(name, None)}


def _host_values(name: str, port: int) -> tuple[str, ...]:
    """Return the accepted values of the header `Host` for a name, with and without the port.

    For a name that contains a port, the only value is the name.
    """
    return (name,) if name.rpartition("]")[2].count(":") else (f"{name}:{port}", name)


def _timed_protocol() -> type[asyncio.Protocol]:
    """Return a protocol class that closes a connection if a request takes too long to arrive."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class TimedProtocol(H11Protocol):  # type: ignore[misc,unused-ignore]
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._update_timer()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._update_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            self._stop_timer()

        def _update_timer(self) -> None:
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
                self._stop_timer()
            elif self._timer is None:
                self._timer = self.loop.call_later(REQUEST_TIMEOUT_S, self.transport.abort)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return TimedProtocol
