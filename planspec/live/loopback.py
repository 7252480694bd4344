"""Web servers for browsers on the same machine, with pages and event streams.

The address contains a token, and requests with another host name are refused.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Event
from typing import Any, TypeAlias
from urllib.parse import parse_qs

from planspec.report.assets import policy
from planspec.serving.transports import REQUEST_TIMEOUT_S

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
MOST_CONNECTIONS = 64
"""Largest number of simultaneous connections, each with its own thread. Further ones are closed."""
MOST_STREAMS = 8
"""Largest number of simultaneous streams. Further requests for one get the status 503."""
HEARTBEAT_S = 1.0
"""Seconds after which an idle stream sends a heartbeat, which fails if the connection is closed."""
Query: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Response:
    """A complete response.

    Attributes:
        media: media type of the body.
    """

    media: str
    body: bytes


@dataclass(frozen=True, slots=True)
class EventStream:
    """A response that is a stream of events.

    Attributes:
        lines: JSON texts of one line each; None for a heartbeat.
    """

    lines: Iterator[str | None]


RouteResponse: TypeAlias = Response | EventStream | None
"""Response to a request, or None for the status 404."""
_DISCONNECTED = (ConnectionError, TimeoutError)
Route: TypeAlias = Callable[[Query], RouteResponse]


class LoopbackServer:
    """Server for the local user's browser.

    Args:
        routes: handlers by path, which take the request's query parameters. The page has the empty path.
        port: port to listen on; 0 for a free one.

    Attributes:
        ending: event that is set when streams must end.

    Raises:
        OSError: the port cannot be listened on.
    """

    def __init__(self, routes: Mapping[str, Route], port: int) -> None:
        self.ending = Event()
        self._token = secrets.token_urlsafe(16)
        attributes = {"token": self._token, "routes": dict(routes), "streams": BoundedSemaphore(MOST_STREAMS)}
        self._server = _LoopbackHttpServer((LOOPBACK, port), type("Handler", (_Handler,), attributes))

    @property
    def url(self) -> str:
        """Address of the page, with the token that requests need."""
        return f"http://{LOOPBACK}:{self._server.server_port}/{self._token}/"

    def serve(self) -> None:
        """Handle requests until `close` is called or a signal arrives."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """End all streams and stop listening."""
        self.ending.set()
        self._server.shutdown()
        self._server.server_close()


class _LoopbackHttpServer(ThreadingHTTPServer):
    """HTTP server with a thread for each connection, up to `MOST_CONNECTIONS`."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Handle a connection, or close it if there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, unless it is that the client has disconnected."""
        if not isinstance(sys.exception(), _DISCONNECTED):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Handler of one connection. Each server has a subclass with its token and routes."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "planspec", ""
    timeout = REQUEST_TIMEOUT_S
    token: str
    routes: dict[str, Route]
    streams: BoundedSemaphore

    def do_GET(self) -> None:
        """Send the response of the route with the request's path."""
        path, _, query = self.path.partition("?")
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        token, *rest = path.removeprefix("/").split("/")
        if host not in NAMES or not secrets.compare_digest(
            token.encode("utf-8", "surrogateescape"), self.token.encode()
        ):
            self.send_error(HTTPStatus.FORBIDDEN, "not this address")
            return
        route = self.routes.get("/".join(rest)) if rest else None
        response = None if route is None else route({name: values[0] for name, values in parse_qs(query).items()})
        match response:
            case None:
                self.send_error(HTTPStatus.NOT_FOUND, "nothing is here")
            case Response():
                self._send(response)
            case EventStream():
                if self.streams.acquire(blocking=False):
                    try:
                        self._stream(response)
                    finally:
                        self.streams.release()
                else:
                    self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, "too many pages are open")

    def _send(self, response: Response) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", response.media)
        self.send_header("Content-Length", str(len(response.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(response.body)

    def _stream(self, response: EventStream) -> None:
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        # Closing the page breaks the connection, which ends the stream and the work that it started.
        with suppress(*_DISCONNECTED), closing(response.lines):  # type: ignore[type-var]
            for event in response.lines:
                self.wfile.write(b": still here\n\n" if event is None else f"data: {event}\n\n".encode())
                self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Do not log requests."""


def live_page(title: str, body: str, style: str, program: str) -> Response:
    """Return a page that is drawn by its own program, which may connect to its own server only.

    Args:
        title: title of the page.
        body: HTML of the page's body.
        style: CSS of the page.
        program: JavaScript of the page.
    """
    return Response(
        "text/html; charset=utf-8",
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy(style, program, "'self'"))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
{body}
<script>{program}</script>
</html>
""".encode(),
    )


def attribute_value(values: Sequence[str]) -> str:
    """Return texts as a JSON list, escaped for the value of an HTML attribute."""
    import json

    return escape(json.dumps(list(values)))
