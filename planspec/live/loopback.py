"""Web server for browsers on the same machine (loopback), with pages, event streams, and messages from pages.

Addresses contain a secret token. Requests with another host name and messages from another origin are refused.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
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
from planspec.traces.json_text import load, replace_surrogates

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
MOST_CONNECTIONS = 64
"""Maximum number of simultaneous connections, each with its own thread. Further connections are closed."""
MOST_STREAMS = 8
"""Maximum number of simultaneous streams. Further requests for a stream get status 503."""
MOST_MESSAGE = 4 << 20
"""Maximum length of a message from a page, in bytes."""
HEARTBEAT_S = 1.0
"""Seconds after which an idle stream sends a heartbeat, to detect closed connections."""
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
        lines: events, each as one line of JSON; None stands for a heartbeat.
    """

    lines: Iterator[str | None]


RouteResponse: TypeAlias = Response | EventStream | None
"""Response to a request. None means status 404."""
_DISCONNECTED = (ConnectionError, TimeoutError)
Route: TypeAlias = Callable[[Query], RouteResponse]
Message: TypeAlias = Mapping[str, Any]
"""A JSON object that a page sent."""
MessageRoute: TypeAlias = Callable[[Message], Mapping[str, Any]]
"""Handler of a message. It returns the JSON object to send back."""


class LoopbackServer:
    """Server for the local user's browser.

    Args:
        routes: handlers by path. They take the query parameters. The path of the page itself is empty.
        port: port to listen on; 0 for a free one.
        messages: handlers of messages from pages (`POST`), by path.

    Attributes:
        ending: set when streams must end.

    Raises:
        OSError: the port cannot be listened on.
    """

    def __init__(
        self, routes: Mapping[str, Route], port: int, messages: Mapping[str, MessageRoute] | None = None
    ) -> None:
        self.ending = Event()
        self._token = secrets.token_urlsafe(16)
        attributes = {
            "token": self._token,
            "routes": dict(routes),
            "messages": dict(messages or {}),
            "streams": BoundedSemaphore(MOST_STREAMS),
        }
        self._server = _LoopbackHttpServer((LOOPBACK, port), type("Handler", (_Handler,), attributes))

    @property
    def url(self) -> str:
        """Address of the page, including the token that requests need."""
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
    """HTTP server with one thread for each connection, up to `MOST_CONNECTIONS`."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS  # a client that finds the queue full retries only after seconds

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
        """Report an error, except if it is caused by a client that disconnected."""
        if not isinstance(sys.exception(), _DISCONNECTED):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Handler of one connection. Each server uses a subclass with its token and routes."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "planspec", ""
    timeout = REQUEST_TIMEOUT_S
    token: str
    routes: dict[str, Route]
    messages: dict[str, MessageRoute]
    streams: BoundedSemaphore

    def do_GET(self) -> None:
        """Send the response of the route for the request's path."""
        name = self._route_name()
        if name is None:
            return
        query = parse_qs(self.path.partition("?")[2])
        route = self.routes.get(name)
        response = None if route is None else route({name: values[0] for name, values in query.items()})
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

    def do_POST(self) -> None:
        """Pass the JSON object in the body to the handler for the request's path, and send the result."""
        self.close_connection = True  # the body of a refused request stays unread
        name = self._route_name()
        if name is None:
            return
        handler = self.messages.get(name)
        if handler is None:
            self.send_error(HTTPStatus.NOT_FOUND, "nothing is here")
            return
        if self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
            self.send_error(HTTPStatus.FORBIDDEN, "not from this page")
            return
        length = self.headers.get("Content-Length") or ""
        if not (length.isascii() and length.isdecimal() and len(length) < 10 and int(length) <= MOST_MESSAGE):
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the message is too long, or of no known length")
            return
        message = _read_object(self.rfile.read(int(length)))
        if message is None or self.headers.get_content_type() != "application/json":
            self.send_error(HTTPStatus.BAD_REQUEST, "not a JSON object")
            return
        self._send(Response("application/json", json.dumps(handler(message)).encode()))

    def _route_name(self) -> str | None:
        """Return the path after the token. A request with a wrong host or token is refused, and None is returned."""
        host = (self.headers.get("Host") or "").rpartition(":")[0]
        token, *rest = self.path.partition("?")[0].removeprefix("/").split("/")
        if host not in NAMES or not secrets.compare_digest(
            token.encode("utf-8", "surrogateescape"), self.token.encode()
        ):
            self.send_error(HTTPStatus.FORBIDDEN, "not this address")
            return None
        if not rest:
            self.send_error(HTTPStatus.NOT_FOUND, "nothing is here")
            return None
        return "/".join(rest)

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
        # A closed page breaks the connection. This ends the stream and the work that was started for it.
        with suppress(*_DISCONNECTED), closing(response.lines):  # type: ignore[type-var]
            for event in response.lines:
                self.wfile.write(b": still here\n\n" if event is None else f"data: {event}\n\n".encode())
                self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Discard the message: requests are not logged."""


def live_page(title: str, body: str, style: str, program: str) -> Response:
    """Return a page whose script draws the content and may connect only to the page's own server.

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


def attribute_value(value: Any) -> str:
    """Return a value as JSON, escaped for use in an HTML attribute."""
    return escape(json.dumps(value))


def _read_object(body: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a request's body; None if there is none."""
    try:
        value, _ = replace_surrogates(load(body.decode("utf-8")))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
